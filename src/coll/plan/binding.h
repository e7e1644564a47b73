/* This header declares how a schedule's operands are tied to the types of a call. */
#ifndef MPJ_SRC_COLL_PLAN_BINDING_H
#define MPJ_SRC_COLL_PLAN_BINDING_H

#include "coll/run/control.h"

/* Who binds. Zeroed but for the borrowed fields; mpj_binder_end gives back what it has taken. */
struct mpj_binder {
  const struct mpj_schedule *schedule;
  const struct mpj_call *call;
  struct mpj_layout *byte;     /* of temporaries whose elements are not known */
  struct mpj_scratch *scratch; /* for the rest: */
  MPJ_Count *offsets[2];       /* part i of the receive or the send type is the bytes from at[i] to
                                  at[i + 1] of its packed stream; NULL until first used */
  bool by_parts[2];            /* parts of it have been bound */
};
void mpj_binder_end(struct mpj_binder *binder);

/* What an operand is for a call. */
struct mpj_bound {
  struct mpj_view view;   /* of the whole, where the operand is a segment */
  bool in_place;          /* the buffer is MPJ_IN_PLACE: nothing else is set */
  MPJ_Count first, bytes; /* the operand's stretch of the view's packed stream */
};
/* Bind an operand that is no bundle's; and its signature, if wanted. Errors: MPJ_ERR_NO_MEM. */
int mpj_bind_operand(struct mpj_binder *binder, struct mpj_operand operand, struct mpj_bound *bound,
                     struct mpj_signature *signature);
/* The elements that a temporary holds, for reductions. */
int mpj_bind_elements(const struct mpj_binder *binder, struct mpj_operand temporary,
                      struct mpj_view *elements);

/* Whether an operand whose signature has `own` bytes and this digest takes data with those: of the
 * same signature, or less of it where that is allowed (MPJ_SIGNATURES). */
bool mpj_operation_takes(enum mpj_operation operation, MPJ_Count own, uint64_t own_digest,
                         MPJ_Count bytes, uint64_t digest);

/* Where segment k of n begins in a packed stream of `bytes` bytes. */
MPJ_Count mpj_segment_at(MPJ_Count bytes, MPJ_Count unit, MPJ_Count k, MPJ_Count n);
/* The hash of a segment's signature, which is unlike that of any others, by that of the whole's and
 * by where it begins; and the whole's by that of the segment's. */
static inline uint64_t mpj_segment_hash(uint64_t hash, MPJ_Count first)
{
  return hash ^ ((uint64_t)first * UINT64_C(0x9e3779b97f4a7c15)) >> 3;
}
/* packed.c: the same basic types as the view's, in the same order, with nothing
 * between, at displacement 0. Made once for each layout; *alike's is borrowed from
 * there. Errors: MPJ_ERR_NO_MEM. */
int mpj_packed_alike(const struct mpj_view *view, struct mpj_view *alike);

#endif
