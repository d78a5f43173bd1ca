/* libcodec: run lengths */
#include "codec.h"

#include <stdlib.h>
#include <string.h>

/* run lengths: a count, then the byte */
struct block encode(const uint8_t *bytes, size_t length)
{
    uint8_t *work = malloc(2 * length);
    size_t n = 0;
    for (size_t i = 0; i < length;) {
        size_t run = 1;
        while (i + run < length && run < 255 && bytes[i + run] == bytes[i])
            run++;
        work[n++] = (uint8_t)run;
        work[n++] = bytes[i];
        i += run;
    }
    struct block block = {malloc(n), n};
    memcpy(block.bytes, work, n);
    free(work);
    return block;
}

uint8_t *decode(struct block block, size_t *length)
{
    size_t n = 0;
    for (size_t i = 0; i < block.length; i += 2)
        n += block.bytes[i];
    uint8_t *bytes = malloc(n), *p = bytes;
    for (size_t i = 0; i < block.length; i += 2) {
        memset(p, block.bytes[i + 1], block.bytes[i]);
        p += block.bytes[i];
    }
    *length = n;
    return bytes;
}
