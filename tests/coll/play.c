/* This file plays one random collective on one rank. */
#include "coll/play.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <mpj/mpj.h>

#include "coll/buffer.h"
#include "coll/layouts.h"

struct player {
  const struct play_key *key;
  struct board *board;
  int rank, size;
  struct mpj_random rng; /* this rank's own; what all must agree on comes from another */
  bool in_place;         /* the root's own part; all ranks agree */
  struct layout common;  /* what the root describes: parted, or for Bcast whole */
  struct layout own;     /* this rank's own buffer */
  struct buffer all, mine;
  MPJ_Datatype all_type, mine_type; /* to give to the call */
  void *all_base, *mine_base;
  bool all_at_bottom, mine_at_bottom;
};

static const char *const names[PLAY_KINDS] = {"barrier", "bcast", "gather", "scatter"};

static int complain(const struct player *p, const char *what, const char *detail)
{
  fprintf(stderr,
          "rank %d of %d: %s from root %d, seed %" PRIu64
          ": %s: %s\n  root's type %s\n  own type %s\n",
          p->rank, p->size, names[p->key->kind], p->key->root, p->key->seed, what, detail,
          p->common.t.text, p->own.t.text);
  return 1;
}

static bool is_root(const struct player *p)
{
  return p->rank == p->key->root;
}

/* Come late: mostly not at all, else by microseconds of work or of sleep. */
static void delay(struct player *p)
{
  const int64_t kind = mpj_random_in(&p->rng, 0, 31);
  if (!p->key->delays || kind > 8) return;
  if (kind == 0) {
    usleep((unsigned)mpj_random_in(&p->rng, 1, 2000));
    return;
  }
  const double end = MPJ_Wtime() + 1e-6 * (double)mpj_random_in(&p->rng, 0, 40);
  while (MPJ_Wtime() < end) {
  }
}

static int play_barrier(struct player *p)
{
  const uint64_t turn = atomic_fetch_add(&p->board->entered[p->rank], 1) + 1;
  if (MPJ_Barrier(p->key->comm) != MPJ_SUCCESS) return complain(p, "error", MPJ_Error_detail());
  for (int r = 0; r < p->size; r++)
    if (atomic_load(&p->board->entered[r]) < turn)
      return complain(p, "rank left the barrier", "another had not entered it");
  return 0;
}

/* The buffers */

/* Whether this rank holds the buffer that the root's type describes. */
static bool holds_all(const struct player *p)
{
  return is_root(p) && p->key->kind != PLAY_BCAST;
}

static bool holds_mine(const struct player *p)
{
  return !(is_root(p) && p->in_place);
}

/* What to pass for a buffer: base and type, or MPJ_BOTTOM and an absolute one. */
static void choose_address(struct player *p, const struct layout *l, const struct buffer *b,
                           void **base, MPJ_Datatype *type, bool *at_bottom)
{
  *at_bottom = mpj_random_in(&p->rng, 0, 3) == 0;
  *base = *at_bottom ? MPJ_BOTTOM : b->base + l->shift;
  *type = l->t.type;
  if (*at_bottom) layout_at_bottom(l, b->base + l->shift, type);
}

static void prepare(struct player *p)
{
  struct mpj_random shared = {p->key->seed};
  const bool bcast = p->key->kind == PLAY_BCAST;
  if (bcast)
    layout_whole(&shared, &p->common);
  else
    layout_parted(&shared, p->size, &p->common);
  p->in_place = !bcast && mpj_random_in(&shared, 0, 2) == 0;
  layout_retyped(&p->rng, &p->common, bcast ? -1 : p->rank, &p->own);
  p->all_type = p->mine_type = MPJ_DATATYPE_NULL;
  p->all_base = NULL;
  p->mine_base = MPJ_IN_PLACE;
  if (holds_all(p)) {
    buffer_make(&p->all, &p->rng, p->common.t.ref, 0);
    choose_address(p, &p->common, &p->all, &p->all_base, &p->all_type, &p->all_at_bottom);
  }
  if (holds_mine(p)) {
    buffer_make(&p->mine, &p->rng, p->own.t.ref, p->own.shift);
    choose_address(p, &p->own, &p->mine, &p->mine_base, &p->mine_type, &p->mine_at_bottom);
  }
}

static void clean_up(struct player *p)
{
  if (p->all_at_bottom) MPJ_Type_free(&p->all_type);
  if (p->mine_at_bottom) MPJ_Type_free(&p->mine_type);
  if (holds_all(p)) buffer_free(&p->all);
  if (holds_mine(p)) buffer_free(&p->mine);
  layout_free(&p->own);
  layout_free(&p->common);
}

/* Put the data of part i (of the whole, for Bcast) into what is expected. */
static void expect_part(struct player *p, struct buffer *b, const struct mpj_ref *ref,
                        MPJ_Aint shift, int i, int round)
{
  void *stream = stream_make(p->key->seed, (uint64_t)i, (uint64_t)round, mpj_ref_bytes(ref));
  buffer_expect(b, ref, shift, stream);
  free(stream);
}

static void expect_parts(struct player *p, int first, int end, int round)
{
  for (int i = first; i < end; i++) {
    const struct mpj_ref_part part = mpj_ref_part(p->common.t.ref, i);
    expect_part(p, &p->all, part.type, part.origin, i, round);
  }
}

static void expect_mine(struct player *p, int round)
{
  const int index = p->key->kind == PLAY_BCAST ? 0 : p->rank;
  if (holds_mine(p)) expect_part(p, &p->mine, p->own.t.ref, p->own.shift, index, round);
}

/* A round: the senders' data goes in, the call, and then all is as expected. */

static void load(struct player *p, int round)
{
  const bool sends_mine = p->key->kind == PLAY_GATHER || (p->key->kind == PLAY_BCAST && is_root(p));
  if (sends_mine) expect_mine(p, round);
  if (holds_all(p) && p->key->kind == PLAY_SCATTER) expect_parts(p, 0, p->size, round);
  if (holds_all(p) && p->in_place && p->key->kind == PLAY_GATHER)
    expect_parts(p, p->rank, p->rank + 1, round);
  if (holds_all(p)) buffer_settle(&p->all);
  if (holds_mine(p)) buffer_settle(&p->mine);
  if (holds_all(p) && p->key->kind == PLAY_GATHER) expect_parts(p, 0, p->size, round);
  if (!sends_mine) expect_mine(p, round);
}

static int call(struct player *p)
{
  const int root = p->key->root;
  if (p->key->kind == PLAY_BCAST) return MPJ_Bcast(p->mine_base, p->mine_type, root, p->key->comm);
  if (p->key->kind == PLAY_GATHER)
    return MPJ_Gather(p->mine_base, p->mine_type, p->all_base, p->all_type, root, p->key->comm);
  return MPJ_Scatter(p->all_base, p->all_type, p->mine_base, p->mine_type, root, p->key->comm);
}

static int check(const struct player *p, const struct buffer *b, const char *which)
{
  char detail[100];
  MPJ_Aint displ;
  if (buffer_is_expected(b, &displ)) return 0;
  snprintf(detail, sizeof detail, "%s is wrong at byte %td, has %02x, expected %02x", which, displ,
           b->base[displ], b->expected_base[displ]);
  return complain(p, "wrong data", detail);
}

static int play_round(struct player *p, int round)
{
  load(p, round);
  delay(p);
  if (call(p) != MPJ_SUCCESS) return complain(p, "error", MPJ_Error_detail());
  int wrong = 0;
  if (holds_all(p)) wrong = check(p, &p->all, "the root's buffer");
  if (wrong == 0 && holds_mine(p)) wrong = check(p, &p->mine, "the rank's buffer");
  return wrong;
}

int play(const struct play_key *key, struct board *board)
{
  struct player p = {.key = key, .board = board};
  MPJ_Comm_rank(key->comm, &p.rank);
  MPJ_Comm_size(key->comm, &p.size);
  p.rng.state = key->seed ^ ((uint64_t)p.rank + 1) * UINT64_C(0xbf58476d1ce4e5b9);
  int wrong = 0;
  if (key->kind != PLAY_BARRIER) prepare(&p);
  for (int round = 0; round < key->rounds && wrong == 0; round++) {
    if (key->kind != PLAY_BARRIER) {
      wrong = play_round(&p, round);
    } else {
      delay(&p);
      wrong = play_barrier(&p);
    }
  }
  if (key->kind != PLAY_BARRIER) clean_up(&p);
  return wrong;
}
