/* This file lays down the reduction of S blocks to a root along the circulant graph: the
 * broadcast of bcast_circulant.c run backward, so that what a rank was given it combines.
 *
 * Cost: (S - 1 + ceil(log2 p))(alpha + n / S (beta + gamma)) for any p and S, the fewest
 * rounds that are possible. For operations that commute. Memory: two copies of the data.
 * Source: J. L. Traeff 2024 (block_rounds.c). */
#include "coll/algorithms/shapes/block_rounds.h"
#include "coll/plan/schedule_steps.h"
#include "coll/select/algorithms.h"

struct reduction {
  struct mpj_flow *flow;
  int blocks;
  struct mpj_operand input, sum, room; /* whole, dense */
  bool *begun;                         /* [blocks] sum's holds something */
};

/* What comes for a block first goes where its sum grows, the rest beside it. */
static void take_in(struct reduction *r, int from, unsigned bit, int block)
{
  const struct mpj_operand sum = mpj_cut(r->sum, block, r->blocks);
  const struct mpj_operand other = mpj_cut(r->begun[block] ? r->room : r->input, block, r->blocks);
  mpj_flow_recv(r->flow, from, bit, r->begun[block] ? other : sum);
  mpj_flow_reduce(r->flow, other, sum);
  r->begun[block] = true;
}

static void hand_on(struct reduction *r, int to, unsigned bit, int block)
{
  const struct mpj_operand whole = r->begun[block] ? r->sum : r->input;
  mpj_flow_send(r->flow, to, bit, mpj_cut(whole, block, r->blocks));
}

static void begin(struct reduction *r, bool is_root)
{
  struct mpj_flow *f = r->flow;
  r->input = mpj_dense_input(f);
  r->sum =
      is_root ? mpj_dense_result(f) : mpj_schedule_temporary(f->b, mpj_input_buffer(f->variant));
  r->room = mpj_schedule_temporary(f->b, mpj_input_buffer(f->variant));
  for (int s = 0; s < r->blocks; s++)
    r->begun[s] = mpj_is_same_place(r->input, r->sum);
}

static void end(struct reduction *r)
{
  for (int s = 0; s < r->blocks; s++) /* nobody else has any data: one rank */
    if (!r->begun[s])
      mpj_flow_copy(r->flow, mpj_cut(r->input, s, r->blocks), mpj_cut(r->sum, s, r->blocks));
  mpj_deliver(r->flow, r->sum);
}

int mpj_reduce_circulant(const struct mpj_comm *comm, int root, unsigned variant,
                         struct mpj_schedule_builder *b)
{
  struct mpj_flow f = mpj_flow_begin(comm, b, variant);
  struct reduction r = {.flow = &f, .blocks = mpj_segments_of(variant)};
  const int p = comm->size;
  struct mpj_block_rounds rounds;
  r.begun = mpj_schedule_room(b, r.blocks, sizeof *r.begun);
  if (!r.begun) return mpj_flow_end(&f);
  begin(&r, comm->rank == root);
  mpj_block_rounds_find(p, (comm->rank - root + p) % p, r.blocks, &rounds);
  for (int i = rounds.rounds - 1; i >= 0; i--) {
    const struct mpj_block_move in = mpj_block_given(&rounds, i), out = mpj_block_taken(&rounds, i);
    if (in.block >= 0) take_in(&r, (root + in.peer) % p, 1 + (unsigned)i, in.block);
    if (out.block >= 0) hand_on(&r, (root + out.peer) % p, 1 + (unsigned)i, out.block);
  }
  if (comm->rank == root) end(&r);
  return mpj_flow_end(&f);
}
