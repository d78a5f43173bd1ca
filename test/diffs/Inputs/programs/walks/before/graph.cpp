// a graph with weights
#include "graph.h"

Graph::Graph(uint32_t nodes) : neighbours_(nodes) {
    for (uint32_t node = 0; node < nodes; ++node) {
        names_[node] = "crossing number " + std::to_string(node);
        neighbours_[node].reserve(8);
    }
}

void Graph::add(const Edge &edge) {
    neighbours_[edge.from].push_back(edge);
    ++edges_;
}

std::vector<uint32_t> Graph::distances(uint32_t start) const {
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
