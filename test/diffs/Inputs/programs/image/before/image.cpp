// image: sums a picture up, so that the mean of any rectangle takes four look-ups
#include <cstdint>
#include <cstdio>

struct Image {
    size_t width, height;
    uint8_t *pixels;
};

static Image *makeImage(size_t width, size_t height) {
    Image *image = new Image{width, height, nullptr};
    image->pixels = new uint8_t[width * height];
    for (size_t i = 0; i < width * height; ++i)
        image->pixels[i] = uint8_t(i * 7 + i / width);
    return image;
}

static float *sumUp(const Image *image) {
    size_t columns = image->width + 1;
    float *sums = new float[columns * (image->height + 1)]();
    for (size_t y = 1; y <= image->height; ++y)
        for (size_t x = 1; x <= image->width; ++x)
            sums[y * columns + x] = image->pixels[(y - 1) * image->width + x - 1] + sums[y * columns + x - 1] +
                                    sums[(y - 1) * columns + x] - sums[(y - 1) * columns + x - 1];
    return sums;
}

static double *rowMeans(const Image *image, const float *sums) {
    double *means = new double[image->height];
    size_t columns = image->width + 1;
    for (size_t y = 0; y < image->height; ++y)
        means[y] = (sums[(y + 2) * columns - 1] - sums[(y + 1) * columns - 1]) / double(image->width);
    return means;
}

int main() {
    Image *image = makeImage(1500, 1000);
    float *sums = sumUp(image);
    double *means = rowMeans(image, sums);
    printf("%.2f %.2f\n", means[0], means[999]);
    delete[] means;
    delete[] sums;
    delete[] image->pixels;
    delete image;
}
