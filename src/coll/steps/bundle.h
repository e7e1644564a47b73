/* This header declares bundles: pieces of data of any sizes, each with its tag, size and signature,
 * one after another in memory that goes as one message. So a rank of a tree can pass on what other
 * ranks will receive, whose sizes it does not know. */
#ifndef MPJ_SRC_COLL_STEPS_BUNDLE_H
#define MPJ_SRC_COLL_STEPS_BUNDLE_H

#include "coll/plan/binding.h"

/* A piece, as it lies in a bundle. */
struct mpj_record {
  uint32_t tag, zero;
  int64_t bytes; /* of data, which follows, and zeros up to a multiple of MPJ_RECORD_ALIGN */
  uint64_t digest;
};
enum { MPJ_RECORD_ALIGN = 8 };

struct mpj_bundle {
  bool lacking; /* something that should be in it did not come */
  size_t bytes, room;
  unsigned char data[];
};

/* Bytes of one with this much data. */
static inline size_t mpj_record_bytes(int64_t bytes)
{
  return sizeof(struct mpj_record) +
         ((size_t)bytes + MPJ_RECORD_ALIGN - 1) / MPJ_RECORD_ALIGN * MPJ_RECORD_ALIGN;
}

static inline struct mpj_bundle **mpj_bundle_place(struct mpj_slot *slot, struct mpj_operand bundle)
{
  return (struct mpj_bundle **)&slot->temporaries[bundle.part];
}

/* The record at `at`, whose data lies within the bundle; else false. */
bool mpj_record_at(const struct mpj_bundle *bundle, size_t at, struct mpj_record *record);
/* Whether an operand that names records names the one with this tag. */
static inline bool mpj_record_is_named(struct mpj_operand records, uint32_t tag)
{
  return records.nsegments == 0 || (tag >= records.segment && tag - records.segment < records.span);
}
/* The error of a bundle in which piece `tag` is not as it should be. */
int mpj_bundle_damaged(const struct mpj_comm *comm, const struct mpj_slot *slot, unsigned tag);

/* What a bundle holds, as bytes; to be sent. */
int mpj_bind_bundle(struct mpj_comm *comm, struct mpj_slot *slot, struct mpj_operand bundle,
                    struct mpj_bound *bound, struct mpj_signature *signature);
/* Room for the `bytes` bytes of a bundle that arrives. */
int mpj_bundle_expect(struct mpj_comm *comm, struct mpj_slot *slot, struct mpj_operand bundle,
                      MPJ_Count bytes, struct mpj_bound *bound, struct mpj_signature *signature);
/* Whether the bundle is here with all that should be in it. */
bool mpj_bundle_is_whole(const struct mpj_slot *slot, struct mpj_operand bundle);
/* Run a copy from or to a bundle. One of what has not come does nothing but let the
 * bundle that it goes to lack it: what else is in bundles reaches its place. */
int mpj_bundle_copy(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_step *step);
/* Have a bundle, if there is none, to which nothing is added here. */
int mpj_bundle_begin(struct mpj_slot *slot, struct mpj_operand bundle);
/* bundle_deliver.c: hand a bundle's records to the recv_either steps that they are for. */
int mpj_bundle_deliver(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_step *step);

#endif
