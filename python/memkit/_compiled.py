# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What torch.compile says of the code that it generates.

PyTorch's compiler (torch._dynamo) traces the program's functions into graphs, and inductor
generates a file of Python for each graph. libmemrec.so calls follow() when the compiler first
runs. From then on report() says, for each generated file and before its functions run, which lines
and layers of the program each of its lines computes.

Imports nothing that the program has not imported. What fails here is left out, never raised.
"""

import ctypes
import os
import re
import sys
from types import CodeType
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Set, Tuple

from . import _native

# The class of the outermost module (empty: not known), then paths from it.
Layers = Tuple[str, ...]
# nn_module_stack of a node: names and classes.
_Key = Tuple[Tuple[str, Any], ...]

_MOST_TEXT = 4000  # bytes of a text; longer ones are cut by the library
_MOST_NODES = 1 << 18
_FRAME = re.compile(r'File "(.+)", line (\d+), in (.+)\n')
_BASE = re.compile(r"^[A-Z]\['([^']+)'\]")
_NODES = re.compile(r"Source Nodes: \[([^\]]*)\]")
# Of these PyTorch makes gradients. A file of the backward pass names nodes of the forward pass
# beside its own, which may have the same names.
_PRIMITIVES = frozenset(
    "abs add addmm bmm cat clone convert_element_type cos div eq exp expand full ge gt le log lt mean"
    " mm mul ne neg permute pow reciprocal reshape rsqrt select sigmoid sin slice sqrt squeeze sub sum"
    " t tanh transpose unsqueeze view where".split()
)


class _Node(NamedTuple):
    """A node of a traced graph, among those with its stack trace."""

    graph: int
    order: int  # in its graph
    name: str
    key: _Key
    layers: Layers


_traced: Dict[str, List[_Node]] = {}  # by stack trace
_count = 0
_graphs = 0
_reported: Set[Tuple[int, str]] = set()  # generated files, by process: a child of fork has another recording
_functions: Dict[str, List[Tuple[str, int, int, str]]] = {}  # by file


def _library() -> Any:
    library = _native.library
    if library is not None and not library.memrec_generated_text.argtypes:
        library.memrec_generated_text.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
        library.memrec_generated_text.restype = ctypes.c_uint32
        library.memrec_generated_line.argtypes = [ctypes.c_uint32] * 4
        library.memrec_generated_line.restype = None
    return library


# What the compiler traces


def _key(meta: Any) -> _Key:
    stack = meta.get("nn_module_stack") or meta.get("fwd_nn_module_stack") or {}
    return tuple((name, kind) for name, kind in stack.values())


def _class_name(kind: Any) -> str:
    return getattr(kind, "__name__", None) or str(kind).rsplit(".", 1)[-1]


def _layers(key: _Key, local: Dict[str, Any]) -> Layers:
    """local: the variables of the traced function."""
    if not key:
        return ()
    outer, kind = key[0]
    root, root_class = outer, _class_name(kind)
    match = _BASE.match(outer)
    if match:
        # A traced method of a module: the module is no part of the stack.
        of = local.get(match.group(1))
        if callable(getattr(of, "named_modules", None)):
            root, root_class = match.group(0), type(of).__name__
    paths = [name[len(root) :].strip(".") for name, _ in key if name.startswith(root)]
    return (root_class, *(path for path in paths if path))


def _note(output: Any, graph: Any) -> None:
    """Notes the layer of each node of a graph that is about to be compiled."""
    global _count, _graphs
    _graphs += 1
    local = getattr(output, "local_scope", None)
    local = local if isinstance(local, dict) else {}
    for order, node in enumerate(graph.graph.nodes):
        trace, key = node.meta.get("stack_trace"), _key(node.meta)
        if trace and key and node.op.startswith("call_") and _count < _MOST_NODES:
            _traced.setdefault(trace, []).append(_Node(_graphs, order, node.name, key, _layers(key, local)))
            _count += 1


# What a line of a generated file computes


def _common(all_layers: Iterable[Layers]) -> Layers:
    """The layers around all of them."""
    common: Optional[Layers] = None
    for layers in all_layers:
        if common is None:
            common = layers
        while common != layers[: len(common)]:
            common = common[:-1]
    return common or ()


def _sure(nodes: List[_Node], meta: Any, source: str, reverse: bool) -> List[_Node]:
    """The nodes that a part of a file computes, among those with its stack trace; empty: not sure."""
    found = nodes
    if meta:
        key = _key(meta)
        found = [node for node in nodes if node.key == key]
    elif len({node.layers for node in nodes}) > 1:
        names: Set[str] = set()
        for text in _NODES.findall(source):
            names.update(name.strip() for name in text.split(","))
        if reverse:
            names = {name for name in names if name.rstrip("_0123456789") not in _PRIMITIVES}
        found = [node for node in nodes if node.name in names]
    return found if len({node.layers for node in found}) == 1 else []


def _between(nodes: List[_Node], one: List[_Node], other: List[_Node]) -> List[_Node]:
    """Those nodes that can be computed between two parts of a file (empty: its begin or end), lower order first.

    A file computes its graph in the order of the forward pass, or in the reverse order.
    """
    graphs = {node.graph for node in one + other}
    first = min((node.order for node in one), default=0)
    last = max((node.order for node in other), default=1 << 62)
    return [node for node in nodes if node.graph in graphs and first <= node.order <= last]


def _all_layers(parts: List[Tuple[str, Any, str]], reverse: bool) -> List[Layers]:
    """The layers of each part of a file: its stack trace, meta and source."""
    nodes = [_traced.get(trace, []) if trace else [] for trace, _, _ in parts]
    sure = [_sure(nodes[i], meta, source, reverse) for i, (_, meta, source) in enumerate(parts)]
    after: List[List[_Node]] = [[]] * len(parts)
    for i in range(len(parts) - 1, 0, -1):
        after[i - 1] = sure[i] or after[i]
    result = []
    before: List[_Node] = []
    for i, found in enumerate(sure):
        if not found:
            ends = (after[i], before) if reverse else (before, after[i])
            found = _between(nodes[i], *ends) or nodes[i]
        result.append(_common(node.layers for node in found))
        before = sure[i] or before
    return result


def _codes(value: Any, file: str, depth: int = 0) -> Iterator[CodeType]:
    """The code of functions of a file that a value holds."""
    if depth > 4:
        return
    for inner in ("__wrapped__", "__func__", "fget"):
        of = getattr(value, inner, None)
        if of is not None and of is not value:
            yield from _codes(of, file, depth + 1)
    code = getattr(value, "__code__", None)
    if isinstance(code, CodeType):
        todo = [code]
        while todo:
            code = todo.pop()
            if code.co_filename == file:
                yield code
                todo += [c for c in code.co_consts if isinstance(c, CodeType)]
    elif isinstance(value, type):
        for of in list(vars(value).values()):
            yield from _codes(of, file, depth + 1)


def _last_line(code: CodeType) -> int:
    if hasattr(code, "co_lines"):
        return max((line or 0 for _, _, line in code.co_lines()), default=code.co_firstlineno)
    return code.co_firstlineno + len(code.co_lnotab)


def _functions_of(file: str) -> List[Tuple[str, int, int, str]]:
    """The functions of a file: name, first and last line, qualified name."""
    known = _functions.get(file)
    if known is not None:
        return known
    found: Dict[CodeType, None] = {}
    for module in list(sys.modules.values()):
        if getattr(module, "__file__", None) != file:
            continue
        for value in list(vars(module).values()):
            for code in _codes(value, file):
                found[code] = None
    known = [(c.co_name, c.co_firstlineno, _last_line(c), getattr(c, "co_qualname", c.co_name)) for c in found]
    _functions[file] = known
    return known


def _function(file: str, line: int, name: str) -> Tuple[str, int]:
    """The qualified name of a function, and its first line or 0."""
    inside = [f for f in _functions_of(file) if f[0] == name and f[1] <= line <= f[2]]
    if not inside:
        return name, 0
    _, first, _, qualified = max(inside, key=lambda f: f[1])
    return qualified, first


def _frames(trace: str) -> str:
    rows = []
    for file, line, name in _FRAME.findall(trace + "\n"):
        qualified, first = _function(file, int(line), name)
        rows.append("%s %d %s\t%s" % (line, first, qualified, file))
    while rows and len(_native.encoded("\n".join(rows))) > _MOST_TEXT:
        del rows[0]
    return "\n".join(rows)


def _rows(path: str, linemap: Any, metas: Dict[int, Any]) -> Iterator[Tuple[int, str, str]]:
    """Line, frames and layers of each part of a generated file that differs from the part before."""
    with open(path, encoding="utf-8", errors="replace") as file:
        source = file.read().split("\n")
    lines, traces = linemap
    begins, parts = [], []
    for index, line in enumerate(lines):
        end = lines[index + 1] if index + 1 < len(lines) else len(source) + 1
        if end > line:
            begins.append(line)
            parts.append((traces[index] or "", metas.get(line), "\n".join(source[line - 1 : end - 1])))
    layers = _all_layers(parts, any("tangents_" in part[2] for part in parts))
    last = ("", "")
    for index, line in enumerate(begins):
        row = (_frames(parts[index][0]), "\n".join(layers[index]))
        if row != last:
            yield (line, *row)
        last = row


def _report(path: str, linemap: Any, metas: Dict[int, Any]) -> None:
    library = _library()
    if library is None or (os.getpid(), path) in _reported or len(linemap) != 2:
        return
    _reported.add((os.getpid(), path))
    numbers = {"": 0}

    def number(text: str) -> int:
        if text not in numbers:
            encoded = _native.encoded(text)
            numbers[text] = library.memrec_generated_text(encoded, len(encoded))
        return numbers[text]

    for line, frames, layers in _rows(path, linemap, metas):
        library.memrec_generated_line(number(path), line, number(frames), number(layers))


def report(metas: Optional[Dict[int, Any]] = None) -> None:
    """Reports the generated files that are new. metas: of the nodes of the newest, by line."""
    cache = getattr(sys.modules.get("torch._inductor.codecache"), "PyCodeCache", None)
    for path, linemap in list(getattr(cache, "linemaps", {}).items()):
        _report(path, linemap, metas or {})


# Following the compiler


def _compiled_metas(frame: Any) -> Dict[int, Any]:
    """What inductor knows of the nodes of the file that it has just written, by line."""
    code = frame.f_locals.get("wrapper_code")
    rows = getattr(code, "line_map", None) or []
    return {line: node.meta for line, node in rows if hasattr(node, "meta")}


def _skip(function: Any) -> None:
    """Tells the compiler not to trace a function of ours."""
    skip = getattr(sys.modules.get("torch._dynamo.eval_frame"), "skip_code", None)
    if skip is not None:
        skip(function.__code__)


def _follow_files() -> None:
    """Reports each generated file when it is loaded."""
    cache = getattr(sys.modules.get("torch._inductor.codecache"), "PyCodeCache", None)
    if cache is None or "memkit" in vars(cache):
        return
    load = cache.load_by_key_path  # bound to the class

    def load_by_key_path(cls: Any, *args: Any, **kwargs: Any) -> Any:
        module = load(*args, **kwargs)
        try:
            report(_compiled_metas(sys._getframe(1)))
        except Exception:
            pass
        return module

    _skip(load_by_key_path)
    cache.memkit = True
    cache.load_by_key_path = classmethod(load_by_key_path)


def _follow_graphs() -> None:
    """Notes the layers of each graph before it is compiled."""
    graph = getattr(sys.modules.get("torch._dynamo.output_graph"), "OutputGraph", None)
    if graph is None or "memkit" in vars(graph):
        return
    compile_graph = graph.call_user_compiler

    def call_user_compiler(self: Any, gm: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            _note(self, gm)
            _import_inductor(self)
            _follow_files()
        except Exception:
            pass
        compiled = compile_graph(self, gm, *args, **kwargs)
        try:
            _follow_files()
            report()
        except Exception:
            pass
        return compiled

    _skip(call_user_compiler)
    graph.memkit = True
    graph.call_user_compiler = call_user_compiler


def _import_inductor(output: Any) -> None:
    """Imports what the compiler is about to import."""
    compiler = getattr(output, "compiler_fn", None)
    inner = getattr(compiler, "_torchdynamo_orig_backend", compiler)
    if "inductor" in str(getattr(inner, "compiler_name", getattr(inner, "__name__", ""))):
        import torch._inductor.codecache  # noqa: F401


def follow() -> None:
    """Follows the compiler from now on, and reports what it has generated before."""
    if _library() is None:
        return
    _follow_graphs()
    _follow_files()
    report()
