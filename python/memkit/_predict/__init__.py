# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans the memory of a training step before it runs: will it fit?

Without a line that imports PyTorch: _run does, when a prediction begins.
"""

from functools import partial
from typing import Any, Callable, Iterable, Mapping, Optional, Union

from .._library import Error, RequestError
from ._answer import PlannedLine, Prediction, Variant, Variation
from ._xla import INSTEAD, CompiledPrediction, compiled_program, has_jax, predict_compiled

__all__ = ["CompiledPrediction", "PlannedLine", "Prediction", "PredictionError", "Variant", "Variation", "predict"]


class PredictionError(Error):
    """The step cannot be planned: it raised, or needs what a plan does not have."""


def predict(
    step: Callable[..., Any],
    device: Union[str, int, Any] = "80GiB",
    vary: Optional[Mapping[str, Iterable[Any]]] = None,
    steps: int = 3,
    path: Optional[str] = None,
    beside: Union[str, int, None] = None,
    variants: bool = False,
    masks: Union[str, float, Mapping[str, Union[str, float]], None] = None,
) -> Union[Prediction, Variation, CompiledPrediction]:
    """Calls the program's own training step with tensors that have no memory, and says what it would take.

        print(memkit.predict(lambda: train(model, optimizer, batch), device="24GiB"))

    step: a function without arguments; called ``steps`` times, because optimizers make their state in the first.
    The calls run in a forked process, so all that the program has in memory is as before afterwards; what they write to
    files goes into a temporary folder. Call it before the program uses CUDA.
    device: a size (``"80GiB"``, ``"24GB"``, bytes) of a device of CUDA; ``"cuda:0"`` where this machine has it; ``"cpu"``.
    vary: a name and values, ``{"batch": range(1, 65)}``: calls ``step(batch=n)`` and finds the largest that fits.
    path: the trace's file, else a temporary one.
    beside: what of the device is not PyTorch's: CUDA's context, other programs.
    variants: plans the step again in other ways, and tells those that take less memory: repeated layers under
    ``torch.utils.checkpoint``, an allocator with expandable segments. Each way takes as long as the plan.
    masks: the part of a mask's places that are true, ``"15%"`` or ``0.15``, where a size depends on it (``x[mask]``,
    ``nonzero``), or such parts by line, ``{"model.py:40": "15%"}``; else all places, the most that there can be.

    A program of JAX is planned by XLA: with ``step.lower(params, batch)`` of a jitted function, what it compiles, or
    ``functools.partial(step, params, batch)`` the answer is what XLA says of it, without a trace.

    RequestError: an argument is wrong. PredictionError: the step cannot be planned. LibraryError: PyTorch 2.4 or newer,
    or a tool of memkit, is missing.
    """
    program = compiled_program(step)
    if program is not None:
        if vary is not None or variants or path is not None or masks is not None:
            raise RequestError("of a program of JAX there is one plan, XLA's: no vary, variants, path or masks")
        return predict_compiled(program, device, beside)
    if not callable(step):
        raise RequestError(f"step is a function that runs one training step, not {type(step).__name__}")
    if not isinstance(steps, int) or steps < 1:
        raise RequestError(f"steps is a number of calls from 1 on, not {steps!r}")
    check_torch()
    from . import _run
    from ._vary import largest_fit

    from ._device import planned_device
    from ._masks import parts_of

    where, asked = planned_device(device, beside), _run.Asked(steps, parts_of(masks))
    if vary is not None and variants:
        raise RequestError("vary and variants are two questions: ask one of them")
    if vary is None:
        result = _run.plan(step, where, asked, path)
        if variants:
            from ._variants import variants_of
            from ._writer import temporary_path

            planned = partial(_run.plan, step, where, asked)
            result.variants = variants_of(result, lambda change, to: planned(to, change), temporary_path)
        return result
    return largest_fit(step, where, asked, path, vary)


def check_torch() -> None:
    from .._library import LibraryError

    try:
        import torch
    except ImportError:
        instead = f"; {INSTEAD}" if has_jax() else ""
        raise LibraryError("memkit.predict plans steps of PyTorch, and PyTorch is not installed" + instead) from None
    version = str(torch.__version__)
    numbers = version.partition("+")[0].split(".")[:2]
    if tuple(int("".join(filter(str.isdigit, n)) or 0) for n in numbers) < (2, 4):
        raise LibraryError(f"memkit.predict needs PyTorch 2.4 or newer, and this is {version}")
