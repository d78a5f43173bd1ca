/* the numerical part */
#include "solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double residual(const struct grid *grid, const double *charges)
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

void sweep(struct grid *grid, const double *charges)
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
