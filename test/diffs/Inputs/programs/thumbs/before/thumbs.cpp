// thumbs: a pool of threads scales pictures; which thread does which picture is chance
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

using Pixels = std::vector<uint8_t>;

struct Thumbnail {
    int number;
    Pixels pixels;
};

class Pool {
public:
    Pool(int pictures, int threads) : pictures_(pictures) {
        scratch_.resize(threads);
        for (int i = 0; i < threads; ++i)
            threads_.emplace_back([this, i] { work(i); });
    }
    void finish() {
        for (auto &thread : threads_)
            thread.join();
    }
    const std::vector<Thumbnail> &results() const { return results_; }

private:
    void work(int thread);
    static void paint(Pixels &picture, int number);
    static Pixels scale(const Pixels &picture, int width, int height, int factor);

    static constexpr int kWidth = 800, kHeight = 600;
    const int pictures_;
    std::atomic<int> next_{0};
    std::mutex mutex_;
    std::vector<Pixels> scratch_;
    std::vector<Thumbnail> results_;
    std::vector<std::thread> threads_;
};

void Pool::paint(Pixels &picture, int number) {
    for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < kWidth; ++x)
            picture[size_t(y) * kWidth + x] = uint8_t((x + number) * (y + 3 * number) >> 6);
}

Pixels Pool::scale(const Pixels &picture, int width, int height, int factor) {
    Pixels small(size_t(width / factor) * (height / factor));
    for (int y = 0; y < height / factor; ++y)
        for (int x = 0; x < width / factor; ++x) {
            unsigned sum = 0;
            for (int dy = 0; dy < factor; ++dy)
                for (int dx = 0; dx < factor; ++dx)
                    sum += picture[size_t(y * factor + dy) * width + x * factor + dx];
            small[size_t(y) * (width / factor) + x] = uint8_t(sum / (factor * factor));
        }
    return small;
}

void Pool::work(int thread) {
    Pixels &picture = scratch_[thread];
    picture.resize(size_t(kWidth) * kHeight);
    for (int number = next_++; number < pictures_; number = next_++) {
        paint(picture, number);
        Pixels small = scale(picture, kWidth, kHeight, 4);
        std::lock_guard<std::mutex> lock(mutex_);
        results_.push_back({number, std::move(small)});
    }
}

int main() {
    Pool pool(300, 4);
    pool.finish();
    unsigned sum = 0;
    for (const Thumbnail &thumbnail : pool.results())
        sum += thumbnail.pixels[thumbnail.number];
    printf("%zu thumbnails, %u\n", pool.results().size(), sum);
}
