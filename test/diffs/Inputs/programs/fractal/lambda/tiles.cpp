// fractal: computes tiles of a fractal, keeps them in a map and makes a picture
#include <complex>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct Tile {
    int column, row;
    std::unique_ptr<uint8_t[]> pixels;
    std::string title;
};

static const int kTile = 128, kTiles = 12;

static int iterations(std::complex<float> c, int limit) {
    std::complex<float> z = 0;
    int n = 0;
    while (n < limit && std::norm(z) < 4) {
        z = z * z + c;
        ++n;
    }
    return n;
}

static std::complex<float> place(int column, int row, int x, int y) {
    float size = float(kTile * kTiles);
    return {-2.2f + 3.0f * float(column * kTile + x) / size, -1.5f + 3.0f * float(row * kTile + y) / size};
}

static std::vector<uint32_t> assemble(const std::map<std::pair<int, int>, Tile> &tiles) {
    std::vector<uint32_t> palette;
    for (size_t i = 0; i < 64; ++i)
        palette.push_back(uint32_t(i * 0x0a0510));
    std::vector<uint32_t> picture(size_t(kTile) * kTiles * kTile * kTiles / 4);
    size_t width = size_t(kTile) * kTiles / 2;
    for (const auto &entry : tiles) {
        const Tile &tile = entry.second;
        for (int y = 0; y < kTile; y += 2)
            for (int x = 0; x < kTile; x += 2)
                picture[(size_t(tile.row) * kTile + y) / 2 * width + (size_t(tile.column) * kTile + x) / 2]
                    = palette[tile.pixels[y * kTile + x]];
    }
    return picture;
}

int main() {
    std::map<std::pair<int, int>, Tile> tiles;
    auto render = [](int column, int row) {
        Tile tile{column, row, std::make_unique<uint8_t[]>(kTile * kTile), {}};
        for (int y = 0; y < kTile; ++y)
            for (int x = 0; x < kTile; ++x)
                tile.pixels[y * kTile + x] = uint8_t(iterations(place(column, row, x, y), 24));
        tile.title = "tile in column " + std::to_string(column) + " and row " + std::to_string(row);
        return tile;
    };
    for (int row = 0; row < kTiles; ++row)
        for (int column = 0; column < kTiles; ++column)
            tiles.emplace(std::make_pair(column, row), render(column, row));
    auto picture = assemble(tiles);
    uint32_t sum = 0;
    for (uint32_t pixel : picture)
        sum = sum * 31 + pixel;
    printf("%zu tiles, %08x\n", tiles.size(), sum);
}
