# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes as texts."""

import re
from typing import Optional, Union

_UNITS = {"": 1, "B": 1}
for _power, _letter in enumerate("KMGT", 1):
    _UNITS[_letter + "B"] = 1000**_power
    _UNITS[_letter + "iB"] = 1024**_power

#: What is said of a device that is none.
NO_DEVICE = "no device: {!r}; a device is a size ('80GiB', '24GB', bytes)"


def size_of(text: Union[str, int]) -> Optional[int]:
    """``"80GiB"``, ``"24GB"`` or a number above 0 in bytes; None: another text."""
    if isinstance(text, int):
        return text if not isinstance(text, bool) and text > 0 else None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]i?B|B)", text.strip())
    return int(float(match[1]) * _UNITS[match[2]]) or None if match else None


def size_text(size: float) -> str:
    """``61.2 GiB``."""
    if size < 0:
        return "-" + size_text(-size)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.3g} {unit}" if size < 1000 else f"{size:.0f} {unit}"
        size /= 1024
    return f"{size:.3g} TiB"


def spaced(text: str) -> str:
    """``80 GiB`` of ``80GiB``."""
    return re.sub(r"(?<=\d)(?=[A-Z])", " ", text)


def beside_of(beside: Union[str, int, None], device: int, text: str) -> Optional[int]:
    """The part of a device that is set aside, in bytes; None: none is named. RequestError: it is no part."""
    from .._library import RequestError

    if beside is None:
        return None
    size = 0 if beside in (0, "0") else size_of(beside)
    if size is None or not device or size >= device:
        raise RequestError(f"beside={beside!r}: no size ('1GiB', bytes) below that of the device, {text}")
    return size
