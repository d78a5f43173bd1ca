# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a trace, as text, whose one stack has a frame in functions of a binary.

    frames.py BINARY PATH FUNCTION... [--id=HEX] [--program] [--load] [--known] [--address=N]
        [--second=PATH]

BINARY has the functions, and the build-id unless --id has one (empty: none). PATH is the recorded
path. --program: the process runs the binary. --load: the trace has the binary's mapping.
--known: the frames have a function without a line. --address adds a frame at an address, --second a second
process with a program of its own."""

import re
import struct
import subprocess
import sys


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout


def span(binary):
    """The bytes that the binary takes in memory."""
    with open(binary, "rb") as file:
        data = file.read()
    offset, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    begin, end = 1 << 64, 0
    for i in range(count):
        kind, _, _, address, _, _, memory, _ = struct.unpack_from("<IIQQQQQQ", data, offset + i * size)
        if kind == 1:
            begin, end = min(begin, address & ~4095), max(end, address + memory)
    return end - begin


def main():
    options = [a for a in sys.argv[1:] if a.startswith("--")]
    binary, path, *functions = [a for a in sys.argv[1:] if not a.startswith("--")]
    names = {}
    for line in (output("llvm-nm", binary) + output("llvm-nm", "-D", binary)).splitlines():
        fields = line.split()
        if len(fields) == 3:
            names.setdefault(fields[2], int(fields[0], 16))
    addresses = [names[f] for f in functions]
    addresses += [int(o[len("--address="):], 0) for o in options if o.startswith("--address=")]
    found = re.search(r"Build ID: (\w+)", output("llvm-readelf", "-n", binary))
    build_id = found[1] if found else ""
    for option in options:
        if option.startswith("--id="):
            build_id = option[len("--id="):]
    print("header")
    print("dictionary")
    second = next((o[len("--second="):] for o in options if o.startswith("--second=")), "")
    print(f'  string 1 "{path}"')
    print('  string 2 "named"')
    print("  binary 1 path=1" + (f" build-id={build_id}" if build_id else ""))
    if second:
        print(f'  string 3 "{second}"\n  binary 2 path=3 build-id=cccc')
    if "--known" in options:
        print("  function 1 name=2")
    for i, address in enumerate(addresses, 1):
        print(f"  frame {i} native binary=1 address={address:#x}")
    if second:
        addresses.append(0x10)
        print(f"  frame {len(addresses)} native binary=2 address=0x10")
    print("  stack 1 frames=[%s]" % " ".join(str(i) for i in range(len(addresses), 0, -1)))
    print('  heap 1 name="host.malloc"')
    print("  process 1 pid=100" + (" exe=1" if "--program" in options else ""))
    if second:
        print("  process 2 pid=101 parent=1 origin=exec exe=3")
    print("  thread 1 process=1 tid=1")
    if "--load" in options:
        print(f"  load process=1 binary=1 start=0x400000 size={span(binary)} bias=0x400000")
    if "--known" in options:
        for i in range(1, len(addresses) + 1):
            print(f"  symbols {i} locations=[1:0]")
    print("events process=1")
    print("  100 th1 alloc size=1 stack=1 heap=1")
    print("complete")


main()
