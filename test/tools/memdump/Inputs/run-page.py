# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""run-page.py PAGE: runs the Python of a page of the docs, block after block, as a reader would."""

import re
import sys

text = open(sys.argv[1], encoding="utf-8").read()
names = {}
for block in re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S):
    exec(compile(block, sys.argv[1], "exec"), names)
