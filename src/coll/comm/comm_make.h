/* This header declares how ranks agree on new communicators. */
#ifndef MPJ_SRC_COLL_COMM_COMM_MAKE_H
#define MPJ_SRC_COLL_COMM_COMM_MAKE_H

#include "coll/comm/comm_exchange.h"

/* What one rank wants. Ranks of one group get one communicator. */
struct mpj_wish {
  int status;             /* of its arguments, with the thread's detail */
  bool member;            /* of any group */
  bool is_all;            /* all ranks of the exchange are members of one group, in their order */
  uint64_t group;         /* equal on its members */
  int key;                /* orders them; equal keys: by rank in the exchange */
  int n;                  /* members that it must have, or -1: whoever comes ... */
  const int *ranks;       /* ... and which, [n] ranks of the exchange, in order of rank */
  const int *world_ranks; /* or NULL; [n members] who they must be in WORLD: of peers */
  bool is_dup;            /* takes over the parent's attributes */
};

/* Make communicators as all ranks of `exchange` wish, who call this together. *newcomm
 * (MPJ_COMM_NULL for no member) is set on success, which is all ranks' or none's: a
 * rank whose part in the agreement fails at the very end leaves its communicator
 * broken for the others. Errors: the first wish's status that is none; MPJ_ERR_NO_MEM;
 * MPJ_ERR_ARG (a group is not what `ranks` says, or `world_ranks`); MPJ_ERR_COMM (the
 * parent's ranks do not choose algorithms by the same rules); as mpj_comm_exchange_gather. */
int mpj_comm_make(struct mpj_comm_exchange *exchange, const struct mpj_wish *wish,
                  MPJ_Comm *newcomm);

#endif
