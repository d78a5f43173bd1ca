# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says how far a long plan is."""

import sys
import time
from typing import Any, Callable, Optional, TextIO

from ._sizes import size_text

#: Seconds until the first line, and between two.
EVERY_S = 10.0
#: Operators between two looks at the clock.
_LOOK = 256


class Progress:
    """Called for each operator; writes a line each EVERY_S.

    A line is whole: the script writes to the same terminal.
    """

    __slots__ = ("_plan", "_out", "_clock", "_began", "_next", "_operators")

    def __init__(self, plan: Any, out: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._plan = plan
        self._out = out
        self._clock = clock
        self._began = clock()
        self._next = self._began + EVERY_S
        self._operators = 0

    def __call__(self) -> None:
        self._operators += 1
        if self._operators % _LOOK:
            return
        now = self._clock()
        if now < self._next:
            return
        self._next = now + EVERY_S
        self._out.write(
            f"memkit predict: step {self._plan.step}, {self._operators:,} operators in {now - self._began:.0f} s; "
            f"{size_text(self._plan.peak)} at most so far\n"
        )
        self._out.flush()


def progress_of(plan: Any) -> Optional[Progress]:
    """For a terminal; None: nobody looks on."""
    out = sys.__stderr__
    return Progress(plan, out) if out is not None and out.isatty() else None
