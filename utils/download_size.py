#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the report of `pip install --dry-run --report -` and prints the size of the download
if pip would fetch PyTorch's build with CUDA; prints nothing otherwise."""

import json
import os
import sys
import urllib.parse
import urllib.request


def size_of(url):
    """The size of a URL's content in bytes; 0 if the server does not report it."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme == "file":
        return os.path.getsize(urllib.parse.unquote(parts.path))
    try:
        request = urllib.request.Request(url, method="HEAD")
        with urllib.request.urlopen(request, timeout=10) as answer:
            return int(answer.headers.get("Content-Length", 0))
    except (OSError, ValueError):
        return 0


def main():
    packages = json.load(sys.stdin).get("install", [])
    names = [package["metadata"]["name"] for package in packages]
    if not any(name.startswith(("nvidia-", "cuda-")) for name in names):
        return
    total = sum(size_of(package["download_info"]["url"]) for package in packages)
    amount = f"{total / 2**30:.1f} GiB" if total else "several GiB"
    print(f"pip takes PyTorch's build with CUDA here: {len(names)} packages, {amount} to"
          " fetch and about twice that on disk; Ctrl-C stops it")


if __name__ == "__main__":
    main()
