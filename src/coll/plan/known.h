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
  /* Of a call that is known by its arguments, what is compared: */
  MPJ_Datatype handles[2]; /* the receive and the send type, as far as these are */
  bool significant[2];
  bool by_arguments;
  uint8_t operation;
  int root;
  uint32_t tags[2]; /* 0 for basic types */
  MPJ_Op op;
  uintptr_t apart;      /* sendbuf less recvbuf, where the data of both begins at one address */
  struct mpj_call call; /* bound; the rest, but for the addresses, where it is known so */
  struct mpj_choice choice;
  uint8_t untagged; /* calls since, with types that have no tag */
};

#endif
