# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""``python -m memkit train.py``: ``memkit run train.py`` with this Python.

    python -m memkit train.py               # record, then show the answer
    python -m memkit -m pytest tests
    python -m memkit -o a.fb -- ./server    # options of memrec; any program
    python -m memkit stat trace.fb          # a command of memkit
    python -m memkit predict --device=24GiB -- python train.py

The tools are those installed with this package, else those on PATH.
"""

import os
import sys

if __name__ == "__main__" and sys.argv[1:2] == ["predict"] and sys.path[0] == os.getcwd():
    # -m has put the current folder first. A script does not see it, and a file queue.py there is no part of Python.
    del sys.path[0]

import shutil
import sysconfig
from typing import Optional


def folder_of_package() -> str:
    """PREFIX/memkit."""
    return os.path.dirname(os.path.abspath(__file__))


def find_memrec() -> Optional[str]:
    """The program's path, or None."""
    folder = folder_of_package()
    candidates = []
    # PREFIX/share/memkit/python/memkit, PREFIX/lib/python3.X/site-packages/memkit, ...
    for _ in range(5):
        folder = os.path.dirname(folder)
        candidates.append(os.path.join(folder, "bin", "memrec"))
    candidates.append(os.path.join(sysconfig.get_path("scripts"), "memrec"))
    for candidate in candidates:
        if os.access(candidate, os.X_OK) and os.path.isfile(candidate):
            return candidate
    # A checkout's own build comes last: PATH may name another one of it.
    built = os.path.join(os.path.dirname(os.path.dirname(folder_of_package())), "build", "release", "bin", "memrec")
    return shutil.which("memrec") or (built if os.access(built, os.X_OK) else None)


def main() -> int:
    if sys.argv[1:2] == ["predict"]:
        from memkit._predict._script import main as predict

        predict(sys.argv[2:])
    memrec = find_memrec()
    if memrec is None:
        print("memkit: error: memrec is neither installed with this package nor on PATH", file=sys.stderr)
        return 127
    arguments = sys.argv[1:]
    first = arguments[0] if arguments else "help"
    memkit, tool = (os.path.join(os.path.dirname(memrec), name) for name in ("memkit", "mem" + first))
    if first in ("help", "--help", "-h", "--version") and os.path.exists(memkit):
        os.execv(memkit, ["memkit"] + arguments)
    if first in ("explain", "info", "overhead", "config", "demo") and os.path.exists(memkit):
        os.execv(memkit, ["memkit"] + arguments)
    if first.isidentifier() and os.path.exists(tool):
        os.execv(tool, ["mem" + first] + arguments[1:])
    os.execv(memrec, ["memrec", f"--run={sys.executable}"] + arguments[first == "run" :])


if __name__ == "__main__":
    sys.exit(main())
