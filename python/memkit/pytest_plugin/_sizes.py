# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes in bytes and their texts."""

import re
from typing import Any

_UNITS = {"": 1, "B": 1}
for _power, _letter in enumerate("KMGT", 1):
    _UNITS.update({_letter: 1024**_power, _letter + "B": 1000**_power, _letter + "iB": 1024**_power})


def bytes_of(size: Any) -> int:
    """``"24 MB"``, ``"1.5 GiB"``, a number of bytes. ValueError: neither."""
    if isinstance(size, int):
        return size
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)\s*", str(size))
    units = {unit.lower(): factor for unit, factor in _UNITS.items()}
    if not found or found[2].lower() not in units:
        raise ValueError(f"no size: {size!r}; a size is '24 MB', '1.5 GiB', '0 B' or a number of bytes")
    return int(float(found[1]) * units[found[2].lower()])


def text_of(size: int) -> str:
    number, units = float(abs(size)), ["B", "KiB", "MiB", "GiB", "TiB"]
    while number >= 1024 and len(units) > 1:
        number /= 1024
        units.pop(0)
    text = f"{number:.0f}" if units[0] == "B" else f"{number:.3g}"
    return f"{'-' if size < 0 else ''}{text} {units[0]}"
