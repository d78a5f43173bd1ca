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


class Store:
    """Its attributes are in a table that instances share, or in a dictionary that was asked for."""
    known = {i: "known %d" % i for i in range(3000)}

    def __init__(self, depth=0):
        self.number = 1
        self.rows = ["row %d" % i for i in range(2000)]
        self.inner = Store(depth + 1) if depth < 2 else None


def asked(store):
    """An instance whose dictionary has been made, and has a name that no other instance has."""
    store.__dict__["later"] = ["later %d" % i for i in range(1500)]
    return store


store, other = Store(), asked(Store(2))
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
