# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Python's stack, as the program sees it."""

import linecache
import os
import runpy
import sys
from types import CodeType, FrameType
from typing import Dict, List, Optional, Tuple

from ._writer import Frame

_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep
#: Of PyTorch's ways into a mode, which no program calls.
_HIDDEN = (
    "_ops.py",
    "_subclasses",
    "_prims_common",
    "_dynamo",
    "_compile.py",
    os.path.join("utils", "_python_dispatch.py"),
    "overrides.py",
)

_RUNPY = runpy.__file__
_STANDARD = os.path.dirname(os.__file__) + os.sep

Places = Tuple[Tuple[CodeType, int], ...]


class Frames:
    """Stacks from the call of the step on, without frames of memkit and of PyTorch's modes."""

    def __init__(self, folder_of_torch: str) -> None:
        self._torch = folder_of_torch + os.sep
        self._hidden = tuple(self._torch + name for name in _HIDDEN)
        self._is_hidden: Dict[str, bool] = {}
        self._is_torch: Dict[str, bool] = {}
        self._known: Dict[Places, Tuple[Frame, ...]] = {}
        #: The frame that calls the step.
        self.base: Optional[FrameType] = None

    def _hides(self, file: str) -> bool:
        known = self._is_hidden.get(file)
        if known is None:
            known = self._is_hidden[file] = file.startswith((*self._hidden, _HERE, "<frozen runpy")) or file == _RUNPY
        return known

    def is_torch(self, file: str) -> bool:
        """A file of PyTorch, or of memkit."""
        known = self._is_torch.get(file)
        if known is None:
            known = self._is_torch[file] = file.startswith(self._torch) or file.startswith(_HERE)
        return known

    def stack(self) -> Tuple[Frame, ...]:
        """The frames of the caller, outermost first."""
        places: List[Tuple[CodeType, int]] = []
        frame: Optional[FrameType] = sys._getframe(1)
        while frame is not None and frame is not self.base:
            code = frame.f_code
            if not self._hides(code.co_filename):
                places.append((code, frame.f_lineno))
            frame = frame.f_back
        key = tuple(places)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = tuple(
                (name_of(code), code.co_filename, line or 0) for code, line in reversed(places)
            )
        return known

    def line(self) -> Optional[Frame]:
        """The innermost line of the program's own code; None: PyTorch alone runs."""
        frame: Optional[FrameType] = sys._getframe(1)
        while frame is not None and frame is not self.base:
            code = frame.f_code
            if not self.is_torch(code.co_filename):
                return name_of(code), code.co_filename, frame.f_lineno
            frame = frame.f_back
        return None

    def is_called_by(self, file: str, function: str = "") -> bool:
        """Whether a file or folder of PyTorch, by its path in the package, has called, and not the program; or a
        function there."""
        frame: Optional[FrameType] = sys._getframe(1)
        while frame is not None and frame is not self.base and self.is_torch(frame.f_code.co_filename):
            code = frame.f_code
            if code.co_filename.startswith(self._torch + file) and function in ("", code.co_name):
                return True
            frame = frame.f_back
        return False


    def source_in(self, file: str) -> str:
        """The line of a file of PyTorch that has called, and not the program; empty: another file has."""
        frame: Optional[FrameType] = sys._getframe(1)
        while frame is not None and frame is not self.base and self.is_torch(frame.f_code.co_filename):
            if frame.f_code.co_filename == self._torch + file:
                return linecache.getline(frame.f_code.co_filename, frame.f_lineno)
            frame = frame.f_back
        return ""


def is_installed(file: str) -> bool:
    """Whether a file belongs to Python or to a package, and not to the program."""
    folders = file.split(os.sep)
    is_package = "site-packages" in folders or "dist-packages" in folders
    return is_package or file.startswith(("<frozen", _STANDARD))


def name_of(code: CodeType) -> str:
    return str(getattr(code, "co_qualname", code.co_name))


def text_of(frame: Optional[Frame]) -> str:
    """``model.py:39``."""
    return f"{os.path.basename(frame[1])}:{frame[2]}" if frame else "?"
