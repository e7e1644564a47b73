/* This header declares where ranks meet to agree on new communicators: in a
 * communicator that they share, or by an exchange that somebody else provides. */
#ifndef MPJ_SRC_COLL_COMM_FORUM_H
#define MPJ_SRC_COLL_COMM_FORUM_H

#include <mpj/peers.h>

#include "coll/comm/comm.h"

struct mpj_forum {
  struct mpj_context *context;
  int rank, size; /* this rank's place among those who agree */
  int block; /* of a parent's: more than a few tell records so many at a time (groups/records.h) */
  struct mpj_comm *parent;       /* whose ranks they are; or NULL ... */
  int part_of;                   /* enum mpj_part_of: the function that they have called; ... */
  const struct MPJ_Peers *peers; /* ... and this exchange */
};

struct mpj_forum mpj_forum_of_comm(struct mpj_comm *parent, enum mpj_part_of part_of);
struct mpj_forum mpj_forum_of_peers(struct mpj_context *context, const struct MPJ_Peers *peers);

/* The `bytes` bytes at mine come to all[size][bytes] of every rank. Together; of peers.
 *   all  NULL: this rank takes part without hearing anything, as it has failed with
 *        `status` and the sentence `why`; everybody's call then fails
 * Errors: `status`; another rank's; MPJ_ERR_PEER (the exchange failed). */
int mpj_forum_gather(const struct mpj_forum *forum, const void *mine, void *all, size_t bytes,
                     int status, const char *why);

/* Whether nobody has been in the last exchange: the ranks' calls differed (coll/check/check.h). */
bool mpj_forum_refused(const struct mpj_forum *forum);

/* *highest := the highest of all ranks' numbers. Together. Errors: as MPJ_Allreduce, or as above.
 */
int mpj_forum_highest(const struct mpj_forum *forum, int64_t mine, int64_t *highest);

#endif
