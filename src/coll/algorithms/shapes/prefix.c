/* This file lays down prefix reductions in rounds. */
#include "coll/algorithms/shapes/prefix.h"

static int rank_at(const struct mpj_prefix *x, int place)
{
  return x->row ? x->row[place] : place;
}

/* What comes in a round, from the furthest on: the terms below. */
static void receive(const struct mpj_prefix *x, int d, int t, struct mpj_fold *fold)
{
  for (int j = x->radix - 1; j >= 1; j--) {
    if (x->mine - j * d < 0) continue;
    const struct mpj_operand term = mpj_flow_temporary(x->flow, mpj_input_buffer(x->flow->variant));
    mpj_flow_recv(x->flow, rank_at(x, x->mine - j * d), mpj_name(x->phase, 1 + x->radix * t + j),
                  term);
    mpj_fold_add(fold, term);
  }
}

/* One round: send the sum up, combine what comes. */
static void lay_round(struct mpj_prefix *x, int d, int t, bool wants_below)
{
  struct mpj_flow *f = x->flow;
  const struct mpj_operand like = mpj_input_buffer(f->variant);
  struct mpj_fold fold = mpj_fold_begin(f, x->radix);
  for (int j = 1; j < x->radix && x->mine + j * d < x->count; j++)
    mpj_flow_send(f, rank_at(x, x->mine + j * d), mpj_name(x->phase, 1 + x->radix * t + j), x->sum);
  receive(x, d, t, &fold);
  if (fold.n == 0) return;
  struct mpj_fold below = fold;
  mpj_fold_add(&fold, x->sum);
  x->sum = mpj_fold_terms(f, &fold, x->writable, like);
  x->writable = true;
  if (!wants_below) return;
  if (x->has_below) mpj_fold_add(&below, x->below); /* in place of the sum */
  x->below = mpj_fold_terms(f, &below, true, like);
  x->has_below = true;
}

void mpj_prefix_lay(struct mpj_prefix *x, bool wants_below)
{
  for (int d = 1, t = 0; d < x->count; d *= x->radix, t++)
    lay_round(x, d, t, wants_below);
}
