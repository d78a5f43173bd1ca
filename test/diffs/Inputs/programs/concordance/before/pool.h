#ifndef POOL_H
#define POOL_H
#include <stddef.h>

struct entry {
    struct entry *next;
    unsigned count;
    char text[];
};

struct pool {
    struct entry **buckets;
    size_t size, used;
};

void pool_init(struct pool *pool, size_t size);
struct entry *pool_intern(struct pool *pool, const char *text, size_t length);
void pool_clear(struct pool *pool);
#endif
