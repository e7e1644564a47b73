/* This file builds schedules: steps in the order laid down. */
#include "coll/plan/schedule.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "coll/plan/builder.h"
#include "coll/plan/plans.h"
#include "coll/plan/schedule_steps.h"

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
    b->status = mpj_error(MPJ_ERR_UNSUPPORTED, "arrival %u of a schedule is beyond %u", bit, most);
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
  const struct mpj_step step = {.kind = MPJ_STEP_SEND, .peer = peer, .src = intern(b, src)};
  return add_bit_step(b, step, bit, ndeps, deps);
}

int mpj_schedule_recv(struct mpj_schedule_builder *b, int peer, unsigned bit,
                      struct mpj_operand dst, int ndeps, const int deps[])
{
  const struct mpj_step step = {.kind = MPJ_STEP_RECV, .peer = peer, .dst = intern(b, dst)};
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
  const struct mpj_step step = {
      .kind = MPJ_STEP_SEND, .peer = peer, .src = intern(b, src), .dst = intern(b, verdict)};
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
