/* concordance: which words does a text have, and in which order? */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pool.h"

#define TEXT (6u << 20)

static char *write_text(size_t length)
{
    static const char *const syllables[] = {"ba", "ke", "lo", "mi", "nu", "ra", "se", "to"};
    char *text = malloc(length + 1);
    unsigned state = 11;
    size_t n = 0;
    while (n + 24 < length) {
        state = state * 1664525u + 1013904223u;
        unsigned word = (state >> 8) % 65536;
        for (int i = 0; i < 6; i++, word /= 8) {
            memcpy(text + n, syllables[word % 8], 2);
            n += 2;
        }
        text[n++] = ' ';
    }
    text[n] = 0;
    return text;
}

static struct entry **make_sequence(struct pool *pool, const char *text, size_t *count)
{
    size_t words = 0;
    for (const char *p = text; *p; p++)
        words += *p == ' ';
    struct entry **sequence = malloc(words * sizeof *sequence);
    size_t n = 0;
    while (*text) {
        size_t length = strcspn(text, " ");
        sequence[n++] = pool_intern(pool, text, length);
        text += length + 1;
    }
    *count = n;
    return sequence;
}

static int by_count(const void *a, const void *b)
{
    const struct entry *x = *(struct entry *const *)a, *y = *(struct entry *const *)b;
    return x->count != y->count ? (x->count < y->count) - (x->count > y->count) : strcmp(x->text, y->text);
}

static void print_top(struct entry **sequence, size_t count)
{
    struct entry **sorted = malloc(count * sizeof *sorted);
    memcpy(sorted, sequence, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_count);
    printf("%s %u\n", sorted[0]->text, sorted[0]->count);
    free(sorted);
}

int main(void)
{
    struct pool pool;
    size_t count;
    pool_init(&pool, 16384);
    char *text = write_text(TEXT);
    struct entry **sequence = make_sequence(&pool, text, &count);
    printf("%zu words, %zu distinct\n", count, pool.used);
    print_top(sequence, count);
    free(sequence);
    free(text);
    pool_clear(&pool);
    return 0;
}
