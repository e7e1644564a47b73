/* This file is a program of random calls that need not fit one another, without
 * MPJ_CHECK: nothing is written outside a rank's layout, success means right data,
 * and every call returns. coll_mismatches [--ranks LIST] [--plays N] [--seed S] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpj/mpj.h>

#include "coll/operations.h"
#include "coll/runner.h"

enum { LONGEST = 3000, GAP = 3, RANKS = 64, PATTERN = -77 };

/* What a rank calls; the same stream of random numbers tells all ranks all of it. */
struct call {
  enum operation operation;
  int root;
  MPJ_Count n; /* elements for each rank: a whole buffer has one rank's, strided by 2 */
  bool floats; /* else ints; of one size */
};

struct play {
  const struct run *run;
  MPJ_Comm comm;
  struct call calls[RANKS];
  MPJ_Count room; /* ints from one part to the next */
  MPJ_Datatype one, parts;
  int *in, *out;
  size_t ints; /* in each */
};

static bool has_root(enum operation o)
{
  return o == BCAST || o == GATHER || o == SCATTER || o == REDUCE;
}

static MPJ_Count random_length(struct mpj_random *rng)
{
  static const MPJ_Count most[] = {0, 6, 40, 600, LONGEST};
  return mpj_random_in(rng, 0, most[mpj_random_in(rng, 0, 4)]);
}

/* How this rank departs from what the others call, mostly in its data. */
static void depart(struct mpj_random *rng, int size, struct call *c)
{
  const int64_t how = mpj_random_in(rng, 0, 11);
  if (how < 5)
    c->n = random_length(rng);
  else if (how < 8 && c->n > 0)
    c->n--;
  else if (how < 10)
    c->floats = !c->floats;
  else if (how < 11 && has_root(c->operation))
    c->root = (int)mpj_random_in(rng, 0, size - 1);
  else
    c->operation = (enum operation)mpj_random_in(rng, 0, OPERATIONS - 1);
}

static void choose(struct mpj_random *rng, struct play *p)
{
  const int size = p->run->size, departures = (int)mpj_random_in(rng, 0, 2);
  const struct call c = {.operation = (enum operation)mpj_random_in(rng, 0, OPERATIONS - 1),
                         .root = (int)mpj_random_in(rng, 0, size - 1),
                         .n = random_length(rng)};
  for (int r = 0; r < size; r++)
    p->calls[r] = c;
  for (int i = 0; i < departures; i++)
    depart(rng, size, &p->calls[mpj_random_in(rng, 0, size - 1)]);
  p->room = LONGEST + GAP;
}

/* Buffers and types */

static MPJ_Datatype committed(MPJ_Datatype type)
{
  if (MPJ_Type_commit(&type) != MPJ_SUCCESS) exit(2);
  return type;
}

static void make_types(struct play *p, const struct call *mine)
{
  const MPJ_Datatype basic = mine->floats ? MPJ_FLOAT : MPJ_INT;
  MPJ_Count lengths[RANKS], displs[RANKS];
  for (int i = 0; i < p->run->size; i++) {
    lengths[i] = mine->n;
    displs[i] = i * p->room;
  }
  if (MPJ_Type_vector(mine->n, 1, 2, basic, &p->one) != MPJ_SUCCESS ||
      MPJ_Type_indexed(p->run->size, lengths, displs, basic, &p->parts) != MPJ_SUCCESS)
    exit(2);
  committed(p->one);
  committed(p->parts);
}

static int value(int rank, size_t at)
{
  return (rank + 1) * 1000 + (int)(at % 997);
}

static void make_buffers(struct play *p)
{
  const size_t least = 2 * LONGEST, all = (size_t)(p->room * p->run->size);
  p->ints = (least > all ? least : all) + 2 * GAP;
  p->in = malloc(p->ints * sizeof *p->in);
  p->out = malloc(p->ints * sizeof *p->out);
  if (!p->in || !p->out) exit(2);
  const struct call *mine = &p->calls[p->run->rank];
  const bool gives = mine->operation == BCAST && mine->root == p->run->rank;
  for (size_t i = 0; i < p->ints; i++) {
    p->in[i] = value(p->run->rank, i);
    p->out[i] = gives ? p->in[i] : PATTERN;
  }
}

static int call(struct play *p)
{
  const struct call *c = &p->calls[p->run->rank];
  int *in = p->in + GAP, *out = p->out + GAP;
  switch (c->operation) {
  case BARRIER:
    return MPJ_Barrier(p->comm);
  case BCAST:
    return MPJ_Bcast(out, p->one, c->root, p->comm);
  case GATHER:
    return MPJ_Gather(in, p->one, out, p->parts, c->root, p->comm);
  case SCATTER:
    return MPJ_Scatter(in, p->parts, out, p->one, c->root, p->comm);
  case ALLGATHER:
    return MPJ_Allgather(in, p->one, out, p->parts, p->comm);
  case ALLTOALL:
    return MPJ_Alltoall(in, p->parts, out, p->parts, p->comm);
  case REDUCE:
    return MPJ_Reduce(in, p->one, out, p->one, MPJ_MAX, c->root, p->comm);
  case ALLREDUCE:
    return MPJ_Allreduce(in, p->one, out, p->one, MPJ_MAX, p->comm);
  case REDUCE_SCATTER:
    return MPJ_Reduce_scatter(in, p->parts, out, p->one, MPJ_MAX, p->comm);
  case SCAN:
    return MPJ_Scan(in, p->one, out, p->one, MPJ_MAX, p->comm);
  default:
    return MPJ_Exscan(in, p->one, out, p->one, MPJ_MAX, p->comm);
  }
}

/* What must be true afterwards */

static bool receives_parts(const struct call *c, int rank)
{
  return c->operation == ALLGATHER || c->operation == ALLTOALL ||
         (c->operation == GATHER && c->root == rank);
}

static bool receives_whole(const struct call *c, int rank)
{
  if (c->operation == BCAST) return c->root != rank;
  if (c->operation == REDUCE) return c->root == rank;
  if (c->operation == EXSCAN) return rank > 0;
  return c->operation == SCATTER || c->operation >= ALLREDUCE;
}

/* Whether a place of the receive buffer is in this rank's layout. */
static bool is_mine(const struct play *p, size_t at)
{
  const int rank = p->run->rank;
  const struct call *c = &p->calls[rank];
  const MPJ_Count i = (MPJ_Count)at - GAP;
  if (i < 0) return false;
  if (receives_parts(c, rank)) return i < p->room * p->run->size && i % p->room < c->n;
  return receives_whole(c, rank) && i % 2 == 0 && i / 2 < c->n;
}

static bool is_untouched_elsewhere(const struct play *p)
{
  const struct call *c = &p->calls[p->run->rank];
  const bool gave = c->operation == BCAST && c->root == p->run->rank;
  for (size_t i = 0; i < p->ints; i++) {
    if (p->in[i] != value(p->run->rank, i)) return false;
    if (!is_mine(p, i) && p->out[i] != (gave ? p->in[i] : PATTERN)) return false;
  }
  return true;
}

/* Whether two ranks do the same with data of one signature. */
static bool fit(const struct call *a, const struct call *b)
{
  return a->operation == b->operation && (!has_root(a->operation) || a->root == b->root) &&
         a->n == b->n && (a->floats == b->floats || a->n == 0);
}

/* Element k that rank `from` gives to this one, in place of its send buffer. */
static int given(const struct play *p, int from, MPJ_Count k)
{
  const enum operation o = p->calls[from].operation;
  const bool by_parts = o == SCATTER || o == ALLTOALL || o == REDUCE_SCATTER;
  const MPJ_Count at = by_parts ? p->run->rank * p->room + k : 2 * k;
  return value(from, (size_t)(GAP + at));
}

/* Ranks first to *last whose data this rank's result comes from. */
static int sources(const struct play *p, int *last)
{
  const int rank = p->run->rank;
  const struct call *c = &p->calls[rank];
  *last = p->run->size - 1;
  if (c->operation == BCAST || c->operation == SCATTER) return *last = c->root;
  if (c->operation == SCAN) *last = rank;
  if (c->operation == EXSCAN) *last = rank - 1;
  return 0;
}

static bool is_right_from(const struct play *p, int from)
{
  for (MPJ_Count k = 0; k < p->calls[from].n; k++)
    if (p->out[GAP + from * p->room + k] != given(p, from, k)) return false;
  return true;
}

/* The bits of positive floats are ordered as they are: the greatest int either way. */
static bool is_right_whole(const struct play *p, int first, int last)
{
  for (MPJ_Count k = 0; k < p->calls[p->run->rank].n; k++) {
    int greatest = 0;
    for (int from = first; from <= last; from++)
      if (given(p, from, k) > greatest) greatest = given(p, from, k);
    if (p->out[GAP + 2 * k] != greatest) return false;
  }
  return true;
}

/* A call that succeeded: what it has received is what ranks that fit have given. */
static bool is_right(const struct play *p)
{
  const int rank = p->run->rank;
  const struct call *c = &p->calls[rank];
  const bool by_parts = receives_parts(c, rank);
  int last;
  if (!by_parts && !receives_whole(c, rank)) return true;
  const int first = sources(p, &last);
  for (int from = first; from <= last; from++) {
    if (!fit(c, &p->calls[from])) return false;
    if (by_parts && !is_right_from(p, from)) return false;
  }
  return by_parts || is_right_whole(p, first, last);
}

static bool all_fit(const struct play *p)
{
  for (int r = 1; r < p->run->size; r++)
    if (!fit(&p->calls[0], &p->calls[r])) return false;
  return true;
}

static int judge(const struct play *p, long number, int status)
{
  const struct call *c = &p->calls[p->run->rank];
  const char *wrong = NULL;
  if (!is_untouched_elsewhere(p)) wrong = "bytes outside the layout have changed";
  if (status == MPJ_SUCCESS && !is_right(p)) wrong = "success without right data";
  if (status != MPJ_SUCCESS && all_fit(p)) wrong = "an error, though all calls fit";
  if (!wrong) return 0;
  fprintf(stderr, "rank %d of %d, play %ld, operation %d, root %d, %lld elements: %s (%d, %s)\n",
          p->run->rank, p->run->size, number, c->operation, c->root, (long long)c->n, wrong, status,
          status ? MPJ_Error_detail() : "");
  return 1;
}

static int play(const struct run *run, long number)
{
  struct play p = {.run = run};
  struct mpj_random rng = {run_seed(run, (uint64_t)number)};
  choose(&rng, &p);
  make_types(&p, &p.calls[run->rank]);
  make_buffers(&p);
  if (MPJ_Comm_dup(run->comm, &p.comm) != MPJ_SUCCESS) return 1;
  const int failed = judge(&p, number, call(&p));
  MPJ_Comm_free(&p.comm);
  MPJ_Type_free(&p.one);
  MPJ_Type_free(&p.parts);
  free(p.in);
  free(p.out);
  return failed;
}

static int rank_main(const struct run *run)
{
  int failed = 0;
  for (long i = 0; i < run->plays && !failed; i++)
    failed = play(run, i);
  return failed;
}

int main(int argc, char **argv)
{
  return run_main_of_differing(argc, argv, rank_main);
}
