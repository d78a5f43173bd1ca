#ifndef TABLE_H
#define TABLE_H

#include <stddef.h>

struct host_table {
    char **names;
    unsigned long *hits;
    size_t buckets, used;
};

void table_init(struct host_table *table, size_t buckets);
void table_hit(struct host_table *table, const char *name, size_t n);
void table_free(struct host_table *table);

#endif
