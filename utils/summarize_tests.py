#!/usr/bin/env python3
# Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the results of several runs of lit.

    summarize_tests.py NAME=FILE...

FILE is what lit wrote with --xunit-xml-output; one that is missing or cut off
counts as a failure, for the run it should tell of broke. The last line is
`N passed, N failed, N skipped`; the status is 0 only when some test ran and none
failed."""

import sys
import xml.etree.ElementTree as ElementTree


def read(name, path):
    """(passed, [failed], [(skipped, why)]) of one run."""
    try:
        cases = ElementTree.parse(path).getroot().iter("testcase")
    except (OSError, ElementTree.ParseError) as error:
        return 0, [f"{name}: no results: {error}"], []
    passed, failed, skipped = 0, [], []
    for case in cases:
        label = f"{name}: {case.get('classname')}/{case.get('name')}"
        skip = case.find("skipped")
        if skip is not None:
            why = skip.get("message", "")
            # lit says so of a test that GoogleTest skipped, too.
            skipped.append((label, "by itself" if why == "User interrupt" else why))
        elif case.find("failure") is not None or case.find("error") is not None:
            failed.append(label)
        else:
            passed += 1
    return passed, failed, skipped


def main():
    passed, failed, skipped = 0, [], []
    for argument in sys.argv[1:]:
        name, _, path = argument.partition("=")
        run = read(name, path)
        print(f"{name}: {run[0]} passed, {len(run[1])} failed, {len(run[2])} skipped")
        passed += run[0]
        failed += run[1]
        skipped += run[2]
    for label, why in skipped:
        print(f"skipped: {label}: {why}")
    for label in failed:
        print(f"failed: {label}")
    print(f"{passed} passed, {len(failed)} failed, {len(skipped)} skipped")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
