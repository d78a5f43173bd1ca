# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a prediction answers."""

import json
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from ._sizes import size_text

#: With less left for CUDA, the answer depends on what CUDA takes, which a plan does not know.
_ENOUGH = 1 << 30
_BESIDE = "CUDA's context and modules, workspaces of cuBLAS and cuDNN, work memory inside of kernels"


class PlannedLine(NamedTuple):
    """A line of the program, with what it holds at the peak."""

    #: ``model.py:39 GPT.forward``; ``[parameters]`` and the like for what the step finds.
    name: str
    bytes: int
    #: Of the peak.
    share: float


class Variant(NamedTuple):
    """The same step in another way, as planned."""

    #: ``checkpoint of blocks (12 layers)``.
    name: str
    #: What PyTorch's allocator would hold at most.
    reserved_bytes: int
    #: Whether the device serves all requests.
    fits: bool
    #: Its matrix products, convolutions and attention, in parts of those of the step as it is.
    work: float


class Prediction:
    """The plan of a step.

    Bytes of tensors are rounded up to 512, as PyTorch's allocator of CUDA does; on the CPU they are the tensors' own.
    """

    def __init__(
        self,
        path: str,
        device: str,
        device_bytes: int,
        peak_bytes: int,
        peak_place: str,
        tensor_bytes: int,
        notes: List[str],
    ) -> None:
        #: The trace's file.
        self.path = path
        #: The device as the caller named it.
        self.device = device
        #: What PyTorch may take of the device; 0: not known.
        self.device_bytes = device_bytes
        #: The most bytes of tensors that live at once.
        self.peak_bytes = peak_bytes
        #: The step, the phase and the layer of it.
        self.peak_place = peak_place
        #: The peak of the tensors' own bytes, not rounded.
        self.tensor_bytes = tensor_bytes
        #: What PyTorch's allocator would hold at most on a device without a limit; None: on the CPU.
        self.reserved_bytes: Optional[int] = None
        #: The step, the phase and the layer of it.
        self.reserved_place = ""
        #: Whether the device serves all requests, and has something left for CUDA. None: not known, on the CPU,
        #: because the plan lacks a part, which a note names, or because of is_most.
        self.fits: Optional[bool] = None
        #: The plan does not fit, and sizes that depend on values were taken as large as they can be: a note names them.
        self.is_most = False
        #: What is missing for the device to serve all requests; 0: it serves them, but may have nothing left for CUDA.
        self.short_bytes = 0
        #: Of a device that fits: what is left for CUDA and others.
        self.left_bytes = 0
        #: What the caller has set aside for them; None: nothing.
        self.beside_bytes: Optional[int] = None
        #: The line of the first request that fails.
        self.fails_at = ""
        #: The lines that hold most at the peak.
        self.largest: List[PlannedLine] = []
        #: What the plan does not know, a sentence each.
        self.notes = notes
        #: The step after which a script was left, as it had made enough; 0: it ended, or the plan is of a function.
        self.left_after = 0
        #: Floating point operations of matrix products, convolutions and attention in all steps; 0: there are none.
        self.flops = 0
        #: Repeated layers that have layers of their own: the path of their module, and their number.
        self.groups: List[Tuple[str, int]] = []
        #: With ``variants=True``: ways to take less.
        self.variants: List[Variant] = []

    def to_json(self) -> str:
        """All fields, for from_json()."""
        return json.dumps(vars(self))

    @staticmethod
    def from_json(text: str) -> "Prediction":
        """The prediction of another process."""
        result = Prediction.__new__(Prediction)
        vars(result).update(json.loads(text))
        result.largest = [PlannedLine(*row) for row in result.largest]
        result.variants = [Variant(*row) for row in result.variants]
        return result

    @property
    def trace(self) -> Any:
        """The plan as a Trace, for all questions of memkit.open()."""
        from .._trace import Trace

        return Trace(self.path)

    def answer(self) -> str:
        """The first line: whether it fits."""
        if self.reserved_bytes is None:
            return f"{size_text(self.peak_bytes)} of tensors {_at(self.peak_place)}"
        if self.fits is None and not self.is_most:
            reserved = f"{self._reserved_text()} {_at(self.reserved_place)}"
            return f"may not fit {self.device}: {reserved}, without a part that the plan lacks"
        if self.fits:
            tight = self.beside_bytes is None and self.left_bytes < _ENOUGH
            limit = f" if CUDA takes no more than {size_text(self.left_bytes)} of it" if tight else ""
            return f"fits {self.device}{limit}: {self._reserved_text()} {_at(self.reserved_place)}"
        verb, most = ("may not", ", with sizes as large as they can be") if self.is_most else ("does not", "")
        if not self.short_bytes:
            return f"{verb} fit {self.device}: PyTorch's allocator needs all of it, and CUDA needs a part{most}"
        at = f", first at {self.fails_at}" if self.fails_at else ""
        return f"{verb} fit {self.device}: {size_text(self.short_bytes)} short{at}{most}"

    def _reserved_text(self) -> str:
        reserved = self.reserved_bytes or 0
        if reserved <= self.device_bytes:
            return f"{size_text(reserved)} reserved"
        # With less memory the allocator gives back what it does not use.
        least = size_text(self.device_bytes - self.left_bytes)
        return f"{least} reserved ({size_text(reserved)} on a larger device)"

    def __str__(self) -> str:
        lines = [self.answer(), f"  tensors   {size_text(self.peak_bytes)} {_at(self.peak_place)}"]
        for number, row in enumerate(self.largest[:5]):
            name = "largest" if number == 0 else ""
            lines.append(f"  {name:9} {size_text(row.bytes):>8} {100 * row.share:5.1f} %  {row.name}")
        if self.reserved_bytes is not None:
            left = f": {size_text(self.left_bytes)} are left for them" if self.fits else ""
            lines.append(f"  not in it {_BESIDE}{left}")
        lines += [f"  note      {note}" for note in self.notes]
        lines += [self._line_of(v, "instead" if number == 0 else "") for number, v in enumerate(self.variants)]
        if self.left_after:
            lines.append(f"  planned   the script up to step {self.left_after}; --steps=N plans more of it")
        return "\n".join([*lines, f"  trace     {self.path}"])

    def _line_of(self, variant: Variant, title: str) -> str:
        more = 100 * (variant.work - 1)
        work = f", {more:.0f} % more work" if more >= 0.5 else ""
        fits = ", fits" if variant.fits and not self.fits else ""
        return f"  {title:9} {size_text(variant.reserved_bytes):>8} reserved{fits}{work}: {variant.name}"

    def __repr__(self) -> str:
        return f"<memkit prediction: {self.answer()}>"


def _at(place: str) -> str:
    return f"at the peak of {place}" if place else "before the first step"


def rising(values: List[Any]) -> Optional[List[Any]]:
    """The values in rising order, also numbers as text; None: they are no numbers."""
    try:
        return sorted(values, key=float)
    except (TypeError, ValueError):
        return None


class Variation:
    """The plans of a step with several values of one argument."""

    def __init__(self, name: str, values: List[Any], runs: Dict[Any, Prediction], assumed: bool) -> None:
        #: The argument that varies, and all its values in order.
        self.name = name
        self.values = values
        #: The prediction of each value that was planned.
        self.runs = runs
        #: Whether values between planned ones were taken to fit as their neighbours do.
        self.assumed = assumed

    @property
    def largest(self) -> Optional[Any]:
        """The largest value that fits, of values that are no numbers the last; None: no value."""
        fitting = self._fitting()
        return fitting[-1] if fitting else None

    def _ordered(self) -> List[Any]:
        ordered = rising(self.values)
        return self.values if ordered is None else ordered

    def _fitting(self) -> List[Any]:
        return [value for value in self._ordered() if value in self.runs and self.runs[value].fits]

    @property
    def best(self) -> Optional[Prediction]:
        """The prediction of the largest value that fits."""
        return None if self.largest is None else self.runs[self.largest]

    @property
    def fits(self) -> bool:
        """Whether any value fits."""
        return self.largest is not None

    @property
    def shown(self) -> Prediction:
        """The best prediction; where no value fits, that of the least value."""
        return self.best or self.runs[self._least()]

    def _least(self) -> Any:
        return next(value for value in self._ordered() if value in self.runs)

    def answer(self) -> str:
        """The first line: what fits."""
        device, fitting, ordered = self.shown.device, self._fitting(), self._ordered()
        if not fitting:
            return f"{self.name}: no value fits; {self._least()}: {self.shown.answer()}"
        span = self._span(fitting)
        fit = f"{self.name} {span} fit{'s' if span == str(fitting[0]) else ''} {device}"
        missing = [value for value in ordered if value in self.runs and not self.runs[value].fits]
        if not missing:
            return f"{fit}: all that were asked for"
        run = self.runs[missing[0]]
        needs = size_text(run.device_bytes + run.short_bytes)
        return f"{fit}; {missing[0]} needs {needs if run.short_bytes else f'{needs} and what CUDA takes'}"

    def _span(self, fitting: List[Any]) -> str:
        """``1..13``, the values in rising order; those of which smaller ones do not fit one by one."""
        ordered = self._ordered()
        below = ordered[: ordered.index(fitting[-1]) + 1]
        if len(below) == 1:
            return str(below[0])
        is_span = rising(ordered) is not None and all(self.runs[one].fits for one in below if one in self.runs)
        return f"{below[0]}..{below[-1]}" if is_span else ", ".join(map(str, fitting))

    def __str__(self) -> str:
        lines = [self.answer()]
        if self.assumed:
            planned = f"{len(self.runs)} of {len(self.values)} values were planned"
            lines.append(f"  note      memory was assumed to rise with {self.name}: {planned}")
        return "\n".join([*lines, *(f"  {line}" for line in str(self.shown).splitlines())])

    def __repr__(self) -> str:
        return f"<memkit variation: {self.answer()}>"
