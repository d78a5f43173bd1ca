// cube: a data cube of two measures; sums them over the dimensions
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <numeric>
#include <string>
#include <vector>

template <typename Cell>
struct Table {
    std::string name;
    std::vector<Cell> cells;
    size_t columns;
};

static uint32_t state = 99;

static uint32_t nextRandom() {
    state = state * 1664525 + 1013904223;
    return state >> 10;
}

template <typename Cell>
static Table<Cell> makeTable(const std::string &name, size_t rows, size_t columns, uint32_t limit,
                             Cell divisor) {
    Table<Cell> table{name, {}, columns};
    table.cells.resize(rows * columns);
    for (auto &cell : table.cells)
        cell = Cell(nextRandom() % limit) / divisor;
    return table;
}

template <typename Cell>
static std::vector<double> sumColumns(const Table<Cell> &table) {
    std::vector<double> sums(table.columns);
    for (size_t i = 0; i < table.cells.size(); ++i)
        sums[i % table.columns] += table.cells[i];
    return sums;
}

static double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    return values[values.size() / 2];
}

static std::map<int32_t, size_t> countValues(const Table<int32_t> &table) {
    std::map<int32_t, size_t> counts;
    for (int32_t cell : table.cells)
        ++counts[cell];
    return counts;
}

int main() {
    auto revenue = makeTable("revenue", 1000, 1500, 100000, 8.0);
    auto orders = makeTable("orders", 800, 2500, 500, 1);
    auto revenueSums = sumColumns(revenue);
    auto orderSums = sumColumns(orders);
    auto counts = countValues(orders);
    printf("%s %.1f, %s %.1f, %zu values\n", revenue.name.c_str(), median(revenueSums),
           orders.name.c_str(), median(orderSums), counts.size());
}
