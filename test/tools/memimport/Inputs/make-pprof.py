"""Writes a heap profile in pprof's format as JAX on a TPU does: an executable of unknown size has -1 bytes.

    make-pprof.py FILE"""

import gzip
import sys

STRINGS = ["", "space", "bytes", "allocations", "count", "kind", "buffer", "executable", "main.py", "load"]


def varint(number):
    number &= (1 << 64) - 1
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def message(field, content):
    return varint(field << 3 | 2) + varint(len(content)) + content


def number(field, value):
    return varint(field << 3) + varint(value)


def sample(values, kind):
    packed = b"".join(varint(value) for value in values)
    return message(2, message(1, varint(1)) + message(2, packed) + message(3, number(1, 5) + number(2, kind)))


types = message(1, number(1, 3) + number(2, 4)) + message(1, number(1, 1) + number(2, 2))
places = message(4, number(1, 1) + message(4, number(1, 1) + number(2, 9)))
functions = message(5, number(1, 1) + number(2, 9) + number(4, 8))
with open(sys.argv[1], "wb") as file:
    file.write(gzip.compress(types + sample((2, 5000000), 6) + sample((1, -1), 7) + places + functions
                             + b"".join(message(6, text.encode()) for text in STRINGS)))
