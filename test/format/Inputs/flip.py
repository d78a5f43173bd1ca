"""flip.py FILE OFFSET OUT: copies FILE to OUT with one byte inverted."""

import sys

data = bytearray(open(sys.argv[1], "rb").read())
data[int(sys.argv[2])] ^= 0xFF
open(sys.argv[3], "wb").write(data)
