/* This file lays down prefix reductions along the chain of ranks: each receives the sum
 * of all lower ranks, adds its own data, and passes that on, segment by segment.
 *
 * Cost: (p - 2 + S)(alpha + n / S (beta + gamma)) for S segments, and one message in and
 * one out for each rank, the least that a prefix sum can do: one after another, such
 * operations follow each other up the chain. Wins where ranks share cores, which are given
 * to them in the order of the chain, and for long data.
 * Source: as the pipelined trees of bcast_tree.c. */
#include "coll/plan/build.h"
#include "coll/select/algorithms.h"

struct links {
  int below, above; /* ranks; -1: none */
  int segments;
  unsigned pieces; /* phase */
};

static struct links links_of(struct mpj_flow *f)
{
  const int me = f->comm->rank, segments = mpj_segments_of(f->variant);
  return (struct links){.below = me - 1,
                        .above = me + 1 < f->comm->size ? me + 1 : -1,
                        .segments = segments,
                        .pieces = mpj_flow_phase(f, segments)};
}

static void send_up(struct mpj_flow *f, const struct links *l, int s, struct mpj_operand sum)
{
  if (l->above >= 0) mpj_flow_send(f, l->above, mpj_name(l->pieces, 1 + s), sum);
}

/* Combine the lower ranks' sum with what is in `piece`. */
static void add_below(struct mpj_flow *f, const struct links *l, int s, struct mpj_operand piece)
{
  const struct mpj_operand like = mpj_cut(mpj_input_buffer(f->variant), s, l->segments);
  const struct mpj_operand aside = mpj_flow_temporary(f, like);
  mpj_flow_recv_reduce(f, l->below, mpj_name(l->pieces, 1 + s), aside, piece);
}

/* All of this rank's data where sums may grow: `place`, which may hold it already. */
static void begin_sums(struct mpj_flow *f, struct mpj_operand place)
{
  const struct mpj_operand input = mpj_input_buffer(f->variant);
  if (place.buffer != input.buffer) mpj_flow_copy(f, input, place);
}

void mpj_scan_chain(struct mpj_flow *f, int root)
{
  (void)root;
  const struct links l = links_of(f);
  const struct mpj_operand sum = mpj_dense_result(f);
  begin_sums(f, sum);
  for (int s = 0; s < l.segments; s++) {
    const struct mpj_operand piece = mpj_cut(sum, s, l.segments);
    if (l.below >= 0) add_below(f, &l, s, piece);
    send_up(f, &l, s, piece);
  }
  if (l.below >= 0 || !(f->variant & MPJ_VARIANT_IN_PLACE)) mpj_deliver(f, sum);
}

/* What goes up from a rank that has others below: their sum and its own data. The
 * lower ranks' sum is its result. */
static void lay_inner(struct mpj_flow *f, const struct links *l)
{
  struct mpj_operand sum = mpj_operand_none();
  if (l->above >= 0) {
    sum = mpj_flow_temporary(f, mpj_input_buffer(f->variant));
    begin_sums(f, sum);
  }
  const struct mpj_operand prefix = mpj_dense_result(f);
  for (int s = 0; s < l->segments; s++) {
    const struct mpj_operand piece = mpj_cut(prefix, s, l->segments);
    mpj_flow_recv(f, l->below, mpj_name(l->pieces, 1 + s), piece);
    if (l->above < 0) continue;
    mpj_flow_reduce(f, piece, mpj_cut(sum, s, l->segments));
    send_up(f, l, s, mpj_cut(sum, s, l->segments));
  }
  mpj_deliver(f, prefix);
}

void mpj_exscan_chain(struct mpj_flow *f, int root)
{
  (void)root;
  const struct links l = links_of(f);
  if (l.below >= 0) {
    lay_inner(f, &l);
  } else if (l.above >= 0) {
    const struct mpj_operand input = mpj_dense_input(f);
    for (int s = 0; s < l.segments; s++)
      send_up(f, &l, s, mpj_cut(input, s, l.segments));
  }
}
