/* This header declares how a rank that gives its core away finds out who had it: the other ranks of
 * its machine, or strangers.
 *
 * A rank's turn lasts from when its core comes back to when it gives it away or sleeps. Each rank
 * adds up its turns where the others can read the sum. Who has been away for long looks at all the
 * sums: what the cores can have done since its last such look, and the ranks have not, strangers
 * have.
 *
 * To look at the clock takes a twentieth of a short turn among ranks that are in step. So after
 * some absences in a row that were short, two absences in a row are timed of each MPJ_CORE_ROW, and
 * the turn between them counts for all. */
#ifndef MPJ_SRC_NET_CORE_H
#define MPJ_SRC_NET_CORE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/waiting.h"

enum { MPJ_CORE_ROW = 16 };
struct mpj_core {
  /* [ranks], stride bytes apart: the ns of each rank's turns; this rank writes its own. NULL: the
   * ranks do not share cores, or too many do. */
  _Atomic uint64_t *turns;
  size_t stride;
  int ranks, rank, cores;
  int64_t back;             /* when this rank's turn began; 0: it has had none */
  unsigned shorts, untimed; /* absences that were short, in a row; that are not to be timed */
  unsigned stands_for;      /* turns that one which is timed counts for */
  int64_t looked; /* when it last looked at the sums, and what they added up to; 0: never */
  uint64_t seen;
};

/* Of rank `rank` among `ranks` that share `cores`. Where many share a core they are strangers to
 * one another, who have work to do in their turns, and all sleeping and being woken would be the
 * most of it; and who yields has others before it for longer than a slice. */
struct mpj_core mpj_core_shared(_Atomic uint64_t *turns, size_t stride, int rank, int ranks,
                                int cores);

/* This rank has slept from begun to now: no turn of its own. */
void mpj_core_slept(struct mpj_core *core, int64_t begun);

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
