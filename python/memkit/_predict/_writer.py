# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a plan as a trace: text, which memas assembles while the plan is made.

Definitions and events go out in batches, so memory does not grow with the plan.
"""

import linecache
import os
import subprocess
import sys
import tempfile
from typing import Dict, IO, Iterable, List, Set, Tuple

from .._library import Error, LibraryError

#: Events of a batch.
_MAX_EVENTS = 8192
_MAX_TEXT = 200  # characters of a line of source
#: Of a trace; times of the text form are multiples of 100 ns.
TICK_NS = 1000

Frame = Tuple[str, str, int]  # function, file, line
Scope = Tuple[str, str]  # kind, name


def quoted(text: str) -> str:
    """A string of the text form."""
    out = []
    for char in text:
        if char in '"\\':
            out.append("\\" + char)
        elif char.isprintable():
            out.append(char)
        else:
            out.extend("\\x%02x" % byte for byte in char.encode("utf-8", "replace"))
    return '"' + "".join(out) + '"'


def tool(name: str) -> str:
    """The path of a tool of memkit. LibraryError: the tool is not installed."""
    from ..__main__ import find_memrec

    memrec = find_memrec()
    path = os.path.join(os.path.dirname(memrec), name) if memrec else ""
    if not os.access(path, os.X_OK):
        raise LibraryError(f"{name}, which a prediction needs, is neither installed with this package nor on PATH")
    return path


class TraceWriter:
    """A trace with one process, one thread, and one heap, of a planned device or (device_bytes 0) of the host.

    Numbers of blocks count from 0. Times are a count of events, not of seconds: each event takes a microsecond.
    """

    def __init__(self, path: str, device_bytes: int, heap: str, options: Iterable[str]) -> None:
        self.path = path
        #: ns; of the last event.
        self.now = 0
        self._errors: IO[bytes] = tempfile.TemporaryFile()
        self._memas = subprocess.Popen(
            [tool("memas"), "--summarize", "-q", "-o", path], stdin=subprocess.PIPE, stderr=self._errors
        )
        self._definitions: List[str] = []
        self._events: List[str] = []
        self._marks: List[str] = []
        self._categories: List[Tuple[int, str, str]] = []
        self._stacks: Dict[Tuple[Frame, ...], int] = {}
        self._sources: Set[Tuple[str, int]] = set()
        self._paths: Dict[Tuple[Scope, ...], int] = {(): 0}
        self._blocks = 0
        self._header(device_bytes, heap, options)

    def _header(self, device_bytes: int, heap: str, options: Iterable[str]) -> None:
        command = " ".join(quoted(word) for word in [os.path.basename(sys.executable), *sys.argv])
        texts = " ".join(quoted(option) for option in options)
        role = quoted(os.path.basename(sys.argv[0]) or "python")
        device = f'  device 1 name="planned device" space="cuda:0" bytes={device_bytes}\n' if device_bytes else ""
        self._send(
            f'header tool="memkit.predict" command=[{command}] pid={os.getpid()} options=[{texts}]\n'
            f"dictionary\n{device}"
            f"  process 1 pid={os.getpid()} exe={quoted(sys.executable)} command=[{command}] role={role}\n"
            f'  thread 1 process=1 tid={os.getpid()} name="python"\n'
            f"  heap 1 name={quoted(heap)} space={1 if device else 0}\n"
        )

    def _send(self, text: str) -> None:
        assert self._memas.stdin is not None
        try:
            self._memas.stdin.write(text.encode("utf-8", "replace"))
        except OSError:
            self._fail()

    def _fail(self) -> None:
        self._memas.wait()
        self._errors.seek(0)
        message = self._errors.read().decode("utf-8", "replace").strip()
        raise Error(f"memas cannot write {self.path}: {message or 'it ended'}")

    def stack(self, frames: Tuple[Frame, ...]) -> int:
        """The number of a stack, outermost frame first; 0: without frames."""
        if not frames:
            return 0
        number = self._stacks.get(frames)
        if number is None:
            number = self._stacks[frames] = len(self._stacks) + 1
            texts = " > ".join(quoted(f"{name}@{file}:{line}" if file else name) for name, file, line in frames)
            self._definitions.append(f"  stack {number} {texts}")
            for _, file, line in frames:
                self._source(file, line)
        return number

    def _source(self, file: str, line: int) -> None:
        """The text of a line of the program, which tools show beside its memory."""
        if (file, line) in self._sources or not file or "-packages" in file:
            return
        self._sources.add((file, line))
        text = linecache.getline(file, line).strip()
        if text:
            self._definitions.append(f"  source-line file={quoted(file)} line={line} text={quoted(text[:_MAX_TEXT])}")

    def scope_path(self, scopes: Tuple[Scope, ...]) -> int:
        """The number of a path of scopes, outermost first; 0: without scopes."""
        number = self._paths.get(scopes)
        if number is None:
            self.scope_path(scopes[:-1])  # outer paths have lower numbers
            number = self._paths[scopes] = len(self._paths)
            text = " > ".join(quoted(f"{kind}:{name}") for kind, name in scopes)
            self._definitions.append(f"  scope-path {number} {text}")
        return number

    def _event(self, text: str) -> None:
        self.now += TICK_NS
        self._events.append(f"  {self.now} th1 {text}")
        if len(self._events) >= _MAX_EVENTS:
            self._flush()

    def alloc(self, size: int, requested: int, stack: int, scope_path: int) -> int:
        """A new block; its number. Sizes in bytes."""
        self._event(f"alloc heap=1 size={size} requested={requested} stack={stack} scope-path={scope_path}")
        self._blocks += 1
        return self._blocks - 1

    def free(self, block: int) -> None:
        self._event(f"free #{block}")

    def category(self, block: int, category: str, dtype: str) -> None:
        """What a block is for, in the format's words."""
        self._categories.append((block, category, dtype))

    def step(self, number: int) -> None:
        self._marks.append(f"  {self.now} step process=1 id={number}")

    def _flush(self) -> None:
        for name, lines in (
            ("dictionary", self._definitions),
            ("marks", self._marks),
            ("events process=1", self._events),
            ("block-categories process=1", self._category_lines()),
        ):
            if lines:
                self._send(name + "\n" + "\n".join(lines) + "\n")
                lines.clear()

    def _category_lines(self) -> List[str]:
        rows = sorted(self._categories)
        self._categories.clear()
        dtypes = [f" dtype={quoted(dtype)}" if dtype else "" for _, _, dtype in rows]
        return [f"  block #{row[0]} {row[1]}{dtype}" for row, dtype in zip(rows, dtypes)]

    def close(self, layers: Iterable[str]) -> None:
        """Ends the trace. layers: rows of layers in the text form. Error: memas failed."""
        self._flush()
        rows = "".join(f"  {row}\n" for row in layers)
        end = self.now + TICK_NS
        if rows:
            self._send(f"partial number=1 end={end} complete=false\n{rows}partial number=1 end={end}\n")
        self._send("complete\n")
        assert self._memas.stdin is not None
        try:
            self._memas.stdin.close()
        except OSError:
            self._fail()
        if self._memas.wait() != 0:
            self._fail()
        self._errors.close()

    def abort(self) -> None:
        """Ends memas, and removes what it has written."""
        if self._memas.poll() is None:
            self._memas.kill()
            self._memas.wait()
        if self._memas.stdin is not None:
            try:
                self._memas.stdin.close()
            except OSError:
                pass
        try:
            os.unlink(self.path)
        except OSError:
            pass


def temporary_path() -> str:
    """A new file for a trace."""
    handle, path = tempfile.mkstemp(prefix="memkit-predict-", suffix=".fb")
    os.close(handle)
    return path
