# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""``python -m memkit ARGUMENTS`` is ``memrec ARGUMENTS``: the one installed with
this package, else the one on PATH."""

import os
import shutil
import sys
import sysconfig
from typing import Optional


def find_memrec() -> Optional[str]:
    """The program's path, or None."""
    folder = os.path.dirname(os.path.abspath(__file__))
    candidates = []
    # PREFIX/share/memkit/python/memkit, PREFIX/lib/python3.X/site-packages/memkit, ...
    for _ in range(5):
        folder = os.path.dirname(folder)
        candidates.append(os.path.join(folder, "bin", "memrec"))
    candidates.append(os.path.join(sysconfig.get_path("scripts"), "memrec"))
    for candidate in candidates:
        if os.access(candidate, os.X_OK) and os.path.isfile(candidate):
            return candidate
    return shutil.which("memrec")


def main() -> int:
    memrec = find_memrec()
    if memrec is None:
        print("memkit: error: memrec is neither installed with this package nor on PATH", file=sys.stderr)
        return 127
    os.execv(memrec, ["memrec"] + sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
