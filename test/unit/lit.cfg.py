# Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs each GoogleTest program of the build folder; every test in it counts.

import os

import lit.formats

config.name = "memkit-unit"
# The programs are those that are executable; their names follow no rule.
programs = [
    name
    for name in os.listdir(config.test_exec_root)
    if os.path.isfile(os.path.join(config.test_exec_root, name))
    and os.access(os.path.join(config.test_exec_root, name), os.X_OK)
]
config.test_format = lit.formats.GoogleTest(".", "")
config.test_format.test_suffixes = set(programs)
config.environment["TMPDIR"] = os.environ.get("TMPDIR", "/tmp")
