/* This header declares how a rank that gives its core away finds out who had it: the other ranks of
 * its machine, or strangers.
 *
 * Who has been away for long asks the system how long each rank has run (its processor time: a
 * process's, or a thread rank's own). What the cores can have done since it last asked, and the
 * ranks have not, strangers have. To ask takes a system call a rank; so it is not done again before
 * SHARE times as long has passed as all who share a core take to ask, and what was found holds
 * until then.
 *
 * To look at the clock takes a twentieth of a short turn among ranks that are in step. So after
 * some absences in a row that were short one of each MPJ_CORE_ROW is timed. */
#ifndef MPJ_SRC_NET_CORE_H
#define MPJ_SRC_NET_CORE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/waiting.h"

enum { MPJ_CORE_ROW = 16 };
struct mpj_core {
  /* [ranks], stride bytes apart: of each rank the clock that shows how long it has run
   * (mpj_core_clock). NULL: the ranks do not share cores, or too many do. */
  const _Atomic int32_t *clocks;
  size_t stride;
  int ranks, cores;
  unsigned shorts, untimed; /* absences that were short, in a row; that are not to be timed */
  int64_t looked, pause;    /* when it last asked, 0: never; how long until it may again */
  int64_t takes;            /* ns in which it was answered, at least; 0: not known */
  uint64_t worked;          /* what it was told: ns, all ranks together */
  bool strangers;           /* what it found */
};

/* The clock of this thread, or of its whole process: what other ranks ask. Where ranks are
 * processes all threads of a rank's program count as the rank. */
int32_t mpj_core_clock(bool process);

/* Of a rank among `ranks` that share `cores`. Where many share a core they are strangers to
 * one another, who have work to do in their turns, and all sleeping and being woken would be the
 * most of it; and who yields has others before it for longer than a slice. */
struct mpj_core mpj_core_shared(const _Atomic int32_t *clocks, size_t stride, int ranks, int cores);

/* At `now` the ranks have worked for so many ns in all: whether strangers have had more than a
 * quarter of the cores since it was last told, if that is not long ago; this is the next last
 * one. */
bool mpj_core_judge(struct mpj_core *core, int64_t now, uint64_t worked);

/* This rank's next turn begins. Whether strangers have its core, who compute: a rank that waits
 * gives the core back within microseconds; a program that computes keeps it until the scheduler
 * takes it, and then who has yielded is behind it again each time, while who has slept is let in
 * as soon as it is woken. Of one that was not timed: false. (Where ranks fit the cores that is not
 * so: each has its slices on a core of its own, often at the same time, and then they are a spin
 * apart.) */
bool mpj_core_back(struct mpj_core *core, struct mpj_absence away);

/* Whether the absence that begins now is to be timed. */
static inline bool mpj_core_times(struct mpj_core *core)
{
  if (core->untimed == 0) return true;
  core->untimed--;
  return false;
}

/* Give the core away, and have it back: as mpj_core_back. Where other threads of the rank may run
 * meanwhile the three parts are called apart, the middle one alone without holding the rank. */
static inline bool mpj_core_give(struct mpj_core *core)
{
  const bool timed = mpj_core_times(core);
  return mpj_core_back(core, mpj_give_core_timed(timed));
}

#endif
