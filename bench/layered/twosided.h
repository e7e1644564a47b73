/* This header declares a small two-sided layer with tag matching over the active
 * messages of src/net: what collectives are usually layered on. It is the
 * baseline of the comparison in layered.c, and kind to itself: no locks, no
 * types, records from a free list, one communicator.
 *
 * A send goes at once (short data in the message, longer in a slot at the
 * receiver) and is complete when it returns. An arrival is matched with the first posted
 * receive of its source and tag, else kept in the queue of unexpected ones until
 * a receive asks for it. */
#ifndef MPJ_BENCH_LAYERED_TWOSIDED_H
#define MPJ_BENCH_LAYERED_TWOSIDED_H

#include <stdbool.h>
#include <stddef.h>

#include "net/net.h"

enum { TWOSIDED_BYTES_MOST = 1024 };

/* A receive that has been posted; the caller's until `done`. */
struct twosided_request {
  struct twosided_request *next;
  int source, tag;
  void *data;
  size_t bytes;
  bool done;
};

/* Begin on this endpoint, before the first message comes; end after the last. */
void twosided_begin(struct mpj_net *net);
void twosided_end(void);

/* Send `bytes` <= TWOSIDED_BYTES_MOST bytes; polls while there is no room. */
void twosided_send(int peer, int tag, const void *data, size_t bytes);
/* Post a receive, and wait for one. */
void twosided_post(struct twosided_request *r, int source, int tag, void *data, size_t bytes);
void twosided_wait(struct twosided_request *r);

#endif
