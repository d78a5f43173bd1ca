# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a table of zeros and writes an eighth: the other pages take no memory yet."""

import time

import numpy

table = numpy.zeros(32 << 20)  # 256 MiB
table[: 4 << 20] = 1  # 32 MiB
time.sleep(0.5)
