#ifndef STORE_H
#define STORE_H
#include <stddef.h>
#include <stdint.h>

struct block {
    uint8_t *bytes;
    size_t length;
};

struct entry {
    uint64_t key;
    uint32_t position;
};

struct index {
    struct entry *entries;
    size_t slots, used;
};

struct block encode(const uint8_t *bytes, size_t length);
uint8_t *decode(struct block block, size_t *length);
struct index *index_new(size_t expected);
void index_put(struct index *index, uint64_t key, uint32_t position);
int64_t index_get(const struct index *index, uint64_t key);
void index_delete(struct index *index);
#endif
