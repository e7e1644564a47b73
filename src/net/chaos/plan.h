/* This header declares the plan by which chaos disturbs a rank: what may happen
 * to it, how often, and the seeded dice that decide each time. */
#ifndef MPJ_SRC_NET_CHAOS_PLAN_H
#define MPJ_SRC_NET_CHAOS_PLAN_H

#include <stdbool.h>
#include <stdint.h>

struct mpj_chaos_plan {
  double delay;   /* share of messages and of ends of transfers that are held back, 0 to 1 */
  double again;   /* share of calls that find no room, 0 to 0.9 */
  double stall;   /* share of polls before which the rank sleeps, 0 to 1 */
  long seed;      /* 0 up */
  long polls;     /* the longest that something is held back, in polls, 1 to 1000000 */
  long stall_us;  /* the longest sleep, microseconds, 1 to 60000000 */
  long kill;      /* the rank that is killed, or -1 */
  long after;     /* at one of its first `after` polls, 1 to 1000000000 */
  uint64_t state; /* of the dice */
};

/* Read "key=value,..." (the text of MPJ_CHAOS) for `rank`; keys that are missing keep
 * delay 0, again 0, stall 0, seed 1, polls 64, stall_us 2000, kill -1, after 1000.
 * The same text and rank give the same dice. Sets *plan only on success. Errors:
 * MPJ_ERR_ARG, naming the key and its range. */
int mpj_chaos_plan_read(const char *text, int rank, struct mpj_chaos_plan *plan);

/* A number from 1 to `most`. */
long mpj_chaos_draw(struct mpj_chaos_plan *plan, long most);

/* Whether something of this probability happens now. */
bool mpj_chaos_strikes(struct mpj_chaos_plan *plan, double probability);

#endif
