/* In this program all ranks but rank 0 wait for a call on a duplicate of WORLD, which rank 0 has
 * forgotten: it waits for them in a barrier on WORLD. Every rank hears of it, by a call or by
 * MPJ_Finalize, and both calls are named, also where they are compared first (MPJ_CHECK=1).
 *
 *   coll_circles KIND            as a rank of a job
 *   coll_circles --threads N KIND */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "coll/calls/request.h"
#include "need.h"

enum { KINDS = 10, MANY = 80 }; /* more than two windows */

struct calls {
  MPJ_Comm comm;
  MPJ_Request requests[MANY + 1];
  int in, out[MANY + 1];
};

static int many_reductions(struct calls *c)
{
  int status = MPJ_SUCCESS;
  for (int i = 0; i < MANY && status == MPJ_SUCCESS; i++)
    status =
        MPJ_Iallreduce(&c->in, MPJ_INT, &c->out[i], MPJ_INT, MPJ_SUM, c->comm, &c->requests[i]);
  return status;
}

static int wait_for_last(struct calls *c)
{
  const int status = many_reductions(c);
  return status == MPJ_SUCCESS ? MPJ_Wait(&c->requests[MANY - 1]) : status;
}

/* Rank 1 ends those that rank 0 has room for, and begins as many again. */
static int wait_for_last_of_root(struct calls *c)
{
  int status = MPJ_SUCCESS;
  for (int i = 0; i < MANY && status == MPJ_SUCCESS; i++)
    status = MPJ_Ibcast(&c->out[i], MPJ_INT, 1, c->comm, &c->requests[i]);
  return status == MPJ_SUCCESS ? MPJ_Wait(&c->requests[MANY - 1]) : status;
}

static int block_behind_many(struct calls *c)
{
  const int status = many_reductions(c);
  return status == MPJ_SUCCESS ? MPJ_Barrier(c->comm) : status;
}

static int init_behind_many(struct calls *c)
{
  MPJ_Request *r = &c->requests[MANY];
  int status = many_reductions(c);
  if (status == MPJ_SUCCESS) status = MPJ_Barrier_init(c->comm, r);
  if (status == MPJ_SUCCESS) status = MPJ_Start(r);
  return status == MPJ_SUCCESS ? MPJ_Wait(r) : status;
}

static int nonblocking(struct calls *c)
{
  const int status = MPJ_Ibcast(c->out, MPJ_INT, 0, c->comm, c->requests);
  return status == MPJ_SUCCESS ? MPJ_Wait(c->requests) : status;
}

static int persistent(struct calls *c)
{
  int status = MPJ_Bcast_init(c->out, MPJ_INT, 0, c->comm, c->requests);
  if (status == MPJ_SUCCESS) status = MPJ_Start(c->requests);
  return status == MPJ_SUCCESS ? MPJ_Wait(c->requests) : status;
}

/* All ranks have made the request and started it once. */
static int second_start(struct calls *c)
{
  const int status = MPJ_Start(c->requests);
  return status == MPJ_SUCCESS ? MPJ_Waitall(1, c->requests) : status;
}

static int blocking(struct calls *c)
{
  return MPJ_Bcast(c->out, MPJ_INT, 0, c->comm);
}

static int of_several(struct calls *c)
{
  MPJ_Comm made;
  return MPJ_Comm_dup(c->comm, &made);
}

/* A composed request is a start of the first one. */
static MPJ_Request only_start(void *ctx, int *status)
{
  struct calls *c = ctx;
  const bool begins = *status == MPJ_SUCCESS && c->in == 0;
  c->in = 1;
  return begins ? c->requests[0] : NULL;
}

static void drop_nothing(void *ctx)
{
  (void)ctx;
}

static int composed(struct calls *c)
{
  static const struct mpj_composition composition = {only_start, drop_nothing};
  int status = MPJ_Barrier_init(c->comm, &c->requests[0]);
  if (status == MPJ_SUCCESS)
    status = mpj_request_compose(c->comm, &composition, c, false, &c->requests[1]);
  if (status == MPJ_SUCCESS) mpj_request_compose_start(c->requests[1]);
  return status == MPJ_SUCCESS ? MPJ_Wait(&c->requests[1]) : status;
}

static const struct kind {
  int (*wait)(struct calls *c);
  const char *forgotten[2]; /* by rank 0: the number and the call */
} kinds[KINDS] = {
    {wait_for_last, {"operation 0 is ", "MPJ_Allreduce on "}},
    {wait_for_last_of_root, {"operation ", "MPJ_Bcast (root 1) on "}},
    {block_behind_many, {"operation 0 is ", "MPJ_Allreduce on "}},
    {init_behind_many, {"operation 0 is ", "MPJ_Allreduce on "}},
    {nonblocking, {"operation 0 is ", "MPJ_Bcast (root 0) on "}},
    {persistent, {"operation 0 is ", "MPJ_Bcast_init (root 0) on "}},
    {second_start,
     {"start 1 of the persistent request of operation 0 is ", "MPJ_Bcast (root 0) on "}},
    {blocking, {"operation 0 is ", "MPJ_Bcast (root 0) on "}},
    {of_several, {"operation 0 is ", "MPJ_Comm_dup on "}},
    {composed, {"operation 0 is ", "MPJ_Barrier_init on "}}};

/* Calls of this rank that fail say why; appended. */
static void hear(char sentences[900], int status)
{
  const size_t at = strlen(sentences);
  if (status != MPJ_SUCCESS) snprintf(sentences + at, 900 - at, "%s; ", MPJ_Error_detail());
}

static int rank_main(void *arg)
{
  const struct kind *k = &kinds[*(const int *)arg];
  const double begun = MPJ_Wtime();
  struct calls c = {.in = 0};
  char sentences[900] = "";
  int rank = -1;
  NEED(!MPJ_Comm_rank(MPJ_COMM_WORLD, &rank) && !MPJ_Comm_dup(MPJ_COMM_WORLD, &c.comm));
  if (k->wait == second_start) NEED(!persistent(&c));
  if (rank != 0) hear(sentences, k->wait(&c));
  const bool told = rank == 0 || strstr(sentences, k->forgotten[0]);
  hear(sentences, MPJ_Barrier(MPJ_COMM_WORLD));
  for (int i = 0; i <= MANY; i++)
    if (c.requests[i] != MPJ_REQUEST_NULL) MPJ_Request_free(&c.requests[i]);
  hear(sentences, MPJ_Finalize());
  if (told && strstr(sentences, k->forgotten[1]) && !strstr(sentences, " start 0 ") &&
      strstr(sentences, ", but MPJ_") &&
      (strstr(sentences, "MPJ_Barrier on ") || strstr(sentences, "MPJ_Finalize on rank 0")))
    return 0;
  fprintf(stderr, "kind %d, rank %d, after %.1f s: %s\n", (int)(k - kinds), rank,
          MPJ_Wtime() - begun, sentences);
  return 1;
}

int main(int argc, char **argv)
{
  int kind = argc > 1 ? atoi(argv[argc - 1]) % KINDS : 0;
  if (argc == 4) return MPJ_Run_threads(atoi(argv[2]), rank_main, &kind) != 0;
  return MPJ_Init(&argc, &argv) != MPJ_SUCCESS || rank_main(&kind) != 0;
}
