/* This file plays several runs at once: each kind of schedule, in each direction, nonblocking and
 * persistent, is freed as soon as its run has begun, and what they leave is what blocking runs do.
 * The one-shot calls leave what schedules do. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/plays.h"

enum { N = 60, ROOM = 2 * N, WANTED = 8, MEMBERS = 2 };
enum kind { REMAP, HALO, SUBSCRIPT, PAIRS, COPIES, JOINED, KINDS };
enum direction { FORWARD, BACKWARD, FETCH, DIRECTIONS };
enum form { BLOCKING, NONBLOCKING, PERSISTENT };

struct buffers {
  double from[MEMBERS][ROOM], to[MEMBERS][ROOM], fetched[MEMBERS][ROOM];
};

struct arrays {
  MPJ_Array blocks, dealt, copies;
};

struct wants {
  MPJ_Count index[WANTED], offsets[WANTED];
  int ranks[WANTED];
};

static int describe(const struct run *run, struct arrays *a)
{
  const MPJ_Axis whole = {.size = N};
  a->blocks = play_blocks(run, N, 0, 2);
  a->dealt = play_blocks(run, N, 3, 0);
  return MPJ_Array_create(1, &whole, 1, &run->size, MPJ_ORDER_C, MPJ_DOUBLE, run->comm, &a->copies);
}

static void draw(const struct run *run, struct mpj_random *rng, struct wants *w)
{
  struct mpj_random mine = {mpj_random_next(rng) + (uint64_t)run->rank * 7919};
  for (int i = 0; i < WANTED; i++) {
    w->index[i] = play_below(&mine, N);
    w->offsets[i] = play_below(&mine, N / 4);
    w->ranks[i] = play_below(&mine, run->size);
  }
}

static int make_one(const struct run *run, const struct arrays *a, const struct wants *w, int kind,
                    MPJ_Schedule *s)
{
  switch (kind) {
  case REMAP:
    return MPJ_Remap_create(a->blocks, NULL, a->dealt, NULL, NULL, s);
  case HALO:
    return MPJ_Halo_create(a->blocks, a->blocks, NULL, NULL, 0, s);
  case SUBSCRIPT:
    return MPJ_Subscript_create(a->dealt, WANTED, w->index, NULL, s);
  case PAIRS:
    return MPJ_Graph_create(N, WANTED, NULL, w->ranks, w->offsets, MPJ_DOUBLE, run->comm, s);
  default:
    return MPJ_Remap_create(a->dealt, NULL, a->copies, NULL, NULL, s);
  }
}

/* In rounds, if they are bounded. */
static int make(const struct run *run, const struct arrays *a, const struct wants *w, int kind,
                bool bounded, MPJ_Schedule *s)
{
  MPJ_Schedule parts[MEMBERS] = {MPJ_SCHEDULE_NULL, MPJ_SCHEDULE_NULL};
  int status = MPJ_SUCCESS;
  for (int i = 0; kind == JOINED && i < MEMBERS && !status; i++)
    status = make_one(run, a, w, i == 0 ? REMAP : PAIRS, &parts[i]);
  if (!status)
    status = kind == JOINED ? MPJ_Schedule_join(MEMBERS, parts, s) : make_one(run, a, w, kind, s);
  for (int i = 0; i < MEMBERS; i++)
    if (parts[i]) MPJ_Schedule_free(&parts[i]);
  return status || !bounded ? status : MPJ_Schedule_limit(*s, 1000);
}

static void fill(const struct run *run, int kind, struct buffers *b)
{
  for (int m = 0; m < MEMBERS; m++)
    for (int i = 0; i < ROOM; i++) {
      b->from[m][i] = 1000 * run->rank + 7 * kind + i + m;
      b->to[m][i] = 50 + run->rank + 3 * i + kind;
      b->fetched[m][i] = -1;
    }
}

/* A run of a schedule of this kind. */
static int begin(MPJ_Schedule s, int kind, enum direction direction, enum form form,
                 struct buffers *b, MPJ_Request *r)
{
  void *froms[MEMBERS] = {b->from[0], b->from[1]}, *tos[MEMBERS] = {b->to[0], b->to[1]};
  void *fetcheds[MEMBERS] = {b->fetched[0], b->fetched[1]};
  void *from = kind == JOINED ? (void *)froms : froms[0];
  void *to = kind == JOINED ? (void *)tos : kind == HALO ? froms[0] : tos[0];
  void *fetched = kind == JOINED ? (void *)fetcheds : fetcheds[0];
  switch (direction) {
  case FORWARD:
    return form == BLOCKING      ? MPJ_Schedule_forward(s, from, to)
           : form == NONBLOCKING ? MPJ_Schedule_iforward(s, from, to, r)
                                 : MPJ_Schedule_forward_init(s, from, to, r);
  case BACKWARD:
    return form == BLOCKING      ? MPJ_Schedule_backward(s, from, to, MPJ_SUM)
           : form == NONBLOCKING ? MPJ_Schedule_ibackward(s, from, to, MPJ_SUM, r)
                                 : MPJ_Schedule_backward_init(s, from, to, MPJ_SUM, r);
  default:
    return form == BLOCKING      ? MPJ_Schedule_fetch_op(s, from, to, fetched, MPJ_SUM)
           : form == NONBLOCKING ? MPJ_Schedule_ifetch_op(s, from, to, fetched, MPJ_SUM, r)
                                 : MPJ_Schedule_fetch_op_init(s, from, to, fetched, MPJ_SUM, r);
  }
}

/* All kinds at once, each in a direction and a form that is drawn; found, wanted: [KINDS]. */
static int run_all(const struct run *run, struct mpj_random *rng, const struct arrays *a,
                   const struct wants *w, struct buffers found[], struct buffers wanted[])
{
  MPJ_Request requests[KINDS];
  enum direction directions[KINDS];
  enum form forms[KINDS];
  int status = 0;
  for (int kind = 0; kind < KINDS && !status; kind++) {
    MPJ_Schedule s = MPJ_SCHEDULE_NULL;
    fill(run, kind, &found[kind]);
    wanted[kind] = found[kind];
    directions[kind] = (enum direction)play_below(rng, DIRECTIONS);
    forms[kind] = play_below(rng, 2) ? PERSISTENT : NONBLOCKING;
    requests[kind] = MPJ_REQUEST_NULL;
    status = make(run, a, w, kind, play_below(rng, 2), &s);
    if (!status) status = begin(s, kind, directions[kind], BLOCKING, &wanted[kind], NULL);
    if (!status)
      status = begin(s, kind, directions[kind], forms[kind], &found[kind], &requests[kind]);
    if (s) MPJ_Schedule_free(&s);
  }
  for (int kind = KINDS - 1; kind >= 0 && !status; kind--)
    if (forms[kind] == PERSISTENT) status = MPJ_Start(&requests[kind]);
  for (int k = 0, kind = play_below(rng, KINDS); k < KINDS && !status;
       k++, kind = (kind + 1) % KINDS) {
    status = MPJ_Wait(&requests[kind]);
    if (!status && forms[kind] == PERSISTENT) status = MPJ_Request_free(&requests[kind]);
  }
  if (status) return play_failed(run, "several at once");
  for (int kind = 0; kind < KINDS; kind++)
    if (memcmp(&found[kind], &wanted[kind], sizeof *found) != 0) {
      fprintf(stderr, "rank %d: kind %d, direction %d, form %d leaves other data\n", run->rank,
              kind, (int)directions[kind], (int)forms[kind]);
      return 1;
    }
  return 0;
}

/* A one-shot call and its create, run forward. */
static int run_once(const struct run *run, const struct arrays *a, const struct wants *w,
                    struct buffers *found, struct buffers *wanted)
{
  for (int i = 0; i < 2; i++) {
    MPJ_Schedule s = MPJ_SCHEDULE_NULL;
    fill(run, i, found);
    *wanted = *found;
    int status = make_one(run, a, w, i == 0 ? 3 : 0, &s);
    if (!status) status = MPJ_Schedule_forward(s, wanted->from[0], wanted->to[0]);
    if (!status && i == 0)
      status = MPJ_Graph(N, WANTED, NULL, w->ranks, w->offsets, MPJ_DOUBLE, run->comm,
                         found->from[0], found->to[0]);
    else if (!status)
      status = MPJ_Remap_between(a->blocks, NULL, a->dealt, NULL, NULL, run->comm, found->from[0],
                                 found->to[0]);
    if (s) MPJ_Schedule_free(&s);
    if (status) return play_failed(run, "a one-shot call");
    if (memcmp(found, wanted, sizeof *found) == 0) continue;
    fprintf(stderr, "rank %d: one-shot call %d leaves other data\n", run->rank, i);
    return 1;
  }
  return 0;
}

int play_pending(const struct run *run, struct mpj_random *rng)
{
  struct buffers *found = calloc(KINDS, sizeof *found), *wanted = calloc(KINDS, sizeof *wanted);
  struct arrays a;
  struct wants w;
  draw(run, rng, &w);
  int status = describe(run, &a);
  if (!status) status = run_all(run, rng, &a, &w, found, wanted);
  if (!status) status = run_once(run, &a, &w, found, wanted);
  MPJ_Array_free(&a.blocks);
  MPJ_Array_free(&a.dealt);
  MPJ_Array_free(&a.copies);
  free(found);
  free(wanted);
  return status;
}
