#ifndef INDEX_H
#define INDEX_H
#include <stddef.h>
#include <stdint.h>

struct entry {
    uint64_t key;
    uint32_t position;
};

struct index {
    struct entry *entries;
    size_t slots, used;
};

struct index *index_new(size_t expected);
void index_put(struct index *index, uint64_t key, uint32_t position);
int64_t index_get(const struct index *index, uint64_t key);
void index_delete(struct index *index);
#endif
