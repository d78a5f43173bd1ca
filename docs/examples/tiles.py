# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Joins the tiles of a map to a picture, and shows parts of the picture.

The viewer keeps each part that it has shown, and never looks at a part again. So memory grows
with each view. Run it recorded:

    memrec -- python tiles.py
    memstat trace.fb
"""

import random
import time
import zlib

TILE = 512 * 1024


def load(count):
    """The tiles of a map, as a server would have sent them."""
    return [random.randbytes(TILE) for _ in range(count)]


def join(tiles):
    return b"".join(tiles)


class Viewer:
    def __init__(self, picture):
        self.picture = picture
        self.shown = []

    def show(self, place):
        part = self.picture[place:place + TILE // 8]
        self.shown.append(part)
        return zlib.crc32(part)


def main():
    random.seed(1)
    picture = join(load(64))
    viewer = Viewer(picture)
    for view in range(200):
        viewer.show(view * 1000)
        time.sleep(0.01)
    print("showed", len(viewer.shown), "parts")


if __name__ == "__main__":
    main()
