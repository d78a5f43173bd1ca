# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What JAX says of itself: plans of compiled programs, live arrays.

Imports nothing of JAX, and asks only what the program has imported. libmemrec.so calls
report_programs() when a program has run for the first time; memkit.mark() calls report_arrays().
"""

import ctypes
import math
import sys
import time
from typing import Any, Dict, Iterator, List, Set, Tuple

from . import _native

_UNKNOWN = 2**64 - 1
_SIZES = (
    "argument_size_in_bytes",
    "output_size_in_bytes",
    "alias_size_in_bytes",
    "temp_size_in_bytes",
    "generated_code_size_in_bytes",
    "peak_memory_in_bytes",
)
_COSTS = ("flops", "bytes accessed")

# Questions may take this much at once, and then this share of the time.
_FIRST_SECONDS = 0.05
_SHARE = 0.02
# A shape beyond these counts as one of "others".
_MOST_SHAPES = 64

_reported: Set[Any] = set()  # executables by _key()
_began = 0.0
_spent = 0.0


def _library() -> Any:
    library = _native.library
    if library is not None and not library.memrec_jax_program.argtypes:
        library.memrec_jax_program.argtypes = [
            ctypes.c_char_p,
            ctypes.c_size_t,
            ctypes.c_void_p,
            ctypes.c_uint32,
        ]
        library.memrec_jax_program.restype = None
        library.memrec_jax_arrays.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64, ctypes.c_uint64]
        library.memrec_jax_arrays.restype = None
    return library


def _executables() -> Iterator[Any]:
    """The executables of the clients that the program has made."""
    bridge = sys.modules.get("jax._src.xla_bridge")
    for client in list(getattr(bridge, "_backends", {}).values()):
        try:
            yield from client.live_executables()
        except Exception:  # of a client without this question
            continue


def _key(executable: Any) -> Any:
    """The same for an executable whenever it is asked."""
    try:
        return executable.fingerprint or id(executable)
    except Exception:
        return id(executable)


def _number(value: Any) -> int:
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        return _UNKNOWN
    return number if 0 <= number < _UNKNOWN else _UNKNOWN


def _plan(executable: Any) -> List[int]:
    """Sizes and costs as XLA says them; unknown where it says nothing."""
    try:
        stats = executable.get_compiled_memory_stats()
    except Exception:
        stats = None
    try:
        costs = executable.cost_analysis()
        costs = costs[0] if isinstance(costs, (list, tuple)) else costs
    except Exception:
        costs = {}
    values = [_number(getattr(stats, name, None)) for name in _SIZES]
    return values + [_number(dict(costs or {}).get(name)) for name in _COSTS]


def report_programs() -> None:
    """Reports the plans of executables that were not reported before."""
    global _began, _spent
    library = _library()
    if library is None:
        return
    now = time.perf_counter()
    _began = _began or now
    live = {_key(e): e for e in _executables()}
    _reported.intersection_update(live)
    for key, executable in live.items():
        if key in _reported:
            continue
        if _spent > _FIRST_SECONDS + _SHARE * (now - _began):
            return
        _reported.add(key)
        name = _native.encoded(executable.hlo_modules()[0].name)
        values = _plan(executable)
        library.memrec_jax_program(name, len(name), (ctypes.c_uint64 * len(values))(*values), len(values))
        after = time.perf_counter()
        _spent += after - now
        now = after


def _shape(array: Any) -> str:
    return "%s[%s]" % (array.dtype, ",".join(str(n) for n in array.shape))


def _bytes(array: Any) -> int:
    """What the array takes on the devices of this process: a replicated array counts on each of them."""
    sharding: Any = getattr(array, "sharding", None)
    devices = getattr(sharding, "addressable_devices", None)
    if not devices or len(devices) == 1:
        return int(array.nbytes)
    elements = math.prod(sharding.shard_shape(array.shape))
    return int(elements * array.dtype.itemsize * len(devices))


def report_arrays() -> None:
    """Reports the live arrays by type and shape, those with most bytes first."""
    library = _library()
    jax = sys.modules.get("jax")
    if library is None or not hasattr(jax, "live_arrays"):
        return
    sums: Dict[str, Tuple[int, int]] = {}
    for array in jax.live_arrays():  # type: ignore[union-attr]
        try:
            name, size = _shape(array), _bytes(array)
        except Exception:  # deleted in between
            continue
        count, total = sums.get(name, (0, 0))
        sums[name] = (count + 1, total + size)
    rows = sorted(sums.items(), key=lambda row: (-row[1][1], row[0]))
    rest = rows[_MOST_SHAPES:]
    rows = rows[:_MOST_SHAPES]
    if rest:
        rows.append(("others", (sum(row[1][0] for row in rest), sum(row[1][1] for row in rest))))
    for name, (count, total) in rows:
        text = _native.encoded(name)
        library.memrec_jax_arrays(text, len(text), count, total)
