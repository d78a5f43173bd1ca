// stock: an inventory with prices; computes the value of the stock over a year
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

struct Item {
    std::string name;
    uint32_t quantity;
    uint32_t category;
};

class Inventory {
public:
    explicit Inventory(size_t items) { loadItems(items); loadPrices(items); }

    double valueOn(int day) const;
    std::vector<double> valueByCategory(int day) const;
    size_t size() const { return items_.size(); }

private:
    void loadItems(size_t count);
    void loadPrices(size_t count);
    float price(size_t item, int day) const { return prices_[item * kDays + day % kDays]; }

    static constexpr int kDays = 64;
    std::vector<Item> items_;
    std::vector<float> prices_;
    std::unique_ptr<uint16_t[]> discounts_;
};

void Inventory::loadItems(size_t count) {
    items_.reserve(count);
    for (size_t i = 0; i < count; ++i) {
        std::string name = "article number " + std::to_string(100000 + i) + " of the catalogue";
        items_.push_back({std::move(name), uint32_t(i * 7 % 40), uint32_t(i % 12)});
    }
}

void Inventory::loadPrices(size_t count) {
    prices_.resize(count * kDays);
    uint32_t state = 1;
    for (float &price : prices_) {
        state = state * 1664525 + 1013904223;
        price = float(state >> 20) / 100;
    }
    discounts_ = std::make_unique<uint16_t[]>(count * kDays);
    for (size_t i = 0; i < count * kDays; ++i)
        discounts_[i] = i % 97 == 0 ? 50 : 0;
}

double Inventory::valueOn(int day) const {
    double sum = 0;
    for (size_t i = 0; i < items_.size(); ++i)
        sum += items_[i].quantity * price(i, day) * (100 - discounts_[i * kDays + day % kDays]) / 100;
    return sum;
}

std::vector<double> Inventory::valueByCategory(int day) const {
    std::vector<double> values(12);
    for (size_t i = 0; i < items_.size(); ++i)
        values[items_[i].category] += items_[i].quantity * price(i, day);
    return values;
}

static std::vector<std::vector<double>> makeReport(const Inventory &inventory, int days) {
    std::vector<std::vector<double>> report;
    for (int day = 0; day < days; ++day) {
        report.push_back(inventory.valueByCategory(day));
        report.back().push_back(inventory.valueOn(day));
    }
    return report;
}

int main() {
    Inventory inventory(30000);
    auto report = makeReport(inventory, 100);
    printf("%zu items, %.2f\n", inventory.size(), report.back().back());
}
