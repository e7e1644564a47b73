/* This file plays one random reduction on one rank. */
#include "coll/reduction_play.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpj/mpj.h>

#include "coll/buffer.h"
#include "coll/reduction_model.h"
#include "pack/scalar_ops.h"

enum { ROUNDS = 2, BUDGET = 400000, STRETCHED_MOST = 3000 };

struct player {
  const struct run *run;
  uint64_t seed;
  struct mpj_random rng; /* this rank's own */
  enum mpj_operation kind;
  int root;
  bool in_place;
  struct model model;
  MPJ_Op op;
  MPJ_Count n;      /* copies of the input */
  MPJ_Count before; /* bytes of lower ranks' parts; of Reduce_scatter */
  struct layout send, recv;
  struct buffer sent, received;
};

static int complain(const struct player *p, const char *what, const char *detail)
{
  fprintf(stderr,
          "rank %d of %d: %s, root %d, seed %" PRIu64 "%s: %s of %lld x %s: %s: %s\n  sendtype %s\n"
          "  recvtype %s\n",
          p->run->rank, p->run->size, mpj_operation_name(p->kind), p->root, p->seed,
          p->in_place ? ", in place" : "", model_name(&p->model), (long long)p->n,
          p->model.element.t.text, what, detail, p->send.t.text, p->recv.t.text);
  return 1;
}

static bool is_rooted_elsewhere(const struct player *p)
{
  return p->kind == MPJ_OPERATION_REDUCE && p->run->rank != p->root;
}

static bool is_in_place(const struct player *p)
{
  return p->in_place && !is_rooted_elsewhere(p);
}

/* What to play */

/* Copies of the element: none, few, or up to what p ranks that each check all
 * can bear; rarely a multiple of it. */
static MPJ_Count draw_count(struct mpj_random *rng, const struct player *p)
{
  const MPJ_Count ranks = p->run->size, each = mpj_ref_elements(p->model.element.t.ref);
  const MPJ_Count most = BUDGET / (ranks * ranks) / (each > 0 ? each : 1);
  switch (mpj_random_in(rng, 0, 11)) {
  case 0:
    return 0;
  case 1:
    return 1;
  case 2:
    return most;
  case 3:
    return ranks <= 3 ? 3 * most : most;
  case 4:
  case 5:
  case 6:
    return mpj_random_in(rng, 0, most);
  default:
    return mpj_random_in(rng, 2, most > 40 ? 40 : most + 2);
  }
}

/* Parts that are copies of the element. */
static void make_copies(struct player *p, struct mpj_random *shared)
{
  const MPJ_Count even = p->n / p->run->size + 1;
  MPJ_Count *counts = calloc((size_t)p->run->size, sizeof *counts);
  if (!counts) exit(2);
  p->n = 0;
  for (int i = 0; i < p->run->size; i++) {
    counts[i] = mpj_random_in(shared, 0, 2) ? mpj_random_in(shared, 0, 2 * even) : 0;
    if (i < p->run->rank) p->before += counts[i] * p->model.bytes;
    p->n += counts[i];
  }
  copies_parted(&p->rng, &p->model, p->run->size, counts, &p->send);
  copies_make(&p->rng, &p->model, counts[p->run->rank], &p->recv);
  free(counts);
}

/* Parts that are stretches of the elements of all copies: of unlike basic types, where the
 * element is. One rank gets most of them. */
static void make_stretches(struct player *p, struct mpj_random *shared)
{
  MPJ_Count left = p->n * mpj_ref_elements(p->model.element.t.ref);
  MPJ_Count *counts = calloc((size_t)p->run->size, sizeof *counts);
  if (!counts) exit(2);
  for (int i = 0; i < p->run->size; i++) {
    const MPJ_Count most = mpj_random_in(shared, 0, 2) ? 3 : left / 2;
    counts[i] = mpj_random_in(shared, 0, most < left ? most : left);
    left -= counts[i];
  }
  counts[mpj_random_in(shared, 0, p->run->size - 1)] += left;
  p->before = stretches_parted(&p->rng, &p->model, p->n, p->run->size, counts, p->run->rank,
                               &p->send, &p->recv);
  free(counts);
}

static void make_layouts(struct player *p, struct mpj_random *shared)
{
  const bool few = p->n * mpj_ref_elements(p->model.element.t.ref) <= STRETCHED_MOST;
  if (p->kind != MPJ_OPERATION_REDUCE_SCATTER) {
    copies_make(&p->rng, &p->model, p->n, &p->send);
    copies_make(&p->rng, &p->model, p->n, &p->recv);
  } else if (!p->model.user && few && mpj_random_in(shared, 0, 1)) {
    make_stretches(p, shared);
  } else {
    make_copies(p, shared);
  }
}

/* The receive buffer has room for what lies there in place. */
static void make_buffers(struct player *p)
{
  const MPJ_Count ones[2] = {1, 1};
  const MPJ_Aint displs[2] = {0, 0};
  struct mpj_ref *both =
      mpj_ref_struct(2, ones, displs, (struct mpj_ref *[2]){p->send.t.ref, p->recv.t.ref});
  buffer_make(&p->sent, &p->rng, p->send.t.ref, 0);
  buffer_make(&p->received, &p->rng, both, 0);
  mpj_ref_release(both);
}

static void prepare(struct player *p, int number, bool exact)
{
  struct mpj_random shared = {p->seed};
  if (p->kind == MPJ_OPERATION_NONE)
    p->kind =
        (enum mpj_operation)mpj_random_in(&shared, MPJ_OPERATION_REDUCE, MPJ_OPERATION_EXSCAN);
  p->root = (int)mpj_random_in(&shared, 0, p->run->size - 1);
  p->in_place = mpj_random_in(&shared, 0, 2) == 0;
  if (number < 0) number = (int)mpj_random_in(&shared, 0, MODEL_OPS - 1);
  model_make(&shared, number, &p->model);
  p->model.exact = exact;
  p->op = model_op(&p->model);
  p->n = draw_count(&shared, p);
  make_layouts(p, &shared);
  make_buffers(p);
}

static void clean_up(struct player *p)
{
  if (p->model.user) MPJ_Op_free(&p->op);
  buffer_free(&p->sent);
  buffer_free(&p->received);
  layout_free(&p->send);
  layout_free(&p->recv);
  model_free(&p->model);
}

/* The data */

static void *input(const struct player *p, int rank, int round)
{
  return model_stream(&p->model, p->seed ^ (uint64_t)(rank * ROUNDS + round + 1) << 32, p->n);
}

/* The combination of ranks 0 .. high, all n copies; the caller's. */
static void *combination(const struct player *p, int high, int round)
{
  char *sum = input(p, high, round);
  for (int rank = high - 1; rank >= 0; rank--) {
    void *next = input(p, rank, round);
    model_combine(&p->model, next, sum, p->n);
    free(next);
  }
  return sum;
}

static void expect_result(struct player *p, int round)
{
  const int me = p->run->rank;
  const int high = p->kind == MPJ_OPERATION_SCAN     ? me
                   : p->kind == MPJ_OPERATION_EXSCAN ? me - 1
                                                     : p->run->size - 1;
  if (is_rooted_elsewhere(p) || high < 0) return;
  char *sum = combination(p, high, round);
  buffer_expect(&p->received, p->recv.t.ref, 0, sum + p->before);
  free(sum);
}

static void load(struct player *p, int round)
{
  void *mine = input(p, p->run->rank, round);
  const struct layout *in_received = p->kind == MPJ_OPERATION_REDUCE_SCATTER ? &p->send : &p->recv;
  if (is_in_place(p))
    buffer_expect(&p->received, in_received->t.ref, 0, mine);
  else
    buffer_expect(&p->sent, p->send.t.ref, 0, mine);
  buffer_settle(&p->sent);
  buffer_settle(&p->received);
  expect_result(p, round);
  free(mine);
}

static int call(struct player *p)
{
  const MPJ_Comm comm = p->run->comm;
  const void *from = is_in_place(p) ? MPJ_IN_PLACE : p->sent.base;
  void *to = p->received.base;
  const MPJ_Datatype in = is_in_place(p) ? MPJ_DATATYPE_NULL : p->send.t.type, out = p->recv.t.type;
  switch (p->kind) {
  case MPJ_OPERATION_REDUCE:
    if (is_rooted_elsewhere(p)) return MPJ_Reduce(from, in, NULL, NULL, p->op, p->root, comm);
    return MPJ_Reduce(from, in, to, out, p->op, p->root, comm);
  case MPJ_OPERATION_ALLREDUCE:
    return MPJ_Allreduce(from, in, to, out, p->op, comm);
  case MPJ_OPERATION_SCAN:
    return MPJ_Scan(from, in, to, out, p->op, comm);
  case MPJ_OPERATION_EXSCAN:
    return MPJ_Exscan(from, in, to, out, p->op, comm);
  default: /* the parts of sendtype count in place, too */
    return MPJ_Reduce_scatter(from, p->send.t.type, to, out, p->op, comm);
  }
}

/* A long double has bytes that belong to no value. */
static void settle_values(const struct mpj_ref *ref, unsigned char *base)
{
  for (MPJ_Count e = 0; e < ref->n; e++)
    if (ref->map[e].basic >= 0) scalar_settle(ref->map[e].basic, base + ref->map[e].displ);
}

static int check(const struct player *p, const struct buffer *b, const char *which)
{
  char detail[100];
  MPJ_Aint displ;
  if (buffer_is_expected(b, &displ)) return 0;
  snprintf(detail, sizeof detail, "%s differs at byte %td, has %02x, expected %02x", which, displ,
           b->base[displ], b->expected_base[displ]);
  return complain(p, "wrong data", detail);
}

static int play_round(struct player *p, int round)
{
  load(p, round);
  if (call(p) != MPJ_SUCCESS) return complain(p, "error", MPJ_Error_detail());
  if (check(p, &p->sent, "sendbuf") != 0) return 1;
  settle_values(p->recv.t.ref, p->received.base);
  settle_values(p->recv.t.ref, p->received.expected_base);
  return check(p, &p->received, "recvbuf");
}

int reduction_play(const struct run *run, uint64_t seed, enum mpj_operation operation, int number,
                   bool exact)
{
  struct player p = {.run = run, .seed = seed, .kind = operation};
  int wrong = 0;
  p.rng.state = seed ^ ((uint64_t)run->rank + 1) * UINT64_C(0xbf58476d1ce4e5b9);
  prepare(&p, number, exact);
  for (int round = 0; round < ROUNDS && wrong == 0; round++)
    wrong = play_round(&p, round);
  if (wrong == 0 && atomic_load(&user_ops_garbage) != 0)
    wrong = complain(&p, "operations", "were given elements that no rank has made");
  clean_up(&p);
  return wrong;
}
