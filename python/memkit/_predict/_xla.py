# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Does a program of JAX fit? XLA assigns the memory of a program when it compiles it, so its plan is asked.

Imports nothing of JAX.
"""

import functools
import os
import sys
from typing import Any, Callable, List, Optional, Union

from .._library import Error, RequestError
from ._sizes import NO_DEVICE, beside_of, size_of, size_text, spaced

#: The part of a GPU that JAX's allocator takes at most, if the environment names no other (GpuAllocatorConfig of PjRt).
_SHARE = 0.75

INSTEAD = (
    "JAX runs here, and XLA plans the memory of its programs: print(memkit.predict(step.lower(params, batch), "
    "device='80GiB')) with a function step that jax.jit has made; the arguments may be jax.ShapeDtypeStruct"
)


class CompiledPrediction:
    """What a call of a compiled program takes on each of its devices, in bytes, as XLA says."""

    def __init__(self, name: str, platform: str, devices: int, stats: Any) -> None:
        #: The program: ``jit_step``.
        self.name = name
        #: What it was compiled for: ``cpu``, ``gpu``, ...
        self.platform = platform
        self.devices = devices
        self.argument_bytes = int(stats.argument_size_in_bytes)
        self.output_bytes = int(stats.output_size_in_bytes)
        #: Outputs that lie in arguments, which the caller has donated.
        self.aliased_bytes = int(stats.alias_size_in_bytes)
        #: What a call takes beside arguments and outputs.
        self.temporary_bytes = int(stats.temp_size_in_bytes)
        #: All of a call. XLA's own peak leaves the temporary memory out on the CPU.
        all_bytes = self.argument_bytes + self.output_bytes - self.aliased_bytes + self.temporary_bytes
        self.call_bytes = max(all_bytes, int(getattr(stats, "peak_memory_in_bytes", 0)))
        #: The device as the caller named it, and what JAX may take of it; 0: not known, on the CPU.
        self.device = "cpu"
        self.device_bytes = 0
        #: What the plan does not know, a sentence each.
        self.notes: List[str] = []

    @property
    def fits(self) -> Optional[bool]:
        """Whether JAX may take so much of the device; None: its size is not known."""
        return self.call_bytes <= self.device_bytes if self.device_bytes else None

    @property
    def left_bytes(self) -> int:
        """Of a device that fits: what is left for other arrays and for calls that run ahead."""
        return max(self.device_bytes - self.call_bytes, 0)

    @property
    def short_bytes(self) -> int:
        """What is missing; 0: nothing."""
        return max(self.call_bytes - self.device_bytes, 0) if self.device_bytes else 0

    def answer(self) -> str:
        """The first line: whether it fits."""
        call = f"a call of {self.name} takes {size_text(self.call_bytes)}"
        if self.devices > 1:
            call += f" on each of {self.devices} devices"
        if self.fits is None:
            return call
        whose = " by XLA's plan for the CPU" if self.platform == "cpu" else ""
        if self.fits:
            return f"fits {self.device}{whose}: {call}"
        return f"does not fit {self.device}{whose}: {size_text(self.short_bytes)} short, {call}"

    def __str__(self) -> str:
        aliased = f", of which {size_text(self.aliased_bytes)} lie in arguments" if self.aliased_bytes else ""
        lines = [
            self.answer(),
            f"  arguments {size_text(self.argument_bytes):>8}",
            f"  outputs   {size_text(self.output_bytes):>8}{aliased}",
            f"  temporary {size_text(self.temporary_bytes):>8}",
        ]
        left = f": {size_text(self.left_bytes)} are left for them" if self.fits else ""
        lines.append(f"  not in it other arrays that live, calls that run ahead{left}")
        return "\n".join([*lines, *(f"  note      {note}" for note in self.notes)])

    def __repr__(self) -> str:
        return f"<memkit prediction: {self.answer()}>"


def compiled_program(step: Any) -> Optional[Any]:
    """The program of JAX that the step is (lowered, compiled, a jitted function with its arguments); None: no such."""
    if _is_of_jax(step) and hasattr(step, "memory_analysis"):
        return step
    if _is_of_jax(step) and hasattr(step, "compile"):
        return step.compile()
    given, arguments, options = step, (), {}
    if isinstance(step, functools.partial):
        given, arguments, options = step.func, step.args, step.keywords
    if not _is_of_jax(given) or not hasattr(given, "lower"):
        return None
    try:
        return given.lower(*arguments, **options).compile()
    except TypeError as error:
        if arguments or options:
            raise
        text = "a jitted function needs its arguments: memkit.predict(step.lower(params, batch))"
        raise RequestError(f"{text} ({error})") from None


def _is_of_jax(value: Any) -> bool:
    return type(value).__module__.partition(".")[0] in ("jax", "jaxlib")


def predict_compiled(program: Any, device: Union[str, int], beside: Union[str, int, None]) -> CompiledPrediction:
    """The prediction of a compiled program on a device of a size."""
    from . import PredictionError

    try:
        stats = program.memory_analysis()
    except Exception as error:
        raise PredictionError(f"XLA says nothing of the program's memory: {error}") from error
    if stats is None:
        raise PredictionError("XLA says nothing of the program's memory")
    executable = program.runtime_executable()
    devices = executable.local_devices()
    platform = devices[0].platform if devices else "cpu"
    result = CompiledPrediction(executable.hlo_modules()[0].name, platform, len(devices), stats)
    if str(device).strip() != "cpu":
        _set_device(result, device, beside)
    return result


def _set_device(result: CompiledPrediction, device: Union[str, int], beside: Union[str, int, None]) -> None:
    size = size_of(device if isinstance(device, int) else str(device))
    if size is None:
        raise RequestError(NO_DEVICE.format(device) + ", or 'cpu'")
    text = size_text(size) if isinstance(device, int) else spaced(str(device).strip())
    aside = beside_of(beside, size, text) or 0
    result.device = f"{text} less {size_text(aside)}" if aside else text
    if result.platform == "cpu":
        result.notes.append("XLA plans other temporary memory for a GPU: where JAX has one, it compiles for it")
    share = _share()
    result.device_bytes = int((size - aside) * share)
    if share < 1:
        limit = f"{100 * share:.3g} % of a GPU, here {size_text(result.device_bytes)}"
        result.notes.append(f"JAX takes at most {limit} (XLA_CLIENT_MEM_FRACTION)")


def _share() -> float:
    if os.environ.get("XLA_PYTHON_CLIENT_ALLOCATOR", "").lower() == "platform":
        return 1.0
    text = os.environ.get("XLA_CLIENT_MEM_FRACTION") or os.environ.get("XLA_PYTHON_CLIENT_MEM_FRACTION")
    try:
        return min(float(text), 1.0) if text else _SHARE
    except ValueError:
        return _SHARE


def has_jax() -> bool:
    """Whether the program has used a device of JAX, whose threads do not outlive a fork."""
    bridge = sys.modules.get("jax._src.xla_bridge")
    return bool(getattr(bridge, "_backends", None))


def call_without_jax(step: Callable[[], Any]) -> None:
    """Calls the step in a fork, where a program of JAX would wait for ever. PredictionError: it runs one.

    JAX only looks at operations while it traces a function."""
    from . import PredictionError

    def looked_at() -> None:
        step()

    try:
        traced = sys.modules["jax"].make_jaxpr(looked_at)()
    except Error:
        raise
    except Exception as error:
        if type(error).__module__.partition(".")[0] == "jax":
            raise PredictionError(INSTEAD) from error
        raise
    if traced.jaxpr.eqns:
        raise PredictionError(INSTEAD)
