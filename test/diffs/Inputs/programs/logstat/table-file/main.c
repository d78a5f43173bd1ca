/* logstat: loads an access log, indexes its lines and counts the requests of each host */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

#define BLOCK (1u << 20)
#define BLOCKS 12

struct line_index {
    size_t *offsets;
    size_t count, capacity;
};

static unsigned state = 7;

static unsigned next_random(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static char *read_block(size_t *length)
{
    char *block = malloc(BLOCK);
    size_t n = 0;
    while (n + 80 < BLOCK)
        n += sprintf(block + n, "10.%u.%u.%u GET /item/%u 200 %u\n", next_random() % 4,
                     next_random() % 16, next_random() % 256, next_random() % 10000,
                     next_random() % 90000);
    *length = n;
    return block;
}

static char *load_log(size_t *total)
{
    char *log = malloc((size_t)BLOCK * BLOCKS);
    size_t n = 0;
    for (int i = 0; i < BLOCKS; i++) {
        size_t length;
        char *block = read_block(&length);
        memcpy(log + n, block, length);
        n += length;
        free(block);
    }
    *total = n;
    return log;
}

static void index_add(struct line_index *index, size_t offset)
{
    if (index->count == index->capacity) {
        index->capacity = index->capacity ? index->capacity * 2 : 1024;
        index->offsets = realloc(index->offsets, index->capacity * sizeof *index->offsets);
    }
    index->offsets[index->count++] = offset;
}

static void index_lines(struct line_index *index, const char *log, size_t total)
{
    index_add(index, 0);
    for (size_t i = 0; i + 1 < total; i++)
        if (log[i] == '\n')
            index_add(index, i + 1);
}

int main(void)
{
    size_t total;
    struct line_index index = {0};
    struct host_table table;
    table_init(&table, 1u << 19);
    char *log = load_log(&total);
    index_lines(&index, log, total);
    for (size_t i = 0; i < index.count; i++) {
        const char *line = log + index.offsets[i];
        table_hit(&table, line, strcspn(line, " "));
    }
    printf("%zu lines, %zu hosts\n", index.count, table.used);
    table_free(&table);
    free(index.offsets);
    free(log);
    return 0;
}
