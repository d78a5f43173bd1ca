# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One line for each difference of `memdiff --format=json`: list-differences FILE [METRIC]"""

import json
import sys

metric = sys.argv[2] if len(sys.argv) > 2 else "at_peak_bytes"
with open(sys.argv[1], encoding="utf-8") as file:
    differences = json.load(file)["differences"]
for d in differences:
    stack = " ".join(frame["function"].removesuffix(".isra.0") for frame in d["stack"])
    print(f"{stack}: {metric} {d['before'][metric]} -> {d['after'][metric]}")
