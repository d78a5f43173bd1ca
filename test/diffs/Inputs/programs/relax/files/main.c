/* relax: solves Poisson's equation on a square by relaxation, and keeps a trace of the residuals */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver.h"

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

static void record(struct progress *progress, double value)
{
    progress->residuals = realloc(progress->residuals,
                                  (progress->count + 1) * sizeof *progress->residuals);
    progress->residuals[progress->count++] = value;
}

static struct grid *setup(size_t rows, size_t columns, double **charges)
{
    struct grid *grid = grid_create(rows, columns);
    *charges = make_charges(grid);
    return grid;
}

int main(void)
{
    double *charges;
    struct grid *grid = setup(512, 1024, &charges);
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
