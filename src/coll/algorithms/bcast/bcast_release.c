/* This file lays down the release over shared memory: a rank posts its data for all of its children
 * at once, who take it from there and post it for theirs.
 *
 * Cost, k-ary: (log_k p) 2 (alpha + n beta), with one copy in and one out at each rank, whatever k
 * is; k ranks read what one has written. Wins where ranks share memory, with the largest k.
 * Source: S. Jain et al., "Framework for scalable intra-node collective operations using shared
 * memory", 2018. */
#include "coll/algorithms/shapes/tree.h"
#include "coll/select/algorithms.h"

void mpj_bcast_release(struct mpj_flow *f, int root)
{
  struct mpj_tree t;
  const unsigned name = mpj_name(mpj_flow_phase(f, 1), 1);
  const struct mpj_operand buf = mpj_operand_whole(MPJ_BUFFER_RECV);
  mpj_tree_lay(f, MPJ_TREE_KARY, mpj_variant_radix(f->variant), root, &t);
  if (t.parent >= 0) mpj_flow_may_be_posted(f, mpj_flow_recv(f, t.parent, name, buf));
  const int post = t.nchildren > 0 ? mpj_flow_post(f, buf) : -1;
  for (int i = 0; i < t.nchildren; i++)
    mpj_flow_send_unless(f, t.child[i].rank, name, buf, post);
  mpj_tree_drop(&t);
}
