# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""limit_memory: the peak of a test. The arguments of marks."""

from fnmatch import fnmatch
from typing import Any, Dict, Tuple

import pytest

from ._sizes import bytes_of, text_of


def limit_of(mark: Any, names: Tuple[str, ...]) -> Dict[str, Any]:
    """The arguments of a mark, by name. ValueError: wrong ones."""
    given = dict(zip(names, mark.args), **mark.kwargs)
    # Of pytest-memray's marks of the same names.
    for other in ("current_thread_only", "filter_fn"):
        given.pop(other, None)
    given["size"] = given.pop("location_limit", given.pop("memory_limit", given.get("size")))
    if "size" not in names and given["size"] is None:
        given["size"] = 0
    unknown = set(given) - {*names, "size"} or ("size" not in names and given["size"])
    if len(mark.args) > len(names) or unknown or given["size"] is None:
        missing = "; the size is missing" if given["size"] is None else ""
        raise ValueError(f"{mark.name} takes {', '.join(names)}{missing}")
    given["size"] = bytes_of(given["size"])
    return given


def check_peak(scope: Any, mark: Any) -> None:
    """Fails if the memory of a scope rose by more than limit_memory, if there is this mark, allows."""
    if mark is None:
        return
    try:
        limit = limit_of(mark, ("size", "heap"))
    except ValueError as problem:
        pytest.fail(f"memkit: {problem}", pytrace=False)
    stats = scope.stats
    if stats is None:
        return
    pattern = limit.get("heap")
    heaps = [stats.total] if pattern is None else [h for h in stats.heaps.values() if fnmatch(h.name, pattern)]
    rise = sum(heap.peak - heap.before for heap in heaps)
    if rise > limit["size"]:
        what = "" if pattern is None else f" in {pattern}"
        pytest.fail(
            f"memkit: the memory rose by {text_of(rise)}{what} above the begin of the test; "
            f"limit_memory allows {text_of(limit['size'])}",
            pytrace=False,
        )
