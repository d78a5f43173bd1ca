"""Holds objects by the names of its module, and by a function that runs."""

import signal
import sys


class Session:
    def __init__(self, number):
        self.number = number
        self.data = {"key %d" % number: "v" * 20 + str(number)}


class Point:
    __slots__ = ("x", "y")

    def __init__(self, number):
        self.x = number + 1000
        self.y = float(number)


cache = [Session(i) for i in range(20000)]
points = [Point(i) for i in range(5000)]
table = {i: str(i) for i in range(30000)}
text = bytearray(3 << 20)


def main():
    local = ["%d" % i * 10 for i in range(1000)]
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    print("ready", flush=True)
    signal.sigwait({signal.SIGTERM})
    print(sys.getallocatedblocks(), "blocks,", len(local), "local")


main()
