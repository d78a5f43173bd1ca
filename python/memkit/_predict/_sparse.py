# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sparse gradients in a plan: operators that lose the number of entries of a fake tensor.

How many entries are the same is a value, which a plan does not have: it takes as many as there can be.
"""

import math
from types import FrameType
from typing import Any, Callable, Dict, Optional

import torch
from torch._subclasses.fake_tensor import FakeTensor

_aten = torch.ops.aten
_ENGINE = "_engine_run_backward"


def _made(like: Any, indices: Any, values: Any, is_coalesced: bool) -> Any:
    result = torch.sparse_coo_tensor(indices, values, like.shape, check_invariants=False)
    return result._coalesced_(is_coalesced)


def _cloned(args: Any, caller: FrameType) -> Any:
    """Autograd keeps the gradient itself, and copies it only if it is a fake tensor."""
    indices, values = args[0]._indices(), args[0]._values()
    if caller.f_code.co_name != _ENGINE:
        indices, values = indices.clone(), values.clone()
    return _made(args[0], indices, values, args[0].is_coalesced())


def _coalesced(args: Any, caller: FrameType) -> Any:
    """A sort of the entries' places, and a sum for each place."""
    one = args[0]
    number = min(one._nnz(), math.prod(one.shape[: one.sparse_dim()]))
    places = [torch.empty(one._nnz(), dtype=torch.int64) for _ in range(3)]
    indices = torch.empty((one.sparse_dim(), number), dtype=torch.int64)
    values = torch.empty((number, *one._values().shape[1:]), dtype=one.dtype)
    del places
    return _made(one, indices, values, True)


def _masked(args: Any, caller: FrameType) -> Any:
    """The entries of a dense tensor that a sparse one has."""
    mask = args[1]
    return _made(mask, mask._indices().clone(), torch.empty_like(mask._values(), dtype=args[0].dtype), True)


_OPERATORS: Dict[Any, Callable[[Any, FrameType], Any]] = {
    _aten.clone.default: _cloned,
    _aten._coalesce.default: _coalesced,
    _aten.sparse_mask.default: _masked,
}


def sparse_operator(func: Any, args: Any) -> Optional[Callable[[Any, FrameType], Any]]:
    """What takes the place of an operator with a sparse fake tensor; None: nothing."""
    known = _OPERATORS.get(func)
    if known is None or not any(isinstance(one, FakeTensor) and one.layout is torch.sparse_coo for one in args[:2]):
        return None
    return known
