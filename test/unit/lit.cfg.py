# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs each GoogleTest program of the build folder; every test of a program counts.

import glob
import os
import subprocess

import lit.formats

config.name = "memkit-unit"
# The built programs: a build with a sanitizer has only some.
programs = [
    name
    for name in config.memkit_unit_tests.split(";")
    if name and os.access(os.path.join(config.test_exec_root, name), os.X_OK)
]
config.test_format = lit.formats.GoogleTest(".", "")
config.test_format.test_suffixes = set(programs)
config.environment["TMPDIR"] = os.environ.get("TMPDIR", "/tmp")


def large_libraries():
    """Libraries of PyTorch and numpy, for the long form of UnwindRuleTest."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    candidates = (os.environ.get("MEMKIT_PYTHON"), os.path.join(root, ".venv", "bin", "python"))
    find = "from importlib.util import find_spec as f; [print(f(m).submodule_search_locations[0]) for m in ('torch', 'numpy')]"
    for python in filter(None, candidates):
        try:
            folders = subprocess.run([python, "-c", find], capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            continue
        torch, numpy = folders.stdout.split()
        return [
            path
            for pattern in (torch + "/lib/libtorch_*.so", numpy + "/_core/_multiarray_umath*.so")
            for path in glob.glob(pattern)
            if os.path.getsize(path) > 100000
        ]
    return []


if lit_config.params.get("long"):
    config.environment["MEMKIT_UNWIND_FILES"] = ":".join(large_libraries())
