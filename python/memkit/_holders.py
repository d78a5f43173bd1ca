# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which names hold the memory: a walk from modules, frames and classes to the objects.

libmemrec.so walks (lib/Capture/Python/HolderWalk.h) and selects the objects that are worth a
name; this module says where a walk begins, asks tensors and arrays for their memory, and names
what is selected. The recorder finds the blocks at the reported addresses.
"""

import ctypes
import gc
import os
import sys
import threading
import time
import types
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

from . import _holder_types, _native, _paths

_library = _native.library

# Of HeldNode::Flags, and of wire::HeldFlags.
_SPECIAL, _OUTSIDE, _CYCLE = 0xFF, 0x100, 0x200
_CYCLE_ONLY, _NO_NAME, _STOPPED, _AT_END = 1, 2, 4, 8
_MAX_PATH = 300  # characters
_MAX_DEPTH = 200  # steps of a path; those in the middle of a longer path are left out


class Holder(NamedTuple):
    """What holds an object whose memory may be a recorded block."""

    path: str
    #: of the object's data, about
    bytes: int
    #: Only a cycle holds it: gc.collect() frees it.
    only_cycle: bool
    #: No name of Python leads to it; path begins at a type.
    no_name: bool


class _Node(ctypes.Structure):
    _fields_ = [
        ("object", ctypes.c_void_p),
        ("parent", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("address", ctypes.c_uint64),
        ("bytes", ctypes.c_uint64),
        ("total", ctypes.c_uint64),
        ("kids", ctypes.c_uint32),
        ("local", ctypes.c_uint32),
    ]


def _prepare() -> None:
    word, number = ctypes.c_uint64, ctypes.c_uint32
    for name, arguments, result in (
        ("begin", [number, number, ctypes.py_object], ctypes.POINTER(_Node)),
        ("add", [ctypes.py_object, number], number),
        ("locals", [ctypes.py_object, number, number], None),
        ("local", [word, number, word], number),
        ("run", [], ctypes.c_int),
        ("rest", [ctypes.py_object], ctypes.c_int),
        ("special", [number], number),
        ("select", [ctypes.POINTER(number), number], number),
        ("end", [number], None),
    ):
        function = getattr(_library, "memrec_holders_" + name)
        function.argtypes, function.restype = arguments, result
    _library.memrec_held.argtypes = [word, number, ctypes.c_char_p, ctypes.c_size_t]  # type: ignore[union-attr]
    _library.memrec_held.restype = None  # type: ignore[union-attr]


# ---------------------------------------------------------------------------------------------
# Where a walk begins
# ---------------------------------------------------------------------------------------------

_folder = os.path.dirname(os.path.abspath(__file__)) + os.sep
_library_folder = os.path.dirname(os.path.abspath(os.__file__)) + os.sep


def _is_own(file: Any) -> bool:
    return type(file) is str and file.startswith(_folder)


def _rank(names: Dict[str, Any]) -> int:
    """0: the program's own module, 1: an installed one, 2: of Python itself."""
    file = dict.get(names, "__file__")
    if type(file) is not str:
        return 0 if dict.get(names, "__name__") == "__main__" else 2
    if "site-packages" in file or "dist-packages" in file:
        return 1
    return 2 if file.startswith(_library_folder) else 0


def _main_file(names: Dict[str, Any]) -> str:
    """The program's file. At the interpreter's end its module no longer says so."""
    file = dict.get(names, "__file__")
    if type(file) is str:
        return file
    first = sys.argv[0] if type(sys.argv) is list and sys.argv else ""
    return first if type(first) is str else ""


def _module_name(names: Dict[str, Any]) -> str:
    """The name of the module with this namespace; of __main__ its file's."""
    name = dict.get(names, "__name__")
    if name == "__main__":
        stem = os.path.splitext(os.path.basename(_main_file(names)))[0]
        return stem if stem.isidentifier() else "__main__"
    return name if type(name) is str else "?"


def _modules() -> List[Tuple[int, str, Dict[str, Any]]]:
    found = []
    for name, module in list(sys.modules.items()):
        if type(name) is str and _paths.isinstance_of(module, types.ModuleType):
            names = _paths.module_dict(module)
            if type(names) is dict and not _is_own(dict.get(names, "__file__")):
                found.append((_rank(names), _module_name(names), names))
    return sorted(found, key=lambda one: one[0])


def _frames() -> Iterator[Tuple[str, types.FrameType]]:
    """The frames of all threads, outermost first; without this package's."""
    for frame in list(sys._current_frames().values()):
        chain: List[types.FrameType] = []
        here: Optional[types.FrameType] = frame
        while here is not None and len(chain) < 10000:
            if not _is_own(here.f_code.co_filename):
                chain.append(here)
            here = here.f_back
        for one in reversed(chain):
            yield f"{_module_name(one.f_globals)}.{_paths.frame_name(one.f_code)}", one


def _roots() -> Iterator[Tuple[str, Any, _paths.Within]]:
    """Text, object, and what the object is."""
    modules = _modules()
    for rank, name, names in modules:
        if rank == 0:
            yield name, names, _paths.NAMES
    for name, frame in _frames():
        yield name, frame, _paths.PLAIN
    for rank, name, names in modules:
        if rank != 0:
            yield name, names, _paths.NAMES
    yield "sys.modules", sys.modules, _paths.PLAIN


# ---------------------------------------------------------------------------------------------
# Names
# ---------------------------------------------------------------------------------------------


class _Names:
    """The paths of nodes, by their parents."""

    def __init__(self, nodes: Any, roots: Dict[int, Tuple[str, _paths.Within]], extra: Dict[int, str]) -> None:
        self.nodes = nodes
        self.roots = roots
        self.steps: Dict[int, str] = dict(extra)
        self.known: Dict[int, Tuple[str, _paths.Within]] = {}

    def object(self, node: int) -> Any:
        return ctypes.cast(self.nodes[node].object, ctypes.py_object).value

    def chain(self, node: int) -> List[int]:
        found: List[int] = []
        while node and len(found) < 100000:
            found.append(node)
            node = self.nodes[node].parent
        return found[::-1]

    def prepare(self, chains: List[List[int]]) -> None:
        """Looks each holder through once, for all that it holds on a path."""
        wanted: Dict[int, List[int]] = {}
        for chain in chains:
            for parent, child in zip(chain, chain[1:]):
                if child not in self.steps and self.nodes[child].local:
                    self.local(parent, child)
                elif child not in self.steps:
                    self.steps[child] = ""
                    wanted.setdefault(parent, []).append(child)
        self.wanted = wanted

    def label(self, parent: int, inside: _paths.Within) -> None:
        children = self.wanted.pop(parent, None)
        if children:
            ids = {self.nodes[child].object: child for child in children}
            steps = _paths.labels(self.object(parent), set(ids), inside)
            for address, child in ids.items():
                self.steps[child] = steps[address]

    def local(self, parent: int, child: int) -> None:
        """The local of a frame that ran when the walk began: it may have ended since."""
        names = _paths.local_names(self.object(parent).f_code)
        number = self.nodes[child].local
        self.steps[child] = "():" + names[number - 1] if number <= len(names) else "()"

    def path(self, chain: List[int]) -> str:
        """The path to the last node of a chain from a root."""
        text, inside = self.root(chain[0])
        for parent, child in zip(chain, chain[1:]):
            if child not in self.known:
                self.label(parent, inside)
                step = self.steps[child]
                inside = _paths.within(self.object(parent), inside, step, self.object(child))
                if step == "\1":
                    text = _module_name(self.object(child))
                elif len(text) < 4 * _MAX_PATH:
                    text += step
                self.known[child] = text, inside
            text, inside = self.known[child]
        return text

    def root(self, node: int) -> Tuple[str, _paths.Within]:
        if node in self.roots:
            return self.roots[node]
        return f"<{_paths.type_name(type(self.object(node)))}>", _paths.PLAIN


def _shortened(path: str) -> str:
    path = _holder_types.shortened(path)
    if len(path) <= _MAX_PATH:
        return path
    return path[: _MAX_PATH // 2 - 2] + "..." + path[-_MAX_PATH // 2 + 1 :]


# ---------------------------------------------------------------------------------------------
# The walk
# ---------------------------------------------------------------------------------------------


class _Walk:
    def __init__(self, nodes: Any) -> None:
        self.nodes = nodes
        self.roots: Dict[int, Tuple[str, _paths.Within]] = {}
        self.extra: Dict[int, str] = {}
        self.asked = 0
        self.own = 0  # the node of this object: what it holds is no memory of the program

    def add(self, value: Any, parent: int, step: str) -> int:
        node: int = _library.memrec_holders_add(value, parent)  # type: ignore[union-attr]
        if node:
            self.extra[node] = step
        return node

    def walk(self) -> bool:
        """False: the time ended first."""
        for name, value, inside in _roots():
            node = _library.memrec_holders_add(value, 0)  # type: ignore[union-attr]
            if not node:
                continue
            self.roots[node] = (name, inside)
            if type(value) is types.FrameType:
                # From 3.11 on a frame that runs does not tell what its locals are.
                count = len(_paths.local_names(value.f_code))
                _library.memrec_holders_locals(value, count, node)  # type: ignore[union-attr]
        value = None
        self.own = _library.memrec_holders_add(self, 0)  # type: ignore[union-attr]
        if not self.follow():
            return False
        everything = gc.get_objects()
        done = _library.memrec_holders_rest(everything)  # type: ignore[union-attr]
        del everything
        return bool(done) and self.follow()

    def follow(self) -> bool:
        """Follows references, and those that only the objects themselves can tell."""
        while _library.memrec_holders_run():  # type: ignore[union-attr]
            node = _library.memrec_holders_special(self.asked)  # type: ignore[union-attr]
            if not node:
                return True
            for _ in range(64):
                if not node:
                    break
                self.asked = node
                _holder_types.ask(self, node)
                node = _library.memrec_holders_special(self.asked)  # type: ignore[union-attr]
        return False

    def report(self, room: int, limit: float) -> Tuple[List[Holder], bool]:
        """The names, and whether all were found within limit seconds."""
        end = time.monotonic() + limit
        selected = (ctypes.c_uint32 * room)()
        count = _library.memrec_holders_select(selected, room)  # type: ignore[union-attr]
        names = _Names(self.nodes, self.roots, self.extra)
        chains = [names.chain(node) for node in selected[:count]]
        chains = [chain for chain in chains if chain[0] != self.own]
        names.prepare(chains)
        found: List[Holder] = []
        for chain in chains:
            if time.monotonic() > end:
                break
            found.append(self.tell(chain[-1], _shortened(names.path(chain))))
        return sorted(found, key=lambda one: -one.bytes), len(found) == len(chains)

    def tell(self, number: int, path: str) -> Holder:
        node = self.nodes[number]
        cycle, outside = bool(node.flags & _CYCLE), bool(node.flags & _OUTSIDE)
        flags = (_CYCLE_ONLY if cycle else 0) | (_NO_NAME if outside else 0)
        text = _native.encoded(path)
        _library.memrec_held(node.address, flags, text, len(text))  # type: ignore[union-attr]
        if node.object != node.address:
            _library.memrec_held(node.object, flags, text, len(text))  # type: ignore[union-attr]
        return Holder(path, node.bytes, cycle, outside)


_lock = threading.Lock()
_is_prepared = False


def holders(limit: float = 0.2, blocks: int = 1024, objects: int = 4_000_000) -> Optional[List[Holder]]:
    """Finds the names that hold the largest blocks, and tells the recorder.

    Walks from the globals of modules, the locals of frames and from classes to all objects that
    they hold, for limit seconds and a number of objects at most, and names up to a number of
    blocks: the shortest path first found, as ``train.history[412].loss``. Runs no code of the
    program, and changes no object. The trace has the names, and whether the walk was stopped.

    The largest first; None when the process is not recorded, when its interpreter is not known,
    or while another thread walks.
    """
    return _search(limit, blocks, objects, 0)


def _search(limit: float, blocks: int, objects: int, when: int) -> Optional[List[Holder]]:
    """holders(); when: _AT_END, or 0."""
    global _is_prepared
    if _library is None or not _lock.acquire(False):
        return None
    try:
        if not _is_prepared:
            _prepare()
            _is_prepared = True
        return _walked(limit, max(1, min(blocks, 100_000)), objects, when)
    finally:
        _lock.release()


def prepare(at_end: bool) -> None:
    """For memrec --holders: what a search takes is loaded while there is memory."""
    if at_end:
        import atexit

        atexit.register(_at_end)


def _at_end() -> None:
    _search(limit=2, blocks=1024, objects=4_000_000, when=_AT_END)


def asked() -> None:
    """A condition holds, or memory has been refused: with tables of at most 32 MiB."""
    holders(limit=1, objects=500_000)


def _walked(limit: float, blocks: int, objects: int, when: int) -> Optional[List[Holder]]:
    milliseconds = int(max(1, min(limit, 60) * 1000))
    types_asked = _holder_types.types_asked()
    nodes = _library.memrec_holders_begin(milliseconds, objects, types_asked)  # type: ignore[union-attr]
    if not nodes:
        return None
    flags = _STOPPED | when
    try:
        walk = _Walk(nodes)
        with _holder_types.plain_tensors():
            done = walk.walk()
        found, has_all = walk.report(blocks, limit)
        flags = when if done and has_all else _STOPPED | when
        return found
    finally:
        _library.memrec_holders_end(flags)  # type: ignore[union-attr]
