/* This header declares where ranks meet to agree on new communicators: in a
 * communicator that they share, or by an exchange that somebody else provides. */
#ifndef MPJ_SRC_COLL_COMM_COMM_EXCHANGE_H
#define MPJ_SRC_COLL_COMM_COMM_EXCHANGE_H

#include <mpj/peers.h>

#include "coll/comm/comm.h"

struct mpj_comm_exchange {
  struct mpj_context *context;
  int rank, size; /* this rank's place among those who agree */
  int block; /* of a parent's: more than a few tell records so many at a time (groups/records.h) */
  struct mpj_comm *parent;       /* whose ranks they are; or NULL ... */
  int part_of;                   /* enum mpj_part_of: the function that they have called; ... */
  const struct MPJ_Peers *peers; /* ... and this exchange */
};

struct mpj_comm_exchange mpj_comm_exchange_of_comm(struct mpj_comm *parent,
                                                   enum mpj_part_of part_of);
struct mpj_comm_exchange mpj_comm_exchange_of_peers(struct mpj_context *context,
                                                    const struct MPJ_Peers *peers);

/* The `bytes` bytes at mine come to all[size][bytes] of every rank. Together; of peers.
 *   all  NULL: this rank takes part without hearing anything, as it has failed with
 *        `status` and the sentence `why`; everybody's call then fails
 * Errors: `status`; another rank's; MPJ_ERR_PEER (the exchange failed). */
int mpj_comm_exchange_gather(const struct mpj_comm_exchange *exchange, const void *mine, void *all,
                             size_t bytes, int status, const char *why);

/* Whether nobody has been in the last exchange: the ranks' calls differed (coll/check/check.h). */
bool mpj_comm_exchange_refused(const struct mpj_comm_exchange *exchange);

/* *highest := the highest of all ranks' numbers. Together. Errors: as MPJ_Allreduce, or as above.
 */
int mpj_comm_exchange_highest(const struct mpj_comm_exchange *exchange, int64_t mine,
                              int64_t *highest);

#endif
