"""Renders the tiles of a map along a path."""
import functools
import math
import time

TILE = 256
TIMES = {}


def timed(function):
    """Adds up the time that a function takes."""

    @functools.wraps(function)
    def wrapper(*arguments):
        start = time.perf_counter()
        try:
            return function(*arguments)
        finally:
            spent = time.perf_counter() - start
            TIMES[function.__name__] = TIMES.get(function.__name__, 0) + spent

    return wrapper


class Terrain:
    """Heights of a square of ground."""

    def __init__(self, size):
        self.size = size
        self.heights = bytearray(size * size)
        for y in range(0, size, 8):
            row = bytes(int(127 + 120 * math.sin(x / 90) * math.cos(y / 70)) for x in range(0, size, 8))
            line = b"".join(row[i:i + 1] * 8 for i in range(len(row)))
            for dy in range(8):
                self.heights[(y + dy) * size:(y + dy + 1) * size] = line

    def row(self, x, y, length):
        start = y % self.size * self.size + x % self.size
        return self.heights[start:start + length]


class Renderer:
    def __init__(self, terrain):
        self.terrain = terrain
        self.tiles = {}
        self.rendered = 0

    @timed
    def draw_tile(self, column, row):
        tile = bytearray(TILE * TILE)
        shades = bytes(max(0, min(255, 2 * h - 120)) for h in range(256))
        for y in range(TILE):
            line = self.terrain.row(column * TILE, row * TILE + y, TILE)
            tile[y * TILE:y * TILE + len(line)] = line.translate(shades)
        self.rendered += 1
        return tile

    def tile(self, column, row):
        key = column, row
        if key not in self.tiles:
            self.tiles[key] = self.draw_tile(column, row)
        return self.tiles[key]


def path(steps):
    for step in range(steps):
        angle = step / 40
        yield int(8 + 6 * math.cos(angle)), int(8 + 6 * math.sin(1.3 * angle))


@timed
def compose(renderer, column, row):
    """A picture of two by two tiles."""
    picture = bytearray(4 * TILE * TILE)
    for i, (dx, dy) in enumerate([(0, 0), (1, 0), (0, 1), (1, 1)]):
        tile = renderer.tile(column + dx, row + dy)
        picture[i * TILE * TILE:(i + 1) * TILE * TILE] = tile
    return picture


def main():
    renderer = Renderer(Terrain(10240))
    light = 0
    for column, row in path(500):
        picture = compose(renderer, column, row)
        light += picture[TILE * TILE // 2]
    print(light, renderer.rendered, "tiles", len(renderer.tiles))


if __name__ == "__main__":
    main()
