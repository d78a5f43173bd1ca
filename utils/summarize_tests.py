#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the results of several runs of lit.

    summarize_tests.py NAME=FILE...

FILE is lit's --xunit-xml-output; a missing or truncated file counts as a failure of the
run. Skipped tests are listed by reason, with the way to run them. The last line is
`N passed, N failed, N skipped`; the status is 0 only if some test ran and none failed."""

import sys
import xml.etree.ElementTree as ElementTree

# The requirement of each feature of test/lit.cfg.py.
NEEDS = {
    "cuda-allocator": "utils/check --with=cuda-allocator fetches PyTorch's build with CUDA",
    "cuda-device": "utils/check --gpu, on a machine with a GPU",
    "cuda-headers": "the headers of CUDA 13, which PyPI did not give",
    "flask": "utils/check --long fetches it",
    "greenlet": "PyPI did not give its wheel",
    "jax-cuda": "utils/check --gpu, with JAX and a GPU",
    "long": "utils/check --long",
    "memory-cgroup": "this user may make no group below /sys/fs/cgroup that limits memory",
    "memray": "PyPI did not give its wheel",
    "pidns": "this user may make no namespaces (unshare -Urpf --mount-proc)",
    "postgres": "utils/check --long installs it",
    "redis": "utils/check --long installs it",
    "root": "run utils/check as root",
    "tmpfs": "this user may mount no tmpfs in a namespace (unshare -Urm)",
    "torch-cuda": "utils/check --gpu, with PyTorch and a GPU",
    "userns": "this user may make no namespaces (unshare -Ur)",
    "debian11": "utils/check --with=wheel fetches it, as root",
    "wheel": "utils/check --with=wheel builds it",
}
MISSING = "Missing required feature(s): "
# Tests that the user's filter left out.
NOT_SELECTED = "Test not selected (--filter, --max-tests)"


def reason_of(message):
    """The reason for skipping a test, and the way to run the test."""
    if message == "User interrupt":  # lit's text for a GoogleTest test that skipped itself
        return "the test itself said so"
    if not message.startswith(MISSING):
        return message
    features = message[len(MISSING):].split(", ")
    needs = [f"{feature} ({NEEDS[feature]})" if feature in NEEDS else feature for feature in features]
    return "no " + ", no ".join(needs)


def read(name, path):
    """(passed, [failed], [(skipped, reason)]) of one run."""
    try:
        cases = ElementTree.parse(path).getroot().iter("testcase")
    except (OSError, ElementTree.ParseError) as error:
        return 0, [f"{name}: no results: {error}"], []
    passed, failed, skipped = 0, [], []
    for case in cases:
        label = f"{name}: {case.get('classname')}/{case.get('name')}"
        skip = case.find("skipped")
        if skip is not None:
            skipped.append((label, reason_of(skip.get("message", ""))))
        elif case.find("failure") is not None or case.find("error") is not None:
            failed.append(label)
        else:
            passed += 1
    return passed, failed, skipped


def print_skipped(skipped):
    """The skipped tests by reason, the reason with most of them first."""
    by_reason = {}
    for label, reason in skipped:
        by_reason.setdefault(reason, []).append(label)
    for reason, labels in sorted(by_reason.items(), key=lambda item: -len(item[1])):
        print(f"skipped, {len(labels)}: {reason}")
        for label in labels if reason != NOT_SELECTED else []:
            print(f"  {label}")


def main():
    passed, failed, skipped = 0, [], []
    for argument in sys.argv[1:]:
        name, _, path = argument.partition("=")
        run = read(name, path)
        print(f"{name}: {run[0]} passed, {len(run[1])} failed, {len(run[2])} skipped")
        passed += run[0]
        failed += run[1]
        skipped += run[2]
    print_skipped(skipped)
    for label in failed:
        print(f"failed: {label}")
    print(f"{passed} passed, {len(failed)} failed, {len(skipped)} skipped")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
