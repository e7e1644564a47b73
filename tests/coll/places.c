/* This file makes random communicators. */
#include "coll/places.h"

#include <stdio.h>
#include <stdlib.h>

enum { RANKS_MAX = 1024 };

/* What a communicator of n ranks of WORLD must be. */
struct wanted {
  int n, ranks[RANKS_MAX];
};

static int complain(const char *what)
{
  int rank = -1;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  fprintf(stderr, "rank %d: %s (%s)\n", rank, what, MPJ_Error_detail());
  return 1;
}

static int order_by_key(const void *x, const void *y)
{
  const int *a = x, *b = y; /* key, rank */
  return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

/* Split the ranks of `from` by colors[n] and keys[n], of which this rank gives its
 * own; w becomes what this rank's color must be. */
static int split(MPJ_Comm from, const struct wanted *all, const int *colors, const int *keys,
                 MPJ_Comm *made, struct wanted *w)
{
  int me, pairs[RANKS_MAX][2];
  MPJ_Comm_rank(from, &me);
  w->n = 0;
  for (int i = 0; i < all->n; i++) {
    if (colors[i] != colors[me]) continue;
    pairs[w->n][0] = keys[i];
    pairs[w->n++][1] = i;
  }
  if (colors[me] == MPJ_UNDEFINED) w->n = 0;
  qsort(pairs, (size_t)w->n, sizeof pairs[0], order_by_key);
  for (int i = 0; i < w->n; i++)
    w->ranks[i] = all->ranks[pairs[i][1]];
  return MPJ_Comm_split(from, colors[me], keys[me], made);
}

static int split_at_random(struct mpj_random *rng, MPJ_Comm from, const struct wanted *all,
                           MPJ_Comm *made, struct wanted *w)
{
  int colors[RANKS_MAX], keys[RANKS_MAX];
  const int ncolors = (int)mpj_random_in(rng, 1, 3);
  for (int i = 0; i < all->n; i++) {
    colors[i] = (int)mpj_random_in(rng, 0, ncolors);
    if (colors[i] == ncolors) colors[i] = mpj_random_in(rng, 0, 1) ? MPJ_UNDEFINED : 7;
    keys[i] = (int)mpj_random_in(rng, -3, 3);
  }
  return split(from, all, colors, keys, made, w);
}

/* One that has some ranks in random order. */
static int create(struct mpj_random *rng, const struct wanted *all, MPJ_Comm *made,
                  struct wanted *w)
{
  *w = *all;
  for (int i = w->n - 1; i > 0; i--) {
    const int k = (int)mpj_random_in(rng, 0, i), last = w->ranks[i];
    w->ranks[i] = w->ranks[k];
    w->ranks[k] = last;
  }
  w->n = (int)mpj_random_in(rng, 0, all->n);
  return MPJ_Comm_create(MPJ_COMM_WORLD, w->n, w->ranks, made);
}

static int make(struct mpj_random *rng, int i, const struct wanted *all, MPJ_Comm *made,
                struct wanted *w)
{
  MPJ_Comm half;
  struct wanted middle;
  *w = *all;
  switch (i % 5) {
  case 1:
    return MPJ_Comm_dup(MPJ_COMM_WORLD, made);
  case 2:
    return split_at_random(rng, MPJ_COMM_WORLD, all, made, w);
  case 3:
    return create(rng, all, made, w);
  case 4:
    if (split_at_random(rng, MPJ_COMM_WORLD, all, &half, &middle) != MPJ_SUCCESS) return 1;
    *made = MPJ_COMM_NULL;
    if (half == MPJ_COMM_NULL) return MPJ_SUCCESS;
    if (split_at_random(rng, half, &middle, made, w) != MPJ_SUCCESS) return 1;
    return MPJ_Comm_free(&half);
  default:
    w->n = 1;
    MPJ_Comm_rank(MPJ_COMM_WORLD, &w->ranks[0]);
    return MPJ_Comm_dup(MPJ_COMM_SELF, made);
  }
}

/* Whether the place is this rank's among those wanted. */
static int look(struct place *p, const struct wanted *w)
{
  int me, mine = -1, numbers[RANKS_MAX], there[RANKS_MAX];
  MPJ_Comm_rank(MPJ_COMM_WORLD, &me);
  for (int i = 0; i < w->n; i++)
    if (w->ranks[i] == me) mine = i;
  if (p->comm == MPJ_COMM_NULL) return mine < 0 ? 0 : complain("a member has no communicator");
  if (mine < 0) return complain("a stranger has a communicator");
  if (MPJ_Comm_rank(p->comm, &p->rank) != MPJ_SUCCESS) return complain("rank");
  if (MPJ_Comm_size(p->comm, &p->size) != MPJ_SUCCESS) return complain("size");
  if (p->rank != mine || p->size != w->n) return complain("wrong rank or size");
  for (int i = 0; i < w->n; i++)
    numbers[i] = i;
  if (MPJ_Comm_translate(p->comm, w->n, numbers, MPJ_COMM_WORLD, there) != MPJ_SUCCESS)
    return complain("translate");
  for (int i = 0; i < w->n; i++)
    if (there[i] != w->ranks[i]) return complain("wrong members");
  return 0;
}

int places_make(struct mpj_random shared, int n, struct place *places)
{
  struct wanted all, w;
  MPJ_Comm_size(MPJ_COMM_WORLD, &all.n);
  if (all.n > RANKS_MAX) return complain("more ranks than places are made for");
  for (int i = 0; i < all.n; i++)
    all.ranks[i] = i;
  for (int i = 0; i < n; i++) {
    places[i] = (struct place){.comm = MPJ_COMM_WORLD};
    w = all;
    if (i > 0) {
      struct mpj_random rng = {mpj_random_next(&shared)}; /* groups may use it differently */
      if (make(&rng, i, &all, &places[i].comm, &w) != MPJ_SUCCESS) return complain("making");
    }
    if (places[i].comm == MPJ_COMM_NULL && i % 5 == 4) continue;
    if (look(&places[i], &w) != 0) return 1;
  }
  return 0;
}

int places_free(int n, struct place *places)
{
  int me, status = MPJ_SUCCESS;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &me);
  for (int k = 0; k < n && status == MPJ_SUCCESS; k++) {
    MPJ_Comm *comm = &places[(k + me) % n].comm;
    if (*comm != MPJ_COMM_NULL && *comm != MPJ_COMM_WORLD) status = MPJ_Comm_free(comm);
  }
  return status == MPJ_SUCCESS ? 0 : complain("freeing");
}
