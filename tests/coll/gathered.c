/* This file is a program that builds types together and compares them with the
 * struct of all ranks' types that each rank derives by itself; then it gathers by
 * them.
 *
 *   coll_gathered [--ranks LIST] [--places N] [--plays N] [--seed S] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpj/mpj.h>

#include "coll/buffer.h"
#include "coll/calls/gathered.h"
#include "coll/runner.h"
#include "types/random_type.h"

enum { RANKS_MAX = 64, KINDS = 5 };

/* One type of each rank, and what must become of them. */
struct play {
  const struct run *run;
  int n, kind, root;
  MPJ_Datatype parts[RANKS_MAX], whole; /* whole: struct */
};

static int complain(const struct play *p, const char *what)
{
  fprintf(stderr, "rank %d of %d: kind %d: %s (%s)\n", p->run->rank, p->n, p->kind, what,
          MPJ_Error_detail());
  return 1;
}

#define NEED(p, fact)                                                                              \
  do {                                                                                             \
    if (!(fact)) return complain((p), #fact);                                                      \
  } while (0)

/* Rank i's part: all equal, equal but one, copies of one type in random numbers, few
 * shapes, any random types. */
static int make_part(struct play *p, int i, struct mpj_random *rng)
{
  const MPJ_Count few = mpj_random_in(rng, 0, 3);
  MPJ_Datatype *out = &p->parts[i], row;
  switch (p->kind) {
  case 0:
    return MPJ_Type_vector(3, 2, 5, MPJ_INT, out);
  case 1:
    return MPJ_Type_contiguous(i == p->n - 1 ? 7 : 9, MPJ_DOUBLE, out);
  case 2:
    NEED(p, !MPJ_Type_vector(2, 1, 3, MPJ_SHORT, &row));
    NEED(p, !MPJ_Type_contiguous(few * 5, row, out));
    return MPJ_Type_free(&row);
  case 3:
    return MPJ_Type_vector(2 + few % 2, 1, 4 + few / 2, MPJ_FLOAT, out);
  default: {
    const struct mpj_random_options options = {.depth = 3, .max_elements = 60, .receivable = true};
    struct mpj_random_type any;
    mpj_random_type_make(rng, &options, &any);
    *out = any.type;
    mpj_ref_release(any.ref);
    return MPJ_SUCCESS;
  }
  }
}

static int make(struct play *p, struct mpj_random *rng)
{
  MPJ_Count ones[RANKS_MAX];
  MPJ_Aint displs[RANKS_MAX], at = 0, lb, extent;
  for (int i = 0; i < p->n; i++) {
    NEED(p, make_part(p, i, rng) == MPJ_SUCCESS);
    NEED(p, !MPJ_Type_get_extent(p->parts[i], &lb, &extent));
    ones[i] = 1;
    displs[i] = at;
    at += extent;
  }
  return MPJ_Type_create_struct(p->n, ones, displs, p->parts, &p->whole);
}

static int compare(struct play *p, MPJ_Datatype made)
{
  int same_signature, same_map; /* of parts: unlike trees may not be known as one map */
  MPJ_Count n;
  MPJ_Aint lb[2], extent[2], displ[2];
  MPJ_Datatype part[2];
  NEED(p, !MPJ_Type_match(made, p->whole, &same_signature, NULL) && same_signature);
  NEED(p, !MPJ_Type_parts(made, &n) && n == p->n);
  NEED(p, !MPJ_Type_get_extent(made, &lb[0], &extent[0]));
  NEED(p, !MPJ_Type_get_extent(p->whole, &lb[1], &extent[1]));
  NEED(p, extent[0] == extent[1] && lb[0] == lb[1]);
  for (int i = 0; i < p->n; i++) {
    NEED(p, !MPJ_Type_part(made, i, &displ[0], &part[0]));
    NEED(p, !MPJ_Type_part(p->whole, i, &displ[1], &part[1]));
    NEED(p, !MPJ_Type_match(part[0], part[1], &same_signature, &same_map));
    NEED(p, displ[0] == displ[1] && same_signature && same_map);
    NEED(p, !MPJ_Type_free(&part[0]) && !MPJ_Type_free(&part[1]));
  }
  return 0;
}

/* All ranks' bytes in the type's place, each rank's its own number. */
static int gather(struct play *p, MPJ_Datatype made)
{
  MPJ_Count bytes, all;
  MPJ_Datatype mine;
  MPJ_Aint lb, extent;
  NEED(p, !MPJ_Type_size(p->parts[p->run->rank], &bytes) && !MPJ_Type_size(p->whole, &all));
  NEED(p, !MPJ_Type_get_true_extent(p->whole, &lb, &extent));
  if (p->kind == KINDS - 1) return 0; /* of many basic types: its data is checked elsewhere */
  NEED(p, !MPJ_Type_dup(p->parts[p->run->rank], &mine) && !MPJ_Type_commit(&mine));
  MPJ_Aint part_lb, part_extent;
  NEED(p, !MPJ_Type_get_true_extent(mine, &part_lb, &part_extent));
  char *from = malloc((size_t)part_extent + 1), *to = calloc(1, (size_t)extent + 1);
  char *packed = malloc((size_t)all + 1);
  memset(from, 1 + p->run->rank, (size_t)part_extent + 1);
  NEED(p, !MPJ_Allgather(from - part_lb, mine, to - lb, made, p->run->comm));
  NEED(p, !MPJ_Pack_range(to - lb, made, 0, packed, all));
  MPJ_Count at = 0;
  for (int i = 0; i < p->n; i++) {
    NEED(p, !MPJ_Type_size(p->parts[i], &bytes));
    for (MPJ_Count k = 0; k < bytes; k++)
      NEED(p, packed[at + k] == 1 + i);
    at += bytes;
  }
  free(packed);
  free(to);
  free(from);
  return MPJ_Type_free(&mine);
}

static int play(const struct run *run, struct mpj_random *rng, int kind)
{
  struct play p = {.run = run, .n = run->size, .kind = kind};
  MPJ_Datatype made = MPJ_DATATYPE_NULL, at_root = MPJ_DATATYPE_NULL;
  NEED(&p, p.n <= RANKS_MAX && make(&p, rng) == MPJ_SUCCESS);
  p.root = (int)mpj_random_in(rng, 0, p.n - 1);
  NEED(&p, !MPJ_Type_create_gathered(p.parts[run->rank], MPJ_ALL, run->comm, &made));
  NEED(&p, !MPJ_Type_create_gathered(p.parts[run->rank], p.root, run->comm, &at_root));
  NEED(&p, (at_root != MPJ_DATATYPE_NULL) == (run->rank == p.root));
  if (compare(&p, made) != 0) return 1;
  if (run->rank == p.root && compare(&p, at_root) != 0) return 1;
  NEED(&p, !MPJ_Type_commit(&made) && gather(&p, made) == 0);
  if (run->rank == p.root) NEED(&p, !MPJ_Type_free(&at_root));
  for (int i = 0; i < p.n; i++)
    if (MPJ_Type_free(&p.parts[i]) != MPJ_SUCCESS) continue; /* a basic type is nobody's */
  return MPJ_Type_free(&p.whole) || MPJ_Type_free(&made);
}

static int play_all(const struct run *run)
{
  for (long i = 0; i < run->plays; i++) {
    struct mpj_random rng = {run_seed(run, (uint64_t)i)};
    if (play(run, &rng, (int)(i % KINDS)) != 0) return 1;
  }
  return 0;
}

int main(int argc, char **argv)
{
  return run_main(argc, argv, play_all);
}
