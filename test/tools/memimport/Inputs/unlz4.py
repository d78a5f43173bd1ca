"""Decompresses a file of one LZ4 frame: unlz4.py FILE TO (RFC-like format of lz4_Frame_format.md)."""
import sys

data = open(sys.argv[1], "rb").read()
assert data[:4] == bytes.fromhex("04224d18")
flags = data[4]
at = 7 + (8 if flags & 8 else 0) + (4 if flags & 1 else 0)
out = bytearray()
while True:
    size = int.from_bytes(data[at:at + 4], "little")
    at += 4
    if size == 0:
        break
    stored, size = size >> 31, size & 0x7FFFFFFF
    block = data[at:at + size]
    at += size + (4 if flags & 16 else 0)
    if stored:
        out += block
        continue
    i = 0
    while i < len(block):
        token = block[i]
        i += 1
        count = token >> 4
        if count == 15:
            while True:
                count += block[i]
                i += 1
                if block[i - 1] != 255:
                    break
        out += block[i:i + count]
        i += count
        if i >= len(block):
            break
        distance = block[i] | block[i + 1] << 8
        i += 2
        count = token & 15
        if count == 15:
            while True:
                count += block[i]
                i += 1
                if block[i - 1] != 255:
                    break
        for _ in range(count + 4):
            out.append(out[-distance])
open(sys.argv[2], "wb").write(out)
