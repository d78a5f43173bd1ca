# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the sections in memstat's --help with those in its page: HELP PAGE"""

import re
import sys
from pathlib import Path

help_text, page = (Path(name).read_text(encoding="utf-8") for name in sys.argv[1:])
listed = re.search(r"Show these sections only: (.*?)\n  -", help_text, re.S)[1]
row = re.search(r"^\| `--show=.*$", page, re.M)[0].split("|")[2]
in_help, in_page = re.findall(r"\w+", listed), re.findall(r"`(\w+)`", row)
assert in_help and in_help == in_page, (in_help, in_page)
