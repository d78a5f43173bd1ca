#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the page as C++ text.

    embed.py PAGE.html OUT.inc

OUT.inc defines PageBytes, the bytes of the page, and two policies
(Content-Security-Policy) that allow exactly the scripts and styles in the page, by their
hashes: ServedPolicy also allows requests to the page's own server, FilePolicy allows no
request at all. A block of data (a script of type application/json) needs no permission.
"""

import base64
import hashlib
import re
import sys


def hashes(page, tag):
    """The hashes of the contents of each element TAG that the browser runs."""
    out = []
    for attributes, text in re.findall(rf"<{tag}([^>]*)>(.*?)</{tag}>", page, re.S):
        if "application/json" not in attributes:
            digest = hashlib.sha256(text.encode()).digest()
            out.append(f"'sha256-{base64.b64encode(digest).decode()}'")
    return " ".join(out) or "'none'"


def main():
    page = open(sys.argv[1], encoding="utf-8").read()
    policy = (
        f"default-src 'none'; script-src {hashes(page, 'script')}; "
        f"style-src {hashes(page, 'style')}; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
    served = policy + "; connect-src 'self'; frame-ancestors 'none'"
    data = page.encode()
    with open(sys.argv[2], "w", encoding="ascii") as out:
        out.write(f'static constexpr char FilePolicy[] = "{policy}";\n')
        out.write(f'static constexpr char ServedPolicy[] = "{served}";\n')
        out.write("static constexpr unsigned char PageBytes[] = {\n")
        for at in range(0, len(data), 32):
            out.write(",".join(map(str, data[at : at + 32])) + ",\n")
        out.write("};\n")


if __name__ == "__main__":
    main()
