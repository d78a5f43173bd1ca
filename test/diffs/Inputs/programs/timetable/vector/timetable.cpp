// timetable: finds the earliest arrivals in a network of trains
#include <cstdint>
#include <cstdio>
#include <vector>

struct Train {
    uint32_t to, leaves, arrives;
};

using Trains = std::vector<Train>;

static Train makeTrain(uint32_t from, uint32_t i, size_t count) {
    uint32_t leaves = (from * 13 + i * 37) % 1440;
    return {uint32_t((from * 7 + i * 101) % count), leaves, leaves + 5 + i};
}

static std::vector<Trains> makeStations(size_t count) {
    std::vector<Trains> stations(count);
    for (uint32_t from = 0; from < count; ++from)
        for (uint32_t i = 0; i < 40; ++i)
            stations[from].push_back(makeTrain(from, i, count));
    return stations;
}

static std::vector<uint32_t> earliest(const std::vector<Trains> &stations, uint32_t start) {
    std::vector<uint32_t> arrivals(stations.size(), UINT32_MAX);
    arrivals[start] = 0;
    for (int round = 0; round < 4; ++round)
        for (uint32_t at = 0; at < stations.size(); ++at)
            for (const Train &train : stations[at])
                if (arrivals[at] <= train.leaves && train.arrives < arrivals[train.to])
                    arrivals[train.to] = train.arrives;
    return arrivals;
}

int main() {
    auto stations = makeStations(4000);
    auto arrivals = earliest(stations, 17);
    size_t reached = 0;
    for (uint32_t arrival : arrivals)
        reached += arrival != UINT32_MAX;
    printf("%zu reached\n", reached);
}
