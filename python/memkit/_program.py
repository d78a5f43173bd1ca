# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What concerns the program as a whole."""

import sys
import weakref
from threading import get_ident
from typing import Any, Dict, List, Optional, Tuple, TypeVar

from . import _alert, _native
from ._scope import scope
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

        with memkit.trace(model):
            loss = model(x).sum()

    Without this they have their names when the model has first run. With a
    name, the model is called that and its modules ``name.path``, whatever other
    modules they are in: two models of a class can be told apart. In a with
    statement the block is a scope of the name, or of the model's class.
    """
    if _library is not None:
        _library.memrec_trace(model, None if name is None else _native.encoded(name))
    _make_manager(model, name or type(model).__name__)
    return model


#: The scope of a model's with statements, by the model's id.
_scopes: Dict[int, Tuple[Any, scope]] = {}
#: The scopes that are open, by the model's id and the thread: a model may be
#: traced again meanwhile, with another name.
_entered: Dict[Tuple[int, int], List[scope]] = {}


def _make_manager(model: Any, name: str) -> None:
    """Lets a with statement take the model itself: trace() has always given it back."""
    kind, key = type(model), id(model)
    try:
        _scopes[key] = (weakref.ref(model, lambda _: _scopes.pop(key, None)), scope(name))
        if not hasattr(kind, "__enter__"):
            kind.__enter__, kind.__exit__ = _enter, _exit
    except TypeError:  # of a type of the interpreter's own
        _scopes.pop(key, None)


def _enter(model: _Module) -> _Module:
    # A copy of the model, or another one of its class, was not traced.
    if id(model) not in _scopes:
        _make_manager(model, type(model).__name__)
    opened = _scopes[id(model)][1]
    opened.__enter__()
    _entered.setdefault((id(model), get_ident()), []).append(opened)
    return model


def _exit(model: Any, *raised: Any) -> None:
    key = (id(model), get_ident())
    _entered[key].pop().__exit__(*raised)
    if not _entered[key]:
        del _entered[key]


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
