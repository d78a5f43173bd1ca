/* fills a store with blocks and reads some of them again */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec.h"
#include "index.h"

#define PAGES 4000
#define PAGE 4096
#define KEYS 200000

static void fill_page(uint8_t *page, unsigned number)
{
    for (unsigned i = 0; i < PAGE; i++)
        page[i] = (uint8_t)((i / (2 + number % 3)) * (number + 1));
}

int main(void)
{
    struct index *index = index_new(KEYS);
    struct block *blocks = malloc(PAGES * sizeof *blocks);
    uint8_t *page = malloc(PAGE);
    for (unsigned i = 0; i < PAGES; i++) {
        fill_page(page, i);
        blocks[i] = encode(page, PAGE);
    }
    for (uint32_t k = 0; k < KEYS; k++)
        index_put(index, 1 + k * 7919ull, k % PAGES);
    unsigned long sum = 0;
    for (uint32_t k = 0; k < KEYS; k += 97) {
        size_t length;
        uint8_t *bytes = decode(blocks[index_get(index, 1 + k * 7919ull)], &length);
        sum += bytes[length / 2];
        free(bytes);
    }
    printf("%zu keys, sum %lu\n", index->used, sum);
    for (unsigned i = 0; i < PAGES; i++)
        free(blocks[i].bytes);
    free(blocks);
    free(page);
    index_delete(index);
    return 0;
}
