# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Starts pytest again below memrec, and asks the recording."""

import json
import os
import subprocess
import sys
from typing import Any, List

import pytest

from .. import __version__, _native
from ..__main__ import find_memrec


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


def start_again(config: Any, known: Any) -> None:
    """Replaces this process by memrec, which starts it again."""
    memrec = find_memrec()
    if memrec is None:
        raise pytest.UsageError("--memkit: memrec is neither installed with the package memkit nor on PATH")
    _check_version(memrec)
    if os.environ.get("MEMKIT_PYTEST"):
        sys.stderr.write("memkit: this Python is not recorded; the tests run without memkit\n")
        known.memkit = None
        return
    if tuple(config.invocation_params.args) != tuple(sys.argv[1:]):
        raise pytest.UsageError("--memkit: a program has started pytest; record it: memrec -- python PROGRAM")
    sample = ["--sample=64K"] if known.memkit == "fast" else []
    os.environ["MEMKIT_PYTEST"] = "1"
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(memrec, ["memrec", "-q", *sample, "-o", known.memkit_output, "--", *_command_line()])


def _check_version(memrec: str) -> None:
    """UsageError: memrec is not of the package's version, or does not run."""
    try:
        said = subprocess.run([memrec, "--version"], stdout=subprocess.PIPE, timeout=60).stdout.decode(errors="replace")
    except (OSError, subprocess.SubprocessError) as problem:
        raise pytest.UsageError(f"--memkit: {memrec}: {problem}") from None
    if said.split()[-1:] != [__version__]:
        raise pytest.UsageError(
            f"--memkit: {memrec} says '{said.strip()}', and the package memkit is {__version__}: install one version"
        )


def ask_recording(*arguments: str) -> Any:
    """What memdump says of this recording up to now, as JSON; None: it does not say it."""
    memdump = os.path.join(os.path.dirname(find_memrec() or ""), "memdump")
    try:
        got = subprocess.run(
            [memdump, "-q", "--format=json", *arguments, f"live:{os.getpid()}"],
            env={**os.environ, "MEMREC_FOLLOW": "0"},  # not recorded itself
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=120,
        )
        return json.loads(got.stdout)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
