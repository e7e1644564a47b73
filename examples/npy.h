/* This header declares a matrix in memory, read from and written to NumPy's
 * .npy files.
 *
 * Errors are sentences that begin with the field at fault ("descr: ..."),
 * without the file's name. Source: NumPy, numpy.lib.format. */
#ifndef EXAMPLES_NPY_H
#define EXAMPLES_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum npy_type { NPY_F4, NPY_F8, NPY_I4, NPY_I8, NPY_U1, NPY_C8, NPY_C16, NPY_TYPES };
enum { NPY_WHY = 256 }; /* bytes of room for an error's sentence */

struct npy {
  int64_t rows, cols; /* >= 0; rows * cols * element size fits 63 bits */
  enum npy_type type;
  bool fortran; /* columns are contiguous, else rows */
  void *data;   /* owned: rows * cols elements in this machine's byte order */
};

/* Bytes of one element; of what has a byte order in it: half of a complex one; the type's name
 * as in NumPy without byte order ("f8"). */
size_t npy_size(enum npy_type type);
size_t npy_scalar_size(enum npy_type type);
const char *npy_name(enum npy_type type);

/* Bytes of the whole matrix. */
int64_t npy_bytes(const struct npy *m);

/* The element at (row, col) as a double; of a complex one its modulus. */
double npy_value(const struct npy *m, int64_t row, int64_t col);

/* How many elements of a and b, which have one shape, type and order, are equal
 * bit by bit. */
int64_t npy_count_equal(const struct npy *a, const struct npy *b);

/* m->data := room for the matrix that the other fields describe, all zeros.
 * Returns 0, or -1 and why. */
int npy_alloc(struct npy *m, char why[NPY_WHY]);

/* Release m->data; an m of all zeros is fine. */
void npy_free(struct npy *m);

/* Read a 2-D array: format versions 1 to 3, C or Fortran order, f4 f8 i4 i8 u1
 * c8 c16 in either byte order; either dimension may be 0.
 *   path  a regular file, with not a byte too few or too many
 *   m     set only on 0; release with npy_free
 * Returns 0, or -1 and why. */
int npy_read(const char *path, struct npy *m, char why[NPY_WHY]);

/* Write m as format version 1. The file appears complete or not at all.
 * Returns 0, or -1 and why. */
int npy_write(const char *path, const struct npy *m, char why[NPY_WHY]);

#endif
