"""Reads a table of text each 20 ms, and sums it by customer; leaking, it remembers each sum."""
import io
import random
import sys
import time

import pandas

SUMS = []
random.seed(1)
TEXTS = ["customer,amount,price\n" + "".join(
    "%d,%d,%.2f\n" % (random.randrange(400), random.randrange(100), random.random() * 99) for _ in range(1000))
    for _ in range(20)]


def summarise(table):
    return table.groupby("customer").sum()


def one_round(number):
    sums = summarise(pandas.read_csv(io.StringIO(TEXTS[number % len(TEXTS)])))
    if sys.argv[1] == "leak":
        SUMS.append(sums)


number = 0
open(sys.argv[2], "w").close()
while True:
    one_round(number)
    number += 1
    time.sleep(0.02)
