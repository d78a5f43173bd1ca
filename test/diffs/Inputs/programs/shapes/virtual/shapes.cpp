// shapes: draws shapes into layers of a map
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

class Layer {
public:
    explicit Layer(int size) : size_(size), cells_(size_t(size) * size) {}
    virtual ~Layer() = default;

    void draw() {
        for (int y = 0; y < size_; ++y)
            for (int x = 0; x < size_; ++x)
                cells_[size_t(y) * size_ + x] = has(x * x + y * y);
    }

    size_t covered() const {
        size_t count = 0;
        for (uint8_t cell : cells_)
            count += cell;
        return count;
    }

protected:
    virtual bool has(int square) const = 0;
    int size_;

private:
    std::vector<uint8_t> cells_;
};

class Disc : public Layer {
public:
    using Layer::Layer;

protected:
    bool has(int square) const override { return 4 * square < size_ * size_; }
};

class Ring : public Layer {
public:
    using Layer::Layer;

protected:
    bool has(int square) const override { return 4 * square < size_ * size_ && 9 * square > size_ * size_; }
};

template <typename Shape>
static std::unique_ptr<Layer> drawn(int size) {
    auto layer = std::make_unique<Shape>(size);
    layer->draw();
    return layer;
}

int main() {
    std::vector<std::unique_ptr<Layer>> layers;
    for (int size = 200; size < 900; size += 100) {
        layers.push_back(drawn<Disc>(size));
        layers.push_back(drawn<Ring>(size / 2));
    }
    size_t count = 0;
    for (const auto &layer : layers)
        count += layer->covered();
    printf("%zu layers, %zu cells\n", layers.size(), count);
}
