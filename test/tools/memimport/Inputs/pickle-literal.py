# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pickles the Python literal in a file: pickle-literal.py LITERAL OUT [protocol]."""

import ast
import pathlib
import pickle
import sys

value = ast.literal_eval(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
protocol = int(sys.argv[3]) if len(sys.argv) > 3 else 4
pathlib.Path(sys.argv[2]).write_bytes(pickle.dumps(value, protocol))
