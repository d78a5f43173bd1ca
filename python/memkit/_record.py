# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records the running program from inside: memrec attaches to it."""

import ctypes
import os
import signal
import subprocess
import tempfile
import time
from types import TracebackType
from typing import Any, IO, Optional, Type

from . import _native
from .__main__ import find_memrec
from ._library import Error, LibraryError, RequestError

_PR_SET_PTRACER = 0x59616D61  # of Yama: who may attach, where only parents may
_PATIENCE = 60.0  # seconds; memrec itself gives up after 10 where it finds no thread to use


#: What memrec prints when its census is over, or is left out.
_READY = ("the census took", "is not known", "without what lived before")


class Recording:
    """A recording of this program by `record()`; as a context manager it ends with the block."""

    def __init__(self, path: str, memrec: "subprocess.Popen[bytes]", said: IO[bytes]) -> None:
        #: of the trace
        self.path = path
        self._memrec = memrec
        self._said = said  # a file: memrec must never wait for a reader
        self._pid = os.getpid()

    def stop(self) -> str:
        """Ends the recording and returns the path of the trace, which is complete then.

        Further calls, and those in a child of fork, do nothing but return the path. Error: memrec
        did not end well; the message has what it said."""
        if self._memrec.returncode is None and self._pid == os.getpid():
            self._memrec.send_signal(signal.SIGTERM)  # SIGINT may be ignored
            if self._memrec.wait():
                raise Error(f"the recording to {self.path} did not end well: {self._message()}")
        return self.path

    def __enter__(self) -> "Recording":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]] = None,
        value: Optional[BaseException] = None,
        trace: Optional[TracebackType] = None,
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        state = "ended" if self._memrec.returncode is not None else "runs"
        return f"<memkit.Recording {self.path!r}, {state}>"

    def _text(self) -> str:
        return os.pread(self._said.fileno(), 1 << 16, 0).decode("utf-8", "replace")

    def _message(self) -> str:
        lines = (line.strip() for line in self._text().splitlines())
        return "; ".join(line.replace("memrec: ", "", 1).replace("error: ", "", 1) for line in lines if line)

    def _is_ready(self) -> bool:
        text = self._text()
        return "attached to process" in text and any(word in text for word in _READY)

    def _wait(self) -> None:
        """Until memrec has attached, and its census is over."""
        end = time.monotonic() + _PATIENCE
        while not self._is_ready():
            if self._memrec.poll() is not None:
                raise Error(self._message() or "memrec ended at once")
            if time.monotonic() > end:
                self._memrec.kill()
                self._memrec.wait()
                raise Error(f"memrec did not attach within {_PATIENCE:g} s: {self._message()}")
            time.sleep(0.005)


def _allow(process: int) -> None:
    """Lets memrec attach where a process may attach to its own children only."""
    try:
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PTRACER, ctypes.c_ulong(process), 0, 0, 0)
    except (OSError, AttributeError):
        pass  # then the kernel decides, and memrec says so


def record(path: Any = "trace.fb", *options: str) -> Recording:
    """Begins to record this program, and returns when memrec has attached to it and its census is over.

        with memkit.record("slow.fb"):
            handle(request)

    The census adds what lives already to the trace, by size and kind, without the places that allocated it;
    "--no-census" leaves it out, and saves some tenths of a second. Options are those of `memrec -p`, such as "--sample=512K"; an existing
    file is replaced. The program and its threads go on, but for the
    pause that memrec prints. LibraryError: memrec is not installed with the package. RequestError:
    the program is recorded already. Error: memrec refuses, with its reason (another system than
    Linux on x86-64, a sandbox, no right to attach).
    """
    if _native.library is not None and _native.library.memrec_recording():
        raise RequestError("this program is recorded already")
    if "-q" in options or "--quiet" in options:
        raise RequestError("record() waits for what memrec says, so -q is not for it")
    memrec = find_memrec()
    if memrec is None:
        raise LibraryError("memrec, which records, is neither installed with this package nor on PATH")
    where = os.fspath(path)
    # memrec waits until it may attach.
    command = [memrec, "-p", str(os.getpid()), "-o", where, "--force", *options]
    said = tempfile.TemporaryFile(prefix="memkit-record-")
    process = subprocess.Popen(
        ["/bin/sh", "-c", 'read go && exec "$0" "$@"', *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=said,
        start_new_session=True,  # Ctrl-C is the program's
    )
    _allow(process.pid)
    assert process.stdin is not None
    process.stdin.write(b"go\n")
    process.stdin.close()
    process.stdin = None
    recording = Recording(where, process, said)
    recording._wait()
    _native.attached()
    return recording
