// cube: a data cube of two measures; sums them over the dimensions
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <numeric>
#include <string>
#include <vector>

struct FloatTable {
    std::string name;
    std::vector<float> cells;
    size_t columns;
};

struct IntTable {
    std::string name;
    std::vector<int32_t> cells;
    size_t columns;
};

static uint32_t state = 99;

static uint32_t nextRandom() {
    state = state * 1664525 + 1013904223;
    return state >> 10;
}

static FloatTable makeFloatTable(const std::string &name, size_t rows, size_t columns) {
    FloatTable table{name, {}, columns};
    table.cells.resize(rows * columns);
    for (auto &cell : table.cells)
        cell = float(nextRandom() % 100000) / 8;
    return table;
}

static IntTable makeIntTable(const std::string &name, size_t rows, size_t columns) {
    IntTable table{name, {}, columns};
    table.cells.resize(rows * columns);
    for (auto &cell : table.cells)
        cell = int32_t(nextRandom() % 500);
    return table;
}

static std::vector<double> sumColumns(const FloatTable &table) {
    std::vector<double> sums(table.columns);
    for (size_t i = 0; i < table.cells.size(); ++i)
        sums[i % table.columns] += table.cells[i];
    return sums;
}

static std::vector<double> sumColumnsInt(const IntTable &table) {
    std::vector<double> sums(table.columns);
    for (size_t i = 0; i < table.cells.size(); ++i)
        sums[i % table.columns] += table.cells[i];
    return sums;
}

static double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    return values[values.size() / 2];
}

static std::map<int32_t, size_t> countValues(const IntTable &table) {
    std::map<int32_t, size_t> counts;
    for (int32_t cell : table.cells)
        ++counts[cell];
    return counts;
}

int main() {
    auto revenue = makeFloatTable("revenue", 1000, 1500);
    auto orders = makeIntTable("orders", 800, 2500);
    auto revenueSums = sumColumns(revenue);
    auto orderSums = sumColumnsInt(orders);
    auto counts = countValues(orders);
    printf("%s %.1f, %s %.1f, %zu values\n", revenue.name.c_str(), median(revenueSums),
           orders.name.c_str(), median(orderSums), counts.size());
}
