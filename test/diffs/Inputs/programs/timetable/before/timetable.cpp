// timetable: finds the earliest arrivals in a network of trains
#include <cstdint>
#include <cstdio>
#include <list>
#include <vector>

struct Train {
    uint32_t to, leaves, arrives;
};

struct Station {
    std::list<Train> trains;
};

static std::vector<Station> makeStations(size_t count) {
    std::vector<Station> stations(count);
    for (uint32_t from = 0; from < count; ++from)
        for (uint32_t i = 0; i < 40; ++i) {
            uint32_t leaves = (from * 13 + i * 37) % 1440;
            uint32_t to = uint32_t((from * 7 + i * 101) % count);
            stations[from].trains.push_back({to, leaves, leaves + 5 + i});
        }
    return stations;
}

static std::vector<uint32_t> earliest(const std::vector<Station> &stations, uint32_t start) {
    std::vector<uint32_t> arrivals(stations.size(), UINT32_MAX);
    arrivals[start] = 0;
    for (int round = 0; round < 4; ++round)
        for (uint32_t at = 0; at < stations.size(); ++at)
            for (const Train &train : stations[at].trains)
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
