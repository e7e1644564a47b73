/* This header declares what is counted and seen of a simulated job. */
#ifndef MPJ_SRC_NET_SIM_COUNTS_H
#define MPJ_SRC_NET_SIM_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

/* Of all ranks. */
struct mpj_sim_counts {
  uint64_t events, messages, pulls;
  int64_t bytes;              /* of all messages, headers too */
  int64_t hops, waited_ps;    /* of messages on links */
  int64_t busiest_link_bytes; /* that the busiest link has carried */
};

/* What a rank has sent and received, messages and pulled data. */
struct mpj_sim_rank_counts {
  uint64_t sent, received;
};

/* Sees a message: when its core began to send it, and when the receiver's was done with it. Of what
 * is pulled: when the receiver's core began to ask for it. */
struct mpj_sim_seen {
  int from, to;
  bool pulled;
  int64_t bytes, begun_ps, ended_ps;
};
typedef void mpj_sim_see_fn(void *ctx, const struct mpj_sim_seen *seen);

#endif
