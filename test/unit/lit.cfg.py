# Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs each GoogleTest program of the build folder; every test in it counts.

import os

import lit.formats

config.name = "memkit-unit"
# Those that are built: a build with a sanitizer has only some.
programs = [
    name
    for name in config.memkit_unit_tests.split(";")
    if name and os.access(os.path.join(config.test_exec_root, name), os.X_OK)
]
config.test_format = lit.formats.GoogleTest(".", "")
config.test_format.test_suffixes = set(programs)
config.environment["TMPDIR"] = os.environ.get("TMPDIR", "/tmp")
