# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libmemkit.so, and its errors as exceptions."""

import ctypes
import glob
import os
import platform
import sys
from typing import Any, Iterator, Optional

# Of this package. The interface has no fixed version yet, so both must be of one memkit.
VERSION = "0.1.0"
ABI = 0


class Error(Exception):
    """What memkit raises, besides MemoryError."""


class LibraryError(Error):
    """libmemkit.so is not there, or of another memkit."""


class TraceError(Error):
    """The file cannot be read, or is no trace."""


class RequestError(Error, ValueError):
    """An argument is wrong."""


class AnswerError(Error):
    """The trace has no answer to this question."""


_KINDS = {1: TraceError, 2: RequestError, 3: AnswerError, 4: MemoryError}


def _candidates() -> Iterator[str]:
    given = os.environ.get("MEMKIT_LIBRARY")
    if given:
        yield given
        return
    package = os.path.dirname(os.path.abspath(__file__))
    yield os.path.join(package, "libmemkit.so")
    # PREFIX/share/memkit/python/memkit
    prefix = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(package))))
    for folder in ("lib", "lib64", os.path.join("lib", platform.machine() + "-linux-gnu")):
        yield os.path.join(prefix, folder, "memkit", "libmemkit.so")
    # What a wheel has for programs of other Pythons.
    yield from glob.glob(os.path.join(prefix, "lib", "python3*", "site-packages", "memkit", "libmemkit.so"))


def _find() -> str:
    if not sys.platform.startswith("linux") or platform.machine() != "x86_64":
        raise LibraryError(
            "memkit reads traces on Linux on x86-64 only, and this is "
            f"{platform.system()} on {platform.machine()}"
        )
    tried = list(_candidates())
    for path in tried:
        if os.path.exists(path):
            return path
    raise LibraryError(
        "libmemkit.so, which reads traces, is not installed with this package (not at "
        + ", ".join(tried)
        + "); MEMKIT_LIBRARY can name it"
    )


def _check_version(path: str, library: Any) -> None:
    library.memkit_trace_version.restype = ctypes.c_char_p
    version = library.memkit_trace_version().decode()
    if library.memkit_trace_abi() != ABI or version != VERSION:
        raise LibraryError(
            f"{path} is of memkit {version}, and the package memkit of Python is of {VERSION}: "
            "install both from one memkit"
        )


def _load() -> Any:
    path = _find()
    try:
        library = ctypes.CDLL(path)
        _check_version(path, library)
    except (OSError, AttributeError) as problem:
        raise LibraryError(f"{path} cannot be used: {problem}") from None
    for name in ("memkit_error_message", "memkit_trace_warnings"):
        function = getattr(library, name)
        function.restype = ctypes.c_char_p
        function.argtypes = [ctypes.c_void_p]
    library.memkit_error_kind.argtypes = [ctypes.c_void_p]
    library.memkit_table_rows.restype = ctypes.c_int64
    library.memkit_table_rows.argtypes = [ctypes.c_void_p]
    for name in ("error", "trace", "selection", "table"):
        function = getattr(library, f"memkit_{name}_free")
        function.restype = None
        function.argtypes = [ctypes.c_void_p]
    return library


_loaded: Optional[Any] = None
_capsule: Optional[Any] = None


def library() -> Any:
    """The library, loaded when it is first needed."""
    global _loaded
    if _loaded is None:
        _loaded = _load()
    return _loaded


def raise_error(error: int) -> None:
    """Raises the error at this address, and frees it."""
    kind = _KINDS.get(library().memkit_error_kind(error), Error)
    message = library().memkit_error_message(error).decode("utf-8", "replace")
    library().memkit_error_free(error)
    raise kind(message)


def call(name: str, *arguments: Any) -> None:
    """Calls a function that may fail."""
    function = getattr(library(), name)
    function.restype = ctypes.c_void_p
    error = function(*arguments)
    if error:
        raise_error(error)


def capsule_of(table: ctypes.c_void_p) -> Any:
    """A PyCapsule with a new stream of the table."""
    global _capsule
    if _capsule is None:
        # As PyDLL it keeps the interpreter's lock, and gives a Python object.
        _capsule = ctypes.PyDLL(library()._name).memkit_table_capsule
        _capsule.restype = ctypes.py_object
        _capsule.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p)]
    error = ctypes.c_void_p()
    try:
        return _capsule(table, ctypes.byref(error))
    except ValueError:  # a null pointer
        if not error.value:
            raise MemoryError from None
    raise_error(error.value)
