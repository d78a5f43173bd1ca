# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""DistributedDataParallel in a plan: one rank, whose gradients go nowhere.

DDP's reducer is C++ that reads the gradients' memory. So a plan's backward runs as under no_sync(), and the buckets of
a model that was wrapped before the plan are a block of their own.
"""

import contextlib
import sys
from typing import Any, Iterator, List

import torch

from ._cuda import replaced


def _nothing(*arguments: Any, **options: Any) -> None:
    pass


@contextlib.contextmanager
def of_one_rank() -> Iterator[None]:
    """A model may be wrapped while the plan is made."""
    module: Any = sys.modules.get("torch.nn.parallel.distributed")
    with contextlib.ExitStack() as stack:
        for name in ("_verify_param_shape_across_processes", "_sync_module_states"):
            stack.enter_context(replaced(module, name, _nothing))
        yield


class Buckets:
    """The buckets of gradients of models that were wrapped before the plan."""

    def __init__(self) -> None:
        self._kept: List[Any] = []
        self._seen: List[Any] = []

    def begin(self, module: Any, is_planned: bool) -> None:
        """The forward pass of a wrapped model begins. is_planned: the plan has seen how it was wrapped."""
        module.require_backward_grad_sync = False
        if any(one is module for one in self._seen):
            return
        self._seen.append(module)
        if is_planned or module.gradient_as_bucket_view:
            return
        gradients = [p.numel() * p.element_size() for p in module.parameters() if p.requires_grad]
        self._kept.append(torch.empty(sum(gradients), dtype=torch.uint8))
