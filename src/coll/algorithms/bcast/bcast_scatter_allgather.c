/* This file lays down the broadcast of long data as a scatter and an allgather: p
 * segments go down a binomial tree, each rank keeping its own, then around a ring.
 *
 * Cost: (ceil(log2 p) + p - 1) alpha + 2 (p - 1) / p n beta, whatever the root. A
 * rank that has a segment from the scatter is not sent it again.
 * Source: L. P. Barnett et al., "Interprocessor collective communication library",
 * 1994 (van de Geijn's algorithm); Thakur, Rabenseifner, Gropp 2005. */
#include "coll/algorithms/shapes/tree.h"
#include "coll/plan/build.h"
#include "coll/select/algorithms.h"

static void scatter(struct mpj_flow *f, const struct mpj_tree *t, struct mpj_operand whole)
{
  const int p = f->comm->size;
  const unsigned down = mpj_flow_phase(f, 1);
  if (t->parent >= 0)
    mpj_flow_recv(f, t->parent, mpj_name(down, 1),
                  mpj_operand_segments(whole, t->place, t->end - t->place, p));
  for (int i = t->nchildren - 1; i >= 0; i--) {
    const struct mpj_tree_child *c = &t->child[i];
    mpj_flow_send(f, c->rank, mpj_name(down, 1),
                  mpj_operand_segments(whole, c->first, c->end - c->first, p));
  }
}

/* Step s: the segment that came s steps ago goes on, unless the next rank has it. */
static void ring(struct mpj_flow *f, const struct mpj_tree *t, struct mpj_operand whole)
{
  const int p = f->comm->size, next = (t->place + 1) % p;
  const unsigned round = mpj_flow_phase(f, p - 1);
  const int next_end = mpj_tree_end(MPJ_TREE_KNOMIAL, 2, p, next);
  for (int s = 0; s < p - 1; s++) {
    const int out = (t->place - s + p) % p, in = (out - 1 + p) % p;
    const unsigned name = mpj_name(round, 1 + s);
    if (out < next || out >= next_end)
      mpj_flow_send(f, mpj_tree_rank(t, next), name, mpj_operand_segment(whole, out, p));
    if (in < t->place || in >= t->end)
      mpj_flow_recv(f, mpj_tree_rank(t, (t->place - 1 + p) % p), name,
                    mpj_operand_segment(whole, in, p));
  }
}

void mpj_bcast_scatter_allgather(struct mpj_flow *f, int root)
{
  struct mpj_tree tree;
  const struct mpj_operand whole = mpj_dense_result(f);
  mpj_tree_lay(f, MPJ_TREE_KNOMIAL, 2, root, &tree);
  if (f->comm->rank == root && whole.buffer != MPJ_BUFFER_RECV)
    mpj_flow_copy(f, mpj_operand_whole(MPJ_BUFFER_RECV), whole);
  scatter(f, &tree, whole);
  ring(f, &tree, whole);
  mpj_tree_drop(&tree);
  if (f->comm->rank != root) mpj_deliver(f, whole);
}
