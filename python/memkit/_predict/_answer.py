# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a prediction answers."""

import json
from typing import Any, Dict, List, NamedTuple, Optional, Tuple


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
        #: Whether the device serves all requests; None: on the CPU.
        self.fits: Optional[bool] = None
        #: What is missing for the device to serve all; 0: it fits.
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
        from ._device import size_text

        if self.fits is None or self.reserved_bytes is None:
            return f"{size_text(self.peak_bytes)} of tensors {_at(self.peak_place)}"
        if self.fits:
            tight = self.beside_bytes is None and self.left_bytes < _ENOUGH
            limit = f" if CUDA takes no more than {size_text(self.left_bytes)} of it" if tight else ""
            return f"fits {self.device}{limit}: {size_text(self.reserved_bytes)} reserved {_at(self.reserved_place)}"
        at = f", first at {self.fails_at}" if self.fails_at else ""
        return f"does not fit {self.device}: {size_text(self.short_bytes)} short{at}"

    def __str__(self) -> str:
        from ._device import size_text

        lines = [self.answer(), f"  tensors   {size_text(self.peak_bytes)} {_at(self.peak_place)}"]
        for number, row in enumerate(self.largest[:5]):
            name = "largest" if number == 0 else ""
            lines.append(f"  {name:9} {size_text(row.bytes):>8} {100 * row.share:5.1f} %  {row.name}")
        if self.fits is not None:
            left = f": {size_text(self.left_bytes)} are left for them" if self.fits else ""
            lines.append(f"  not in it {_BESIDE}{left}")
        lines += [f"  note      {note}" for note in self.notes]
        lines += [self._line_of(v, "instead" if number == 0 else "") for number, v in enumerate(self.variants)]
        return "\n".join([*lines, f"  trace     {self.path}"])

    def _line_of(self, variant: Variant, title: str) -> str:
        from ._device import size_text

        more = 100 * (variant.work - 1)
        work = f", {more:.0f} % more work" if more >= 0.5 else ""
        fits = ", fits" if variant.fits and not self.fits else ""
        return f"  {title:9} {size_text(variant.reserved_bytes):>8} reserved{fits}{work}: {variant.name}"

    def __repr__(self) -> str:
        return f"<memkit prediction: {self.answer()}>"


def _at(place: str) -> str:
    return f"at the peak of {place}" if place else "before the first step"


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
        """The last value that fits; None: no value."""
        fitting = [value for value in self.values if value in self.runs and self.runs[value].fits]
        return fitting[-1] if fitting else None

    @property
    def best(self) -> Optional[Prediction]:
        """The prediction of the largest value that fits."""
        return None if self.largest is None else self.runs[self.largest]

    @property
    def fits(self) -> bool:
        """Whether any value fits."""
        return self.largest is not None

    def answer(self) -> str:
        """The first line: what fits."""
        from ._device import size_text

        first, last, largest = self.values[0], self.values[-1], self.largest
        device = next(iter(self.runs.values())).device
        if largest is None:
            return f"{self.name}: no value fits; {first}: {self.runs[first].answer()}"
        span = f"{self.name} {first}" if largest == first else f"{self.name} {first}..{largest}"
        fit = f"{span} fit{'s' if largest == first else ''} {device}"
        if largest == last:
            return f"{fit}: all that were asked for"
        following = self.values[self.values.index(largest) + 1]
        run = self.runs[following]
        return f"{fit}; {following} needs {size_text(run.device_bytes + run.short_bytes)}"

    def __str__(self) -> str:
        lines = [self.answer()]
        if self.assumed:
            planned = f"{len(self.runs)} of {len(self.values)} values were planned"
            lines.append(f"  note      memory was assumed to rise with {self.name}: {planned}")
        run = self.best or next(iter(self.runs.values()))
        return "\n".join([*lines, *(f"  {line}" for line in str(run).splitlines())])

    def __repr__(self) -> str:
        return f"<memkit variation: {self.answer()}>"
