/* This header is an entry of the table of the calls that a communicator knows, each with the plan
 * that it runs (calls/known_calls.h).
 *
 * Entries of one operation and root form a list, the last used first, of MPJ_KNOWN_KEPT at most. */
#ifndef MPJ_SRC_COLL_PLAN_KNOWN_H
#define MPJ_SRC_COLL_PLAN_KNOWN_H

#include "coll/run/control.h"
#include "coll/select/select.h"

enum { MPJ_KNOWN_KEPT = 4 };

struct mpj_known {
  struct mpj_known *next;
  struct mpj_choice choice;
  struct mpj_call call; /* bound; the rest, but for the addresses, where it is known: */
  bool by_arguments;
  bool significant[2]; /* the receive and the send type, which are, if so: */
  MPJ_Datatype handles[2];
  uint32_t tags[2]; /* 0 for basic types */
  MPJ_Op op;
  uintptr_t apart;  /* sendbuf less recvbuf, where the data of both begins at one address */
  uint8_t untagged; /* calls since, with types that have no tag */
};

#endif
