# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--memkit-baseline: a file with what each test took before, and bands for the noise.

The file is JSON with a line for each test::

    {"memkit-baseline": 1, "python": "3.11", "sampled": false,
     "band": {"percent": 10, "bytes": 65536},
     "tests": {
      "test_a.py::test_load": {"peak_bytes": [16777216, 16781312], "allocated_bytes": [22020096, 22020096]}
    }}

The two numbers are the least and the most of the runs that are in it. A test fails above the most and
a band: the largest of percent of it, bytes, and twice the distance of the two.
"""

import json
import os
import platform
from typing import Any, Dict, List, NamedTuple, Optional

import pytest

from ._sizes import text_of

KEYS = ("peak_bytes", "allocated_bytes")
#: What a sentence calls them.
WORDS = {"peak_bytes": "the memory rose by {} above the begin of the test", "allocated_bytes": "the test allocated {}"}
BAND = {"percent": 10, "bytes": 65536}


class Memory(NamedTuple):
    """What a test took, in bytes."""

    peak_bytes: int  #: the peak above its begin
    allocated_bytes: int

    @classmethod
    def of(cls, scope: Any) -> "Optional[Memory]":
        """Of the scope of a test's call; None: not known."""
        total = scope.stats.total if scope.stats is not None else None
        return None if total is None else cls(total.peak - total.before, total.allocated)

    def lower(self, other: "Optional[Memory]") -> "Memory":
        """The lower values of two calls."""
        return self if other is None else Memory(*map(min, self, other))


class Baseline:
    """The file, and what the tests of this run took."""

    def __init__(self, path: str, *, update: bool, sampled: bool) -> None:
        """Reads the file. pytest.UsageError: it is no such file, or was made in another way."""
        self.path = path
        #: As a message has it.
        self.name = os.path.relpath(path)
        self.is_new = not os.path.exists(path)
        self.update = update or self.is_new
        self.data = _read(path) if not self.is_new else _empty(sampled)
        self.run: Dict[str, Memory] = {}
        self.others: List[str] = []
        if self.data["sampled"] is not sampled:
            how = "--memkit=fast" if self.data["sampled"] else "--memkit"
            raise pytest.UsageError(f"--memkit-baseline: {self.name} was made with {how}: use it with the same")

    def excess(self, test: str, memory: Memory) -> Optional[str]:
        """Why a test fails; None: it is within its band, or new."""
        known = self.data["tests"].get(test)
        if known is None or self.update:
            return None
        for key in KEYS:
            least, most = known[key]
            value, band = getattr(memory, key), self._band(known[key])
            if value > most + band:
                before = text_of(most) if least == most else f"{text_of(least)} to {text_of(most)}"
                return (
                    f"{WORDS[key].format(text_of(value))}; {self.name} has {before}, "
                    f"and allows {text_of(band)} more (--memkit-baseline-update accepts it)"
                )
        return None

    def add(self, test: str, memory: Memory) -> None:
        """Takes what a test of this run took; a worker has run it, or this process."""
        self.run[test] = memory

    def lines(self) -> List[str]:
        """What the summary says."""
        tests = self.data["tests"]
        new = [test for test in self.run if test not in tests]
        less = [test for test in self.run if test in tests and self._is_less(test)]
        lines = []
        if self.update:
            what = "made" if self.is_new else "updated"
            lines.append(f"{self.name}: {what}, {_tests(len(self.run))} of this run; keep it with the tests")
        elif new:
            lines.append(f"{_tests(len(new))} not in {self.name}: --memkit-baseline-update adds them")
        if less and not self.update:
            lines.append(f"{_tests(len(less))} below the band of {self.name}, first {less[0]}")
        if self.data["python"] != _python():
            lines.append(f"{self.name} was made with Python {self.data['python']}, this is {_python()}")
        return lines

    def write(self) -> None:
        """Writes the file, where that was asked for: a value in its band widens what is known, another
        one takes its place."""
        if not self.update or not self.run:
            return
        tests = self.data["tests"]
        for test, memory in self.run.items():
            before = tests.get(test, {})
            tests[test] = {key: self._merged(before.get(key), getattr(memory, key)) for key in KEYS}
        rows = ",\n".join(f"  {json.dumps(test)}: {json.dumps(tests[test])}" for test in sorted(tests))
        head = {key: self.data[key] for key in ("memkit-baseline", "python", "sampled", "band")}
        part = f"{self.path}.{os.getpid()}.part"
        with open(part, "w", encoding="utf-8") as file:
            file.write(f'{json.dumps(head)[:-1]},\n "tests": {{\n{rows}\n}}}}\n')
        os.replace(part, self.path)

    def _band(self, known: List[int]) -> int:
        band = self.data["band"]
        return int(max(band["percent"] * known[1] / 100, band["bytes"], 2 * (known[1] - known[0])))

    def _is_less(self, test: str) -> bool:
        known = self.data["tests"][test]
        return any(getattr(self.run[test], key) < known[key][0] - self._band(known[key]) for key in KEYS)

    def _merged(self, known: Optional[List[int]], value: int) -> List[int]:
        if known is None or not known[0] - self._band(known) <= value <= known[1] + self._band(known):
            return [value, value]
        return [min(known[0], value), max(known[1], value)]


def _tests(count: int) -> str:
    return f"{count} test{'' if count == 1 else 's'}"


def _python() -> str:
    return ".".join(platform.python_version_tuple()[:2])


def _empty(sampled: bool) -> Dict[str, Any]:
    return {"memkit-baseline": 1, "python": _python(), "sampled": sampled, "band": dict(BAND), "tests": {}}


def _read(path: str) -> Dict[str, Any]:
    try:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
    except (OSError, ValueError) as problem:
        raise pytest.UsageError(f"--memkit-baseline: {path}: {problem}") from None
    wrong = _wrong(data)
    if wrong:
        raise pytest.UsageError(f"--memkit-baseline: {path}: {wrong}")
    whole: Dict[str, Any] = data
    return whole


def _wrong(data: Any) -> str:
    """What is wrong with the file's content; empty: nothing."""
    if not isinstance(data, dict) or "memkit-baseline" not in data:
        return "no file of baselines: it has no memkit-baseline"
    if data["memkit-baseline"] != 1:
        return f"its version is {data['memkit-baseline']!r}; this memkit reads 1"
    band = data.get("band")
    if not isinstance(band, dict) or not all(_is_number(band.get(key)) for key in BAND):
        return "band: percent and bytes are numbers"
    if not isinstance(data.get("sampled"), bool) or not isinstance(data.get("python"), str):
        return "sampled is true or false, python a version"
    if not isinstance(data.get("tests"), dict):
        return "it has no tests"
    for test, known in data["tests"].items():
        for key in KEYS:
            pair = known.get(key) if isinstance(known, dict) else None
            if not isinstance(pair, list) or len(pair) != 2 or not all(map(_is_number, pair)) or pair[0] > pair[1]:
                return f"{test}: {key} is not [least, most]"
    return ""


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0
