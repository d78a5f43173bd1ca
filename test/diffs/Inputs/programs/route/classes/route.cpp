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

class DistanceCache {
public:
    const double *find(uint64_t key) const {
        auto found = known_.find(key);
        return found != known_.end() ? &found->second : nullptr;
    }
    void insert(uint64_t key, double distance) {
        if (known_.size() >= kLimit)
            known_.clear();
        known_.emplace(key, distance);
    }

private:
    static constexpr size_t kLimit = 20000;
    std::unordered_map<uint64_t, double> known_;
};

class Distances {
public:
    explicit Distances(const std::vector<Town> &towns) : towns_(towns) {}

    double between(uint32_t a, uint32_t b) {
        ++lookups_;
        uint64_t key = uint64_t(std::min(a, b)) << 32 | std::max(a, b);
        if (const double *known = cache_.find(key))
            return *known;
        const Town &from = towns_[a], &to = towns_[b];
        double distance = std::hypot(from.x - to.x, from.y - to.y);
        cache_.insert(key, distance);
        return distance;
    }
    size_t lookups() const { return lookups_; }

private:
    const std::vector<Town> &towns_;
    DistanceCache cache_;
    size_t lookups_ = 0;
};

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
        double before = distances.between(tour[a - 1], tour[a])
                        + distances.between(tour[a + 1], tour[a + 2]);
        double after = distances.between(tour[a - 1], tour[a + 1])
                       + distances.between(tour[a], tour[a + 2]);
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
    Distances distances(towns);
    double gain = improve(tour, distances, 60000);
    printf("gain %.0f, %zu lookups, heat %.0f\n", gain, distances.lookups(), heat[0]);
}
