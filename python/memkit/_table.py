# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Answers: tables that every library of tables takes."""

import ctypes
import html
from collections import namedtuple
from itertools import islice
from typing import Any, Callable, Dict, Iterator, List, Optional

from . import _library

# The C structures of Arrow: https://arrow.apache.org/docs/format/CDataInterface.html


class _Schema(ctypes.Structure):
    pass


_Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(_Schema))),
    ("dictionary", ctypes.POINTER(_Schema)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Schema))),
    ("private_data", ctypes.c_void_p),
]


class _Array(ctypes.Structure):
    pass


_Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(_Array))),
    ("dictionary", ctypes.POINTER(_Array)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Array))),
    ("private_data", ctypes.c_void_p),
]


class _Stream(ctypes.Structure):
    pass


_Stream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Schema))),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Array))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(_Stream))),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Stream))),
    ("private_data", ctypes.c_void_p),
]

_NUMBERS: Dict[bytes, Any] = {b"l": ctypes.c_int64, b"I": ctypes.c_uint32, b"g": ctypes.c_double, b"i": ctypes.c_int32}


def _texts(array: _Array) -> List[str]:
    offsets = ctypes.cast(array.buffers[1], ctypes.POINTER(ctypes.c_int32))
    data = array.buffers[2]
    return [
        ctypes.string_at(data + offsets[i], offsets[i + 1] - offsets[i]).decode()
        for i in range(array.length)
    ]


def _values(schema: _Schema, array: _Array) -> List[Any]:
    """The values of a column as Python has them."""
    count, kind = array.length, schema.format
    values: List[Any] = []
    if kind == b"u":
        values += _texts(array)
    elif kind == b"b":
        bits = ctypes.cast(array.buffers[1], ctypes.POINTER(ctypes.c_uint8))
        values = [bool(bits[i >> 3] >> (i & 7) & 1) for i in range(count)]
    else:
        numbers = ctypes.cast(array.buffers[1], ctypes.POINTER(_NUMBERS[kind]))
        values = list(numbers[:count])
    valid = None
    if array.buffers[0]:
        valid = ctypes.cast(array.buffers[0], ctypes.POINTER(ctypes.c_uint8))
    if array.dictionary:
        words = _texts(array.dictionary.contents)
        numbered: List[Any] = values
        values = [words[i] if 0 <= i < len(words) else None for i in numbered]
    if valid is None:
        return values
    return [v if valid[i >> 3] >> (i & 7) & 1 else None for i, v in enumerate(values)]


class _Rows:
    """A stream of batches, each a list of columns."""

    def __init__(self, table: ctypes.c_void_p) -> None:
        self._stream = _Stream()
        self._schema = _Schema()
        _library.call("memkit_table_stream", table, ctypes.byref(self._stream))
        self._check(self._stream.get_schema(self._stream, self._schema))

    def _check(self, status: int) -> None:
        if status:
            message = self._stream.get_last_error(self._stream) or b""
            if message == b"out of memory":
                raise MemoryError(message.decode())
            raise _library.TraceError(message.decode("utf-8", "replace"))

    def _batches(self) -> Iterator[_Array]:
        while True:
            array = _Array()
            self._check(self._stream.get_next(self._stream, array))
            if not array.release:
                return
            try:
                yield array
            finally:
                array.release(array)

    def __iter__(self) -> Iterator[List[List[Any]]]:
        for array in self._batches():
            yield [
                _values(self._schema.children[c].contents, array.children[c].contents)
                for c in range(array.n_children)
            ]

    def count(self) -> int:
        """The number of rows, none of which is made."""
        return sum(array.length for array in self._batches())

    def names(self) -> List[str]:
        return [
            self._schema.children[c].contents.name.decode() for c in range(self._schema.n_children)
        ]

    def close(self) -> None:
        if self._schema.release:
            self._schema.release(self._schema)
        if self._stream.release:
            self._stream.release(self._stream)

    def __del__(self) -> None:
        self.close()


class Table:
    """An answer: typed columns, and rows.

    pandas, polars, pyarrow, DuckDB and all else that knows Arrow's
    ``__arrow_c_stream__`` take it as it is. Without any of them it is a sequence
    of rows:

    >>> import memkit
    >>> heaps = memkit.open("trace.fb").heaps
    >>> heaps.columns[:2]
    ['heap', 'space']
    >>> heaps[0].heap, heaps[0].peak_bytes > 0
    ('host.malloc', True)
    >>> sum(row.allocations for row in heaps) > 0
    True
    >>> heaps["heap"][0]
    'host.malloc'
    """

    def __init__(self, handle: ctypes.c_void_p) -> None:
        self._handle = handle
        self._free: Callable[[Any], None] = _library.library().memkit_table_free
        self._columns: Optional[List[str]] = None

    def __del__(self) -> None:
        handle, self._handle = getattr(self, "_handle", None), ctypes.c_void_p()
        if handle:
            self._free(handle)

    @property
    def columns(self) -> List[str]:
        """The names of the columns."""
        if self._columns is None:
            rows = _Rows(self._handle)
            self._columns = rows.names()
            rows.close()
        return list(self._columns)

    def __len__(self) -> int:
        known = _library.library().memkit_table_rows(self._handle)
        if known >= 0:
            return int(known)
        return _Rows(self._handle).count()

    def __bool__(self) -> bool:
        return next(iter(self), None) is not None

    def __iter__(self) -> Iterator[Any]:
        row = namedtuple("Row", self.columns)  # type: ignore[misc]
        for batch in _Rows(self._handle):
            yield from map(row, *batch)

    def __getitem__(self, key: Any) -> Any:
        """A column by name; a row, or rows, by number."""
        if isinstance(key, str):
            if key not in self.columns:
                raise KeyError(f"no column {key!r}; the columns are {', '.join(self.columns)}")
            at = self.columns.index(key)
            return [value for batch in _Rows(self._handle) for value in batch[at]]
        if isinstance(key, slice) and (key.start or 0) >= 0 and (key.stop or 0) > 0 and not key.step:
            return list(islice(self, key.start or 0, key.stop))
        if isinstance(key, int) and key >= 0:
            for found in islice(self, key, key + 1):
                return found
            raise IndexError("no such row")
        return list(self)[key]

    def to_dicts(self) -> List[Dict[str, Any]]:
        """The rows as dicts."""
        return [row._asdict() for row in self]

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """All rows, for libraries that take Arrow's streams."""
        return _library.capsule_of(self._handle)

    def to_arrow(self) -> Any:
        """A pyarrow.Table."""
        try:
            import pyarrow
        except ImportError:
            raise ImportError("to_arrow() needs pyarrow (pip install pyarrow)") from None
        return pyarrow.RecordBatchReader.from_stream(self).read_all()

    def to_pandas(self) -> Any:
        """A pandas.DataFrame."""
        try:
            import pandas  # noqa: F401
        except ImportError:
            raise ImportError(
                "to_pandas() needs pandas and pyarrow (pip install pandas pyarrow)"
            ) from None
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            raise ImportError("to_pandas() needs pyarrow, too (pip install pyarrow)") from None
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """A polars.DataFrame."""
        try:
            import polars
        except ImportError:
            raise ImportError("to_polars() needs polars (pip install polars)") from None
        return polars.DataFrame(self)

    def _shown(self, most: int) -> "tuple[List[Any], bool]":
        rows = list(islice(self, most + 1))
        return rows[:most], len(rows) > most

    def __repr__(self) -> str:
        rows, more = self._shown(10)
        names = self.columns
        cells = [names] + [list(map(_text, names, row)) for row in rows]
        lines = [""] * len(cells)
        for c in range(len(names)):
            width = min(40, max(len(line[c]) for line in cells))
            is_text = any(isinstance(row[c], str) for row in rows)
            for at, line in enumerate(cells):
                value = _cut(line[c], width)
                value = value.ljust(width) if is_text else value.rjust(width)
                lines[at] += ("  " if c else "") + value
        lines = [line.rstrip() for line in lines]
        if more:
            lines.append("...")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows, more = self._shown(50)
        names = self.columns
        head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(text)}</td>" for text in map(_text, names, row)) + "</tr>"
            for row in rows
        )
        end = f'<tr><td colspan="{len(names)}">...</td></tr>' if more else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}{end}</tbody></table>"


# Numbers that name something.
_IDS = {"process", "parent", "rank", "thread", "block", "stack", "step", "line"}


def _text(name: str, value: Any) -> str:
    if value is None:
        return ""
    if name in _IDS or isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else "..." + text[len(text) - width + 3 :]
