# Each function of a library is planned or refused; the moved instructions of a planned one do in an
# emulator what they do in their place: the same registers, the same memory, the same next instruction.
#
# REQUIRES: unicorn
# RUN: %readers %s /lib/x86_64-linux-gnu/libc.so.6 1 /usr/lib/x86_64-linux-gnu/libstdc++.so.6 4
import os
import random
import subprocess
import sys

import unicorn
from unicorn import x86_const as x86

GENERAL = [getattr(x86, "UC_X86_REG_" + name) for name in
           ("RAX RBX RCX RDX RSI RDI RBP R8 R9 R10 R11 R12 R13 R14 R15 RSP EFLAGS".split())]
VECTORS = [getattr(x86, "UC_X86_REG_XMM%d" % i) for i in range(16)]
PAGE = 4096
MOVED_AT = 0x70000000  # within reach of small addresses
STACK = 0x7FFF00000000
SHIFT = 0x10000000  # where the binary lies


def segments(path):
    """(address, bytes) of what the binary loads."""
    with open(path, "rb") as file:
        data = file.read()
    u = lambda at, n: int.from_bytes(data[at:at + n], "little")
    for i in range(u(56, 2)):
        head = u(32, 8) + i * u(54, 2)
        if u(head, 4) == 1:
            yield u(head + 16, 8), data[u(head + 8, 8):u(head + 8, 8) + u(head + 32, 8)]


class Machine:
    """A processor on which the binary is loaded. Other memory has bytes that depend on its address."""

    def __init__(self, path):
        self.uc = unicorn.Uc(unicorn.UC_ARCH_X86, unicorn.UC_MODE_64)
        self.pages, self.written = {}, set()
        for at, data in segments(path):
            at += SHIFT
            for page in range(at & -PAGE, at + len(data), PAGE):
                old = self.pages.get(page, bytearray(PAGE))
                lo, hi = max(at, page), min(at + len(data), page + PAGE)
                old[lo - page:hi - page] = data[lo - at:hi - at]
                self.pages[page] = old
        self.mapped = set()
        self.uc.hook_add(unicorn.UC_HOOK_MEM_UNMAPPED, self.map)
        self.uc.hook_add(unicorn.UC_HOOK_MEM_WRITE, lambda uc, kind, at, size, value, user: self.written.update(
            {at & -PAGE, (at + size - 1) & -PAGE}))

    def map(self, uc, kind, at, size, value, user):
        for page in {at & -PAGE, (at + size - 1) & -PAGE}:
            if page in self.mapped:
                continue
            if not 0 <= page < 1 << 47:
                return False
            uc.mem_map(page, PAGE)
            uc.mem_write(page, self.fill(page))
            self.mapped.add(page)
        return True

    def fill(self, page):
        return bytes(self.pages.get(page) or (page >> 12).to_bytes(8, "little") * (PAGE // 8))

    def put(self, at, data):
        self.map(self.uc, 0, at, len(data), 0, None)
        self.uc.mem_write(at, bytes(data))
        self.uc.ctl_remove_cache(at, at + PAGE)

    def run(self, begin, is_inside, seed):
        """The state after the first instruction that is not inside; or what stopped the processor."""
        draw = random.Random(seed)
        for page in self.written:
            if page in self.mapped:
                self.uc.mem_write(page, self.fill(page))
        self.written.clear()
        for register in GENERAL[:-2]:
            self.uc.reg_write(register, draw.choice([draw.randrange(0x20000, 1 << 30) & -16, draw.randrange(256)]))
        self.uc.reg_write(GENERAL[-2], STACK + 0x800)
        self.uc.reg_write(GENERAL[-1], 0x202 | draw.choice([0, 0x40, 0x81, 0x801]))
        for register in VECTORS:
            self.uc.reg_write(register, draw.getrandbits(128))
        at, steps = begin, 0
        while is_inside(at):
            steps += 1
            if steps > 40:
                return "many steps"
            try:
                self.uc.emu_start(at, 0, count=1)
            except unicorn.UcError as error:
                return "stopped", error.errno
            at = self.uc.reg_read(x86.UC_X86_REG_RIP)
        registers = [self.uc.reg_read(r) for r in GENERAL + VECTORS]
        memory = {page: bytes(self.uc.mem_read(page, PAGE)) for page in sorted(self.written)}
        return at, registers, memory


def moved_code(plan):
    """The bytes at MOVED_AT, with their words."""
    code = bytearray.fromhex(plan[4])
    words = plan[5:]
    for at, end, target in zip(words[::3], words[1::3], words[2::3]):
        to = SHIFT + int(target, 16)
        if int(end) == 0:
            code[int(at):int(at) + 8] = to.to_bytes(8, "little")
        else:
            code[int(at):int(at) + 4] = (to - (MOVED_AT + int(end))).to_bytes(4, "little", signed=True)
    return code


def check(path, every):
    said = subprocess.run(["memkit-plandetours", "--every=" + every, path], check=True, stdout=subprocess.PIPE,
                          text=True).stdout
    machine = Machine(path)
    planned = refused = stopped = 0
    for line in said.splitlines():
        plan = line.split()
        if plan[1] == "refused":
            refused += 1
            continue
        planned += 1
        begin, at, size = SHIFT + int(plan[1], 16), SHIFT + int(plan[2], 16), int(plan[3])
        code = moved_code(plan)
        machine.put(MOVED_AT, code)
        for seed in (1, 2):
            there = machine.run(begin, lambda pc: begin <= pc < at + size, seed)
            here = machine.run(MOVED_AT, lambda pc: MOVED_AT <= pc < MOVED_AT + len(code), seed)
            if there != here:
                sys.exit("%s: %s\nin place %s\nmoved    %s" % (path, line, there[:2], here[:2]))
            stopped += there[0] == "stopped"
    print("%s: %d planned, %d refused, %d runs stopped" % (os.path.basename(path), planned, refused, stopped))
    # A test that stops everywhere, or refuses everything, shows nothing.
    if planned < 5 * refused or planned < 10 * stopped:
        sys.exit("too few functions ran")


for path, every in zip(sys.argv[1::2], sys.argv[2::2]):
    check(os.path.realpath(path), every)
