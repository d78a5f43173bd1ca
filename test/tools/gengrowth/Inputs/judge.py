# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads memkit-gengrowth's table and says what of it is not good enough."""

import sys

MAX_FALSE = 0.005  # of all programs that do not leak
MAX_FALSE_OF_A_KIND = 3 / 200
MIN_FOUND, MIN_AT_PLACE = 0.97, 0.95
INTERVALS = (0.92, 0.98)  # hold, of all whose rate is known


def number(cell):
    return float(cell.replace("%", "").strip() or 0)


def main(path, count):
    wrong = []
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")]
            for line in open(path, encoding="utf-8") if line.startswith("| ")][1:]
    kinds = [row for row in rows if row[0] != "all"]
    assert len(kinds) >= 35 and len(rows) == len(kinds) + 2, "the table is not whole"
    for name, _, leaks, runs, found, _, others, *_ in kinds:
        if leaks == "no" and int(found) > max(1, MAX_FALSE_OF_A_KIND * count):
            wrong.append(f"{name}: {found} of {runs} accused")
        if leaks == "yes" and int(others) > max(1, MAX_FALSE_OF_A_KIND * count):
            wrong.append(f"{name}: other places accused in {others} of {runs}")
    clean, leaking = rows[-2:]
    if int(clean[4]) > max(1, MAX_FALSE * int(clean[3])):
        wrong.append(f"{clean[4]} of {clean[3]} that do not leak are accused")
    if int(leaking[4]) < MIN_FOUND * int(leaking[3]):
        wrong.append(f"{leaking[4]} of {leaking[3]} leaks are found")
    if number(leaking[7]) < 100 * MIN_AT_PLACE:
        wrong.append(f"{leaking[7]} are at the right place")
    # Few programs say little of intervals.
    if count >= 100 and not 100 * INTERVALS[0] <= number(leaking[8]) <= 100 * INTERVALS[1]:
        wrong.append(f"{leaking[8]} of the intervals hold")
    print("\n".join(wrong))
    return bool(wrong)


sys.exit(main(sys.argv[1], int(sys.argv[2])))
