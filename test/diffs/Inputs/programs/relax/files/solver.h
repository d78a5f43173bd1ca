#ifndef SOLVER_H
#define SOLVER_H
#include <stddef.h>

struct grid {
    size_t rows, columns;
    double *values;
    double tolerance;
};

double residual(const struct grid *grid, const double *charges);
void sweep(struct grid *grid, const double *charges);
#endif
