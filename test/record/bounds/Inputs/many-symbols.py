# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gives an ELF file a symbol table of 16 GiB of zeros, which take no room on the disk: many-symbols.py FILE OUT."""

import os
import struct
import sys

SYMTAB, ENTRY = 2, 24
with open(sys.argv[1], "rb") as file:
    data = bytearray(file.read())
table, = struct.unpack_from("<Q", data, 40)
size, count = struct.unpack_from("<HH", data, 58)
data += bytes(-len(data) % ENTRY)
symbols = (16 << 30) // ENTRY * ENTRY
for at in range(table, table + count * size, size):
    if struct.unpack_from("<I", data, at + 4)[0] == SYMTAB:
        struct.pack_into("<QQ", data, at + 24, len(data), symbols)
with open(sys.argv[2], "wb") as file:
    file.write(data)
    file.truncate(len(data) + symbols)
os.chmod(sys.argv[2], 0o755)
