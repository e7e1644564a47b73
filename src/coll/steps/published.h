/* This header declares published buffers: where a rank leaves the data of its posts
 * (control/words.h) until all who were to take it have ended the operation that it belongs to.
 *
 * Room is taken in a circle: what was left first is given back first, when nobody is
 * to read it any more.
 * Invariant: tail <= head <= tail + bytes; what is posted lies between, in order. */
#ifndef MPJ_SRC_COLL_STEPS_PUBLISHED_H
#define MPJ_SRC_COLL_STEPS_PUBLISHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"

struct mpj_comm;
struct mpj_control;
struct mpj_net;

enum { MPJ_POSTED_MAX = 32 };

/* One post's data. */
struct mpj_posted {
  const struct mpj_comm *comm; /* borrowed, until mpj_published_forget */
  uint64_t sequence;
  struct mpj_bits readers; /* ranks of comm that may still have to read it */
  uint64_t end;
};

struct mpj_published {
  struct mpj_net *net; /* borrowed; NULL: no posts */
  unsigned char *memory;
  size_t bytes;
  uint64_t head, tail;       /* counted from the beginning */
  struct mpj_posted *posted; /* [MPJ_POSTED_MAX] owned; NULL until the first one */
  uint16_t first, n;         /* those in use, in a circle */
  uint32_t touched; /* no byte of the published buffer from this one on has ever been given out */
};

/* This rank's published; empty where posts cannot be made. */
void mpj_published_begin(struct mpj_published *published, struct mpj_control *control);
void mpj_published_end(struct mpj_published *published);

/* Room for `bytes` bytes that all other ranks of comm may read until they have ended
 * operation `sequence` there: its offset on the published, or -1 if there is none now. */
int64_t mpj_published_take(struct mpj_published *published, const struct mpj_comm *comm,
                           uint64_t sequence, size_t bytes);

/* The communicator is about to end: all its members have left it. */
void mpj_published_forget(struct mpj_published *published, const struct mpj_comm *comm);

#endif
