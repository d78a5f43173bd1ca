/* a pool of words */
#include "pool.h"

#include <stdlib.h>
#include <string.h>

static size_t hash_text(const char *text, size_t length)
{
    size_t h = 5381;
    for (size_t i = 0; i < length; i++)
        h = h * 33 ^ (unsigned char)text[i];
    return h;
}

void pool_init(struct pool *pool, size_t size)
{
    pool->buckets = calloc(size, sizeof *pool->buckets);
    pool->size = size;
    pool->used = 0;
}

struct entry *pool_intern(struct pool *pool, const char *text, size_t length)
{
    struct entry **slot = &pool->buckets[hash_text(text, length) % pool->size];
    for (struct entry *e = *slot; e; e = e->next)
        if (strncmp(e->text, text, length) == 0 && e->text[length] == 0) {
            e->count++;
            return e;
        }
    struct entry *e = malloc(sizeof *e + length + 1);
    memcpy(e->text, text, length);
    e->text[length] = 0;
    e->count = 1;
    e->next = *slot;
    *slot = e;
    pool->used++;
    return e;
}

void pool_clear(struct pool *pool)
{
    for (size_t i = 0; i < pool->size; i++)
        for (struct entry *e = pool->buckets[i], *next; e; e = next) {
            next = e->next;
            free(e);
        }
    free(pool->buckets);
}
