# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans a step again as it might be, for less memory."""

import contextlib
import os
from typing import Any, Callable, Iterator, List, Tuple

from . import PredictionError
from ._answer import Prediction, Variant
from ._layers import Change

#: A variant that saves less than this part of the reserved bytes is not told.
_LEAST_SAVED = 0.01
_EXPANDABLE = "expandable_segments:True"
_HALVED = "an optimizer that keeps its states in bfloat16 (PyTorch's own do not)"


def variants_of(base: Prediction, planned: Callable[[Change, str], Prediction], path: Callable[[], str]) -> List[Variant]:
    """What else the step could be, the least memory first. planned: makes a plan with a change, in a file of path()."""
    if base.reserved_bytes is None:
        return []
    found = [_expandable(base)]
    for name, change in _changes(base):
        found += _changed(base, name, lambda to: planned(change, to), path())
    least = base.reserved_bytes * (1 - _LEAST_SAVED)
    return sorted((v for v in found if v.reserved_bytes <= least), key=lambda v: v.reserved_bytes)


def _expandable(base: Prediction) -> Variant:
    from ._run import reserved_with

    reserved, fits = reserved_with(base, _EXPANDABLE)
    return Variant(f"PYTORCH_ALLOC_CONF={_EXPANDABLE}", reserved, fits, 1.0)


def _changes(base: Prediction) -> Iterator[Tuple[str, Change]]:
    for name, number in base.groups:
        yield f"checkpoint of {name} ({number} layers)", Change(checkpoint=name)
    if len(base.groups) > 1:
        yield f"checkpoint of all {sum(number for _, number in base.groups)} layers", Change(checkpoint="")
    yield _HALVED, Change(halves_states=True)


def _changed(base: Prediction, name: str, planned: Callable[[str], Prediction], path: str) -> List[Variant]:
    try:
        run = planned(path)
    except PredictionError:
        return []  # layers that cannot be called again
    finally:
        with contextlib.suppress(OSError):
            os.unlink(path)
    if run.reserved_bytes is None:
        return []
    work: Any = run.flops / base.flops if base.flops else 1.0
    return [Variant(name, run.reserved_bytes, bool(run.fits), work)]
