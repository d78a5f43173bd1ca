# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pytest's hooks, with types."""

from typing import Any, Callable, TypeVar

import pytest

_F = TypeVar("_F", bound=Callable[..., Any])


def hook(**options: bool) -> Callable[[_F], _F]:
    """pytest.hookimpl, with types."""
    decorator: Callable[[_F], _F] = pytest.hookimpl(**options)
    return decorator
