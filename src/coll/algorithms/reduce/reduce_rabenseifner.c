/* This file lays down the reduction of long data to a root by recursive halving; then
 * each stretch of the result goes straight to the root.
 *
 * Cost for p = 2^m: (log2 p + p) alpha + 2 (p - 1) / p n beta + (p - 1) / p n gamma at the
 * root. The order of operands is that of ranks.
 * Source: R. Rabenseifner 2004, with a flat gather in place of the tree's. */
#include "coll/algorithms/shapes/halving.h"
#include "coll/select/algorithms.h"

/* The stretch that group g ends with: its number with `rounds` bits reversed. */
static int stretch_of(int g, int q)
{
  int reversed = 0;
  for (int bit = 1; bit < q; bit *= 2)
    reversed = 2 * reversed + g / bit % 2;
  return reversed;
}

static void lay_at_root(struct mpj_flow *f, const struct mpj_groups *groups, struct mpj_halving *h,
                        struct mpj_operand result, unsigned to_root)
{
  for (int g = 0; g < groups->count; g++) {
    const struct mpj_operand place =
        mpj_halving_stretch(h, result, stretch_of(g, groups->count), 1);
    if (f->comm->rank != mpj_group_first(groups, g))
      mpj_flow_recv(f, mpj_group_first(groups, g), mpj_name(to_root, 1 + g), place);
    else if (!mpj_is_same_place(h->at, result))
      mpj_flow_copy(f, mpj_halving_stretch(h, h->at, h->first, h->span), place);
  }
  mpj_deliver(f, result);
}

void mpj_reduce_rabenseifner(struct mpj_flow *f, int root)
{
  const struct mpj_groups groups = mpj_exchange_begin(f, 2);
  const unsigned to_root = mpj_flow_phase(f, groups.count);
  const struct mpj_operand input = mpj_dense_input(f), like = mpj_input_buffer(f->variant);
  const struct mpj_operand result =
      f->comm->rank == root ? mpj_dense_result(f) : mpj_operand_none();
  bool writable;
  struct mpj_halving h = {.groups = &groups};
  h.at = mpj_exchange_gather_up(f, &groups, input, &writable);
  if (f->comm->rank == groups.first) {
    h.room[0] = f->comm->rank == root ? result : mpj_flow_temporary(f, like);
    h.room[1] = writable ? h.at : mpj_flow_temporary(f, like);
    mpj_halving_lay(f, &h);
    if (f->comm->rank != root)
      mpj_flow_send(f, root, mpj_name(to_root, 1 + groups.mine),
                    mpj_halving_stretch(&h, h.at, h.first, h.span));
  }
  if (f->comm->rank == root) lay_at_root(f, &groups, &h, result, to_root);
}
