/* This file lays down the reduction of S blocks to a root along the circulant graph: the
 * broadcast of bcast_circulant.c run backward, so that what a rank was given it combines.
 *
 * Cost: (S - 1 + ceil(log2 p))(alpha + n / S (beta + gamma)) for any p and S, the fewest
 * rounds that are possible. For operations that commute. Memory: two copies of the data.
 * Source: J. L. Traeff 2024 (block_rounds.c). */
#include "coll/algorithms/shapes/block_rounds.h"
#include "coll/select/algorithms.h"

struct reduction {
  struct mpj_flow *flow;
  int blocks;
  struct mpj_operand input, sum, room; /* whole, dense */
  bool *begun;                         /* [blocks] sum's holds something */
};

/* What comes for a block first goes where its sum grows, the rest beside it. */
static void take_in(struct reduction *r, int from, unsigned name, int block)
{
  const struct mpj_operand sum = mpj_cut(r->sum, block, r->blocks);
  const struct mpj_operand other = mpj_cut(r->begun[block] ? r->room : r->input, block, r->blocks);
  mpj_flow_recv(r->flow, from, name, r->begun[block] ? other : sum);
  mpj_flow_reduce(r->flow, other, sum);
  r->begun[block] = true;
}

static void hand_on(struct reduction *r, int to, unsigned name, int block)
{
  const struct mpj_operand whole = r->begun[block] ? r->sum : r->input;
  mpj_flow_send(r->flow, to, name, mpj_cut(whole, block, r->blocks));
}

static void begin(struct reduction *r, bool is_root)
{
  struct mpj_flow *f = r->flow;
  r->input = mpj_dense_input(f);
  r->sum = is_root ? mpj_dense_result(f) : mpj_flow_temporary(f, mpj_input_buffer(f->variant));
  r->room = mpj_flow_temporary(f, mpj_input_buffer(f->variant));
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

void mpj_reduce_circulant(struct mpj_flow *f, int root)
{
  struct reduction r = {.flow = f, .blocks = mpj_segments_of(f->variant)};
  const int p = f->comm->size;
  struct mpj_block_rounds rounds;
  mpj_block_rounds_find(p, (f->comm->rank - root + p) % p, r.blocks, &rounds);
  const unsigned round = mpj_flow_phase(f, rounds.rounds);
  r.begun = mpj_flow_room(f, r.blocks, sizeof *r.begun);
  if (!r.begun) return;
  begin(&r, f->comm->rank == root);
  for (int i = rounds.rounds - 1; i >= 0; i--) {
    const struct mpj_block_move in = mpj_block_given(&rounds, i), out = mpj_block_taken(&rounds, i);
    if (in.block >= 0) take_in(&r, (root + in.peer) % p, mpj_name(round, 1 + i), in.block);
    if (out.block >= 0) hand_on(&r, (root + out.peer) % p, mpj_name(round, 1 + i), out.block);
  }
  if (f->comm->rank == root) end(&r);
}
