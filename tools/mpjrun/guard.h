/* This header declares the guard: a process that outlives mpjrun by a moment,
 * and that ends the job's processes should mpjrun be killed before it could.
 *
 * The ranks themselves die with mpjrun (PR_SET_PDEATHSIG); the guard is for
 * what they started: everybody in the ranks' process groups, and everybody
 * elsewhere who still holds the segment. It is mpjrun's last child, with a
 * session of its own, under the name mpj-guard. */
#ifndef MPJ_TOOLS_MPJRUN_GUARD_H
#define MPJ_TOOLS_MPJRUN_GUARD_H

#include <stdbool.h>

#include "mpjrun/groups.h"

struct guard {
  pid_t pid; /* 0: none was started */
  int fd;    /* one end of a socket pair; the guard, at the other, sees mpjrun's end */
};

/* Start the guard. groups is shared with it; segment_fd names the segment.
 * False, with errno set, if that fails. */
bool guard_start(struct guard *guard, struct groups *groups, int segment_fd);

/* The job has ended in good order: send the guard home and reap it. */
void guard_dismiss(struct guard *guard);

#endif
