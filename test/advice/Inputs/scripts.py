# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Python programs that a hint of memleak helps, each beside one that the hint does not help. The argument is the
name of the program, and ADVICE=1 follows the hint. Prints `end BYTES`, the resident memory at the end."""

import collections
import functools
import io
import os
import sys
import tempfile

try:
    from memkit import step
except ImportError:  # not recorded

    def step():
        pass


ADVISED = "ADVICE" in os.environ
STEPS = 40
kept = []


@functools.lru_cache(maxsize=20 if ADVISED else None)
def parsed(number):
    return bytes(20000 + number)


def without_bound(at):
    """Each entry is new, and stays."""
    for number in range(30):
        parsed(at * 30 + number)


def below_cache(at):
    """A list grows below a cached function, which is called once."""
    for _ in range(30):
        kept.append(bytes(20000))


@functools.lru_cache(maxsize=20 if ADVISED else None)
def application(name):
    for at in range(STEPS):
        step()
        below_cache(at)


def open_files(at):
    """Files that nobody closes."""
    for _ in range(20):
        file = open(__file__, encoding="utf-8")
        file.readline()
        if ADVISED:
            file.close()
        kept.append(file)


def texts(at):
    """Texts of files that are closed."""
    for _ in range(10):
        with open(__file__, encoding="utf-8") as file:
            kept.append(file.read())


history = collections.deque(maxlen=100) if ADVISED else []


def measurements(at):
    """A list of all measurements, of which the last hundred are needed."""
    history.extend([12.5] * 40000)


@functools.lru_cache(maxsize=12000)
def square(number):
    return number


def filling(at):
    """A cache with a bound that it does not reach."""
    for number in range(250):
        square(at * 250 + number)


PROGRAMS = {"without-bound": without_bound, "open-files": open_files, "texts": texts,
            "measurements": measurements, "filling": filling}


def main(name):
    if name == "below-cache":
        application(name)
    else:
        for at in range(STEPS):
            step()
            PROGRAMS[name](at)
    with open("/proc/self/statm") as file:
        print("end", int(file.read().split()[1]) * 4096)


main(sys.argv[1])
