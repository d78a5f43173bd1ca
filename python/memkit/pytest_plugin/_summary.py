# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the plugin tells at the end: which tests took most."""

from typing import Any, Dict, List, Optional

from ._baseline import KEYS, Baseline, Memory
from ._recording import ask_recording
from ._rounds import NOT_REPEATABLE
from ._sizes import text_of

LISTS = (("highest above its begin", 0), ("most allocated", 1), ("most kept", 2))


class Summary:
    """Tells at the end which tests took most."""

    def __init__(self, config: Any, baseline: Optional[Baseline]) -> None:
        self.config = config
        self.baseline = baseline
        self.tests: Dict[str, None] = {}
        self.not_repeatable: Dict[str, str] = {}

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.tests[report.nodeid] = None
        properties = dict(report.user_properties)
        if NOT_REPEATABLE in properties:
            self.not_repeatable[report.nodeid] = properties[NOT_REPEATABLE]
        if self.baseline and report.when == "call" and "memkit_" + KEYS[0] in properties:
            self.baseline.add(report.nodeid, Memory(*(properties["memkit_" + key] for key in KEYS)))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if not self.tests:
            return
        write, output = terminalreporter.write_line, self.config.getoption("memkit_output")
        terminalreporter.section(f"memkit: memory of {len(self.tests)} test{'' if len(self.tests) == 1 else 's'}")
        rows = self._rows()
        if rows is None:
            write("the recorder does not answer")
        for title, column in LISTS if rows else ():
            most = sorted((rows or {}).items(), key=lambda row: -row[1][column])[: self.config.getoption("memkit_top")]
            write(title)
            for name, values in most:
                if values[column] > 0:
                    write(f"  {text_of(values[column]):>9}  {name}")
        for name, why in self.not_repeatable.items():
            write(f"not repeatable: {name} ({why})")
        if self.baseline:
            for line in self.baseline.lines():
                write(line)
            try:
                self.baseline.write()
            except OSError as problem:
                write(f"--memkit-baseline: not written: {problem}")
        write(f"{output} has all of it: memstat {output}; memview {output}")

    def _rows(self) -> "Optional[Dict[str, List[int]]]":
        """Of each test: peak above the begin, allocated, kept; None: not known."""
        answer = ask_recording("--scopes")
        if answer is None:
            return None
        rows: Dict[str, List[int]] = {}
        for scope in answer:
            if scope["name"] not in self.tests:
                continue
            row = rows.setdefault(scope["name"], [0, 0, 0])
            allocated = int(scope["allocated_bytes"])
            row[0] = max(row[0], int(scope["rise_bytes"]))
            row[1] += allocated
            row[2] += allocated - int(scope["freed_bytes"])
        return rows
