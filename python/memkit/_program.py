# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What concerns the program as a whole."""

import sys
from typing import Optional, TypeVar

from . import _alert, _native
from ._stats import Stats, ask

_library = _native.library
_Module = TypeVar("_Module")


def step() -> None:
    """Begins the next step of the program, and ends the one before.

    A step is one round of what the program repeats: a batch, a request. Memory
    that a line keeps step after step leaks; without steps memleak needs other
    evidence that the program repeats itself.
    """
    if _library is not None:
        _library.memrec_step()
        if _alert.watched:
            _alert.check()


def mark(name: str) -> None:
    """Puts a mark with a name at this time point of the trace.

    In a program with JAX also the live arrays by type and shape.
    """
    if _library is not None:
        text = _native.encoded(name)
        _library.memrec_mark(text, len(text))
        if "jax" in sys.modules:
            from . import _jax

            _jax.report_arrays()


def trace(model: _Module, name: Optional[str] = None) -> _Module:
    """Names the layers of a model of PyTorch now, and gives the model back.

    Without this they have their names when the model has first run. With a
    name, the model is called that and its modules ``name.path``, whatever other
    modules they are in: two models of a class can be told apart.
    """
    if _library is not None:
        _library.memrec_trace(model, None if name is None else _native.encoded(name))
    return model


def start() -> None:
    """Records allocations again, after stop()."""
    if _library is not None:
        _library.memrec_start()


def stop() -> None:
    """Records no more allocations, until start().

    Frees of blocks that were recorded still are, so that nothing seems to leak.
    A forked child begins as its parent is.
    """
    if _library is not None:
        _library.memrec_stop()


def recording() -> bool:
    """Whether a recorder takes what the program allocates now."""
    return _library is not None and _library.memrec_recording() != 0


def stats() -> Optional[Stats]:
    """What the process did since the innermost open scope of this thread began.

    Without a scope: since it was started, or forked. None when it is not
    recorded, or when the recorder does not answer.
    """
    return ask(0) if _library is not None else None
