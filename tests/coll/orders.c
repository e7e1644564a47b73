/* This file is a program that plays random programs of blocking, nonblocking and persistent calls
 * on several communicators, each rank in a legal order of its own.
 *
 *   coll_orders [--ranks LIST] [--places N] [--plays N] [--seed S]
 *
 * A program has POSITIONS positions. The blocking and nonblocking calls and the inits stand at
 * positions, which all ranks pass in order. A persistent request is started between two positions
 * and waited for between the second and a third; each rank chooses where, by itself, and a
 * nonblocking call is waited for likewise. So no rank waits at a position for what another
 * one begins only at a later one, and nothing else orders the starts. What each call must bring is
 * known (items.h). Requests are freed anywhere after their last start, and one communicator before
 * them. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <mpj/mpj.h>

#include "coll/calls/request.h"
#include "coll/items.h"

enum { POSITIONS = 40, CALLS = 30, REQUESTS = 40, STARTS_MOST = 6, LONG_INTS = 30000 };

/* One use of a request, as this rank makes it. */
struct use {
  int start, wait;
};

struct call {
  struct item item;
  enum item_form form;
  int at; /* the call's, or the init's, position */
  int nuses;
  struct use uses[STARTS_MOST];
  int free_at;
};

struct program {
  const struct run *run;
  struct mpj_random own;
  struct call calls[CALLS + REQUESTS];
  MPJ_Comm freed; /* freed at freed_at, with persistent requests alone */
  int freed_at;
};

/* A position of this rank's own from `first` on, before `end`. */
static int own_position(struct program *p, int first, int end)
{
  return (int)mpj_random_in(&p->own, first, end - 1);
}

/* Positions of starts and waits: `shared` says between which, this rank where. */
static void plan_uses(struct program *p, struct call *c, struct mpj_random *shared)
{
  int at = c->at;
  while (c->nuses < STARTS_MOST && at < POSITIONS - 2) {
    const int started = at + (int)mpj_random_in(shared, 1, 8);
    const int waited = started + (int)mpj_random_in(shared, 1, 8);
    if (waited >= POSITIONS) break;
    c->uses[c->nuses].start = own_position(p, at, started);
    c->uses[c->nuses++].wait = own_position(p, started, waited);
    at = waited;
  }
  c->free_at = own_position(p, at, POSITIONS);
}

static void plan(struct program *p, int k, struct mpj_random *rng)
{
  struct mpj_random shared = {mpj_random_next(rng)}; /* used alike by members only */
  const struct run *run = p->run;
  struct call *c = &p->calls[k];
  *c = (struct call){.item = {.request = MPJ_REQUEST_NULL, .number = 100 * k}};
  c->item.place = run->places[mpj_random_in(&shared, 0, run->nplaces - 1)];
  c->at = (int)mpj_random_in(&shared, 0, POSITIONS - 2);
  c->form = k >= CALLS ? ITEM_PERSISTENT
                       : (enum item_form)mpj_random_in(&shared, ITEM_BLOCKING, ITEM_NONBLOCKING);
  if (k >= CALLS && mpj_random_in(&shared, 0, 7) == 0) {
    c->item.place = (struct place){p->freed, run->rank, run->size};
    c->at = 0;
  }
  if (c->item.place.comm == MPJ_COMM_NULL) return;
  item_choose(&c->item, &shared, LONG_INTS);
  if (c->form == ITEM_PERSISTENT) plan_uses(p, c, &shared);
  if (c->form == ITEM_NONBLOCKING) {
    c->nuses = 1;
    c->uses[0] = (struct use){c->at, own_position(p, c->at + 1, POSITIONS)};
  }
}

static int start(struct program *p, struct call *c)
{
  c->item.number++;
  item_refill(&c->item);
  return MPJ_Start(&c->item.request) == MPJ_SUCCESS
             ? 0
             : item_failed(p->run, &c->item, "could not be started");
}

/* Wait, or test until it is done. */
static int wait(struct program *p, struct call *c)
{
  int done = 0, status = MPJ_SUCCESS;
  if (mpj_random_in(&p->own, 0, 1) == 0) {
    status = MPJ_Wait(&c->item.request);
  } else {
    while (!done && status == MPJ_SUCCESS)
      status = MPJ_Test(&c->item.request, &done);
  }
  if (status != MPJ_SUCCESS) return item_failed(p->run, &c->item, "its wait failed");
  return item_check(p->run, &c->item);
}

/* All starts of this position, in an order of this rank's own. */
static int start_all(struct program *p, int at)
{
  const int first = (int)mpj_random_in(&p->own, 0, REQUESTS - 1);
  for (int k = 0; k < REQUESTS; k++) {
    struct call *c = &p->calls[CALLS + (first + 7 * k) % REQUESTS];
    for (int u = 0; u < c->nuses; u++)
      if (c->uses[u].start == at && c->at != at && start(p, c) != 0) return 1;
  }
  return 0;
}

/* Calls and inits, in the same order on all ranks; a request can be started from its init on. */
static int call_all(struct program *p, int at)
{
  for (int k = 0; k < CALLS + REQUESTS; k++) {
    struct call *c = &p->calls[k];
    if (c->at != at || c->item.place.comm == MPJ_COMM_NULL) continue;
    if (item_call(p->run, &c->item, c->form) != 0) return 1;
    if (c->form == ITEM_BLOCKING && item_check(p->run, &c->item) != 0) return 1;
    for (int u = 0; u < c->nuses && c->form == ITEM_PERSISTENT; u++)
      if (c->uses[u].start == at && start(p, c) != 0) return 1;
  }
  return 0;
}

static int wait_all(struct program *p, int at)
{
  const int first = (int)mpj_random_in(&p->own, 0, CALLS + REQUESTS - 1);
  for (int k = 0; k < CALLS + REQUESTS; k++) {
    struct call *c = &p->calls[(first + 3 * k) % (CALLS + REQUESTS)];
    for (int u = 0; u < c->nuses; u++)
      if (c->uses[u].wait == at && wait(p, c) != 0) return 1;
    if (c->form == ITEM_PERSISTENT && c->free_at == at && c->item.request != MPJ_REQUEST_NULL &&
        MPJ_Request_free(&c->item.request) != MPJ_SUCCESS)
      return item_failed(p->run, &c->item, "could not be freed");
  }
  return 0;
}

static int pass(struct program *p, int at)
{
  if (mpj_random_in(&p->own, 0, 9) == 0) usleep((useconds_t)mpj_random_in(&p->own, 0, 300));
  if (at > 0 && start_all(p, at) != 0) return 1;
  if (call_all(p, at) != 0) return 1;
  if (p->freed_at == at && MPJ_Comm_free(&p->freed) != MPJ_SUCCESS)
    return item_failed(p->run, &p->calls[0].item, "the communicator could not be freed");
  return wait_all(p, at);
}

static int play_one(struct program *p, uint64_t seed)
{
  struct mpj_random rng = {seed};
  int bad = MPJ_Comm_dup(MPJ_COMM_WORLD, &p->freed) != MPJ_SUCCESS;
  p->freed_at = own_position(p, 0, POSITIONS);
  for (int k = 0; k < CALLS + REQUESTS; k++)
    plan(p, k, &rng);
  for (int at = 0; at < POSITIONS && !bad; at++)
    bad = pass(p, at);
  for (int k = 0; k < CALLS + REQUESTS; k++)
    item_free(&p->calls[k].item);
  return bad;
}

static int play(const struct run *run)
{
  static _Thread_local struct program p;
  if (run->place > 0) return 0; /* the first call's programs are over all places */
  p.run = run;
  p.own = (struct mpj_random){run->seed * 31 + (uint64_t)run->rank + 1};
  for (long i = 0; i < run->plays; i++)
    if (play_one(&p, run_seed(run, (uint64_t)i)) != 0) return 1;
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
