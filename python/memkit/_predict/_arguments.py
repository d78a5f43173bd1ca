# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tensors among the arguments of an operator, and their values."""

from typing import Any, List

import torch
from torch._subclasses.fake_tensor import FakeTensor


def tensors_in(value: Any) -> List[Any]:
    """The tensors of an argument, also of lists in lists."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [tensor for one in value for tensor in tensors_in(one)]
    return []


def values_in(value: Any) -> Any:
    """An argument with the values of its fake tensors."""
    if isinstance(value, FakeTensor):
        return value.constant
    if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
        return type(value)(values_in(one) for one in value)
    if isinstance(value, dict):
        return {key: values_in(one) for key, one in value.items()}
    return value


def has_values(tensors: List[Any]) -> bool:
    """Whether the values of all tensors are known."""
    return all(not isinstance(one, FakeTensor) or one.constant is not None for one in tensors)
