# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The steps by which an object of Python holds another, as text.

No code of the program runs here: only slots and containers of the interpreter's own types are
read, by the functions of these types, and objects are compared with `is` alone.

A step is how Python would write it where Python can: `.name`, `['key']`, `[3]`. The rest is
written `():name` (a local of a frame), `.__closure__.name`, `.__defaults__.name`, `.lru_cache[*]`,
`.grad_fn` (the graph of autograd).
"""

import collections
import functools
import sys
import threading
import types
from typing import Any, Dict, Iterable, Iterator, List, Optional, Set, Tuple

from . import _native

MAX_KEY = 40  # characters of a key
MAX_ITEMS = 2_000_000  # of a container, looked at for names

_lru_cache = type(functools.lru_cache(None)(len))
_local: Any = threading.local
_LEAVES = (bytes, str, bytearray, int, float)
dict_of = type.__dict__["__dict__"].__get__
mro_of = type.__dict__["__mro__"].__get__
_type_name = type.__dict__["__qualname__"].__get__
module_dict = dict_of(types.ModuleType)["__dict__"].__get__
_generators = (types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType)


def type_name(kind: type) -> str:
    return _text(_type_name(kind), "object")


def _text(value: Any, otherwise: str) -> str:
    return value if type(value) is str and value else otherwise


def key_text(key: Any) -> str:
    """`['key']`, `[3]`; of other keys the type: their text would be the program's code."""
    if type(key) is str:
        return f"[{key[:MAX_KEY]!r}]" if len(key) <= MAX_KEY else f"[{key[:MAX_KEY] + '...'!r}]"
    if type(key) in (int, bool, type(None)) and (type(key) is not int or -(10**18) < key < 10**18):
        return f"[{key!r}]"
    if type(key) is tuple and len(key) <= 4 and all(type(k) in (str, int) for k in key):
        return "[" + ", ".join(key_text(k)[1:-1] for k in key) + "]"
    return f"[<{type_name(type(key))}>]"


def _attribute(key: Any) -> str:
    if type(key) is str and len(key) <= MAX_KEY and key.isidentifier():
        return "." + key
    return ".__dict__" + key_text(key)


def isinstance_of(value: Any, kind: type) -> bool:
    """isinstance() without a look at `__class__`."""
    return kind in mro_of(type(value))


def namespace(value: Any) -> Optional[Dict[str, Any]]:
    """The __dict__ of an instance, if the interpreter's own."""
    for one in mro_of(type(value)):
        found = dict_of(one).get("__dict__")
        if type(found) is types.GetSetDescriptorType:
            try:
                result = found.__get__(value)
            except Exception:
                return None
            return result if type(result) is dict else None
        if found is not None:
            return None
    return None


def _slots(value: Any) -> Iterator[Tuple[str, Any]]:
    for one in mro_of(type(value)):
        for name, member in list(dict_of(one).items()):
            if type(member) is types.MemberDescriptorType:
                try:
                    yield "." + _text(name, "?"), member.__get__(value)
                except AttributeError:
                    pass


# ---------------------------------------------------------------------------------------------
# What each kind of object holds: pairs of a step and an object
# ---------------------------------------------------------------------------------------------


def _of_type(value: type) -> Iterator[Tuple[str, Any]]:
    yield ".__mro__", mro_of(value)
    names = dict_of(value)
    for key in list(names):
        yield _attribute(key), names.get(key)


def _of_function(f: types.FunctionType) -> Iterator[Tuple[str, Any]]:
    yield "", f.__dict__
    yield ".__closure__", f.__closure__
    yield ".__defaults__", f.__defaults__
    yield ".__defaults__", f.__kwdefaults__
    yield ".__code__", f.__code__
    yield "\1", f.__globals__


def _of_closure(f: types.FunctionType) -> Iterator[Tuple[str, Any]]:
    """The cells and the defaults of a function, by the names of its variables."""
    code, defaults = f.__code__, f.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    for name, value in zip(code.co_freevars, f.__closure__ or ()):
        yield "." + name, value
    for name, value in zip(names[len(names) - len(defaults) :], defaults):
        yield "." + name, value
    for name, value in list((f.__kwdefaults__ or {}).items()):
        yield "." + _text(name, "?"), value


def _of_method(m: types.MethodType) -> Iterator[Tuple[str, Any]]:
    yield ".__self__", m.__self__
    yield ".__func__", m.__func__


def _of_builtin(m: types.BuiltinFunctionType) -> Iterator[Tuple[str, Any]]:
    yield ".__self__", m.__self__


def frame_name(code: types.CodeType) -> str:
    return _text(getattr(code, "co_qualname", None), code.co_name)


def local_names(code: types.CodeType) -> List[str]:
    """The names of a frame's locals, cells and free variables, in the frame's order."""
    names: List[str] = list(code.co_varnames)
    if sys.version_info >= (3, 11):
        names += [name for name in code.co_cellvars if name not in code.co_varnames]
    else:
        names += code.co_cellvars
    return names + list(code.co_freevars)


def _of_generator(g: Any) -> Iterator[Tuple[str, Any]]:
    for prefix in ("gi_", "cr_", "ag_"):
        frame = getattr(g, prefix + "frame", None)
        if frame is not None:
            yield "." + frame_name(frame.f_code), frame
        code = getattr(g, prefix + "code", None)
        if code is not None:
            yield "." + prefix + "code", code
        yield "." + prefix + "await", getattr(g, prefix + "await", None)


def _of_traceback(t: types.TracebackType) -> Iterator[Tuple[str, Any]]:
    yield "." + frame_name(t.tb_frame.f_code), t.tb_frame
    yield "", t.tb_next


def _of_exception(e: BaseException) -> Iterator[Tuple[str, Any]]:
    for name in ("args", "__traceback__", "__cause__", "__context__"):
        try:
            yield "." + name, BaseException.__dict__[name].__get__(e)
        except Exception:
            pass


def _of_partial(p: Any) -> Iterator[Tuple[str, Any]]:
    for name in ("func", "args", "keywords"):
        yield "." + name, getattr(functools.partial, name).__get__(p)


def _sequence(items: Iterable[Any]) -> Iterator[Tuple[str, Any]]:
    for count, value in enumerate(items):
        if count == MAX_ITEMS:
            return
        yield f"[{count}]", value


def _unordered(items: Iterable[Any]) -> Iterator[Tuple[str, Any]]:
    for value in items:
        yield "{*}", value


def _of_lru_cache(f: Any) -> Iterator[Tuple[str, Any]]:
    yield "", namespace(f)
    yield ".__wrapped__", (namespace(f) or {}).get("__wrapped__")


_EXACT: Dict[Any, Any] = {
    types.FunctionType: _of_function,
    types.MethodType: _of_method,
    types.BuiltinFunctionType: _of_builtin,
    types.TracebackType: _of_traceback,
    functools.partial: _of_partial,
    **{kind: _of_generator for kind in _generators},
}
# Of objects whose references have no name of their own.
_NAMELESS: Dict[Any, str] = {
    _lru_cache: ".lru_cache[*]",
    types.MappingProxyType: "",
    staticmethod: "",
    classmethod: "",
    property: ".fget",
    _local: "",
}
if sys.version_info >= (3, 8):
    _NAMELESS[types.CellType] = ""


def steps_of(value: Any) -> Iterator[Tuple[str, Any]]:
    """Steps and what they lead to, for anything but a dict and a frame. "\\1": the globals of a
    function, which have a name of their own."""
    kind = type(value)
    exact = _EXACT.get(kind)
    if exact is not None:
        yield from exact(value)
        return
    mro = mro_of(kind)
    if type in mro:
        yield from _of_type(value)
    elif list in mro:
        yield from _sequence(list.__iter__(value))
    elif tuple in mro:
        fields = _fields(kind)
        for count, item in enumerate(tuple.__iter__(value)):
            yield (f".{fields[count]}" if count < len(fields) else f"[{count}]"), item
    elif collections.deque in mro:
        yield from _sequence(collections.deque.__iter__(value))
    elif set in mro:
        yield from _unordered(set.__iter__(value))
    elif frozenset in mro:
        yield from _unordered(frozenset.__iter__(value))
    elif BaseException in mro:
        yield from _of_exception(value)
    elif types.ModuleType in mro:
        yield "", module_dict(value)
    names = namespace(value)
    if names is not None:
        yield "", names
        # From 3.11 on an instance may hold its attributes without a dict.
        for key in list(names):
            yield _attribute(key), names.get(key)
    yield from _slots(value)
    yield ".__class__", kind


def _fields(kind: type) -> Tuple[str, ...]:
    """The names of a namedtuple's items."""
    names = dict_of(kind).get("_fields")
    ok = type(names) is tuple and all(type(n) is str for n in names)
    return names if ok else ()


class Within:
    """What an object is a part of, where the steps from it depend on that."""

    def __init__(self, names: bool = False, threads: bool = False, cache: bool = False, of: Any = None) -> None:
        self.names = names  # a dict of attributes
        self.threads = threads  # a dict of the dicts of threading.local
        self.cache = cache  # of functools.lru_cache
        self.of = of  # the function whose closure or defaults it is


PLAIN, NAMES = Within(), Within(names=True)
_THREADS, _CACHE = Within(threads=True), Within(cache=True)


def within(holder: Any, inside: Within, step: str, held: Any) -> Within:
    """What held is a part of, a step from holder."""
    if inside.cache or type(holder) is _lru_cache:
        return _CACHE if step in ("", ".lru_cache[*]") and type(held) not in _LEAVES else PLAIN
    if inside.threads or step == "\1":
        return NAMES
    if type(holder) is _local and step == "":
        return _THREADS
    if type(holder) is types.FunctionType and step in (".__closure__", ".__defaults__"):
        return Within(of=holder)
    return NAMES if step == "" and type(held) is dict else PLAIN


def labels(value: Any, wanted: Set[int], inside: Within) -> Dict[int, str]:
    """The steps from value to the objects whose ids are wanted."""
    found: Dict[int, str] = {}
    missing = set(wanted)
    if inside.cache or inside.threads:
        return dict.fromkeys(missing, "")
    if isinstance_of(value, dict) and inside.of is None:
        _label_items(value, missing, found, inside.names)
    elif type(value) is types.FrameType:
        _label_locals(value, "", missing, found)
    elif type(value) in _generators:
        # From 3.11 on a generator holds the locals itself.
        for prefix in ("gi_", "cr_", "ag_"):
            frame = getattr(value, prefix + "frame", None)
            if frame is not None:
                _label_locals(frame, "." + frame_name(frame.f_code), missing, found)
    if missing and type(value) is not types.FrameType:
        _label_steps(_of_closure(inside.of) if inside.of else steps_of(value), missing, found)
    return {**dict.fromkeys(missing, _rest_of(value)), **found}


def _label_steps(steps: Iterator[Tuple[str, Any]], missing: Set[int], found: Dict[int, str]) -> None:
    try:
        for step, held in steps:
            if id(held) in missing:
                found[id(held)] = step
                missing.discard(id(held))
                if not missing:
                    return
    except RuntimeError:
        pass  # another thread has changed a container


def _rest_of(value: Any) -> str:
    """The step to what no rule has a name for."""
    # A class shows a mapping in place of its dict.
    if isinstance_of(value, type):
        return ""
    return "()" if type(value) is types.FrameType else _NAMELESS.get(type(value), ".?")


def _label_locals(frame: types.FrameType, before: str, missing: Set[int], found: Dict[int, str]) -> None:
    names = local_names(frame.f_code)
    for address in list(missing):
        number = _native.library.memrec_holders_local(id(frame), len(names), address)  # type: ignore[union-attr]
        if number:
            found[address] = f"{before}():{names[number - 1]}"
            missing.discard(address)


def _label_items(value: Any, missing: Set[int], found: Dict[int, str], is_namespace: bool) -> None:
    try:
        for count, (key, held) in enumerate(dict.items(value)):
            if id(held) in missing:
                found[id(held)] = _attribute(key) if is_namespace else key_text(key)
                missing.discard(id(held))
            elif id(key) in missing:
                found[id(key)] = ".keys()[*]"
                missing.discard(id(key))
            if not missing or count == MAX_ITEMS:
                return
    except RuntimeError:
        pass
