/* libstore: a codec for blocks, and an index of keys */
#include "store.h"

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

struct index *index_new(size_t expected)
{
    struct index *index = malloc(sizeof *index);
    size_t slots = 16;
    while (slots < 2 * expected)
        slots *= 2;
    index->slots = slots;
    index->used = 0;
    index->entries = calloc(slots, sizeof *index->entries);
    return index;
}

static size_t find_slot(const struct index *index, uint64_t key)
{
    size_t i = key * 0x9e3779b97f4a7c15u % index->slots;
    while (index->entries[i].key && index->entries[i].key != key)
        i = (i + 1) % index->slots;
    return i;
}

void index_put(struct index *index, uint64_t key, uint32_t position)
{
    size_t i = find_slot(index, key);
    index->used += !index->entries[i].key;
    index->entries[i].key = key;
    index->entries[i].position = position;
}

int64_t index_get(const struct index *index, uint64_t key)
{
    size_t i = find_slot(index, key);
    return index->entries[i].key == key ? (int64_t)index->entries[i].position : -1;
}

void index_delete(struct index *index)
{
    free(index->entries);
    free(index);
}
