/* This header declares the header of a .npy file: a Python dict as text. */
#ifndef EXAMPLES_NPY_HEADER_H
#define EXAMPLES_NPY_HEADER_H

#include "npy.h"

/* why := the sentence. Returns -1, for the caller to hand on. */
int npy_complain(char why[NPY_WHY], const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Read the dict in text[0..length).
 *   m        rows, cols, type and fortran are set; data is left alone
 *   swapped  := the file's byte order is not this machine's
 * Returns 0, or -1 and why: it is no dict, a key is missing, unknown or there
 * twice, or its value is none that npy_read accepts. */
int npy_header_parse(const char *text, size_t length, struct npy *m, bool *swapped,
                     char why[NPY_WHY]);

/* Write the dict for m, in this machine's byte order, as text of at most
 * `size` bytes. Returns its length, under 128. */
size_t npy_header_format(const struct npy *m, char *text, size_t size);

#endif
