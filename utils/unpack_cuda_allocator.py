#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""unpack_cuda_allocator.py FOLDER: unpacks from the wheels in FOLDER/wheels the files for
building a program with PyTorch's CUDA allocator: libc10.so, libc10_cuda.so and headers."""

import glob
import sys
import zipfile

FILES = ("torch/lib/libc10.so", "torch/lib/libc10_cuda.so", "torch/version.py")
FOLDERS = ("torch/include/c10/", "torch/include/torch/headeronly/", "nvidia/cu13/include/")


def main():
    folder = sys.argv[1]
    for path in glob.glob(folder + "/wheels/*.whl"):
        with zipfile.ZipFile(path) as wheel:
            names = [n for n in wheel.namelist() if n in FILES or n.startswith(FOLDERS)]
            wheel.extractall(folder, names)


if __name__ == "__main__":
    main()
