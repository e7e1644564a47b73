/* This file makes random programs in which one rank goes astray. */
#include "coll/astray_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONG_INTS = 6000 };

int astray_complain(const struct program *p, const char *what)
{
  fprintf(stderr,
          "rank %d of %d, seed %llu, fault %d of rank %d at call %d of communicator %d: %s (%s)\n",
          p->run.rank, p->run.size, (unsigned long long)p->run.seed, p->fault, p->odd, p->at,
          p->strayed, what, MPJ_Error_detail());
  return 1;
}

/* The program, the same on all ranks */

/* All ranks; all in the other order; all but the last. */
static int make_places(struct program *p)
{
  const MPJ_Comm world = MPJ_COMM_WORLD;
  const int rank = p->run.rank, size = p->run.size;
  const bool last = size > 2 && rank == size - 1;
  MPJ_Comm comms[ASTRAY_COMMS];
  if (MPJ_Comm_dup(world, &comms[0]) != MPJ_SUCCESS ||
      MPJ_Comm_split(world, 0, -rank, &comms[1]) != MPJ_SUCCESS ||
      MPJ_Comm_split(world, last ? MPJ_UNDEFINED : 0, 0, &comms[2]) != MPJ_SUCCESS)
    return astray_complain(p, "no communicators");
  p->places[0] = (struct place){comms[0], rank, size};
  p->places[1] = (struct place){comms[1], size - 1 - rank, size};
  p->places[2] = (struct place){comms[2], rank, size > 2 ? size - 1 : size};
  return 0;
}

static void plan_call(struct program *p, int k, struct mpj_random *rng)
{
  struct mpj_random shared = {mpj_random_next(rng)};
  struct call *c = &p->calls[k];
  *c = (struct call){.item = {.request = MPJ_REQUEST_NULL, .number = 100 * k}};
  c->comm = (int)mpj_random_in(&shared, 0, ASTRAY_COMMS - 1);
  c->form = (enum item_form)mpj_random_in(&shared, ITEM_BLOCKING, ITEM_PERSISTENT);
  c->item.place = p->places[c->comm];
  item_choose(&c->item, &shared, LONG_INTS);
  const int first = c->form == ITEM_PERSISTENT ? k + 1 : k; /* starts come before the call */
  c->start_at = first + (int)mpj_random_in(&shared, 0, 2);
  const int least = c->start_at < p->ncalls - 1 ? c->start_at : p->ncalls - 1;
  c->wait_at = (int)mpj_random_in(&p->own, least, p->ncalls - 1);
}

static bool is_rooted(const struct call *c)
{
  char name[ITEM_NAME];
  return strchr(item_name(&c->item, name), '(') != NULL;
}

static bool are_alike(const struct call *a, const struct call *b)
{
  char one[ITEM_NAME], other[ITEM_NAME];
  const bool init = a->form == ITEM_PERSISTENT, also = b->form == ITEM_PERSISTENT;
  if (init || also) return init && also;
  return strcmp(item_name(&a->item, one), item_name(&b->item, other)) == 0;
}

/* Whether a rank can go astray so at this call, and not wait in a circle. */
static bool is_possible(const struct program *p, enum fault fault, int at)
{
  const struct call *c = &p->calls[at], *next = at + 1 < p->ncalls ? c + 1 : NULL;
  if (fault == OTHER_ROOT) return is_rooted(c);
  if (c->form == ITEM_PERSISTENT) return false;
  if (fault == LEFT_OUT) return !next || (next->comm == c->comm && !are_alike(c, next));
  return next && next->comm == c->comm && next->form != ITEM_PERSISTENT && !are_alike(c, next);
}

static void plan_fault(struct program *p, struct mpj_random *rng)
{
  do {
    p->fault = (enum fault)mpj_random_in(rng, 0, FAULTS - 1);
    p->at = (int)mpj_random_in(rng, 0, p->ncalls - 1);
  } while (!is_possible(p, p->fault, p->at));
  p->strayed = p->calls[p->at].comm;
  p->root = p->calls[p->at].item.root;
  p->odd = (int)mpj_random_in(rng, 0, p->places[p->strayed].size - 1);
  p->frees = mpj_random_in(rng, 0, 1) != 0;
}

bool astray_is_there(const struct program *p, const struct call *c)
{
  return p->places[c->comm].comm != MPJ_COMM_NULL;
}

/* What a sentence calls it: "MPJ_Bcast_init (root 2)". */
static const char *call_name(const struct item *item, enum item_form form, char name[ITEM_NAME])
{
  static const char init[] = "_init";
  item_name(item, name);
  if (form != ITEM_PERSISTENT) return name;
  char *end = name + strcspn(name, " ");
  memmove(end + strlen(init), end, strlen(end) + 1);
  memcpy(end, init, strlen(init));
  return name;
}

/* What a rank of the strayed communicator calls there as operation n: its name, or its end. */
static const char *called(const struct program *p, int rank, int n, char name[ITEM_NAME])
{
  for (int k = 0; k < p->ncalls; k++) {
    int at = k;
    if (rank == p->odd && p->fault == SWAPPED && (k == p->at || k == p->at + 1))
      at = 2 * p->at + 1 - k;
    const struct call *c = &p->calls[at];
    if (c->comm != p->strayed) continue;
    if (rank == p->odd && p->fault == LEFT_OUT && at == p->at) continue;
    if (n-- > 0) continue;
    struct item item = c->item;
    if (at == p->at) item.root = p->root;
    if (rank == p->odd && p->fault == OTHER_ROOT && at == p->at)
      item.root = (p->root + 1) % item.place.size;
    return call_name(&item, c->form, name);
  }
  return p->frees ? "MPJ_Comm_free" : "MPJ_Finalize";
}

static bool differ_in(const struct program *p, int n)
{
  char one[ITEM_NAME], other[ITEM_NAME];
  const int even = p->odd == 0 ? 1 : 0;
  return strcmp(called(p, p->odd, n, one), called(p, even, n, other)) != 0;
}

/* Numbers, and what this rank does differently from the plan. */
static void number_calls(struct program *p)
{
  const bool astray = p->places[p->strayed].rank == p->odd && astray_is_there(p, &p->calls[p->at]);
  int n[ASTRAY_COMMS] = {0};
  for (int k = 0; k < p->ncalls; k++) {
    p->order[k] = k;
    if (astray && p->fault == SWAPPED && (k == p->at || k == p->at + 1))
      p->order[k] = 2 * p->at + 1 - k;
  }
  for (int k = 0; k < p->ncalls; k++) {
    struct call *c = &p->calls[p->order[k]];
    const bool out = astray && p->fault == LEFT_OUT && k == p->at;
    c->number = astray_is_there(p, c) && !out ? n[c->comm]++ : -1;
  }
  p->first = 0;
  while (!differ_in(p, p->first))
    p->first++;
}

int astray_plan(struct program *p)
{
  struct mpj_random rng = {p->run.seed};
  p->own = (struct mpj_random){p->run.seed * 31 + (uint64_t)p->run.rank + 1};
  if (make_places(p) != 0) return 1;
  for (int k = 0; k < p->ncalls; k++)
    plan_call(p, k, &rng);
  plan_fault(p, &rng);
  number_calls(p);
  return 0;
}

bool astray_fits(const struct program *p, const char *sentence)
{
  const char title[] = "operation ", *at = strstr(sentence, title);
  if (strstr(sentence, "of the persistent request of ")) return true; /* its init's number */
  return !at || atoi(at + strlen(title)) >= p->first;
}

bool astray_is_true(const struct program *p, const char *sentence)
{
  char one[ITEM_NAME], other[ITEM_NAME], expected[ASTRAY_SENTENCE];
  const int size = p->places[p->strayed].size;
  for (int n = p->first; n <= p->ncalls; n++)
    for (int rank = 0; rank < size; rank++) {
      if (rank == p->odd) continue;
      const char *there = called(p, rank, n, one), *astray = called(p, p->odd, n, other);
      if (strcmp(there, astray) == 0) continue;
      snprintf(expected, sizeof expected, "operation %d is %s on rank %d, but %s on rank %d", n,
               there, rank, astray, p->odd);
      if (strstr(sentence, expected)) return true;
      snprintf(expected, sizeof expected, "operation %d is %s on rank %d, but %s on rank %d", n,
               astray, p->odd, there, rank);
      if (strstr(sentence, expected)) return true;
    }
  return false;
}
