# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy: many arrays from 1 KB to 1 MB, some of them kept. py_numpy.py [ROUNDS]"""

import sys

import numpy as np

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
random = np.random.default_rng(0)


def small_arrays(round_number):
    total = 0.0
    for k in range(150):
        a = np.arange(64 + (round_number * k) % 4000, dtype=np.float64)
        b = a * 2.0 + 1.0
        c = b[::2].copy()
        total += float(c[-1])
    return total


def matrix(round_number):
    a = random.random((64, 64 + round_number % 64))
    b = a.T @ a
    return np.sqrt(np.abs(b)) + b.mean(axis=0)


def long_vector(round_number):
    return np.cumsum(np.ones(20000 + (round_number * 977) % 100000))


def main():
    kept = []
    total = 0.0
    for round_number in range(ROUNDS):
        total += small_arrays(round_number)
        kept.append(matrix(round_number))
        kept.append(long_vector(round_number))
        if len(kept) > 200:
            del kept[:50]
    print(total, len(kept))


main()
