# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators whose result has as many entries as a mask has true places, a tensor different values, or sequences steps.

How many there are is a value, which a plan does not have: it takes the part that the caller tells, else all.
"""

import math
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Tuple, Union

import torch
from torch.utils._mode_utils import no_dispatch

from .._library import RequestError
from ._arguments import has_values, tensors_in, values_in
from ._frames import Frames, text_of
from ._packed import packed

_aten = torch.ops.aten
_broadcast: Any = torch.broadcast_shapes


#: So many places of a mask have values.
_MAX_PLACES = 4096
#: How a caller tells the part of a mask.
Part = Union[str, float]


class MaskParts(NamedTuple):
    """The parts of masks' places that are true, as the caller tells them."""

    #: ``model.py:40`` and the part of the masks there; empty: those of all other lines.
    lines: Tuple[Tuple[str, float], ...] = ()

    def of(self, line: str) -> Optional[float]:
        """The part of the masks of a line; None: not known."""
        known = dict(self.lines)
        return known.get(line, known.get(""))

    def text(self) -> str:
        """As parts_of() takes it: ``model.py:40=0.125,0.15``."""
        return ",".join(f"{line}={part:g}" if line else f"{part:g}" for line, part in self.lines)


def parts_of(masks: Union[Part, Mapping[str, Part], None]) -> MaskParts:
    """A part (``0.15``, ``"15%"``), parts by line (``{"model.py:40": "15%"}``), or both as text, ``"model.py:40=15%,50%"``.
    RequestError: others."""
    if masks is None:
        return MaskParts()
    if isinstance(masks, Mapping):
        return MaskParts(tuple((str(line), _part(one, masks)) for line, one in masks.items()))
    pieces = [piece.rpartition("=") for piece in str(masks).split(",")]
    return MaskParts(tuple((line.strip(), _part(one, masks)) for line, _, one in pieces))


def _part(one: Any, masks: Any) -> float:
    text = str(one).strip()
    try:
        part = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        part = math.nan
    if isinstance(one, bool) or isinstance(masks, bool) or not 0 <= part <= 1:
        raise RequestError(f"masks={masks!r}: no part from 0 to 1 ('15%', 0.15), and no line with a part ('model.py:40=15%')")
    return part


class Masks:
    """Gives sizes that depend on values, for the time of a plan, and remembers where."""

    def __init__(self, frames: Frames) -> None:
        self._frames = frames
        #: What the caller tells.
        self.parts = MaskParts()
        #: Lines that choose by a mask, with the part that is true (None: not known, all is taken).
        self.chosen: Dict[str, Optional[float]] = {}
        #: Lines that look for different values, and lines with sequences whose lengths are not known.
        self.different: Dict[str, None] = {}
        self.sequences: Dict[str, None] = {}

    @property
    def is_most(self) -> bool:
        """Whether sizes were taken as large as they can be."""
        return bool(self.different or self.sequences) or None in self.chosen.values()

    def notes(self, option: str) -> List[str]:
        """A sentence for each line. option: how the caller tells the part."""
        chosen = [
            f"the mask of {line} was taken to be true everywhere; {option}15% says what part is"
            if part is None
            else f"{100 * part:.3g} % of the mask of {line} was taken as true"
            for line, part in self.chosen.items()
        ]
        chosen += [f"the values that {line} sorts out were taken to be all different" for line in self.different]
        return chosen + [f"the sequences of {line} were taken to be all as long as the longest" for line in self.sequences]

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
        frame = self._frames.line()
        part = self.parts.of(text_of(frame))
        if frame is not None:
            self.chosen.setdefault(text_of(frame), part)
        places: int = mask.numel()
        return math.ceil(places * (1 if part is None else part))

    def different_of(self, number: int) -> int:
        """How many of so many values differ."""
        self._note(self.different)
        return number

    def lengths_of(self, steps: int, lengths: Any) -> Any:
        """The lengths of sequences of at most so many steps, as a tensor with values."""
        if has_values([lengths]):
            return values_in(lengths)
        self._note(self.sequences)
        with no_dispatch():
            return torch.full(lengths.shape, steps, dtype=torch.int64, device="cpu")

    def _note(self, lines: Dict[str, None]) -> None:
        frame = self._frames.line()
        if frame is not None:
            lines.setdefault(text_of(frame), None)


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
    """The first places, which have values: a program looks its experts up by them."""
    result = mask.new_empty((masks.true_places(mask), mask.dim()), dtype=torch.int64)
    if mask.numel() <= _MAX_PLACES:
        with no_dispatch():
            result.constant = torch.nonzero(torch.ones(mask.shape, device="cpu"))[: result.shape[0]]
    return result


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


def _packed(masks: Masks, of: Any, lengths: Any, batch_first: bool) -> Any:
    return packed(of, masks.lengths_of(of.shape[1 if batch_first else 0], lengths), batch_first)


def _ctc_loss(masks: Masks, probabilities: Any, targets: Any, inputs: Any, lengths: Any, *others: Any) -> Any:
    """A table of each sequence's steps by its labels, with a blank around each (ATen/native/LossCTC.cpp)."""
    longest = masks.lengths_of(targets.shape[-1], lengths) if isinstance(lengths, torch.Tensor) else lengths
    with no_dispatch():
        labels = int(max(longest, default=0))
    steps, number = probabilities.shape[:2]
    return probabilities.new_empty(number), probabilities.new_empty((number, steps, 2 * labels + 1))


_OPERATORS: Dict[Any, Callable[..., Any]] = {
    _aten.nonzero.default: _nonzero,
    _aten.masked_select.default: _selected,
    _aten.index.Tensor: _indexed,
    _aten._unique2.default: _unique,
    _aten.unique_dim.default: _unique_dim,
    _aten.unique_consecutive.default: _unique_consecutive,
    _aten._pack_padded_sequence.default: _packed,
    _aten._ctc_loss.default: _ctc_loss,
    _aten._ctc_loss.Tensor: _ctc_loss,
}
