/* This header declares items: collectives of ints on a place, in all forms, whose results are
 * known. Rank r's datum k is r + k + number. */
#ifndef MPJ_TESTS_COLL_ITEMS_H
#define MPJ_TESTS_COLL_ITEMS_H

#include "coll/runner.h"

enum item_kind {
  ITEM_BARRIER,
  ITEM_BCAST,
  ITEM_GATHER,
  ITEM_SCATTER,
  ITEM_ALLGATHER,
  ITEM_ALLTOALL,
  ITEM_REDUCE,
  ITEM_ALLREDUCE,
  ITEM_REDUCE_SCATTER,
  ITEM_SCAN,
  ITEM_EXSCAN,
  ITEM_KINDS
};

enum { ITEM_NAME = 48 };
enum item_form { ITEM_BLOCKING, ITEM_NONBLOCKING, ITEM_PERSISTENT };

struct item {
  struct place place; /* a communicator of the run, which this rank may not be in */
  enum item_kind kind;
  int number, root;
  MPJ_Count n; /* elements of one rank's block */
  int *in, *out;
  MPJ_Request request;
};

/* A line on stderr that says what is wrong with the item; returns 1. */
int item_failed(const struct run *run, const struct item *item, const char *what);

/* Choose kind, root and n (of `longest` ints in all at most, mostly below 700) from a generator
 * that is in the same state on all members, make the buffers and fill them. item_free must follow.
 */
void item_choose(struct item *item, struct mpj_random *shared, MPJ_Count longest);
void item_free(struct item *item);

/* Call it with types that are freed at once: a blocking call, which ends here, a nonblocking one,
 * or the init of a persistent request. 0, or 1 after item_failed. */
int item_call(const struct run *run, struct item *item, enum item_form form);
/* The same without a word: MPJ_SUCCESS, or what the call has returned. */
int item_try(struct item *item, enum item_form form);
/* What a sentence calls it: "MPJ_Bcast (root 2)". */
const char *item_name(const struct item *item, char name[ITEM_NAME]);

/* Fill both buffers for another call; look at what the last one has left. */
void item_refill(struct item *item);
int item_check(const struct run *run, const struct item *item);

#endif
