# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds CUDA and memkit on a machine, for the checks and benchmarks on a GPU."""

import ctypes
import glob
import os
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


class Missing(Exception):
    """A requirement is missing; the text names the requirement."""


def find_build(given):
    """The given build folder, or the packed folder, or the release build."""
    folders = [Path(given)] if given else [ROOT / "build" / "gpu", ROOT / "build" / "release"]
    for folder in folders:
        if (folder / "bin" / "memrec").exists():
            return folder.resolve()
    raise Missing(f"no memrec in {folders[-1] / 'bin'}; build first, or name the build with --build")


def find_includes(build):
    """The folders of CUDA's headers: from a toolkit, or packed or fetched headers."""
    nvcc = shutil.which("nvcc")
    homes = [os.environ.get("CUDA_HOME"), nvcc and Path(nvcc).resolve().parent.parent, "/usr/local/cuda"]
    folders = [Path(home) / "include" for home in homes if home]
    folders += [Path(home) / "extras" / "CUPTI" / "include" for home in homes if home]
    folders += [build / "include", *map(Path, glob.glob(str(ROOT / ".cache/cuda/nvidia/*/include")))]
    found = [folder for folder in folders if (folder / "cuda.h").exists() or (folder / "cupti.h").exists()]
    if not any((folder / "cuda.h").exists() for folder in found):
        raise Missing("no cuda.h: name the toolkit with CUDA_HOME")
    # Each header from the first folder that has the header, to use one version only.
    chosen, has = [], set()
    for folder in found:
        names = {name for name in ("cuda.h", "cuda_runtime_api.h", "cupti.h") if (folder / name).exists()}
        if names - has:
            chosen.append(folder)
            has |= names
    return chosen


def device():
    """One line on the first device and its driver. Raises Missing without a device."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        raise Missing("no GPU here: CUDA's driver, libcuda.so.1, is not installed") from None
    count, version = ctypes.c_int(), ctypes.c_int()
    result = driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count))
    if result or not count.value:
        raise Missing(f"no GPU here: CUDA's driver gives {count.value} devices (error {result})")
    driver.cuDriverGetVersion(ctypes.byref(version))
    name, size = ctypes.create_string_buffer(256), ctypes.c_size_t()
    driver.cuDeviceGetName(name, len(name), 0)
    driver.cuDeviceTotalMem_v2(ctypes.byref(size), 0)
    more = f", {count.value} devices" if count.value > 1 else ""
    return (f"{name.value.decode(errors='replace')}, {size.value / 2**30:.0f} GiB{more}; "
            f"CUDA {version.value // 1000}.{version.value % 1000 // 10}, driver {kernel_driver()}")


def kernel_driver():
    try:
        text = Path("/proc/driver/nvidia/version").read_text(encoding="ascii", errors="replace")
    except OSError:
        return "unknown"
    words = text.splitlines()[0].split()
    return next((word for word in words if word[0].isdigit() and "." in word), "unknown")


def compiler(language="c"):
    names = ["cc", "gcc", "clang"] if language == "c" else ["c++", "g++", "clang++"]
    for name in names:
        path = shutil.which(name)
        if path:
            return path
    raise Missing(f"no compiler here: {names[0]}")


def library_folders(build, fake):
    """The folders of the driver library, for the linker and for LD_LIBRARY_PATH."""
    if not fake:
        return []
    folder = build / "test" / "fakecuda"
    if not (folder / "libcuda.so.1").exists():
        raise Missing(f"the tests' own driver is not built: {folder}")
    return [folder]


def driver_folders():
    """The folders of CUDA's driver; loads the driver to find them."""
    ctypes.CDLL("libcuda.so.1")
    lines = Path("/proc/self/maps").read_text(encoding="ascii", errors="replace").splitlines()
    paths = {Path(line.split(None, 5)[5]) for line in lines if "/libcuda.so" in line}
    return sorted({path.parent for path in paths} | {path.resolve().parent for path in paths})
