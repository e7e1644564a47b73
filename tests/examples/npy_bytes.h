/* This header declares .npy files made by hand, byte by byte. */
#ifndef TESTS_EXAMPLES_NPY_BYTES_H
#define TESTS_EXAMPLES_NPY_BYTES_H

#include <stddef.h>

enum { BYTES_MAX = 1024 };

struct bytes {
  unsigned char at[BYTES_MAX];
  size_t n;
};

/* Append n bytes. */
void bytes_add(struct bytes *b, const void *what, size_t n);

/* A file of format version `major`.0: preamble, `header` and nothing more. */
struct bytes bytes_file(int major, const char *header);

/* A file whose dict has these values, as text. */
struct bytes bytes_dict(int major, const char *descr, const char *fortran_order, const char *shape);

/* Write them to `path`, or fail the test. */
void bytes_save(const struct bytes *b, const char *path);

/* A new folder for a test's files, and its end with all files in it. */
void folder_make(void);
void folder_remove(void);
/* How many files are in it. */
int folder_count(void);
/* "<folder>/<name>", valid until the next call. */
const char *folder_path(const char *name);

#endif
