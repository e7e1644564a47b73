/* This header declares what one rank of matrix_gather holds. */
#ifndef EXAMPLES_RANK_H
#define EXAMPLES_RANK_H

#include <mpj/mpj.h>

#include "npy.h"
#include "options.h"
#include "times.h"

enum { ROOT = 0 };

/* All that root tells the others about the matrix. */
struct job {
  int64_t rows, cols;
  int32_t type;    /* enum npy_type */
  int32_t fortran; /* columns are contiguous */
  int32_t failed;  /* there is no matrix: everybody ends */
};

struct rank {
  const struct options *options;
  int number, size;
  int grid[2];
  struct job job;
  MPJ_Datatype whole, mine;  /* the matrix as all own it; this rank's own block */
  void *block;               /* this rank's elements, laid out as `mine` */
  MPJ_Count count;           /* how many they are */
  struct npy matrix, result; /* at root only: all elements, laid out as `whole` */
  struct times *times;       /* [options->repeat] */
};

/* Print "what: why" as this rank's error. Returns -1, for the caller to hand on. */
int rank_say(const struct rank *r, const char *what, const char *why);

/* Returns 0 if rc, which MPJ returned, is MPJ_SUCCESS; else prints the library's
 * sentence and returns -1. */
int rank_check(const struct rank *r, const char *what, int rc);

/* *whole := the matrix as the grid's ranks own it, in the file's order, with
 * `element` for its elements: part i is rank i's. *mine := this rank's own part
 * laid out densely. Both committed. Returns MPJ's status; after an error, what
 * was made is the caller's to free all the same. */
int rank_create_types(const struct rank *r, MPJ_Datatype element, MPJ_Datatype *whole,
                      MPJ_Datatype *mine);

/* Free what *type holds, if anything. */
void rank_free_type(MPJ_Datatype *type);

#endif
