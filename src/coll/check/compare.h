/* This header declares what ranks compare of a call in checking mode (MPJ_CHECK=1):
 * a record of each rank's, and how two of them must fit.
 *
 *   call                     what must be equal
 *   all                      operation, and whether it is an init; root; op (a predefined one; of a
 *                            user's: elemtype's signature, commutative, function)
 *   Bcast, Reduce,           the whole signatures of all ranks
 *     Allreduce, Scan, Exscan
 *   Gather, Scatter          part i at the root, the whole of rank i
 *   Allgather                part i on every rank, the whole of rank i
 *   Alltoall                 part j to send on i, part i to receive on j
 *   Reduce_scatter           part i on all ranks
 *
 * What MPJ_IN_PLACE makes insignificant is compared with nothing. */
#ifndef MPJ_SRC_COLL_CHECK_COMPARE_H
#define MPJ_SRC_COLL_CHECK_COMPARE_H

#include <stddef.h>

#include "coll/check/op_record.h"
#include "coll/select/select.h"

/* What one of p ranks says. */
struct mpj_said {
  int16_t operation;
  int8_t init;     /* 1: of a persistent request; else 0 */
  int8_t received; /* 1: `whole` is of the receive buffer; else 0 */
  int32_t root;
  struct mpj_op_record op;
  struct mpj_data_record whole;
  struct mpj_data_record parts[]; /* [2 p]: of the send buffer, then of the receive buffer */
};

/* Bytes of a record among `size` ranks: 64 + 32 size. */
size_t mpj_said_bytes(int size);

/* Fill in a record for a call that the argument checks let pass, on `rank` of `size`.
 * Errors: MPJ_ERR_NO_MEM. */
int mpj_said_fill(struct mpj_said *said, const struct mpj_choice *choice,
                  const struct mpj_call *call, int rank, int size);

/* All ranks' records, one after another, as rank `rank` sees them. */
struct mpj_records {
  const void *all;
  int rank, size;
  uint64_t number; /* the operation's */
};
static inline const struct mpj_said *mpj_record_of(const struct mpj_records *r, int rank)
{
  return (const void *)((const char *)r->all + (size_t)rank * mpj_said_bytes(r->size));
}

/* Compare all ranks' records. MPJ_SUCCESS, or a code that is the same on all ranks:
 * MPJ_ERR_COMM (operation), MPJ_ERR_ROOT, MPJ_ERR_OP, whose sentence names two ranks, this one if
 * it is involved, and what differs; MPJ_ERR_SIGNATURE, whose sentence is coll/check/explain.h's. */
int mpj_said_compare(const struct mpj_records *r);

/* Data that is sent or received. */
enum { MPJ_SIDE_WHOLE = -1 };
struct mpj_side {
  int rank, part; /* of rank's buffer: MPJ_SIDE_WHOLE, or a part */
  bool received;  /* of the receive buffer */
};
struct mpj_data_record mpj_side_data(const struct mpj_records *r, struct mpj_side s);

/* The first two sides that differ, r->rank's before others', and its own last; false: none do. */
bool mpj_said_differ(const struct mpj_records *r, struct mpj_side differ[2]);

#endif
