# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Starts pytest again below memrec, and asks the recording."""

import csv
import io
import os
import subprocess
import sys
from typing import Any, Dict, List, Optional

import pytest

from .. import __version__, _native
from ..__main__ import find_memrec

#: Of the environment: this process is a worker of xdist; memrec was tried.
IN_WORKER, TRIED = "PYTEST_XDIST_WORKER", "MEMKIT_PYTEST"


def is_recorded() -> bool:
    return _native.library is not None


def _command_line() -> List[str]:
    """This interpreter with the arguments with which it was started."""
    original = getattr(sys, "orig_argv", None)
    if original:
        return [sys.executable, *original[1:]]
    flags: List[str] = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
    is_module = os.path.basename(sys.argv[0]) == "__main__.py"
    return [sys.executable, *flags, *(["-m", "pytest"] if is_module else sys.argv[:1]), *sys.argv[1:]]


def start_early() -> None:
    """As start_again(), before pytest loads other plugins: where the command line alone decides."""
    arguments = sys.argv[1:]
    how = next((argument for argument in arguments if argument in ("--memkit", "--memkit=fast")), None)
    is_main = os.path.basename(sys.argv[0]) in ("pytest", "py.test") or sys.argv[0].endswith("/pytest/__main__.py")
    output = [a.split("=", 1)[1] for a in arguments if a.startswith("--memkit-output=")]
    is_clear = "--memkit-output" not in arguments and (output or not _names_output())
    only_says = {"-h", "--help", "-V", "--version"} & set(arguments)
    if is_main and how and is_clear and not only_says and not (is_recorded() or IN_WORKER in os.environ or TRIED in os.environ):
        memrec = find_memrec()
        if memrec is not None and _version_of(memrec) == __version__:
            _exec(memrec, "fast" if "=" in how else "full", output[-1] if output else "trace.fb")


def _names_output() -> bool:
    """Whether another place than the command line may name the trace."""
    if "memkit" in os.environ.get("PYTEST_ADDOPTS", ""):
        return True
    folder = os.getcwd()
    while True:
        for name in ("pytest.toml", "pytest.ini", ".pytest.toml", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"):
            try:
                with open(os.path.join(folder, name), "rb") as file:
                    if b"memkit" in file.read(1 << 20):
                        return True
            except OSError:
                pass
        if os.path.dirname(folder) == folder:
            return False
        folder = os.path.dirname(folder)


def start_again(config: Any, known: Any) -> None:
    """Replaces this process by memrec, which starts it again."""
    memrec = find_memrec()
    if memrec is None:
        raise pytest.UsageError("--memkit: memrec is neither installed with the package memkit nor on PATH")
    said = _version_of(memrec)
    if said != __version__:
        raise pytest.UsageError(
            f"--memkit: {memrec} is of version {said or '(unknown)'}, and the package memkit of {__version__}: "
            "install one version"
        )
    if TRIED in os.environ:
        sys.stderr.write("memkit: this Python is not recorded; the tests run without memkit\n")
        known.memkit = None
        return
    if tuple(config.invocation_params.args) != tuple(sys.argv[1:]):
        raise pytest.UsageError("--memkit: a program has started pytest; record it: memrec -- python PROGRAM")
    _exec(memrec, known.memkit, known.memkit_output)


def _exec(memrec: str, how: str, output: str) -> None:
    os.environ[TRIED] = "1"
    sys.stdout.flush()
    sys.stderr.flush()
    sample = ["--sample=64K"] if how == "fast" else []
    os.execv(memrec, ["memrec", "-q", "--say-killed", *sample, "-o", output, "--", *_command_line()])


def _version_of(memrec: str) -> str:
    """Empty: it does not say it."""
    try:
        said = subprocess.run([memrec, "--version"], stdout=subprocess.PIPE, timeout=60).stdout.decode(errors="replace")
    except (OSError, subprocess.SubprocessError):
        return ""
    return said.split()[-1] if said.split() else ""


def ask_recording(*arguments: str) -> Optional[List[Dict[str, str]]]:
    """The rows of a table that memdump writes of this recording up to now; None: it does not say it."""
    memdump = os.path.join(os.path.dirname(find_memrec() or ""), "memdump")
    try:
        got = subprocess.run(
            # CSV: the JSON of 20,000 scopes has 20 MB.
            [memdump, "-q", "--format=csv", *arguments, f"live:{os.getpid()}"],
            env={**os.environ, "MEMREC_FOLLOW": "0", "MEMKIT_CONFIG": "off"},  # not recorded itself
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            errors="replace",
            timeout=120,
            check=True,
        )
        return list(csv.DictReader(io.StringIO(got.stdout)))
    except (OSError, ValueError, csv.Error, subprocess.SubprocessError):
        return None
