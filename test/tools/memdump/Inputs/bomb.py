# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Replaces .debug_str and .debug_line_str of an ELF file by compressed zeros of some GiB.

    bomb.py FILE OUT zlib|zstd [RATIO]

Each section has 3 GiB when it is decompressed. RATIO: decompressed bytes for each byte in the file; without
it the highest of the compression. The file takes a second: its parts repeat."""

import os
import random
import struct
import subprocess
import sys
import zlib

PART, PARTS = 4 << 20, 768
ADLER = 65521


def adler_of_parts(part):
    """The Adler-32 of PARTS times part."""
    one = zlib.adler32(part)
    a, b = one & 0xFFFF, one >> 16
    low, high = 1, 0
    for _ in range(PARTS):
        # As zlib's adler32_combine.
        high = (high + b + len(part) * (low - 1)) % ADLER
        low = (low + a - 1) % ADLER
    return high << 16 | low


def zlib_parts(part):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(part) + packer.flush(zlib.Z_FULL_FLUSH)
    return b"\x78\xda" + packed * PARTS + b"\x03\x00" + struct.pack(">I", adler_of_parts(part))


def zstd_parts(part):
    packed = subprocess.run(["zstd", "-q", "-1", "-c"], input=part, capture_output=True, check=True).stdout
    return packed * PARTS


def main():
    source, out, packing = sys.argv[1:4]
    part = bytes(PART)
    if len(sys.argv) > 4:
        noise = random.Random(1).randbytes(PART // int(sys.argv[4]))
        part = noise + bytes(PART - len(noise))
    packed = zlib_parts(part) if packing == "zlib" else zstd_parts(part)
    kind = 1 if packing == "zlib" else 2
    body = struct.pack("<IIQQ", kind, 0, PART * PARTS, 1) + packed

    with open(source, "rb") as file:
        data = bytearray(file.read())
    table, = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + i * size) for i in range(count)]
    done = 0
    for i, section in enumerate(sections):
        begin = sections[names][4] + section[0]
        if data[begin:data.index(0, begin)].decode() in (".debug_str", ".debug_line_str"):
            # SHF_COMPRESSED; both sections have the same bytes, at the end of the file.
            struct.pack_into("<QQQQ", data, table + i * size + 8, section[2] | 0x800, 0, len(data), len(body))
            done += 1
    assert done == 2, "no strings of debug information"
    with open(out, "wb") as file:
        file.write(data + body)
    os.chmod(out, 0o755)


main()
