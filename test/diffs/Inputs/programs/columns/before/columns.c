/* columns: reads a table, keeps its columns as numbers and prints their quantiles */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 120000
#define COLUMNS 6

struct table {
    size_t rows;
    double *columns[COLUMNS];
    unsigned *order;
};

static char *make_text(size_t *length)
{
    char *text = malloc((size_t)ROWS * COLUMNS * 9 + 1);
    size_t n = 0;
    unsigned state = 5;
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) {
            state = state * 1664525u + 1013904223u;
            n += sprintf(text + n, "%u%c", 10000 + (state >> 8) % 9000000, c + 1 < COLUMNS ? ',' : '\n');
        }
    *length = n;
    return text;
}

static char **split_rows(char *text)
{
    char **rows = malloc(ROWS * sizeof *rows);
    size_t n = 0;
    for (char *p = text; *p && n < ROWS; p = strchr(p, '\n') + 1)
        rows[n++] = p;
    return rows;
}

static void parse_column(struct table *table, char **rows, int column)
{
    double *values = malloc(ROWS * sizeof *values);
    for (size_t r = 0; r < ROWS; r++) {
        const char *p = rows[r];
        for (int c = 0; c < column; c++)
            p = strchr(p, ',') + 1;
        values[r] = strtod(p, NULL) / 100;
    }
    table->columns[column] = values;
    table->rows = ROWS;
}

static const double *sort_key;

static int by_key(const void *a, const void *b)
{
    double x = sort_key[*(const unsigned *)a], y = sort_key[*(const unsigned *)b];
    return (x > y) - (x < y);
}

static void sort_rows(struct table *table, int column)
{
    table->order = malloc(table->rows * sizeof *table->order);
    for (size_t r = 0; r < table->rows; r++)
        table->order[r] = (unsigned)r;
    sort_key = table->columns[column];
    qsort(table->order, table->rows, sizeof *table->order, by_key);
}

static void print_quantiles(struct table *table, int column)
{
    sort_rows(table, column);
    const double *values = table->columns[column];
    for (int q = 0; q <= 4; q++)
        printf("%.2f ", values[table->order[(table->rows - 1) * q / 4]]);
    puts("");
    free(table->order);
}

int main(void)
{
    struct table table = {0};
    size_t length;
    char *text = make_text(&length);
    char **rows = split_rows(text);
    for (int c = 0; c < COLUMNS; c++)
        parse_column(&table, rows, c);
    print_quantiles(&table, 2);
    for (int c = 0; c < COLUMNS; c++)
        free(table.columns[c]);
    free(rows);
    free(text);
    return 0;
}
