# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of libmemrec.so, or None in a program that is not recorded.

They are what include/memkit/memkit.h calls too; it says what each does.
"""

import os
import sys
from typing import Any, Callable, Optional

# Flags of memrec_scope_begin.
NO_CONTEXT = 1  # measured, but allocations inside are not said to be in it
NO_MEASURE = 2  # the other way round
PYTHON = 4  # the innermost frames are this package's

# The recorder keeps the numbers of the 1,024 scopes that ended last.
FORGETTING = 768  # so many scopes after a scope's end, its numbers are asked for
ends = 0  # scopes that have ended, about: threads may count at once
#: Asks for numbers that are soon forgotten; of _measure.
ask_in_time: Optional[Callable[[], None]] = None


def count_end() -> None:
    """Called at the end of each scope."""
    global ends
    ends += 1
    if ends % 64 == 0 and ask_in_time is not None:
        ask_in_time()


def opened(kind: Any) -> Any:
    """What has the functions, as ctypes.CDLL or PyDLL: the program, or the library that memrec -p
    has brought into it. OSError: neither."""
    program = kind(None)
    if hasattr(program, "memrec_recording"):
        return program
    return kind("libmemrec.so", mode=os.RTLD_NOW | os.RTLD_NOLOAD)


def _load() -> Optional[Any]:
    try:
        import ctypes

        # PyDLL keeps the interpreter's lock: these take less time than giving it away.
        program = opened(ctypes.PyDLL)
        program.memrec_recording.argtypes = []
        program.memrec_recording.restype = ctypes.c_int
        program.memrec_step.argtypes = []
        program.memrec_step.restype = None
        program.memrec_mark.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
        program.memrec_mark.restype = None
        program.memrec_start.argtypes = []
        program.memrec_start.restype = None
        program.memrec_stop.argtypes = []
        program.memrec_stop.restype = None
        program.memrec_scope_begin.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint]
        program.memrec_scope_begin.restype = ctypes.c_uint64
        program.memrec_scope_end.argtypes = [ctypes.c_uint64]
        program.memrec_scope_end.restype = None
        program.memrec_alert.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
        program.memrec_alert.restype = ctypes.c_uint32
        program.memrec_alerted.argtypes = [ctypes.c_uint32, ctypes.POINTER(ctypes.c_uint64 * 2)]
        program.memrec_alerted.restype = ctypes.c_uint64
        program.memrec_allocated.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t]
        program.memrec_allocated.restype = None
        program.memrec_freed.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p]
        program.memrec_freed.restype = None
        program.memrec_device_allocated.argtypes = [
            ctypes.c_char_p,
            ctypes.c_size_t,
            ctypes.c_char_p,
            ctypes.c_size_t,
            ctypes.c_uint64,
            ctypes.c_size_t,
        ]
        program.memrec_device_allocated.restype = None
        program.memrec_device_freed.argtypes = [
            ctypes.c_char_p,
            ctypes.c_size_t,
            ctypes.c_char_p,
            ctypes.c_size_t,
            ctypes.c_uint64,
        ]
        program.memrec_device_freed.restype = None
        program.memrec_device_sample.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_uint64 * 4)]
        program.memrec_device_sample.restype = ctypes.c_int
        program.memrec_trace.argtypes = [ctypes.py_object, ctypes.c_char_p]
        program.memrec_trace.restype = None
    except (ImportError, OSError, AttributeError):
        return None
    return program


library = _load()


def attached() -> None:
    """memrec has attached to the program: the modules that are imported already find the library."""
    global library
    if library is None:
        library = _load()
    for name, module in list(sys.modules.items()):
        if name.startswith("memkit.") and getattr(module, "_library", library) is None:
            setattr(module, "_library", library)


def encoded(name: str) -> bytes:
    """What the library takes for a name; a lone surrogate as ``\\udcXX``."""
    return name.encode("utf-8", "backslashreplace")
