/* This header declares the ranks' process groups, in memory that mpjrun shares
 * with its guard. */
#ifndef MPJ_TOOLS_MPJRUN_GROUPS_H
#define MPJ_TOOLS_MPJRUN_GROUPS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

/* group[rank] is the rank's process group, or 0 when it has none (any more): a
 * group that has become empty is struck out, as its number may be used again. */
struct groups {
  int nranks;
  _Atomic pid_t group[]; /* [nranks] */
};

/* Zeroed, to be shared with processes forked later; NULL with errno set. */
struct groups *groups_create(int nranks);

/* Send `signal` to all groups. */
void groups_signal(struct groups *groups, int signal);

/* Strike out the rank's group if nobody is in it. */
void groups_refresh(struct groups *groups, int rank);

#endif
