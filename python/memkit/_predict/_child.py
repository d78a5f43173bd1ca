# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a plan in a forked process: what the step changes in memory is not the caller's."""

import contextlib
import ctypes
import gc
import io
import json
import os
import signal
import stat
import sys
import traceback
import warnings
from typing import Any, Callable, Dict

import torch

from . import PredictionError
from .._library import Error, LibraryError, RequestError
from ._answer import Prediction

_PARENT_DEATH_SIGNAL = 1  # of prctl()
_uses_cuda: Callable[[], bool] = torch.cuda.is_initialized
_ERRORS = {kind.__name__: kind for kind in (Error, LibraryError, PredictionError, RequestError)}


def in_child(make: Callable[[], Prediction]) -> Prediction:
    """The prediction that make() returns in a process of its own, or its exception."""
    if _uses_cuda():
        raise PredictionError(
            "the program has used CUDA, and a plan is made in a forked process, where CUDA then does not work: call "
            "memkit.predict before the first tensor on the device, or plan the script with memkit predict"
        )
    _flush_all()
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # Of other threads, which Python 3.12 warns of, the plan needs none.
        warnings.simplefilter("ignore", DeprecationWarning)
        # A program of JAX does not run in the fork: see _xla.
        warnings.filterwarnings("ignore", "os.fork", RuntimeWarning)
        process = os.fork()
    if process == 0:
        os.close(reading)
        _answer(writing, make)
    os.close(writing)
    try:
        with open(reading, "rb") as pipe:
            line = pipe.readline()
    except BaseException:
        with contextlib.suppress(OSError):
            os.kill(process, signal.SIGTERM)
        raise
    finally:
        status = _ended(process)
    return _result(json.loads(line) if line else {"error": f"the plan's process ended with {status}"})


def _ended(process: int) -> int:
    with contextlib.suppress(ChildProcessError):  # the program does not wait for its children
        return os.waitpid(process, 0)[1]
    return 0


def _result(answer: Dict[str, Any]) -> Prediction:
    if "prediction" in answer:
        return Prediction.from_json(answer["prediction"])
    if "exit" in answer:
        raise SystemExit(answer["exit"])
    if "interrupt" in answer:
        raise KeyboardInterrupt
    raise _ERRORS[answer.get("kind", "PredictionError")](answer["error"])


def _answer(writing: int, make: Callable[[], Prediction]) -> None:
    """Ends the process; what the program has left for its end is the caller's."""
    try:
        answer = _made(make)
        with open(writing, "wb") as pipe:
            pipe.write(json.dumps(answer).encode() + b"\n")
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    finally:
        os._exit(0)


def _made(make: Callable[[], Prediction]) -> Dict[str, Any]:
    try:
        # The caller says when to stop, also after Ctrl-C, which both get.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGTERM)
        torch.set_num_threads(1)  # those of the caller are not here, and OpenMP would wait for them
        setattr(torch, "set_num_threads", _ignored)
        return {"prediction": make().to_json()}
    except SystemExit as end:
        return {"exit": end.code if isinstance(end.code, (int, type(None))) else str(end.code)}
    except KeyboardInterrupt:
        return {"interrupt": True}
    except Error as error:
        return {"kind": type(error).__name__, "error": str(error)}
    except BaseException:
        return {"kind": "Error", "error": traceback.format_exc()}


def _ignored(number: int) -> None:
    pass


def _flush_all() -> None:
    """Else both processes would write what waits in a buffer of a file."""
    streams = [one for one in gc.get_objects() if issubclass(type(one), io.IOBase)]
    for one in streams:
        with contextlib.suppress(Exception):
            if one in (sys.stdout, sys.stderr) or stat.S_ISREG(os.fstat(one.fileno()).st_mode):
                one.flush()
