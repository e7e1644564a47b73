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

#include "coll/calls/request.h"
#include "coll/items.h"
#include "types/random_type.h"

enum { BATCH = 100, LONG_INTS = 30000 };

static int make(const struct run *run, struct item *i, int number, struct mpj_random *rng,
                bool persistent)
{
  struct mpj_random shared = {mpj_random_next(rng)}; /* used alike by members only */
  *i = (struct item){.place = run->places[mpj_random_in(&shared, 0, run->nplaces - 1)],
                     .number = number,
                     .request = MPJ_REQUEST_NULL};
  if (i->place.comm == MPJ_COMM_NULL) return 0;
  item_choose(i, &shared, LONG_INTS);
  return item_call(run, i, persistent ? ITEM_PERSISTENT : ITEM_NONBLOCKING);
}

enum way { WAIT_ALL, WAIT_EACH, WAIT_ANY, WAIT_SOME, TEST_ALL, TEST_SOME, WAYS };

/* Wait for the batch in one way; all ways must find each request once. */
static int wait_for_batch(MPJ_Request requests[BATCH], enum way way)
{
  int found = 0, n, index, done = 0, indices[BATCH], started = 0;
  for (int i = 0; i < BATCH; i++)
    started += requests[i] != MPJ_REQUEST_NULL;
  switch (way) {
  case WAIT_ALL:
    return MPJ_Waitall(BATCH, requests);
  case WAIT_EACH:
    for (int i = BATCH - 1; i >= 0; i--)
      if (MPJ_Wait(&requests[i]) != MPJ_SUCCESS) return 1;
    return 0;
  case WAIT_ANY:
    while (MPJ_Waitany(BATCH, requests, &index) == MPJ_SUCCESS && index != MPJ_UNDEFINED)
      found++;
    return found != started;
  case WAIT_SOME:
    while (MPJ_Waitsome(BATCH, requests, &n, indices) == MPJ_SUCCESS && n != MPJ_UNDEFINED)
      found += n;
    return found != started;
  case TEST_ALL:
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

static int finish_batch(const struct run *run, struct item items[BATCH], enum way way)
{
  MPJ_Request requests[BATCH];
  for (int k = 0; k < BATCH; k++)
    requests[k] = items[k].request;
  if (wait_for_batch(requests, way) != 0)
    return item_failed(run, &items[0], "the batch's wait failed");
  for (int k = 0; k < BATCH; k++)
    if (item_check(run, &items[k]) != 0) return 1;
  return 0;
}

static int play_nonblocking(const struct run *run, struct mpj_random *rng, struct mpj_random *own)
{
  struct item items[BATCH];
  int bad = 0;
  for (int k = 0; k < BATCH; k++) {
    if (make(run, &items[k], k, rng, false) != 0) return 1;
    if (interlude(run, k, own) != MPJ_SUCCESS) return item_failed(run, &items[k], "interlude");
  }
  bad = finish_batch(run, items, (enum way)mpj_random_in(rng, 0, WAYS - 1));
  for (int k = 0; k < BATCH; k++) {
    item_free(&items[k]);
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
      item_refill(&items[k]);
    for (int k = 0; k < BATCH; k++)
      if (requests[k] != MPJ_REQUEST_NULL && MPJ_Start(&requests[k]) != MPJ_SUCCESS)
        return item_failed(run, &items[k], "start");
    if (finish_batch(run, items, (enum way)mpj_random_in(rng, 0, WAYS - 1)) != 0) return 1;
  }
  for (int k = 0; k < BATCH; k++) {
    if (requests[k] != MPJ_REQUEST_NULL && MPJ_Request_free(&requests[k]) != MPJ_SUCCESS)
      return item_failed(run, &items[k], "free");
    item_free(&items[k]);
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
