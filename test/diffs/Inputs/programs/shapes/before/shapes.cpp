// shapes: draws shapes into layers of a map
#include <cstdint>
#include <cstdio>
#include <vector>

enum class Kind { Disc, Ring };

struct Layer {
    Kind kind;
    std::vector<uint8_t> cells;
};

static Layer drawDisc(int size) {
    Layer layer{Kind::Disc, std::vector<uint8_t>(size_t(size) * size)};
    for (int y = 0; y < size; ++y)
        for (int x = 0; x < size; ++x)
            layer.cells[size_t(y) * size + x] = 4 * (x * x + y * y) < size * size;
    return layer;
}

static Layer drawRing(int size) {
    Layer layer{Kind::Ring, std::vector<uint8_t>(size_t(size) * size)};
    for (int y = 0; y < size; ++y)
        for (int x = 0; x < size; ++x) {
            int square = x * x + y * y;
            layer.cells[size_t(y) * size + x] = 4 * square < size * size && 9 * square > size * size;
        }
    return layer;
}

static size_t covered(const Layer &layer) {
    size_t count = 0;
    for (uint8_t cell : layer.cells)
        count += cell;
    return count;
}

int main() {
    std::vector<Layer> layers;
    for (int size = 200; size < 900; size += 100) {
        layers.push_back(drawDisc(size));
        layers.push_back(drawRing(size / 2));
    }
    size_t count = 0;
    for (const Layer &layer : layers)
        count += covered(layer);
    printf("%zu layers, %zu cells\n", layers.size(), count);
}
