# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads a table of orders, and writes a report for each year.

Most of the memory is small objects: a dictionary and three strings for each order. Run it recorded:

    memrec -- python orders.py
    memstat trace.fb

With --tuples an order is a tuple, which is smaller than a dictionary:

    memrec -o tuples.fb -- python orders.py --tuples
    memdiff trace.fb tuples.fb
"""

import sys

YEARS = 10
COLUMNS = ("number", "customer", "price")


def table(count):
    """The text of a file of orders."""
    return "\n".join(f"{n},customer {n % 1000},{n % 97}.50" for n in range(count))


def parse(line):
    fields = line.split(",")
    if "--tuples" in sys.argv:
        return tuple(fields)
    return dict(zip(COLUMNS, fields))


def report(year, orders):
    rows = [" | ".join(order if isinstance(order, tuple) else order.values()) for order in orders]
    return f"{year}\n" + "\n".join(rows)


def main():
    orders = [parse(line) for line in table(100_000).splitlines()]
    print(sum(len(report(year, orders)) for year in range(YEARS)), "characters")


if __name__ == "__main__":
    main()
