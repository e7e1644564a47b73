/* This header declares the serial reference of reductions: packed streams of
 * elements, combined one element after another in rank order. */
#ifndef MPJ_TESTS_COLL_REDUCTION_MODEL_H
#define MPJ_TESTS_COLL_REDUCTION_MODEL_H

#include "coll/reduction_ops.h"
#include "pack/reduce/reduce.h"

struct model {
  enum mpj_reduce_op op;      /* predefined; or */
  const struct user_op *user; /* not NULL: a user's */
  struct layout element;      /* what reductions are of copies of */
  MPJ_Count bytes;            /* of its packed stream */
  bool exact;                 /* streams hold values on which op is exact */
};

/* A random operation (number 0 .. MODEL_OPS - 1) and an element for it: one
 * basic type, a struct of some, or any random type of one or of all that it applies to, long
 * lists of unlike pieces in one another among them. */
enum { MODEL_OPS = MPJ_REDUCE_OPS + USER_OPS };
void model_make(struct mpj_random *rng, int number, struct model *out);
void model_free(struct model *model);
const char *model_name(const struct model *model);

/* The handle to give to calls; user operations are made anew (MPJ_Op_free). */
MPJ_Op model_op(const struct model *model);

/* A random stream of n elements, the caller's (free): the same for equal seeds. */
void *model_stream(const struct model *model, uint64_t seed, MPJ_Count n);

/* inout := in (op) inout for n elements. */
void model_combine(const struct model *model, const void *in, void *inout, MPJ_Count n);

/* Copies of the element, laid out anew: n of them, densely, with a stride, in
 * blocks anywhere, or as a sub-rectangle; or counts[i] of them as part i. */
void copies_make(struct mpj_random *rng, const struct model *model, MPJ_Count n,
                 struct layout *out);
void copies_parted(struct mpj_random *rng, const struct model *model, int nparts,
                   const MPJ_Count counts[], struct layout *out);
/* Of n copies, part i being the next counts[i] basic elements of their data, wherever that cuts
 * the copies; and part `mine` once more, as a whole. Returns the bytes of the parts before
 * it. */
MPJ_Count stretches_parted(struct mpj_random *rng, const struct model *model, MPJ_Count n,
                           int nparts, const MPJ_Count counts[], int mine, struct layout *all,
                           struct layout *own);

#endif
