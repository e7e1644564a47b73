/* In this program each rank starts and completes some persistent requests in an order of its own,
 * again and again, and one of them starts one of them once more than the others, or once less: all
 * ranks are told, of a start of a request, and by which init it was made.
 *
 *   coll_uneven [--threads N] SEED more|less */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coll/need.h"

enum { MOST = 6, ROUNDS = 5 };

/* What a play goes by, the same on all ranks. */
struct plan {
  unsigned seed;
  bool more; /* else less */
  int requests;
  int rank, round, request; /* that is started once more or less */
};

struct rank {
  int rank, size;
  unsigned random; /* of this rank alone */
  MPJ_Request request[MOST];
  bool active[MOST];
  int64_t in[MOST], out[MOST];
};

static int next(unsigned *state, int below)
{
  *state = *state * 1664525U + 1013904223U;
  return (int)((*state >> 8) % (unsigned)below);
}

static struct plan plan_of(unsigned seed, bool more, int ranks)
{
  unsigned s = seed * 2654435761U;
  struct plan p = {.seed = seed, .more = more};
  p.requests = 2 + next(&s, MOST - 1);
  p.rank = next(&s, ranks);
  p.round = next(&s, ROUNDS);
  p.request = next(&s, p.requests);
  return p;
}

static void shuffle(struct rank *r, int n, int order[])
{
  for (int i = 0; i < n; i++)
    order[i] = i;
  for (int i = n - 1; i > 0; i--) {
    const int k = next(&r->random, i + 1), other = order[k];
    order[k] = order[i];
    order[i] = other;
  }
}

static int wait_one(struct rank *r, int k)
{
  if (!r->active[k]) return MPJ_SUCCESS;
  r->active[k] = false;
  return MPJ_Wait(&r->request[k]);
}

/* All in this order, by one call or one after another. */
static int wait_all(struct rank *r, int n, const int order[])
{
  MPJ_Request some[MOST];
  int status = MPJ_SUCCESS, active = 0;
  if (next(&r->random, 2)) {
    for (int i = 0; i < n; i++)
      if (r->active[order[i]]) some[active++] = r->request[order[i]];
    memset(r->active, 0, sizeof r->active);
    return MPJ_Waitall(active, some);
  }
  for (int i = 0; i < n && status == MPJ_SUCCESS; i++)
    status = wait_one(r, order[i]);
  return status;
}

static int start_one(struct rank *r, int k)
{
  r->active[k] = true;
  return MPJ_Start(&r->request[k]);
}

/* Start all, some of them being waited for before the others are started. */
static int play_round(struct rank *r, const struct plan *p, bool odd)
{
  int order[MOST], status = MPJ_SUCCESS;
  shuffle(r, p->requests, order);
  for (int i = 0; i < p->requests && status == MPJ_SUCCESS; i++) {
    if (odd && !p->more && order[i] == p->request) continue;
    if (i > 0 && next(&r->random, 4) == 0) status = wait_one(r, order[next(&r->random, i)]);
    if (status == MPJ_SUCCESS) status = start_one(r, order[i]);
  }
  shuffle(r, p->requests, order);
  if (status == MPJ_SUCCESS) status = wait_all(r, p->requests, order);
  if (status == MPJ_SUCCESS && odd && p->more) {
    status = start_one(r, p->request);
    if (status == MPJ_SUCCESS) status = wait_one(r, p->request);
  }
  return status;
}

/* The first error, or what MPJ_Finalize says. */
static int play(struct rank *r, const struct plan *p)
{
  int status = MPJ_SUCCESS;
  for (int k = 0; k < p->requests; k++)
    NEED(!MPJ_Allreduce_init(&r->in[k], MPJ_INT64, &r->out[k], MPJ_INT64, MPJ_SUM, MPJ_COMM_WORLD,
                             &r->request[k]));
  for (int round = 0; round < ROUNDS && status == MPJ_SUCCESS; round++)
    status = play_round(r, p, r->rank == p->rank && round == p->round);
  for (int k = 0; k < p->requests && status == MPJ_SUCCESS; k++)
    status = MPJ_Request_free(&r->request[k]);
  return status == MPJ_SUCCESS ? MPJ_Finalize() : status;
}

static int rank_main(void *arg)
{
  const unsigned seed = *(const unsigned *)arg;
  const bool more = ((const unsigned *)arg)[1];
  struct rank r = {0};
  MPJ_Comm_rank(MPJ_COMM_WORLD, &r.rank);
  MPJ_Comm_size(MPJ_COMM_WORLD, &r.size);
  r.random = seed * 31 + (unsigned)r.rank * 7919;
  const struct plan p = plan_of(seed, more, r.size);
  const double begun = MPJ_Wtime();
  const int status = play(&r, &p);
  if (r.rank == 0)
    printf("%d ranks, %d requests, rank %d starts one once %s: %.1f s, %s\n", r.size, p.requests,
           p.rank, more ? "more" : "less", MPJ_Wtime() - begun, MPJ_Error_detail());
  NEED(status == MPJ_ERR_COMM || status == MPJ_ERR_PEER); /* who was told before has left */
  NEED(status == MPJ_ERR_PEER ||
       strstr(MPJ_Error_detail(), "of the persistent request of operation "));
  MPJ_Finalize();
  return 0;
}

int main(int argc, char **argv)
{
  int ranks = 0, at = 1;
  if (argc > 2 && strcmp(argv[1], "--threads") == 0) {
    ranks = atoi(argv[2]);
    at = 3;
  }
  NEED(argc > at + 1);
  unsigned how[] = {(unsigned)atoi(argv[at]), strcmp(argv[at + 1], "more") == 0};
  if (ranks > 0) return MPJ_Run_threads(ranks, rank_main, how) != 0;
  return MPJ_Init(&argc, &argv) != MPJ_SUCCESS || rank_main(how) != 0;
}
