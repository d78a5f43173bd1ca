/* libindex: an index of keys */
#include "index.h"

#include <stdlib.h>

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
