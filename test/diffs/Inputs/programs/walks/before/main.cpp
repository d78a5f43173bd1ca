// walks: distances in a network of streets; the streets come in random order
#include <algorithm>
#include <cstdio>
#include <random>

#include "graph.h"

static std::vector<Edge> makeStreets(uint32_t side) {
    std::vector<Edge> streets;
    streets.reserve(4 * side * side);
    for (uint32_t y = 0; y < side; ++y)
        for (uint32_t x = 0; x < side; ++x) {
            uint32_t node = y * side + x;
            for (uint32_t other : {y * side + (x + 1) % side, (y + 1) % side * side + x}) {
                streets.push_back({node, other, 1});
                streets.push_back({other, node, 1});
            }
        }
    std::random_device device;
    std::shuffle(streets.begin(), streets.end(), std::mt19937(device()));
    return streets;
}

static uint32_t farthest(const Graph &graph, uint32_t start) {
    auto distance = graph.distances(start);
    return uint32_t(std::max_element(distance.begin(), distance.end()) - distance.begin());
}

int main() {
    const uint32_t side = 250;
    Graph graph(side * side);
    auto streets = makeStreets(side);
    for (const Edge &street : streets)
        graph.add(street);
    uint32_t node = farthest(graph, 0);
    printf("%zu streets, %zu\n", graph.edges(), graph.name(node).size() > 0 ? size_t(1) : 0);
}
