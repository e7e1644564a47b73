/* This header declares whether ranks of one machine fit its cores, each of which may be bound to
 * some of them. */
#ifndef MPJ_SRC_NET_BOOT_OCCUPANCY_H
#define MPJ_SRC_NET_BOOT_OCCUPANCY_H

#include <stdint.h>

enum { MPJ_OCCUPANCY_WORDS = 16 };

/* What one rank may use. */
struct mpj_occupancy {
  int32_t cores;                      /* it alone may keep busy, by affinity and quota */
  int32_t quota;                      /* its control group may keep busy; INT_MAX: no limit */
  uint64_t cpus[MPJ_OCCUPANCY_WORDS]; /* its affinity mask, bit i for processor i; none: unknown */
};

/* The calling thread's. Reads /proc and /sys. */
void mpj_occupancy_mine(struct mpj_occupancy *mine);

/* The cores, at least 1, that the n ranks of one machine may keep busy together: those of all their
 * masks, within the least quota; but fewer than n where ranks that share a mask are more than
 * its processors. Where a mask is unknown, the least that one of them may keep busy. */
int mpj_occupancy_cores(int n, const struct mpj_occupancy *const ranks[]);

#endif
