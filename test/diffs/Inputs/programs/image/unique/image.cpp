// image: sums a picture up, so that the mean of any rectangle takes four look-ups
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

class Image {
public:
    Image(size_t width, size_t height)
        : width_(width), height_(height), pixels_(std::make_unique<uint8_t[]>(width * height)) {
        for (size_t i = 0; i < width * height; ++i)
            pixels_[i] = uint8_t(i * 7 + i / width);
    }

    void sumUp();
    std::vector<double> rowMeans() const;

private:
    size_t width_, height_;
    std::unique_ptr<uint8_t[]> pixels_;
    std::unique_ptr<double[]> sums_;
};

void Image::sumUp() {
    size_t columns = width_ + 1;
    sums_ = std::make_unique<double[]>(columns * (height_ + 1));
    for (size_t y = 1; y <= height_; ++y)
        for (size_t x = 1; x <= width_; ++x)
            sums_[y * columns + x] = pixels_[(y - 1) * width_ + x - 1] + sums_[y * columns + x - 1] +
                                     sums_[(y - 1) * columns + x] - sums_[(y - 1) * columns + x - 1];
}

std::vector<double> Image::rowMeans() const {
    std::vector<double> means(height_);
    size_t columns = width_ + 1;
    for (size_t y = 0; y < height_; ++y)
        means[y] = (sums_[(y + 2) * columns - 1] - sums_[(y + 1) * columns - 1]) / double(width_);
    return means;
}

int main() {
    auto image = std::make_unique<Image>(1500, 1000);
    image->sumUp();
    std::vector<double> means = image->rowMeans();
    printf("%.2f %.2f\n", means[0], means[999]);
}
