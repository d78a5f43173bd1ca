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
