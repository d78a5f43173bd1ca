# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fills a section of an ELF file with bytes, or makes it claim a size when decompressed, or sets a byte.

    break-section.py FILE SECTION [CLAIMED | OFFSET=VALUE]"""

import struct
import sys

path, wanted = sys.argv[1:3]
with open(path, "rb") as file:
    data = bytearray(file.read())
table, = struct.unpack_from("<Q", data, 40)
size, count, names = struct.unpack_from("<HHH", data, 58)
sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + i * size) for i in range(count)]
for i, section in enumerate(sections):
    begin = sections[names][4] + section[0]
    if data[begin:data.index(0, begin)].decode() != wanted:
        continue
    offset, length = section[4:6]
    if len(sys.argv) > 3 and "=" in sys.argv[3]:
        at, value = (int(n, 0) for n in sys.argv[3].split("="))
        data[offset + at] = value
    elif len(sys.argv) > 3:
        struct.pack_into("<Q", data, table + i * size + 8, section[2] | 0x800)
        struct.pack_into("<IIQQ", data, offset, 1, 0, int(sys.argv[3]), 1)
    else:
        data[offset:offset + length] = b"\xff" * length
with open(path, "wb") as file:
    file.write(data)
