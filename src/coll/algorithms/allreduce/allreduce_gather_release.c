/* This file lays down the allreduce over shared memory in two phases: along a k-ary tree, each rank
 * takes in what its children have posted, combines it and posts the sum; rank 0 posts the result,
 * which all take.
 *
 * Cost: (log_k p)(alpha + k n (beta + gamma)) up, alpha + 2 n beta down, and (k + 1) n bytes of
 * temporaries. All get the bits that rank 0 has computed. Wins over allreduce_release.c for many
 * ranks and longer data: what is moved grows with p, not p^2.
 * Source: S. Jain et al., "Framework for scalable intra-node collective operations using shared
 * memory", 2018. */
#include "coll/algorithms/shapes/release.h"
#include "coll/algorithms/shapes/tree.h"
#include "coll/select/algorithms.h"

/* What the children have posted, and this rank's own: in the order of ranks. */
static struct mpj_operand gather(struct mpj_flow *f, const struct mpj_tree *t, unsigned up)
{
  const struct mpj_operand like = mpj_input_buffer(f->variant);
  struct mpj_fold fold = mpj_fold_begin(f, 1 + t->nchildren);
  mpj_fold_add(&fold, mpj_dense_input(f));
  for (int i = 0; i < t->nchildren; i++) {
    const struct mpj_operand term = mpj_flow_temporary(f, like);
    mpj_flow_may_be_posted(f, mpj_flow_recv(f, t->child[i].rank, mpj_name(up, 1 + i), term));
    mpj_fold_add(&fold, term);
  }
  return mpj_fold_terms(f, &fold, t->nchildren > 0, like);
}

void mpj_allreduce_gather_release(struct mpj_flow *f, int root)
{
  (void)root;
  struct mpj_tree t;
  const int radix = mpj_variant_radix(f->variant), p = f->comm->size, me = f->comm->rank;
  const unsigned up =
      mpj_flow_phase(f, mpj_tree_most_children(&f->comm->facts, MPJ_TREE_KARY, radix));
  const unsigned down = mpj_flow_phase(f, p - 1);
  const struct mpj_operand out = mpj_operand_whole(MPJ_BUFFER_RECV);
  mpj_tree_lay(f, MPJ_TREE_KARY, radix, 0, &t);
  const struct mpj_operand sum = gather(f, &t, up);
  if (t.parent >= 0) {
    mpj_flow_send_unless(f, t.parent, mpj_name(up, 1 + t.index), sum, mpj_flow_post(f, sum));
    mpj_flow_may_be_posted(f, mpj_flow_recv(f, 0, mpj_name_between(f, down, 0, me), out));
  } else {
    if (p > 1) mpj_release_to_all(f, down, sum);
    mpj_flow_copy(f, sum, out);
  }
  mpj_tree_drop(&t);
}
