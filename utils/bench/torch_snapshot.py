#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a large memory snapshot of PyTorch, opcode by opcode, in little memory.

    torch_snapshot.py OUT BYTES [--jit]

Each allocation has a list of frames of its own, which its frees share; lists share their frames. --jit writes as
torch::jit::Pickler does: protocol 2, one batch for all events."""

import random
import struct
import sys

SEGMENT, SLOTS, SEGMENTS = 1 << 21, 8, 4000
BASE = 0x7F0000000000
FRAMES, PATHS = 3000, 5000


class Writer:
    """The opcodes of one pickle, with the numbers of its memo."""

    def __init__(self, out, jit):
        self.out, self.jit, self.memo, self.texts = out, jit, 0, {}
        self.bytes = out.write
        self.bytes(b"\x80\x02" if jit else b"\x80\x04")

    def number(self):
        """Numbers the value before."""
        at = self.memo
        self.memo += 1
        if not self.jit:
            self.bytes(b"\x94")
        else:
            self.bytes(b"q" + bytes([at]) if at < 256 else b"r" + struct.pack("<I", at))
        return at

    def begin(self, opcode):
        """An empty container, which Python numbers at once and torch::jit never here."""
        self.bytes(opcode)
        at = None if self.jit else self.number()
        self.bytes(b"(")
        return at

    def end(self, opcode, at):
        """Ends a container that is used again; returns its number."""
        self.bytes(opcode)
        return self.number() if self.jit else at

    def use(self, at):
        self.bytes(b"h" + bytes([at]) if at < 256 else b"j" + struct.pack("<I", at))

    def text(self, value):
        if value in self.texts:
            return self.use(self.texts[value])
        data = value.encode()
        self.bytes(b"X" + struct.pack("<I", len(data)) + data if self.jit else b"\x8c" + bytes([len(data)]) + data)
        self.texts[value] = self.number()
        return None

    def integer(self, value):
        if value < 256:
            self.bytes(b"K" + bytes([value]))
        elif value < 65536:
            self.bytes(b"M" + struct.pack("<H", value))
        elif value < 1 << 31:
            self.bytes(b"J" + struct.pack("<i", value))
        else:
            count = 8 if self.jit else (value.bit_length() + 8) // 8
            self.bytes(b"\x8a" + bytes([count]) + value.to_bytes(count, "little"))

    def entries(self, **values):
        for name, value in values.items():
            self.text(name)
            (self.text if isinstance(value, str) else self.integer)(value)


class Stacks:
    def __init__(self, writer, choose):
        self.writer, self.choose, self.made, self.paths = writer, choose, {}, []
        while len(self.paths) < PATHS:
            base = choose.choice(self.paths)[-choose.randrange(1, 30):] if self.paths else []
            self.paths.append(([choose.randrange(FRAMES) for _ in range(choose.randrange(1, 6))] + base)[:60])

    def write(self):
        w = self.writer
        at = w.begin(b"]")
        for key in self.choose.choice(self.paths):
            if key in self.made:
                w.use(self.made[key])
                continue
            frame = w.begin(b"}")
            w.entries(name="function%d" % key, filename="/home/user/project/package/module%d.py" % (key % 300),
                      line=key * 7 % 2000)
            self.made[key] = w.end(b"u", frame)
        return w.end(b"e", at)


def write_segments(w):
    w.text("segments")
    w.begin(b"]")
    for k in range(SEGMENTS):
        w.begin(b"}")
        w.entries(device=0, address=BASE + k * SEGMENT, total_size=SEGMENT, stream=0, segment_type="small")
        w.text("blocks")
        w.begin(b"]")
        w.bytes(b"eu")
        if k % 1000 == 999 and not w.jit:
            w.bytes(b"e(")
    w.bytes(b"e")


def write_events(w, choose, size):
    stacks, free, live, time = Stacks(w, choose), list(range(SEGMENTS * SLOTS)), [], 1776479641085368
    written = 0

    def event(action, slot, bytes_, stack):
        nonlocal written
        w.begin(b"}")
        w.entries(action=action, addr=BASE + slot * (SEGMENT // SLOTS), size=bytes_, stream=0, time_us=time,
                  compile_context="N/A", user_metadata="")
        w.text("frames")
        if stack is None:
            stack = stacks.write()
        else:
            w.use(stack)
        w.bytes(b"u")
        written += 1
        if written % 1000 == 0 and not w.jit:
            w.bytes(b"e(")
        return stack

    while written % 64 or w.out.tell() < size:
        time += choose.randrange(200)
        if live and (choose.random() < 0.5 or not free):
            k = choose.randrange(len(live))
            live[k], live[-1] = live[-1], live[k]
            block = live.pop()
            event("free_requested", *block)
            event("free_completed", *block)
            free.append(block[0])
        else:
            k = choose.randrange(len(free))
            free[k], free[-1] = free[-1], free[k]
            slot, bytes_ = free.pop(), choose.randrange(1, 1 << 18)
            live.append((slot, bytes_, event("alloc", slot, bytes_, None)))


def write(path, size, jit=False):
    with open(path, "wb", 1 << 20) as out:
        w = Writer(out, jit)
        w.begin(b"}")
        write_segments(w)
        w.text("device_traces")
        w.begin(b"]")
        w.begin(b"]")
        write_events(w, random.Random(1), size)
        w.bytes(b"eeu.")


if __name__ == "__main__":
    write(sys.argv[1], int(sys.argv[2]), "--jit" in sys.argv)
