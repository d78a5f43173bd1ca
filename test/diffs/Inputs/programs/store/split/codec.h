#ifndef CODEC_H
#define CODEC_H
#include <stddef.h>
#include <stdint.h>

struct block {
    uint8_t *bytes;
    size_t length;
};

struct block encode(const uint8_t *bytes, size_t length);
uint8_t *decode(struct block block, size_t *length);
#endif
