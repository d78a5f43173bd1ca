"""Writes a profile of processor time in pprof's format, with no sample."""
import sys

strings = [b"", b"samples", b"count", b"cpu", b"nanoseconds"]
data = b"\x0a\x04\x08\x01\x10\x02" + b"\x0a\x04\x08\x03\x10\x04"
for text in strings:
    data += b"\x32" + bytes([len(text)]) + text
open(sys.argv[1], "wb").write(data)
