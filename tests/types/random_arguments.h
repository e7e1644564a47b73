/* This header declares how the arguments of a constructor call are drawn, within the options and
 * the budget of elements. */
#ifndef MPJ_TESTS_TYPES_RANDOM_ARGUMENTS_H
#define MPJ_TESTS_TYPES_RANDOM_ARGUMENTS_H

#include "types/random_call.h"

/* What generation carries along. */
struct maker {
  struct mpj_random *rng;
  struct mpj_random_options options;
};

static inline bool one_in(struct mpj_random *rng, int n)
{
  return mpj_random_in(rng, 1, n) == 1;
}

static inline MPJ_Aint most(MPJ_Aint a, MPJ_Aint b)
{
  return a > b ? a : b;
}

static inline MPJ_Aint least(MPJ_Aint a, MPJ_Aint b)
{
  return a < b ? a : b;
}

/* The arguments of a call on one old type, with nparts parts (0: any). */
void mpj_draw_arguments(struct maker *m, struct call *c, struct mpj_ref *old, MPJ_Count nparts);

/* Of a call on several old types, one after the other: how many blocks; which parts they are, of
 * nparts, or of some more than there are blocks; then, with c->types and c->refs set, their
 * lengths; the buckets of a struct, one for each of the types, block i being of c->types[i], which
 * is bucket c->numbers[i]; and their displacements. */
MPJ_Count mpj_draw_number(struct maker *m, const struct call *c, MPJ_Count nparts);
void mpj_draw_parts(struct maker *m, struct call *c, MPJ_Count nparts);
void mpj_draw_lengths(struct maker *m, struct call *c);
void mpj_draw_struct_buckets(struct call *c, int nbuckets, const struct mpj_random_type types[]);
void mpj_draw_places(struct maker *m, struct call *c);

#endif
