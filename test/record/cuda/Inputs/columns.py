"""Prints columns of a CSV table, with blanks between: columns.py NAME,... < table.csv"""

import csv
import sys

for row in csv.DictReader(sys.stdin):
    print(*(row[name] for name in sys.argv[1].split(",")))
