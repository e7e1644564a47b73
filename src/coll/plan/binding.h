/* This header declares how a schedule's operands are tied to a call's addresses and layouts. */
#ifndef MPJ_SRC_COLL_PLAN_BINDING_H
#define MPJ_SRC_COLL_PLAN_BINDING_H

#include "coll/run/control.h"

/* What an operand is for this call. Sets the view, the address it is
 * relative to (NULL together with *in_place where the buffer is MPJ_IN_PLACE)
 * and, if wanted, its signature. */
struct mpj_bound {
  struct mpj_view view; /* of the whole, where the operand is a segment */
  void *base;
  bool in_place;
  MPJ_Count first, bytes; /* the operand's stretch of the view's packed stream */
};
/* Where segment k of n begins in a packed stream of `bytes` bytes. */
MPJ_Count mpj_segment_at(MPJ_Count bytes, MPJ_Count unit, MPJ_Count k, MPJ_Count n);
/* The hash of a segment's signature, which is unlike that of any others, by that of the whole's and
 * by where it begins; and the whole's by that of the segment's. */
static inline uint64_t mpj_segment_hash(uint64_t hash, MPJ_Count first)
{
  return hash ^ ((uint64_t)first * UINT64_C(0x9e3779b97f4a7c15)) >> 3;
}
/* A segment's bytes as a view of their own, relative to the same base; any other
 * operand's view. The data must be dense for a segment. */
struct mpj_view mpj_bound_view(const struct mpj_comm *comm, const struct mpj_bound *bound);
int mpj_bind_operand(struct mpj_comm *comm, struct mpj_slot *slot, struct mpj_operand operand,
                     struct mpj_bound *bound, struct mpj_signature *signature);
/* The elements that a temporary holds, for reductions. */
int mpj_bind_elements(struct mpj_slot *slot, struct mpj_operand temporary,
                      struct mpj_view *elements);
/* Pack a bound view of `bytes` bytes to memory. Errors: MPJ_ERR_NO_MEM. */
int mpj_bound_pack(const struct mpj_bound *bound, void *out, MPJ_Count bytes);
/* packed.c: the same basic types as the view's, in the same order, with nothing
 * between, at displacement 0. Made once for each layout; *twin's is borrowed from
 * there. Errors: MPJ_ERR_NO_MEM. */
int mpj_packed_twin(const struct mpj_view *view, struct mpj_view *twin);

#endif
