/* This file is a program that keeps many collectives under way at once: each
 * play starts a batch of all kinds on all communicators, nonblocking or persistent, frees their
 * types at once, lets blocking calls come between, and waits in one of all ways.
 *
 *   coll_requests [--ranks LIST] [--places N] [--plays N] [--seed S] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpj/mpj.h>

#include "coll/request.h"
#include "coll/runner.h"
#include "types/random_type.h"

enum { BATCH = 100, KINDS = 11, LONG_INTS = 30000 };

/* One operation of a batch. Rank r's datum k is r + k + number, so that every
 * result is known. */
struct item {
  struct place place; /* a communicator of the run, which this rank may not be in */
  int number, kind, root;
  MPJ_Count n; /* elements of one rank's block */
  int *in, *out;
  MPJ_Request request;
};

static int failed(const struct run *run, const struct item *item, const char *what)
{
  fprintf(stderr, "rank %d of %d: item %d of kind %d with %lld elements: %s (%s)\n", run->rank,
          run->size, item->number, item->kind, (long long)item->n, what, MPJ_Error_detail());
  return 1;
}

static int datum(int rank, MPJ_Count k, int number)
{
  return rank + (int)k + number;
}

static int start(struct item *i, MPJ_Datatype one, MPJ_Datatype parts, bool persistent)
{
  const MPJ_Comm comm = i->place.comm;
  MPJ_Request *q = &i->request;
  switch (i->kind + (persistent ? KINDS : 0)) {
  case 0:
    return MPJ_Ibarrier(comm, q);
  case 1:
    return MPJ_Ibcast(i->out, one, i->root, comm, q);
  case 2:
    return MPJ_Igather(i->in, one, i->out, parts, i->root, comm, q);
  case 3:
    return MPJ_Iscatter(i->in, parts, i->out, one, i->root, comm, q);
  case 4:
    return MPJ_Iallgather(i->in, one, i->out, parts, comm, q);
  case 5:
    return MPJ_Ialltoall(i->in, parts, i->out, parts, comm, q);
  case 6:
    return MPJ_Ireduce(i->in, one, i->out, one, MPJ_SUM, i->root, comm, q);
  case 7:
    return MPJ_Iallreduce(i->in, one, i->out, one, MPJ_SUM, comm, q);
  case 8:
    return MPJ_Ireduce_scatter(i->in, parts, i->out, one, MPJ_SUM, comm, q);
  case 9:
    return MPJ_Iscan(i->in, one, i->out, one, MPJ_SUM, comm, q);
  case 10:
    return MPJ_Iexscan(i->in, one, i->out, one, MPJ_SUM, comm, q);
  case 11:
    return MPJ_Barrier_init(comm, q);
  case 12:
    return MPJ_Bcast_init(i->out, one, i->root, comm, q);
  case 13:
    return MPJ_Gather_init(i->in, one, i->out, parts, i->root, comm, q);
  case 14:
    return MPJ_Scatter_init(i->in, parts, i->out, one, i->root, comm, q);
  case 15:
    return MPJ_Allgather_init(i->in, one, i->out, parts, comm, q);
  case 16:
    return MPJ_Alltoall_init(i->in, parts, i->out, parts, comm, q);
  case 17:
    return MPJ_Reduce_init(i->in, one, i->out, one, MPJ_SUM, i->root, comm, q);
  case 18:
    return MPJ_Allreduce_init(i->in, one, i->out, one, MPJ_SUM, comm, q);
  case 19:
    return MPJ_Reduce_scatter_init(i->in, parts, i->out, one, MPJ_SUM, comm, q);
  case 20:
    return MPJ_Scan_init(i->in, one, i->out, one, MPJ_SUM, comm, q);
  default:
    return MPJ_Exscan_init(i->in, one, i->out, one, MPJ_SUM, comm, q);
  }
}

/* The sum of ranks 0 .. last's datum k. */
static int sum_to(int last, MPJ_Count k, int number)
{
  int sum = 0;
  for (int rank = 0; rank <= last; rank++)
    sum += datum(rank, k, number);
  return sum;
}

/* What element k of block `block` of out must be; -1 where it stays untouched. */
static int wanted(const struct item *i, int block, MPJ_Count k)
{
  const int me = i->place.rank, p = i->place.size, at_root = me == i->root;
  switch (i->kind) {
  case 1:
    return block == 0 ? datum(i->root, k, i->number) : -1;
  case 2:
    return at_root ? datum(block, k, i->number) : -1;
  case 3:
    return block == 0 ? datum(i->root, me * i->n + k, i->number) : -1;
  case 4:
    return datum(block, k, i->number);
  case 5:
    return datum(block, me * i->n + k, i->number);
  case 6:
    return block == 0 && at_root ? sum_to(p - 1, k, i->number) : -1;
  case 7:
    return block == 0 ? sum_to(p - 1, k, i->number) : -1;
  case 8:
    return block == 0 ? sum_to(p - 1, me * i->n + k, i->number) : -1;
  case 9:
    return block == 0 ? sum_to(me, k, i->number) : -1;
  case 10:
    return block == 0 && me > 0 ? sum_to(me - 1, k, i->number) : -1;
  default:
    return -1;
  }
}

static int check(const struct run *run, const struct item *i)
{
  for (int block = 0; block < i->place.size; block++)
    for (MPJ_Count k = 0; k < i->n; k++)
      if (i->out[block * i->n + k] != wanted(i, block, k)) return failed(run, i, "wrong data");
  return 0;
}

/* Fill both buffers for another run. */
static void refill(struct item *i)
{
  const int me = i->place.rank;
  const MPJ_Count all = i->n * i->place.size;
  for (MPJ_Count k = 0; k < all; k++) {
    i->in[k] = datum(me, k, i->number);
    i->out[k] = -1;
  }
  for (MPJ_Count k = 0; i->kind == 1 && me == i->root && k < i->n; k++)
    i->out[k] = datum(me, k, i->number);
}

static int make(const struct run *run, struct item *i, int number, struct mpj_random *rng,
                bool persistent)
{
  MPJ_Datatype one = MPJ_DATATYPE_NULL, parts = MPJ_DATATYPE_NULL;
  struct mpj_random shared = {mpj_random_next(rng)}; /* used alike by members only */
  *i = (struct item){.place = run->places[mpj_random_in(&shared, 0, run->nplaces - 1)],
                     .number = number,
                     .request = MPJ_REQUEST_NULL};
  const int size = i->place.size;
  if (i->place.comm == MPJ_COMM_NULL) return 0;
  i->kind = (int)mpj_random_in(&shared, 0, KINDS - 1);
  i->root = (int)mpj_random_in(&shared, 0, size - 1);
  i->n = mpj_random_in(&shared, 0, 19) == 0 ? LONG_INTS / size : mpj_random_in(&shared, 0, 700);
  i->in = malloc((size_t)(i->n * size + 1) * sizeof(int));
  i->out = malloc((size_t)(i->n * size + 1) * sizeof(int));
  refill(i);
  int status = MPJ_Type_contiguous(i->n, MPJ_INT, &one);
  if (status == MPJ_SUCCESS) status = MPJ_Type_contiguous(size, one, &parts);
  if (status == MPJ_SUCCESS) status = MPJ_Type_commit(&one);
  if (status == MPJ_SUCCESS) status = MPJ_Type_commit(&parts);
  if (status == MPJ_SUCCESS) status = start(i, one, parts, persistent);
  MPJ_Type_free(&one);
  MPJ_Type_free(&parts);
  return status == MPJ_SUCCESS ? 0 : failed(run, i, "could not be started");
}

/* Wait for the batch in way `way`; all ways must find each request once. */
static int wait_for_batch(MPJ_Request requests[BATCH], int way)
{
  int found = 0, n, index, done = 0, indices[BATCH], started = 0;
  for (int i = 0; i < BATCH; i++)
    started += requests[i] != MPJ_REQUEST_NULL;
  switch (way) {
  case 0:
    return MPJ_Waitall(BATCH, requests);
  case 1:
    for (int i = BATCH - 1; i >= 0; i--)
      if (MPJ_Wait(&requests[i]) != MPJ_SUCCESS) return 1;
    return 0;
  case 2:
    while (MPJ_Waitany(BATCH, requests, &index) == MPJ_SUCCESS && index != MPJ_UNDEFINED)
      found++;
    return found != started;
  case 3:
    while (MPJ_Waitsome(BATCH, requests, &n, indices) == MPJ_SUCCESS && n != MPJ_UNDEFINED)
      found += n;
    return found != started;
  case 4:
    while (!done)
      if (MPJ_Testall(BATCH, requests, &done) != MPJ_SUCCESS) return 1;
    return 0;
  default:
    while (MPJ_Testsome(BATCH, requests, &n, indices) == MPJ_SUCCESS && n != MPJ_UNDEFINED)
      found += n;
    return found != started;
  }
}

/* Something of one's own between two starts: nothing, a pause, a look, or a
 * blocking call, which all ranks make at the same place. */
static int interlude(const struct run *run, int number, struct mpj_random *own)
{
  int done;
  if (number % 16 == 7) return MPJ_Barrier(MPJ_COMM_WORLD);
  if (mpj_random_in(own, 0, 15) == 0) usleep((useconds_t)mpj_random_in(own, 0, 300));
  if (mpj_random_in(own, 0, 3) == 0) return MPJ_Testall(0, NULL, &done);
  (void)run;
  return MPJ_SUCCESS;
}

static int finish_batch(const struct run *run, struct item items[BATCH], int way)
{
  MPJ_Request requests[BATCH];
  for (int k = 0; k < BATCH; k++)
    requests[k] = items[k].request;
  if (wait_for_batch(requests, way) != 0) return failed(run, &items[0], "the batch's wait failed");
  for (int k = 0; k < BATCH; k++)
    if (check(run, &items[k]) != 0) return 1;
  return 0;
}

static int play_nonblocking(const struct run *run, struct mpj_random *rng, struct mpj_random *own)
{
  struct item items[BATCH];
  int bad = 0;
  for (int k = 0; k < BATCH; k++) {
    if (make(run, &items[k], k, rng, false) != 0) return 1;
    if (interlude(run, k, own) != MPJ_SUCCESS) return failed(run, &items[k], "interlude");
  }
  bad = finish_batch(run, items, (int)mpj_random_in(rng, 0, 5));
  for (int k = 0; k < BATCH; k++) {
    free(items[k].in);
    free(items[k].out);
  }
  return bad;
}

static int play_persistent(const struct run *run, struct mpj_random *rng)
{
  struct item items[BATCH];
  MPJ_Request requests[BATCH];
  for (int k = 0; k < BATCH; k++) {
    if (make(run, &items[k], k, rng, true) != 0) return 1;
    requests[k] = items[k].request;
  }
  for (int round = 0; round < 3; round++) {
    for (int k = 0; k < BATCH; k++)
      refill(&items[k]);
    for (int k = 0; k < BATCH; k++)
      if (requests[k] != MPJ_REQUEST_NULL && MPJ_Start(&requests[k]) != MPJ_SUCCESS)
        return failed(run, &items[k], "start");
    if (finish_batch(run, items, (int)mpj_random_in(rng, 0, 5)) != 0) return 1;
  }
  for (int k = 0; k < BATCH; k++) {
    if (requests[k] != MPJ_REQUEST_NULL && MPJ_Request_free(&requests[k]) != MPJ_SUCCESS)
      return failed(run, &items[k], "free");
    free(items[k].in);
    free(items[k].out);
  }
  return 0;
}

static int play(const struct run *run)
{
  if (run->place > 0) return 0; /* the first call's batches are over all places */
  struct mpj_random own = {run->seed * 31 + (uint64_t)run->rank + 1};
  for (long i = 0; i < run->plays; i++) {
    struct mpj_random rng = {run_seed(run, (uint64_t)i)};
    if (play_nonblocking(run, &rng, &own) != 0) return 1;
    if (play_persistent(run, &rng) != 0) return 1;
  }
  return 0;
}

int main(int argc, char **argv)
{
  const int status = run_main(argc, argv, play);
  if (status == 0 && mpj_request_live() != 0) {
    fprintf(stderr, "%zu requests are left\n", mpj_request_live());
    return 1;
  }
  return status;
}
