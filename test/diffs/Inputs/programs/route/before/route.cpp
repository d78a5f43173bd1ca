// route: finds cheap routes between towns, with a cache of distances
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <unordered_map>
#include <vector>

struct Town {
    double x, y;
    std::string name;
};

struct Distances {
    const std::vector<Town> &towns;
    std::unordered_map<uint64_t, double> known;
    size_t lookups = 0;
};

static const size_t kKnownLimit = 20000;

static std::vector<Town> makeTowns(size_t count) {
    std::vector<Town> towns;
    towns.reserve(count);
    uint32_t state = 21;
    for (size_t i = 0; i < count; ++i) {
        state = state * 1664525 + 1013904223;
        double x = state >> 16;
        state = state * 1664525 + 1013904223;
        towns.push_back({x, double(state >> 16), "the town with the number " + std::to_string(i)});
    }
    return towns;
}

static double distanceBetween(Distances &distances, uint32_t a, uint32_t b) {
    ++distances.lookups;
    uint64_t key = uint64_t(std::min(a, b)) << 32 | std::max(a, b);
    auto found = distances.known.find(key);
    if (found != distances.known.end())
        return found->second;
    if (distances.known.size() >= kKnownLimit)
        distances.known.clear();
    const Town &from = distances.towns[a], &to = distances.towns[b];
    double distance = std::hypot(from.x - to.x, from.y - to.y);
    distances.known.emplace(key, distance);
    return distance;
}

static std::vector<uint32_t> firstTour(size_t count) {
    std::vector<uint32_t> tour(count);
    for (size_t i = 0; i < count; ++i)
        tour[i] = uint32_t(i * 7919 % count);
    return tour;
}

static std::vector<float> makeHeat(const std::vector<Town> &towns) {
    std::vector<float> heat(1024 * 1024);
    for (const Town &town : towns)
        heat[size_t(town.y) / 64 * 1024 + size_t(town.x) / 64] += 1;
    return heat;
}

static double improve(std::vector<uint32_t> &tour, Distances &distances, size_t rounds) {
    double gain = 0;
    uint32_t state = 3;
    for (size_t i = 0; i < rounds; ++i) {
        state = state * 1664525 + 1013904223;
        size_t a = 1 + (state >> 8) % (tour.size() - 3);
        double before = distanceBetween(distances, tour[a - 1], tour[a])
                        + distanceBetween(distances, tour[a + 1], tour[a + 2]);
        double after = distanceBetween(distances, tour[a - 1], tour[a + 1])
                       + distanceBetween(distances, tour[a], tour[a + 2]);
        if (after < before) {
            std::swap(tour[a], tour[a + 1]);
            gain += before - after;
        }
    }
    return gain;
}

int main() {
    auto towns = makeTowns(60000);
    auto heat = makeHeat(towns);
    auto tour = firstTour(towns.size());
    Distances distances{towns, {}, 0};
    double gain = improve(tour, distances, 60000);
    printf("gain %.0f, %zu lookups, heat %.0f\n", gain, distances.lookups, heat[0]);
}
