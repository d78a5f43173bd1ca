# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators whose result has as many entries as a mask has true places, or a tensor different values.

How many there are is a value, which a plan does not have: it takes the part that the caller tells, else all.
"""

import math
from typing import Any, Callable, Dict, List, Optional, Union

import torch
from torch.utils._mode_utils import no_dispatch

from .._library import RequestError
from ._arguments import has_values, tensors_in, values_in
from ._frames import Frames, text_of

_aten = torch.ops.aten
_broadcast: Any = torch.broadcast_shapes


def part_of(masks: Union[str, float, None]) -> Optional[float]:
    """``0.15`` and ``"15%"`` as a number from 0 to 1; None: the caller does not know. RequestError: another text."""
    if masks is None:
        return None
    text = str(masks).strip()
    try:
        part = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        part = math.nan
    if isinstance(masks, bool) or not 0 <= part <= 1:
        raise RequestError(f"masks={masks!r}: no part from 0 to 1 ('15%', 0.15)")
    return part


class Masks:
    """Gives sizes that depend on values, for the time of a plan, and remembers where."""

    def __init__(self, frames: Frames) -> None:
        self._frames = frames
        #: The part of a mask's places that is true; None: not known, all are taken.
        self.part: Optional[float] = None
        #: Lines that choose by a mask, and lines that look for different values.
        self.chosen: Dict[str, None] = {}
        self.different: Dict[str, None] = {}

    @property
    def is_most(self) -> bool:
        """Whether sizes were taken as large as they can be."""
        return bool(self.part is None and self.chosen or self.different)

    def notes(self, option: str) -> List[str]:
        """A sentence for each line. option: how the caller tells the part."""
        if self.part is None:
            chosen = [f"the mask of {line} was taken to be true everywhere; {option}15% says what part is" for line in self.chosen]
        else:
            chosen = [f"{100 * self.part:.3g} % of the mask of {line} was taken as true" for line in self.chosen]
        return chosen + [f"the values that {line} sorts out were taken to be all different" for line in self.different]

    def result(self, func: Any, args: Any, kwargs: Any) -> Any:
        """What the operator returns, made of fake tensors; None: its size is not known."""
        if has_values(tensors_in(args) + tensors_in(list(kwargs.values()))):
            return _exact(func, args, kwargs)
        operator = _OPERATORS.get(func)
        return None if operator is None else operator(self, *args, **kwargs)

    def true_places(self, mask: Any) -> int:
        """How many places of a mask are true."""
        if has_values([mask]):
            with no_dispatch():
                return int(torch.count_nonzero(values_in(mask)))
        self._note(self.chosen)
        places: int = mask.numel()
        return math.ceil(places * (1 if self.part is None else self.part))

    def different_of(self, number: int) -> int:
        """How many of so many values differ."""
        self._note(self.different)
        return number

    def _note(self, lines: Dict[str, None]) -> None:
        line = self._frames.line()
        if line is not None:
            lines.setdefault(text_of(line), None)


def _exact(func: Any, args: Any, kwargs: Any) -> Any:
    """The result by the values, which are all known."""
    with no_dispatch():
        found = func(*values_in(args), **values_in(kwargs))
    made = [_with_value(one) for one in (found if isinstance(found, (list, tuple)) else [found])]
    return tuple(made) if isinstance(found, (list, tuple)) else made[0]


def _with_value(value: Any) -> Any:
    result = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype)
    result.constant = value  # type: ignore[attr-defined]
    return result


def _nonzero(masks: Masks, mask: Any) -> Any:
    return mask.new_empty((masks.true_places(mask), mask.dim()), dtype=torch.int64)


def _selected(masks: Masks, of: Any, mask: Any) -> Any:
    """As CUDA's kernel: by the places of the mask, which go afterwards."""
    shape = _broadcast(of.shape, mask.shape)
    number = masks.true_places(mask) * (math.prod(shape) // max(mask.numel(), 1))
    places = mask.new_empty((number, len(shape)), dtype=torch.int64)
    result = of.new_empty(number)
    del places
    return result


def _indexed(masks: Masks, of: Any, indices: Any) -> Any:
    """A mask becomes an index for each of its dimensions, as in PyTorch."""
    expanded: List[Any] = []
    for one in indices:
        is_mask = one is not None and one.dtype is torch.bool
        expanded += one.nonzero().unbind(1) if is_mask else [one]
    return _aten.index.Tensor(of, expanded)


def _sorted_out(masks: Masks, of: Any, has_inverse: bool, has_counts: bool) -> Any:
    values = of.new_empty(masks.different_of(of.numel()))
    inverse = of.new_empty(of.shape if has_inverse else 0, dtype=torch.int64)
    return values, inverse, of.new_empty(values.numel() if has_counts else 0, dtype=torch.int64)


def _unique(masks: Masks, of: Any, is_sorted: bool = True, return_inverse: bool = False, return_counts: bool = False) -> Any:
    return _sorted_out(masks, of, return_inverse, return_counts)


def _unique_consecutive(
    masks: Masks, of: Any, return_inverse: bool = False, return_counts: bool = False, dim: Optional[int] = None
) -> Any:
    if dim is None:
        return _sorted_out(masks, of, return_inverse, return_counts)
    return _unique_dim(masks, of, dim, True, return_inverse, return_counts)


def _unique_dim(
    masks: Masks, of: Any, dim: int, is_sorted: bool = True, return_inverse: bool = False, return_counts: bool = False
) -> Any:
    """Both other results are always made along a dimension."""
    number = masks.different_of(of.shape[dim])
    inverse, counts = (of.new_empty(number, dtype=torch.int64) for _ in range(2))
    return torch.empty_like(of, memory_format=torch.contiguous_format), inverse, counts


_OPERATORS: Dict[Any, Callable[..., Any]] = {
    _aten.nonzero.default: _nonzero,
    _aten.masked_select.default: _selected,
    _aten.index.Tensor: _indexed,
    _aten._unique2.default: _unique,
    _aten.unique_dim.default: _unique_dim,
    _aten.unique_consecutive.default: _unique_consecutive,
}
