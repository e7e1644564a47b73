/* This header declares plays: one run of a schedule, as a list of steps. A step is a collective
 * call, or work of this rank alone. All ranks have the same calls in the same order. */
#ifndef MPJ_SRC_ARRAY_PLAY_H
#define MPJ_SRC_ARRAY_PLAY_H

#include "array/array_schedule.h"
#include "coll/calls/collective.h"

enum mpj_direction { MPJ_FORWARD, MPJ_BACKWARD, MPJ_FETCH };

struct mpj_play;
struct mpj_play_step {
  int (*work)(struct mpj_play *play, int index); /* NULL: the call */
  int index;                                     /* of a phase or a round, for work */
  struct mpj_arguments call;
};

enum { MPJ_STEPS_INLINE = 8 };

struct mpj_play {
  struct mpj_array_schedule *schedule; /* borrowed */
  enum mpj_direction direction;
  MPJ_Op op;
  const void *from, *to; /* as given; what is written is not const there */
  void *fetched;
  char *scratch;      /* owned, as the following: what a round receives */
  char *image;        /* what the ranks that replicate have combined */
  char *uniques;      /* what was spread, combined */
  const void *sent;   /* where backward's exchange sends from */
  int nsteps, status; /* the first error */
  char why[240];
  struct mpj_play_step *steps, inline_steps[MPJ_STEPS_INLINE];
};

/* List the steps of a run; memory that they need is allocated. On an error the play owns nothing.
 */
int mpj_play_begin(struct mpj_play *play, struct mpj_array_schedule *schedule,
                   enum mpj_direction direction, const void *from, const void *to, void *fetched,
                   MPJ_Op op);
void mpj_play_end(struct mpj_play *play);

/* Note how a step went. */
void mpj_play_note(struct mpj_play *play, int status);

/* spread.c: element 0 of each to the others; their combination, into play->uniques. */
int mpj_spread_forward(struct mpj_play *play, int index);
int mpj_spread_fetched(struct mpj_play *play, int index);
int mpj_spread_backward(struct mpj_play *play, int index);

#endif
