/* This file plays one random Allgather or Alltoall on one rank. */
#include "coll/exchange_play.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <mpj/mpj.h>

#include "coll/buffer.h"
#include "coll/exchange_layouts.h"
#include "types/sparse/sparse.h"
#include "types/type.h"

enum { SMALL_FROM_RANKS = 20, ROUNDS = 2 };

struct player {
  const struct run *run;
  uint64_t seed;
  struct mpj_random rng; /* this rank's own */
  bool alltoall, in_place;
  int sparse; /* 0: it is not; else one pair in so many has data */
  struct layout send, recv;
  struct buffer sent, received;
  MPJ_Datatype types[2]; /* to give to the call: send, recv */
  void *bases[2];
  bool at_bottom[2];
};

static int complain(const struct player *p, const char *what, const char *detail)
{
  fprintf(stderr, "rank %d of %d: %s%s, seed %" PRIu64 "%s: %s: %s\n  sendtype %s\n  recvtype %s\n",
          p->run->rank, p->run->size, p->sparse ? "sparse " : "",
          p->alltoall ? "alltoall" : "allgather", p->seed, p->in_place ? ", in place" : "", what,
          detail, p->send.t.text, p->recv.t.text);
  return 1;
}

/* The types */

/* What goes from rank i to rank j; in place the same both ways. */
static uint64_t pair_seed(const struct player *p, int i, int j)
{
  const int low = i < j ? i : j, high = i < j ? j : i;
  const int from = p->in_place ? low : i, to = p->in_place ? high : j;
  return p->seed * 31 + (uint64_t)(from * p->run->size + to);
}

/* This rank's row or column of the matrix of pairs. */
static void make_row(struct player *p, bool column, struct layout *out)
{
  const int n = p->run->size, me = p->run->rank;
  struct layout *pieces = calloc((size_t)n, sizeof *pieces);
  bool *given = calloc((size_t)n, sizeof *given);
  if (!pieces || !given) exit(2);
  for (int k = 0; k < n; k++) {
    const uint64_t seed = column ? pair_seed(p, k, me) : pair_seed(p, me, k);
    struct mpj_random pair = {seed ^ UINT64_C(0x5ba125e)};
    given[k] = p->sparse && mpj_random_in(&pair, 1, p->sparse) == 1;
    piece_make(seed, n >= SMALL_FROM_RANKS, &pieces[k]);
  }
  sparse_of_pieces(&p->rng, n, pieces, p->sparse ? given : NULL, out);
  free(given);
  free(pieces);
}

static bool is_sparse(const struct layout *l)
{
  struct mpj_type *type = NULL;
  return mpj_type_resolve(l->t.type, "type", &type) == MPJ_SUCCESS && mpj_sparse_of(type->parts);
}

/* Random types are none for an Alltoall that is not to be sparse, if they are. */
static void make_common(struct player *p, struct mpj_random *shared, struct layout *common)
{
  layout_parted(shared, p->run->size, common);
  while (is_sparse(common)) {
    layout_free(common);
    layout_parted(shared, p->run->size, common);
  }
}

static void make_alltoall(struct player *p, struct mpj_random *shared)
{
  struct layout common;
  if (mpj_random_in(shared, 0, 2) == 0) p->sparse = (int)mpj_random_in(shared, 1, p->run->size);
  if (p->in_place || p->sparse || mpj_random_in(shared, 0, 1)) {
    make_row(p, false, &p->send);
    make_row(p, true, &p->recv);
    return;
  }
  make_common(p, shared, &common);
  parted_again(&p->rng, p->run->size, &common, p->run->rank, &p->recv);
  if (mpj_random_in(&p->rng, 0, 1)) {
    p->send = common;
  } else {
    parted_again(&p->rng, p->run->size, &common, -1, &p->send);
    layout_free(&common);
  }
}

static void make_allgather(struct player *p, struct mpj_random *shared)
{
  struct layout common;
  layout_parted(shared, p->run->size, &common);
  layout_retyped(&p->rng, &common, p->run->rank, &p->send);
  if (mpj_random_in(&p->rng, 0, 1)) {
    p->recv = common;
  } else {
    parted_again(&p->rng, p->run->size, &common, -1, &p->recv);
    layout_free(&common);
  }
}

/* Base and type of side k, or MPJ_BOTTOM and a type of absolute addresses. */
static void choose_address(struct player *p, int k, const struct layout *l, const struct buffer *b)
{
  p->at_bottom[k] = mpj_random_in(&p->rng, 0, 3) == 0;
  p->bases[k] = p->at_bottom[k] ? MPJ_BOTTOM : b->base + l->shift;
  p->types[k] = l->t.type;
  if (p->at_bottom[k]) layout_at_bottom(l, b->base + l->shift, &p->types[k]);
}

static void prepare(struct player *p, enum mpj_operation operation)
{
  struct mpj_random shared = {p->seed};
  p->alltoall = operation == MPJ_OPERATION_NONE ? mpj_random_in(&shared, 0, 1)
                                                : operation == MPJ_OPERATION_ALLTOALL;
  p->in_place = mpj_random_in(&shared, 0, 2) == 0;
  if (p->alltoall)
    make_alltoall(p, &shared);
  else
    make_allgather(p, &shared);
  buffer_make(&p->sent, &p->rng, p->send.t.ref, p->send.shift);
  buffer_make(&p->received, &p->rng, p->recv.t.ref, p->recv.shift);
  choose_address(p, 0, &p->send, &p->sent);
  choose_address(p, 1, &p->recv, &p->received);
}

static void clean_up(struct player *p)
{
  for (int k = 0; k < 2; k++)
    if (p->at_bottom[k]) MPJ_Type_free(&p->types[k]);
  buffer_free(&p->sent);
  buffer_free(&p->received);
  layout_free(&p->send);
  layout_free(&p->recv);
}

/* The data */

/* Expect at part i of b (the whole, if i is -1) what goes from rank to rank. */
static void expect(struct player *p, const struct layout *l, struct buffer *b, int i, int from,
                   int to, int round)
{
  struct mpj_ref_part part = {0, l->t.ref};
  if (i >= 0) part = mpj_ref_part(l->t.ref, i);
  const uint64_t pair = (uint64_t)(from * p->run->size + (p->alltoall ? to : 0));
  void *stream = stream_make(p->seed, pair, (uint64_t)round, mpj_ref_bytes(part.type));
  buffer_expect(b, part.type, part.origin + l->shift, stream);
  free(stream);
}

static void load(struct player *p, int round)
{
  const int n = p->run->size, me = p->run->rank;
  if (!p->alltoall) {
    expect(p, &p->send, &p->sent, -1, me, 0, round);
    if (p->in_place) expect(p, &p->recv, &p->received, me, me, 0, round);
  }
  for (int k = 0; k < n && p->alltoall; k++) {
    if (p->in_place)
      expect(p, &p->recv, &p->received, k, me, k, round);
    else
      expect(p, &p->send, &p->sent, k, me, k, round);
  }
  buffer_settle(&p->sent);
  buffer_settle(&p->received);
  for (int k = 0; k < n; k++)
    expect(p, &p->recv, &p->received, k, k, me, round);
}

static int call(struct player *p)
{
  const void *from = p->in_place ? MPJ_IN_PLACE : p->bases[0];
  const MPJ_Datatype sendtype = p->in_place ? MPJ_DATATYPE_NULL : p->types[0];
  if (p->alltoall) return MPJ_Alltoall(from, sendtype, p->bases[1], p->types[1], p->run->comm);
  return MPJ_Allgather(from, sendtype, p->bases[1], p->types[1], p->run->comm);
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

int exchange_play(const struct run *run, uint64_t seed, enum mpj_operation operation)
{
  struct player p = {.run = run, .seed = seed};
  int wrong = 0;
  p.rng.state = seed ^ ((uint64_t)run->rank + 1) * UINT64_C(0xbf58476d1ce4e5b9);
  prepare(&p, operation);
  for (int round = 0; round < ROUNDS && wrong == 0; round++) {
    load(&p, round);
    if (call(&p) != MPJ_SUCCESS) wrong = complain(&p, "error", MPJ_Error_detail());
    if (wrong == 0) wrong = check(&p, &p.sent, "sendbuf");
    if (wrong == 0) wrong = check(&p, &p.received, "recvbuf");
  }
  clean_up(&p);
  return wrong;
}
