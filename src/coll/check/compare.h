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
 * What MPJ_IN_PLACE makes insignificant is compared with nothing. A user's function
 * is known by its place in a program or library, so where two ranks run files of the
 * same name; one that lies in none (made at run time) is taken to be equal. */
#ifndef MPJ_SRC_COLL_CHECK_COMPARE_H
#define MPJ_SRC_COLL_CHECK_COMPARE_H

#include <stddef.h>

#include "coll/select/select.h"

/* A signature; bytes -1: there is nothing to compare. */
struct mpj_said_data {
  int64_t bytes;
  uint64_t digest;
};

/* What one of p ranks says. */
struct mpj_said {
  int32_t operation, root;
  int32_t reduce;      /* 1 + enum mpj_reduce_op; 0: none; -1: a user's op, of which: */
  int16_t commutative; /* 0 or 1 */
  int8_t init;         /* 1: of a persistent request; else 0 */
  int8_t received;     /* 1: `whole` is of the receive buffer; else 0 */
  uint64_t file, function;
  struct mpj_said_data element;
  struct mpj_said_data whole;
  struct mpj_said_data parts[]; /* [2 p]: of the send buffer, then of the receive buffer */
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
struct mpj_said_data mpj_side_data(const struct mpj_records *r, struct mpj_side s);

/* The first two sides that differ, r->rank's before others', and its own last; false: none do. */
bool mpj_said_differ(const struct mpj_records *r, struct mpj_side differ[2]);

#endif
