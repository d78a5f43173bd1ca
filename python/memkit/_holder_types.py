# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Objects whose memory and references only their own library knows: tensors, arrays.

Their questions are functions of the library's own types, which run no code of the program.
"""

import collections
import contextlib
import re
import sys
from typing import Any, Callable, ContextManager, Dict, List, Set, Tuple

from . import _paths

MAX_GRAPH = 20_000  # nodes of autograd that one walk visits
MAX_ITEMS = 100_000  # of an array of objects


def _tensor_types() -> Tuple[type, ...]:
    torch = sys.modules.get("torch")
    base = getattr(getattr(torch, "_C", None), "TensorBase", None) or getattr(
        getattr(torch, "_C", None), "_TensorBase", None
    )
    storage = getattr(torch, "UntypedStorage", None)
    return tuple(kind for kind in (base, storage) if isinstance(kind, type))


def _asked() -> Dict[type, Callable[[Any, int], None]]:
    found: Dict[type, Callable[[Any, int], None]] = {}
    tensors = _tensor_types()
    for kind, function in zip(tensors, (_ask_tensor, _ask_storage)):
        found[kind] = function
    array = getattr(sys.modules.get("numpy"), "ndarray", None)
    if isinstance(array, type):
        found[array] = _ask_array
    plain = getattr(sys.modules.get("array"), "array", None)
    if isinstance(plain, type):
        found[plain] = _ask_plain_array
    return found


_functions: List[Callable[[Any, int], None]] = []
_seen_storages: Set[int] = set()
_seen_graph: Dict[int, Any] = {}


def types_asked() -> Tuple[type, ...]:
    """The types that ask() knows, in the order of their numbers."""
    found = _asked()
    _functions[:] = found.values()
    _seen_storages.clear()
    _seen_graph.clear()
    return tuple(found)


def plain_tensors() -> ContextManager[Any]:
    """Inside, subclasses of tensors do not see the questions."""
    torch = sys.modules.get("torch")
    guard = getattr(getattr(torch, "_C", None), "DisableTorchFunctionSubclass", None)
    return guard() if guard is not None else contextlib.nullcontext()


def ask(walk: Any, node: int) -> None:
    """Gives a node its memory, and adds what the object holds."""
    try:
        _functions[(walk.nodes[node].flags & 0xFF) - 1](walk, node)
    except Exception:
        pass  # a tensor without a storage, a graph that has been freed


def _object(walk: Any, node: int) -> Any:
    import ctypes

    return ctypes.cast(walk.nodes[node].object, ctypes.py_object).value


def _set(walk: Any, node: int, address: int, size: int) -> None:
    # Tensors share storages: one of them has the bytes.
    if address and address not in _seen_storages:
        _seen_storages.add(address)
        walk.nodes[node].address = address
        walk.nodes[node].bytes = size


# ---------------------------------------------------------------------------------------------
# PyTorch
# ---------------------------------------------------------------------------------------------


def _ask_tensor(walk: Any, node: int) -> None:
    tensor, base = _object(walk, node), _tensor_types()[0]
    # First what may fail last: a tensor of a device without storages still has a gradient.
    try:
        storage = base.untyped_storage(tensor)  # type: ignore[attr-defined]
        _set(walk, node, storage.data_ptr(), storage.nbytes())
    except Exception:
        pass
    if base.is_leaf.__get__(tensor):  # type: ignore[attr-defined]
        gradient = base.grad.__get__(tensor)  # type: ignore[attr-defined]
        if gradient is not None:
            walk.add(gradient, node, ".grad")
    function = base.grad_fn.__get__(tensor)  # type: ignore[attr-defined]
    if function is not None:
        _follow_graph(walk, node, function)


def _ask_storage(walk: Any, node: int) -> None:
    storage, kind = _object(walk, node), _tensor_types()[1]
    _set(walk, node, kind.data_ptr(storage), kind.nbytes(storage))  # type: ignore[attr-defined]


def _follow_graph(walk: Any, node: int, function: Any) -> None:
    """The tensors that a graph of autograd has saved, as held by `.grad_fn`."""
    pending = collections.deque([function])
    while pending and len(_seen_graph) < MAX_GRAPH:
        one = pending.popleft()
        if one is None or id(one) in _seen_graph:
            continue
        _seen_graph[id(one)] = one  # so that the next function has another id
        walk.add(one, node, ".grad_fn")
        for saved in _saved(one):
            walk.add(saved, node, ".grad_fn")
        pending.extend(following for following, _ in one.next_functions)


_raw_names: Dict[type, List[str]] = {}


def _saved(function: Any) -> List[Any]:
    """What a function has saved, where no hook of the program would unpack it."""
    kind = type(function)
    if kind not in _raw_names:
        names = [n for one in _paths.mro_of(kind) for n in _paths.dict_of(one) if type(n) is str]
        _raw_names[kind] = sorted({n for n in names if n.startswith("_raw_saved_")})
    found = []
    for name in _raw_names[kind]:
        try:
            value = object.__getattribute__(function, name)
        except Exception:
            continue
        for one in value if type(value) in (tuple, list) else (value,):
            # Older versions of PyTorch cannot tell whether there is a hook.
            if getattr(one, "unpack_hook", one) is None and one.data is not None:
                found.append(one.data)
    return found


# ---------------------------------------------------------------------------------------------
# Arrays
# ---------------------------------------------------------------------------------------------


def _ask_array(walk: Any, node: int) -> None:
    array, kind = _object(walk, node), sys.modules["numpy"].ndarray
    base = kind.base.__get__(array)
    if base is not None:
        walk.add(base, node, ".base")
        return
    size = kind.nbytes.__get__(array)
    _set(walk, node, kind.__array_interface__.__get__(array)["data"][0], size)
    if kind.dtype.__get__(array).hasobject:
        for count, value in zip(range(MAX_ITEMS), kind.flat.__get__(array)):
            walk.add(value, node, f"[{count}]")


def _ask_plain_array(walk: Any, node: int) -> None:
    array, kind = _object(walk, node), sys.modules["array"].array
    address, count = kind.buffer_info(array)
    _set(walk, node, address, count * kind.itemsize.__get__(array))


_MODULE_STEP = re.compile(r"\._(?:modules|parameters|buffers)\['([^']*)'\]")


def shortened(path: str) -> str:
    """As a program of PyTorch writes it: model.head.weight, model.blocks[0]."""
    if "._" not in path:
        return path
    return _MODULE_STEP.sub(lambda m: f"[{m[1]}]" if m[1].isdigit() else f".{m[1]}", path)
