/* This header declares a picture of a distributed matrix. */
#ifndef EXAMPLES_PICTURE_H
#define EXAMPLES_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "npy.h"

/* Whether this build can draw. */
extern const bool picture_available;

/* Draw m as a heat map and, beside it, who owns which element, as a PNG file
 * that appears complete or not at all.
 *   m       not empty
 *   owners  the owner's rank for each element, in m's order; on a process grid,
 *           so that tiles follow from the first row and the first column
 *   nranks  owners are 0 .. nranks - 1
 *   title   what to write above the owners
 * Returns 0, or -1 and why. */
int picture_write(const char *path, const struct npy *m, const uint16_t *owners, int nranks,
                  const char *title, char why[NPY_WHY]);

#endif
