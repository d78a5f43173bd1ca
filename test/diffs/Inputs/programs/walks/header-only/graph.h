#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

struct Edge {
    uint32_t from, to;
    float weight;
};

class Graph {
public:
    explicit Graph(uint32_t nodes);

    void add(const Edge &edge);
    std::vector<uint32_t> distances(uint32_t start) const;
    size_t edges() const { return edges_; }
    const std::string &name(uint32_t node) const { return names_.at(node); }

private:
    std::vector<std::vector<Edge>> neighbours_;
    std::unordered_map<uint32_t, std::string> names_;
    size_t edges_ = 0;
};

inline Graph::Graph(uint32_t nodes) : neighbours_(nodes) {
    for (uint32_t node = 0; node < nodes; ++node) {
        names_[node] = "crossing number " + std::to_string(node);
        neighbours_[node].reserve(8);
    }
}

inline void Graph::add(const Edge &edge) {
    neighbours_[edge.from].push_back(edge);
    ++edges_;
}

inline std::vector<uint32_t> Graph::distances(uint32_t start) const {
    std::vector<uint32_t> distance(neighbours_.size(), UINT32_MAX);
    std::vector<uint32_t> front{start};
    distance[start] = 0;
    for (uint32_t level = 1; !front.empty(); ++level) {
        std::vector<uint32_t> next;
        for (uint32_t node : front)
            for (const Edge &edge : neighbours_[node])
                if (distance[edge.to] == UINT32_MAX) {
                    distance[edge.to] = level;
                    next.push_back(edge.to);
                }
        front.swap(next);
    }
    return distance;
}
