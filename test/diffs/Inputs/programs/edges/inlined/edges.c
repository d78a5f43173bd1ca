/* edges: finds the edges in a synthetic picture */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 1024
#define HEIGHT 1024

typedef struct {
    int width, height;
    uint8_t *pixels;
} picture;

static picture load_picture(int width, int height)
{
    picture p = {width, height, malloc((size_t)width * height * 3)};
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            uint8_t *pixel = p.pixels + ((size_t)y * width + x) * 3;
            pixel[0] = (uint8_t)(x ^ y);
            pixel[1] = (uint8_t)(x * y >> 7);
            pixel[2] = (uint8_t)(x + y);
        }
    return p;
}

static float *to_gray(const picture *p)
{
    size_t count = (size_t)p->width * p->height;
    float *gray = malloc(count * sizeof *gray);
    for (size_t i = 0; i < count; i++)
        gray[i] = 0.30f * p->pixels[3 * i] + 0.59f * p->pixels[3 * i + 1] + 0.11f * p->pixels[3 * i + 2];
    return gray;
}

static float *gradient(const float *plane, int width, int height, int dx, int dy)
{
    float *g = calloc((size_t)width * height, sizeof *g);
    for (int y = 1; y + 1 < height; y++)
        for (int x = 1; x + 1 < width; x++) {
            size_t i = (size_t)y * width + x;
            g[i] = plane[i + dx + (ptrdiff_t)dy * width] - plane[i - dx - (ptrdiff_t)dy * width];
        }
    return g;
}

static unsigned *histogram(const float *gx, const float *gy, int width, int height)
{
    unsigned *bins = calloc(1024, sizeof *bins);
    for (size_t i = 0; i < (size_t)width * height; i++) {
        int bin = (int)hypotf(gx[i], gy[i]);
        bins[bin < 1024 ? bin : 1023]++;
    }
    return bins;
}

static unsigned find_edges(const picture *p)
{
    float *gray = to_gray(p);
    int width = p->width, height = p->height;
    size_t count = (size_t)width * height;

    /* smooth the plane: first across, then down */
    float *across = malloc(count * sizeof *across);
    memcpy(across, gray, count * sizeof *across);
    for (int y = 0; y < height; y++)
        for (int x = 1; x + 1 < width; x++) {
            size_t i = (size_t)y * width + x;
            across[i] = (gray[i - 1] + 2 * gray[i] + gray[i + 1]) / 4;
        }
    float *smooth = malloc(count * sizeof *smooth);
    memcpy(smooth, across, count * sizeof *smooth);
    for (int y = 1; y + 1 < height; y++)
        for (int x = 0; x < width; x++) {
            size_t i = (size_t)y * width + x;
            smooth[i] = (across[i - width] + 2 * across[i] + across[i + width]) / 4;
        }

    float *gx = gradient(smooth, p->width, p->height, 1, 0);
    float *gy = gradient(smooth, p->width, p->height, 0, 1);
    unsigned *bins = histogram(gx, gy, p->width, p->height);
    unsigned strong = 0;
    for (int i = 100; i < 1024; i++)
        strong += bins[i];
    free(bins);
    free(gy);
    free(gx);
    free(smooth);
    free(across);
    free(gray);
    return strong;
}

int main(void)
{
    picture p = load_picture(WIDTH, HEIGHT);
    printf("%u strong pixels\n", find_edges(&p));
    free(p.pixels);
    return 0;
}
