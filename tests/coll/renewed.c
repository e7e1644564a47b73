/* In this program persistent requests come and go by the thousand: each rank frees its own in an
 * order of its own, some while a start of theirs or their init is under way, and runs ahead of the
 * others as far as it can. All starts are as right as if each had been waited for.
 *
 *   coll_renewed [--threads N] [SEED [REQUESTS]] */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpj/mpj.h>

enum { MOST = 200 };

/* What a play goes by, the same on all ranks. */
struct plan {
  unsigned seed;
  int requests;      /* inits in all */
  int kept;          /* requests that a rank keeps before it frees any */
  int free_in;       /* one in so many turns frees one */
  int start_in;      /* one in so many requests is started */
  int split_in;      /* one in so many is one of half of the ranks */
  int barrier_after; /* so many turns */
};

struct rank {
  int rank, size;
  unsigned random; /* of this rank alone */
  MPJ_Comm half;
  int64_t *x, *y; /* [requests] */
  MPJ_Request open[MOST];
  int nopen;
};

static unsigned next(unsigned *state, unsigned below)
{
  *state = *state * 1664525U + 1013904223U;
  return (*state >> 8) % below;
}

static struct plan plan_of(unsigned seed, int requests)
{
  unsigned s = seed * 2654435761U;
  struct plan p = {.seed = seed, .requests = requests};
  p.kept = 1 + (int)next(&s, MOST / 2);
  p.free_in = 1 + (int)next(&s, 4);
  p.start_in = 1 + (int)next(&s, 3);
  p.split_in = 1 + (int)next(&s, 4);
  p.barrier_after = 20 + (int)next(&s, 1000);
  return p;
}

static int complain(const struct rank *r, const struct plan *p, const char *what)
{
  fprintf(stderr, "rank %d of %d, seed %u: %s (%s)\n", r->rank, r->size, p->seed, what,
          MPJ_Error_detail());
  return 1;
}

static int free_one(struct rank *r)
{
  const int k = (int)next(&r->random, (unsigned)r->nopen);
  const int status = MPJ_Request_free(&r->open[k]);
  r->open[k] = r->open[--r->nopen];
  return status;
}

static bool is_of_half(const struct plan *p, int turn)
{
  return turn % p->split_in == 0;
}

static bool is_started(const struct plan *p, int turn)
{
  return turn / p->split_in % p->start_in == 0;
}

static int play(struct rank *r, const struct plan *p)
{
  for (int turn = 0; turn < p->requests; turn++) {
    MPJ_Comm comm = is_of_half(p, turn) ? r->half : MPJ_COMM_WORLD;
    MPJ_Request *q = &r->open[r->nopen++];
    r->x[turn] = turn + r->rank;
    if (MPJ_Allreduce_init(&r->x[turn], MPJ_INT64, &r->y[turn], MPJ_INT64, MPJ_SUM, comm, q) ||
        (is_started(p, turn) && MPJ_Start(q)))
      return complain(r, p, "an init or a start failed");
    if (r->nopen > p->kept && next(&r->random, (unsigned)p->free_in) == 0 && free_one(r))
      return complain(r, p, "MPJ_Request_free failed");
    while (r->nopen == MOST)
      if (free_one(r)) return complain(r, p, "MPJ_Request_free failed");
    if (turn % p->barrier_after == 0 && MPJ_Barrier(MPJ_COMM_WORLD))
      return complain(r, p, "MPJ_Barrier failed");
  }
  while (r->nopen > 0)
    if (free_one(r)) return complain(r, p, "MPJ_Request_free failed");
  return MPJ_Finalize() ? complain(r, p, "MPJ_Finalize failed") : 0;
}

static int check(const struct rank *r, const struct plan *p)
{
  for (int turn = 0; turn < p->requests; turn++) {
    int64_t sum = 0;
    for (int i = 0; i < r->size; i++)
      if (!is_of_half(p, turn) || i % 2 == r->rank % 2) sum += turn + i;
    if (is_started(p, turn) && r->y[turn] != sum) return complain(r, p, "wrong data");
  }
  return 0;
}

static int rank_main(void *arg)
{
  const struct plan *p = arg;
  struct rank *r = calloc(1, sizeof *r);
  if (!r) return 1;
  r->x = calloc((size_t)p->requests, sizeof *r->x);
  r->y = calloc((size_t)p->requests, sizeof *r->y);
  MPJ_Comm_rank(MPJ_COMM_WORLD, &r->rank);
  MPJ_Comm_size(MPJ_COMM_WORLD, &r->size);
  r->random = p->seed * 31 + (unsigned)r->rank * 7919;
  int status = !r->x || !r->y;
  if (status == 0 && MPJ_Comm_split(MPJ_COMM_WORLD, r->rank % 2, 0, &r->half))
    status = complain(r, p, "MPJ_Comm_split failed");
  if (status == 0) status = play(r, p);
  if (status == 0) status = check(r, p);
  free(r->x);
  free(r->y);
  free(r);
  return status;
}

int main(int argc, char **argv)
{
  int ranks = 0, at = 1;
  if (argc > 2 && strcmp(argv[1], "--threads") == 0) {
    ranks = atoi(argv[2]);
    at = 3;
  }
  const unsigned seed = argc > at ? (unsigned)atoi(argv[at]) : 1;
  struct plan p = plan_of(seed, argc > at + 1 ? atoi(argv[at + 1]) : 6000);
  if (ranks > 0) return MPJ_Run_threads(ranks, rank_main, &p) != 0;
  return MPJ_Init(&argc, &argv) != MPJ_SUCCESS || rank_main(&p) != 0;
}
