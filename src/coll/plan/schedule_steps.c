/* This file builds schedules: steps in the order laid down, then the inverse of
 * their dependencies as one array. */
#include "coll/plan/schedule.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "coll/plan/plans.h"
#include "coll/plan/schedule_steps.h"

struct edge {
  uint32_t before, after;
};

/* A step with what the schedule keeps apart. */
struct laid {
  struct mpj_step step;
  uint32_t waits, nnext;
};

/* What an algorithm uses meanwhile. */
struct room {
  struct room *next;
  _Alignas(16) unsigned char bytes[];
};

struct mpj_schedule_builder {
  struct mpj_schedule *schedule;
  int status;
  struct laid *laid;           /* [schedule->nsteps] */
  struct edge *edge;           /* [edges] */
  struct mpj_operand *operand; /* [schedule->noperands] */
  uint32_t *temporary;         /* [schedule->ntemporaries] */
  size_t steps_room, edges, edges_room, operands_room, temporaries_room;
  struct room *rooms; /* the last first */
};

enum { LOOK_BACK = 256 };

/* Make room for one more element of `size` bytes in *array. */
static bool grow(struct mpj_schedule_builder *b, void **array, size_t used, size_t *room,
                 size_t size)
{
  if (used < *room) return true;
  const size_t more = *room ? 2 * *room : 16;
  void *bigger = mpj_alloc_array(more, size);
  if (!bigger) {
    b->status = mpj_error(MPJ_ERR_NO_MEM, "no memory for a schedule of %zu steps", more);
    return false;
  }
  if (used > 0) memcpy(bigger, *array, used * size);
  mpj_free(*array);
  *array = bigger;
  *room = more;
  return true;
}

/* The operand's place in the list; 0 after an error. Only the last LOOK_BACK ones are
 * looked at: an algorithm returns to what it has just used. */
static uint32_t intern(struct mpj_schedule_builder *b, struct mpj_operand operand)
{
  struct mpj_schedule *s = b->schedule;
  const unsigned n = s->noperands, least = n > LOOK_BACK ? n - LOOK_BACK : 0;
  if (b->status != MPJ_SUCCESS) return 0;
  for (unsigned i = n; i-- > least;)
    if (memcmp(&b->operand[i], &operand, sizeof operand) == 0) return i;
  void *array = b->operand;
  if (!grow(b, &array, n, &b->operands_room, sizeof operand)) return 0;
  b->operand = array;
  b->operand[s->noperands++] = operand;
  return n;
}

int mpj_schedule_begin(enum mpj_operation operation, unsigned algorithm, int root, unsigned variant,
                       struct mpj_schedule_builder **builder)
{
  struct mpj_schedule_builder *b = mpj_alloc_array(1, sizeof *b);
  struct mpj_schedule *s = mpj_alloc_array(1, sizeof *s);
  if (!b || !s) {
    mpj_free(s);
    mpj_free(b);
    return mpj_error(MPJ_ERR_NO_MEM, "no memory for a schedule of %s",
                     mpj_operation_name(operation));
  }
  s->operation = operation;
  s->algorithm = algorithm;
  s->root = root;
  s->variant = variant;
  s->called = (struct mpj_called){(uint8_t)operation, (uint8_t)algorithm,
                                  (uint8_t)mpj_variant_radix(variant),
                                  (uint8_t)mpj_variant_segments(variant), root};
  b->schedule = s;
  intern(b, (struct mpj_operand){.buffer = MPJ_BUFFER_NONE});
  *builder = b;
  return MPJ_SUCCESS;
}

void mpj_schedule_of_lists(struct mpj_schedule_builder *b,
                           const struct mpj_part_list *const lists[2])
{
  for (int k = 0; k < 2; k++) {
    if (!lists[k]) continue;
    b->schedule->lists[k] = *lists[k];
    mpj_sequence_retain(lists[k]->numbers);
  }
}

const struct mpj_part_list *mpj_schedule_list(const struct mpj_schedule_builder *b, int k)
{
  return &b->schedule->lists[k];
}

static void add_edge(struct mpj_schedule_builder *b, int before, int after)
{
  assert(before >= 0 && before < after);
  void *array = b->edge;
  if (!grow(b, &array, b->edges, &b->edges_room, sizeof *b->edge)) return;
  b->edge = array;
  b->edge[b->edges++] = (struct edge){(uint32_t)before, (uint32_t)after};
  b->laid[after].waits++;
  b->laid[before].nnext++;
}

static int add_step(struct mpj_schedule_builder *b, struct mpj_step step, int ndeps,
                    const int deps[])
{
  struct mpj_schedule *s = b->schedule;
  if (b->status != MPJ_SUCCESS) return 0;
  if (s->nsteps >= MPJ_STEPS_MAX) {
    b->status = mpj_error(MPJ_ERR_UNSUPPORTED, "a schedule has more than %d steps", MPJ_STEPS_MAX);
    return 0;
  }
  void *array = b->laid;
  if (!grow(b, &array, s->nsteps, &b->steps_room, sizeof *b->laid)) return 0;
  b->laid = array;
  const int id = (int)s->nsteps++;
  b->laid[id] = (struct laid){.step = step};
  for (int i = 0; i < ndeps; i++)
    add_edge(b, deps[i], id);
  return id;
}

/* The step that an arrival names, or announces, by `bit`. */
static int add_bit_step(struct mpj_schedule_builder *b, struct mpj_step step, unsigned bit,
                        int ndeps, const int deps[])
{
  const bool signals = step.kind == MPJ_STEP_SIGNAL || step.kind == MPJ_STEP_AWAIT;
  const unsigned most = signals ? MPJ_BITS_MAX - 1 : MPJ_ARRIVALS_MOST;
  if (b->status == MPJ_SUCCESS && bit > most)
    b->status =
        mpj_error(MPJ_ERR_UNSUPPORTED, "arrival %u of a schedule is beyond %u", bit, most);
  step.bit = bit & MPJ_ARRIVALS_MOST;
  return add_step(b, step, ndeps, deps);
}

/* Let `bit` name the arrival that step `id` waits for. */
static int expect(struct mpj_schedule_builder *b, int id, unsigned bit)
{
  struct mpj_schedule *s = b->schedule;
  if (b->status != MPJ_SUCCESS) return 0;
  if (bit >= s->arrivals) s->arrivals = bit + 1;
  s->nexpected++;
  b->laid[id].waits++;
  return id;
}

int mpj_schedule_signal(struct mpj_schedule_builder *b, int peer, unsigned bit, int ndeps,
                        const int deps[])
{
  const struct mpj_step step = {.kind = MPJ_STEP_SIGNAL, .peer = peer};
  return add_bit_step(b, step, bit, ndeps, deps);
}

int mpj_schedule_await(struct mpj_schedule_builder *b, int peer, unsigned bit, int ndeps,
                       const int deps[])
{
  const struct mpj_step step = {.kind = MPJ_STEP_AWAIT, .peer = peer};
  if (bit / 64 >= b->schedule->await_words) b->schedule->await_words = bit / 64 + 1;
  return expect(b, add_bit_step(b, step, bit, ndeps, deps), bit);
}

int mpj_schedule_meet(struct mpj_schedule_builder *b, int home, int ndeps, const int deps[])
{
  const struct mpj_step step = {.kind = MPJ_STEP_MEET, .peer = home};
  b->schedule->meets = true;
  return add_step(b, step, ndeps, deps);
}

int mpj_schedule_post(struct mpj_schedule_builder *b, struct mpj_operand src, int ndeps,
                      const int deps[])
{
  const struct mpj_step step = {.kind = MPJ_STEP_POST, .peer = -1, .src = intern(b, src)};
  return add_step(b, step, ndeps, deps);
}

int mpj_schedule_send(struct mpj_schedule_builder *b, int peer, unsigned bit,
                      struct mpj_operand src, int ndeps, const int deps[])
{
  const struct mpj_step step = {
      .kind = MPJ_STEP_SEND, .peer = peer, .src = intern(b, src)};
  return add_bit_step(b, step, bit, ndeps, deps);
}

int mpj_schedule_recv(struct mpj_schedule_builder *b, int peer, unsigned bit,
                      struct mpj_operand dst, int ndeps, const int deps[])
{
  const struct mpj_step step = {
      .kind = MPJ_STEP_RECV, .peer = peer, .dst = intern(b, dst)};
  return expect(b, add_bit_step(b, step, bit, ndeps, deps), bit);
}

int mpj_schedule_recv_reduce(struct mpj_schedule_builder *b, int peer, unsigned bit,
                             struct mpj_operand aside, struct mpj_operand dst, int ndeps,
                             const int deps[])
{
  const struct mpj_step step = {
      .kind = MPJ_STEP_RECV, .peer = peer, .src = intern(b, aside), .dst = intern(b, dst)};
  return expect(b, add_bit_step(b, step, bit, ndeps, deps), bit);
}

int mpj_schedule_copy(struct mpj_schedule_builder *b, struct mpj_operand src,
                      struct mpj_operand dst, int ndeps, const int deps[])
{
  const struct mpj_step step = {
      .kind = MPJ_STEP_COPY, .peer = -1, .src = intern(b, src), .dst = intern(b, dst)};
  return add_step(b, step, ndeps, deps);
}

int mpj_schedule_reduce(struct mpj_schedule_builder *b, struct mpj_operand src,
                        struct mpj_operand dst, int ndeps, const int deps[])
{
  const struct mpj_step step = {
      .kind = MPJ_STEP_REDUCE, .peer = -1, .src = intern(b, src), .dst = intern(b, dst)};
  return add_step(b, step, ndeps, deps);
}

int mpj_schedule_send_by(struct mpj_schedule_builder *b, int peer, unsigned bit,
                         struct mpj_operand src, struct mpj_operand verdict)
{
  const struct mpj_step step = {.kind = MPJ_STEP_SEND,
                                .peer = peer,
                                .src = intern(b, src),
                                .dst = intern(b, verdict)};
  return add_bit_step(b, step, bit, 0, NULL);
}

int mpj_schedule_judge(struct mpj_schedule_builder *b, struct mpj_operand src,
                       struct mpj_operand verdict)
{
  const struct mpj_step step = {
      .kind = MPJ_STEP_JUDGE, .peer = -1, .src = intern(b, src), .dst = intern(b, verdict)};
  return add_step(b, step, 0, NULL);
}

void *mpj_schedule_room(struct mpj_schedule_builder *b, int n, size_t size)
{
  size_t bytes;
  struct room *room = NULL;
  if (!__builtin_mul_overflow((size_t)n, size, &bytes) && bytes <= SIZE_MAX / 2)
    room = mpj_alloc_array(1, sizeof *room + bytes);
  if (!room) {
    mpj_schedule_fail(b, mpj_error(MPJ_ERR_NO_MEM, "no memory to lay down a schedule"));
    return NULL;
  }
  room->next = b->rooms;
  b->rooms = room;
  return room->bytes;
}

void mpj_schedule_gives_up(struct mpj_schedule_builder *b)
{
  b->schedule->gives_up = true;
}

void mpj_schedule_unless_posted(struct mpj_schedule_builder *b, int send, int post)
{
  if (b->status != MPJ_SUCCESS) return;
  b->laid[send].step.posted = 1;
  add_edge(b, post, send);
}

void mpj_schedule_may_be_posted(struct mpj_schedule_builder *b, int recv)
{
  if (b->status != MPJ_SUCCESS) return;
  b->laid[recv].step.posted = 1;
  b->schedule->nposted++;
}

void mpj_schedule_after(struct mpj_schedule_builder *b, int step, int before)
{
  if (b->status == MPJ_SUCCESS) add_edge(b, before, step);
}

void mpj_schedule_fail(struct mpj_schedule_builder *b, int status)
{
  if (b->status == MPJ_SUCCESS) b->status = status;
}

/* A new temporary's number; 0 after an error. */
static int add_temporary(struct mpj_schedule_builder *b, struct mpj_operand like)
{
  struct mpj_schedule *s = b->schedule;
  const uint32_t operand = intern(b, like);
  if (b->status != MPJ_SUCCESS) return 0;
  if (s->ntemporaries == MPJ_TEMPORARIES_MAX) {
    b->status = mpj_error(MPJ_ERR_UNSUPPORTED, "a schedule has more than %d temporaries",
                          MPJ_TEMPORARIES_MAX);
    return 0;
  }
  void *array = b->temporary;
  if (!grow(b, &array, s->ntemporaries, &b->temporaries_room, sizeof *b->temporary)) return 0;
  b->temporary = array;
  b->temporary[s->ntemporaries] = operand;
  return (int)s->ntemporaries++;
}

struct mpj_operand mpj_schedule_temporary(struct mpj_schedule_builder *b, struct mpj_operand like)
{
  assert(like.buffer == MPJ_BUFFER_SEND || like.buffer == MPJ_BUFFER_RECV);
  const int number = add_temporary(b, like);
  return b->status == MPJ_SUCCESS ? mpj_operand_part(MPJ_BUFFER_TEMP, number) : mpj_operand_none();
}

struct mpj_operand mpj_schedule_bundle(struct mpj_schedule_builder *b)
{
  const int number = add_temporary(b, mpj_operand_none());
  return b->status == MPJ_SUCCESS ? mpj_operand_part(MPJ_BUFFER_BUNDLE, number)
                                  : mpj_operand_none();
}

struct mpj_operand mpj_schedule_verdict(struct mpj_schedule_builder *b)
{
  const int number = add_temporary(b, mpj_operand_none());
  b->schedule->judges = true;
  return b->status == MPJ_SUCCESS ? mpj_operand_part(MPJ_BUFFER_VERDICT, number)
                                  : mpj_operand_none();
}

/* Where each step comes to stand: those that wait for other ranks, or depend on such, behind the
 * others, so that who runs the steps in their order has given all that it can before it waits.
 * Edges are listed by the step behind them. */
static bool place_steps(const struct mpj_schedule_builder *b, uint32_t place[])
{
  const unsigned n = b->schedule->nsteps;
  bool *waiting = mpj_alloc_array(n, sizeof *waiting);
  uint32_t next = 0;
  if (!waiting) return false;
  for (unsigned i = 0; i < n; i++) {
    const unsigned kind = b->laid[i].step.kind;
    waiting[i] = kind == MPJ_STEP_RECV || kind == MPJ_STEP_AWAIT || kind == MPJ_STEP_MEET;
  }
  for (size_t e = 0; e < b->edges; e++)
    waiting[b->edge[e].after] |= waiting[b->edge[e].before];
  for (int later = 0; later < 2; later++)
    for (unsigned i = 0; i < n; i++)
      if (waiting[i] == (later == 1)) place[i] = next++;
  mpj_free(waiting);
  return true;
}

/* Turn the list of edges into each step's array of followers. */
static void link_steps(struct mpj_schedule_builder *b, const uint32_t place[])
{
  struct mpj_schedule *s = b->schedule;
  for (unsigned i = 0; i < s->nsteps; i++) {
    s->steps[place[i]] = b->laid[i].step;
    s->steps[place[i]].first_next = b->laid[i].nnext;
    s->waits[place[i]] = b->laid[i].waits;
  }
  for (unsigned i = 0, begin = 0; i < s->nsteps; i++) /* each array is filled from its end */
    begin = s->steps[i].first_next += begin;
  for (size_t e = b->edges; e-- > 0;) {
    struct mpj_step *before = &s->steps[place[b->edge[e].before]];
    s->next[--before->first_next] = place[b->edge[e].after];
  }
}

static int by_bits(const void *a, const void *b)
{
  const uint32_t x = ((const struct mpj_expected *)a)->bit;
  const uint32_t y = ((const struct mpj_expected *)b)->bit;
  return (x > y) - (x < y);
}

static void list_expected(struct mpj_schedule *s)
{
  unsigned n = 0;
  for (unsigned i = 0; i < s->nsteps; i++) {
    const unsigned kind = s->steps[i].kind;
    if (kind == MPJ_STEP_RECV || kind == MPJ_STEP_AWAIT)
      s->expected[n++] = (struct mpj_expected){s->steps[i].bit, i};
  }
  qsort(s->expected, n, sizeof *s->expected, by_bits);
  for (unsigned k = 1; k < n; k++)
    assert(s->expected[k - 1].bit < s->expected[k].bit);
}

static void list_posted(struct mpj_schedule *s)
{
  uint32_t n = 0;
  for (unsigned i = 0; i < s->nsteps; i++)
    if (s->steps[i].posted && s->steps[i].kind == MPJ_STEP_RECV) s->posted[n++] = i;
}

/* Arrays of just the size that is needed, as the schedule will be kept. */
static bool cut_arrays(struct mpj_schedule *s, size_t edges)
{
  const size_t words = edges + s->nsteps + s->ntemporaries + s->nposted;
  s->steps = mpj_alloc_array(1, s->nsteps * sizeof *s->steps + s->noperands * sizeof *s->operands +
                                    s->nexpected * sizeof *s->expected + words * sizeof *s->next);
  if (!s->steps) return false;
  s->operands = (struct mpj_operand *)(void *)(s->steps + s->nsteps);
  s->expected = (struct mpj_expected *)(void *)(s->operands + s->noperands);
  s->next = (uint32_t *)(void *)(s->expected + s->nexpected);
  s->waits = s->next + edges;
  s->temporaries = s->waits + s->nsteps;
  s->posted = s->temporaries + s->ntemporaries;
  return true;
}

static void make_arrays(struct mpj_schedule_builder *b)
{
  struct mpj_schedule *s = b->schedule;
  uint32_t *place = mpj_alloc_array(s->nsteps, sizeof *place);
  if (!place || !cut_arrays(s, b->edges) || !place_steps(b, place)) {
    mpj_free(place);
    b->status = mpj_error(MPJ_ERR_NO_MEM, "no memory for a schedule of %u steps", s->nsteps);
    return;
  }
  memcpy(s->operands, b->operand, s->noperands * sizeof *s->operands);
  if (s->ntemporaries > 0)
    memcpy(s->temporaries, b->temporary, s->ntemporaries * sizeof *s->temporaries);
  s->nnext = (uint32_t)b->edges;
  link_steps(b, place);
  list_posted(s);
  list_expected(s);
  mpj_free(place);
}

int mpj_schedule_finish(struct mpj_schedule_builder *b, struct mpj_schedule **schedule)
{
  struct mpj_schedule *s = b->schedule;
  if (b->status == MPJ_SUCCESS && b->edges > INT32_MAX)
    b->status = mpj_error(MPJ_ERR_UNSUPPORTED, "a schedule has %zu dependencies, at most %d",
                          b->edges, INT32_MAX);
  if (b->status == MPJ_SUCCESS) make_arrays(b);
  const int status = b->status;
  if (status == MPJ_SUCCESS)
    *schedule = s;
  else
    mpj_schedule_drop(s);
  mpj_free(b->laid);
  mpj_free(b->edge);
  mpj_free(b->operand);
  mpj_free(b->temporary);
  for (struct room *room = b->rooms, *next; room; room = next) {
    next = room->next;
    mpj_free(room);
  }
  mpj_free(b);
  return status;
}

void mpj_schedule_drop(struct mpj_schedule *s)
{
  for (int k = 0; k < 2; k++)
    mpj_sequence_release(s->lists[k].numbers);
  mpj_free(s->steps);
  mpj_free(s);
}
