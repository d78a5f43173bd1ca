# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the largest value of an argument with which a step fits."""

import contextlib
import functools
import os
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional

from .._library import RequestError
from ._answer import Prediction, Variation, rising
from ._device import PlannedDevice
from ._run import Asked, plan

#: So few values are all planned.
_MAX_PLANNED = 4


def largest_fit(
    step: Callable[..., Any],
    device: PlannedDevice,
    asked: Asked,
    path: Optional[str],
    vary: Mapping[str, Iterable[Any]],
) -> Variation:
    """Plans all values if they are few or no numbers, else those that a bisection needs."""
    if len(vary) != 1:
        raise RequestError(f"vary has one name with its values, {{'batch': range(1, 65)}}, not {len(vary)}")
    [(name, given)] = vary.items()
    values = list(given)
    if not values:
        raise RequestError(f"vary has no values of {name!r}")
    if not device.bytes:
        raise RequestError("vary needs a device of a known size: device='80GiB'")

    def planned(value: Any) -> Prediction:
        named = None if path is None else f"{path}.{value}"
        return plan(functools.partial(step, **{name: value}), device, asked, named)

    return search(name, values, planned, path is None)


def search(name: str, values: List[Any], planned: Callable[[Any], Prediction], removes: bool) -> Variation:
    """What fits of the values. removes: the traces of all but the answer's plan."""
    runs: Dict[Any, Prediction] = {}

    def fits(value: Any) -> bool:
        if value not in runs:
            runs[value] = planned(value)
        return bool(runs[value].fits)

    ordered = rising(values)
    if ordered is None or len(values) <= _MAX_PLANNED:
        for value in values:
            fits(value)
    else:
        _bisect(ordered, fits)
    result = Variation(name, values, runs, len(runs) < len(values))
    if removes:
        _remove_traces(run for run in runs.values() if run is not result.shown)
    return result


def _remove_traces(runs: Iterable[Prediction]) -> None:
    for run in runs:
        with contextlib.suppress(OSError):
            os.unlink(run.path)


def _bisect(values: List[Any], fits: Callable[[Any], bool]) -> None:
    """Plans the last value that fits and the first that does not; values rise in memory."""
    if not fits(values[0]) or fits(values[-1]):
        return
    low, high = 0, len(values) - 1  # low fits, high does not
    while high - low > 1:
        middle = (low + high) // 2
        if fits(values[middle]):
            low = middle
        else:
            high = middle
