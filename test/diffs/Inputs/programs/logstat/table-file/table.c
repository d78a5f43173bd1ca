/* the table of hosts */
#include "table.h"

#include <stdlib.h>
#include <string.h>

static unsigned long hash_name(const char *s, size_t n)
{
    unsigned long h = 1469598103934665603ul;
    while (n--)
        h = (h ^ (unsigned char)*s++) * 1099511628211ul;
    return h;
}

void table_init(struct host_table *table, size_t buckets)
{
    table->names = calloc(buckets, sizeof *table->names);
    table->hits = calloc(buckets, sizeof *table->hits);
    table->buckets = buckets;
    table->used = 0;
}

static size_t find_bucket(const struct host_table *table, const char *name, size_t n)
{
    size_t i = hash_name(name, n) % table->buckets;
    while (table->names[i] && (strncmp(table->names[i], name, n) || table->names[i][n]))
        i = (i + 1) % table->buckets;
    return i;
}

void table_hit(struct host_table *table, const char *name, size_t n)
{
    size_t i = find_bucket(table, name, n);
    if (!table->names[i]) {
        table->names[i] = strndup(name, n);
        table->used++;
    }
    table->hits[i]++;
}

void table_free(struct host_table *table)
{
    for (size_t i = 0; i < table->buckets; i++)
        free(table->names[i]);
    free(table->names);
    free(table->hits);
}
