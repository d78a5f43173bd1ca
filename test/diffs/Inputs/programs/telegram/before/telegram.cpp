// telegram: encodes the values of a meter in frames and checks them
#include <cstdint>
#include <cstdio>
#include <vector>

namespace telegram {
inline namespace v1 {

struct Frame {
    uint32_t number;
    std::vector<uint8_t> bytes;
};

class Encoder {
public:
    explicit Encoder(size_t values) : history_(values) {}

    Frame encode(uint32_t number, const std::vector<uint16_t> &values) {
        Frame frame{number, std::vector<uint8_t>(values.size() * 2)};
        for (size_t i = 0; i < values.size(); ++i) {
            uint16_t difference = uint16_t(values[i] - history_[i]);
            frame.bytes[2 * i] = uint8_t(difference);
            frame.bytes[2 * i + 1] = uint8_t(difference >> 8);
            history_[i] = values[i];
        }
        return frame;
    }

private:
    std::vector<uint16_t> history_;
};

inline uint32_t check(const Frame &frame) {
    uint32_t sum = frame.number;
    for (uint8_t byte : frame.bytes)
        sum = sum * 31 + byte;
    return sum;
}

} // namespace v1
} // namespace telegram

int main() {
    telegram::Encoder encoder(200000);
    std::vector<uint16_t> values(200000);
    std::vector<telegram::Frame> frames;
    uint32_t sum = 0;
    for (uint32_t number = 0; number < 6; ++number) {
        for (size_t i = 0; i < values.size(); ++i)
            values[i] = uint16_t(values[i] + i % (number + 2));
        frames.push_back(encoder.encode(number, values));
        sum += telegram::check(frames.back());
    }
    printf("%u\n", sum);
}
