# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails if a text of the page has less contrast than WCAG AA asks for: 4.5 to 1.

    contrast.py PAGE.CSS
"""

import pathlib
import re
import sys

# Text colour: the grounds below it.
PAIRS = {
    "ink": ["ground", "raised", "wash", "alarm-wash"], "dim": ["ground", "raised", "faded"],
    "accent": ["ground", "raised", "wash"], "alarm": ["ground", "raised", "alarm-wash"],
    "onfill": ["own", "own2", "own3", "library", "library2", "import", "groups", "grown", "shrunk"],
    "onfill2": ["own", "own2", "own3", "library", "library2", "import", "groups", "grown", "shrunk"],
}
LEAST = 4.5


def luminance(color):
    parts = [int(color[at:at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def main():
    style = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
    failed = False
    for theme, body in zip(("light", "dark"), re.findall(r"^:root[^{]*\{(.*?)^\}", style, re.S | re.M)):
        colors = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", body))
        for text, grounds in PAIRS.items():
            for ground in grounds:
                ratio = contrast(colors[text], colors[ground])
                if ratio < LEAST:
                    failed = True
                    print(f"{theme}: {text} on {ground}: {ratio:.2f}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
