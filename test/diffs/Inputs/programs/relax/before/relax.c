/* relax: solves Poisson's equation on a square by relaxation, and keeps a trace of the residuals */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct grid {
    size_t rows, columns;
    double *values;
    double tolerance;
};

struct progress {
    double *residuals;
    size_t count;
};

static struct grid *grid_create(size_t rows, size_t columns)
{
    struct grid *grid = malloc(sizeof *grid);
    grid->rows = rows;
    grid->columns = columns;
    grid->tolerance = 1e-9;
    grid->values = calloc(rows * columns, sizeof *grid->values);
    return grid;
}

static double *make_charges(const struct grid *grid)
{
    double *charges = malloc(grid->rows * grid->columns * sizeof *charges);
    for (size_t i = 0; i < grid->rows * grid->columns; i++)
        charges[i] = i % 977 == 0 ? 1.0 : 0.0;
    return charges;
}

static double residual(const struct grid *grid, const double *charges)
{
    double *row_norm = malloc(grid->rows * sizeof *row_norm);
    double sum = 0;
    row_norm[0] = row_norm[grid->rows - 1] = 0;
    for (size_t r = 1; r + 1 < grid->rows; r++) {
        const double *v = grid->values + r * grid->columns;
        row_norm[r] = 0;
        for (size_t c = 1; c + 1 < grid->columns; c++) {
            double d = v[c - 1] + v[c + 1] + v[c - grid->columns] + v[c + grid->columns] - 4 * v[c]
                       + charges[r * grid->columns + c];
            row_norm[r] += d * d;
        }
    }
    for (size_t r = 0; r < grid->rows; r++)
        sum += row_norm[r];
    free(row_norm);
    return sqrt(sum);
}

static void sweep(struct grid *grid, const double *charges)
{
    size_t bytes = grid->columns * sizeof(double);
    double *previous = malloc(bytes);
    memcpy(previous, grid->values, bytes);
    for (size_t r = 1; r + 1 < grid->rows; r++) {
        double *v = grid->values + r * grid->columns;
        for (size_t c = 1; c + 1 < grid->columns; c++)
            v[c] = (v[c - 1] + v[c + 1] + previous[c] + v[c + grid->columns]
                    + charges[r * grid->columns + c]) / 4;
        memcpy(previous, v, bytes);
    }
    free(previous);
}

static void record(struct progress *progress, double value)
{
    progress->residuals = realloc(progress->residuals,
                                  (progress->count + 1) * sizeof *progress->residuals);
    progress->residuals[progress->count++] = value;
}

int main(void)
{
    struct grid *grid = grid_create(512, 1024);
    double *charges = make_charges(grid);
    struct progress progress = {0};
    for (int i = 0; i < 300; i++) {
        sweep(grid, charges);
        record(&progress, residual(grid, charges));
        if (progress.residuals[progress.count - 1] < grid->tolerance)
            break;
    }
    printf("%zu sweeps, residual %g\n", progress.count, progress.residuals[progress.count - 1]);
    free(progress.residuals);
    free(charges);
    free(grid->values);
    free(grid);
    return 0;
}
