// rank: ranks the values of two columns and correlates the ranks
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

static std::vector<double> readWeights(size_t count) {
    std::vector<double> weights(count);
    uint32_t state = 5;
    for (auto &weight : weights) {
        state = state * 1664525 + 1013904223;
        weight = double(state >> 8) / 1000;
    }
    return weights;
}

static std::vector<std::string> readNames(size_t count) {
    std::vector<std::string> names;
    names.reserve(count);
    uint32_t state = 6;
    for (size_t i = 0; i < count; ++i) {
        state = state * 1664525 + 1013904223;
        names.push_back("species " + std::to_string(state >> 6) + " of the forest");
    }
    return names;
}

static std::vector<uint32_t> rankNumbers(const std::vector<double> &values) {
    std::vector<uint32_t> order(values.size());
    for (uint32_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return values[a] < values[b]; });
    std::vector<uint32_t> ranks(values.size());
    for (uint32_t i = 0; i < order.size(); ++i)
        ranks[order[i]] = i;
    return ranks;
}

static std::vector<uint32_t> rankNames(const std::vector<std::string> &values) {
    std::vector<uint32_t> order(values.size());
    for (uint32_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return values[a] < values[b]; });
    std::vector<uint32_t> ranks(values.size());
    for (uint32_t i = 0; i < order.size(); ++i)
        ranks[order[i]] = i;
    return ranks;
}

static double correlate(const std::vector<uint32_t> &a, const std::vector<uint32_t> &b) {
    std::vector<double> squares(a.size());
    for (size_t i = 0; i < a.size(); ++i)
        squares[i] = (double(a[i]) - b[i]) * (double(a[i]) - b[i]);
    double sum = 0;
    for (double square : squares)
        sum += square;
    double n = double(a.size());
    return 1 - 6 * sum / (n * (n * n - 1));
}

int main() {
    auto weights = readWeights(150000);
    auto names = readNames(150000);
    auto byWeight = rankNumbers(weights);
    auto byName = rankNames(names);
    printf("correlation %.4f\n", correlate(byWeight, byName));
}
