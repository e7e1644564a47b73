/* This file lays down prefix reductions in rounds: in the round of distance d = 1, k,
 * k^2, ... a rank that has the sum of d ranks up to itself sends it to those d, 2 d, ..
 * (k - 1) d further up, and combines what it gets.
 *
 * Cost: ceil(log_k p)(k - 1)(alpha + n (beta + gamma)), for any p and in the order of ranks;
 * Exscan combines twice.
 * Source: W. D. Hillis, G. L. Steele, "Data parallel algorithms", 1986 (k = 2). */
#include "coll/plan/lay.h"
#include "coll/plan/schedule_steps.h"
#include "coll/select/algorithms.h"

struct prefix {
  struct mpj_operand sum; /* of the ranks up to this one, as far as rounds have gone */
  bool writable;
  struct mpj_operand below; /* the same without this one */
  bool has_below;
};

/* What comes in a round, from the furthest on: the terms below. */
static void receive(struct mpj_flow *f, int d, int t, struct mpj_fold *fold)
{
  const int radix = mpj_variant_radix(f->variant), me = f->comm->rank;
  for (int j = radix - 1; j >= 1; j--) {
    if (me - j * d < 0) continue;
    const struct mpj_operand term = mpj_schedule_temporary(f->b, mpj_input_buffer(f->variant));
    mpj_flow_recv(f, me - j * d, 1 + (unsigned)(radix * t + j), term);
    mpj_fold_add(fold, term);
  }
}

/* One round: send the sum up, combine what comes. */
static void lay_round(struct mpj_flow *f, struct prefix *x, int d, int t, bool exclusive)
{
  const int radix = mpj_variant_radix(f->variant), p = f->comm->size, me = f->comm->rank;
  const struct mpj_operand like = mpj_input_buffer(f->variant);
  struct mpj_fold fold = mpj_fold_begin(f, radix);
  for (int j = 1; j < radix && me + j * d < p; j++)
    mpj_flow_send(f, me + j * d, 1 + (unsigned)(radix * t + j), x->sum);
  receive(f, d, t, &fold);
  if (fold.n == 0) return;
  struct mpj_fold below = fold;
  mpj_fold_add(&fold, x->sum);
  x->sum = mpj_fold_terms(f, &fold, x->writable, like);
  x->writable = true;
  if (!exclusive) return;
  if (x->has_below) mpj_fold_add(&below, x->below); /* in place of the sum */
  x->below = mpj_fold_terms(f, &below, true, like);
  x->has_below = true;
}

static int lay(const struct mpj_comm *comm, unsigned variant, bool exclusive,
               struct mpj_schedule_builder *b)
{
  struct mpj_flow f = mpj_flow_begin(comm, b, variant);
  struct prefix x = {.sum = mpj_dense_input(&f)};
  const struct mpj_operand out = mpj_operand_whole(MPJ_BUFFER_RECV);
  for (int d = 1, t = 0; d < comm->size; d *= mpj_variant_radix(variant), t++)
    lay_round(&f, &x, d, t, exclusive);
  if (exclusive && x.has_below) mpj_flow_copy(&f, x.below, out);
  const bool there = x.sum.buffer == MPJ_BUFFER_RECV; /* rank 0 in place */
  if (!exclusive && !there) mpj_flow_copy(&f, x.sum, out);
  return mpj_flow_end(&f);
}

int mpj_scan_exchange(const struct mpj_comm *comm, int root, unsigned variant,
                      struct mpj_schedule_builder *b)
{
  (void)root;
  return lay(comm, variant, false, b);
}

int mpj_exscan_exchange(const struct mpj_comm *comm, int root, unsigned variant,
                        struct mpj_schedule_builder *b)
{
  (void)root;
  return lay(comm, variant, true, b);
}
