/* This header declares plays: one run of a schedule, as a list of steps. A step is a collective
 * call, or work of this rank alone. All ranks have the same calls in the same order.
 *
 *   forward   exchange; the other phases
 *   backward  in each round: collect or reduce into images; exchange back; combine; to fetch,
 *             exchange what was there before, and distribute it. Then, to fetch, broadcasts */
#ifndef MPJ_SRC_ARRAY_PLAY_H
#define MPJ_SRC_ARRAY_PLAY_H

#include "array/run/rounds.h"
#include "coll/calls/collective.h"

enum mpj_direction { MPJ_FORWARD, MPJ_BACKWARD, MPJ_FETCH };

enum mpj_play_kind {
  MPJ_PLAY_EXCHANGE,
  MPJ_PLAY_BACK,  /* the exchange of a round */
  MPJ_PLAY_FETCH, /* and its other way */
  MPJ_PLAY_BCAST,
  MPJ_PLAY_REDUCE,
  MPJ_PLAY_LOCAL, /* from here on, work */
  MPJ_PLAY_SPREAD,
  MPJ_PLAY_ZERO,
  MPJ_PLAY_COLLECT,
  MPJ_PLAY_COMBINE,
  MPJ_PLAY_DISTRIBUTE
};

struct mpj_play_step {
  enum mpj_play_kind kind;
  int member, index; /* index: of a phase or a round */
};

/* What a run of a member goes between. What is written is not const there. */
struct mpj_play_member {
  struct mpj_array_schedule *schedule; /* borrowed */
  const void *from, *to;
  void *fetched;
  char *scratch, *image; /* owned, for the largest round */
};

enum { MPJ_STEPS_INLINE = 8 };

struct mpj_play {
  struct mpj_array_schedule *schedule; /* borrowed */
  enum mpj_direction direction;
  MPJ_Op op;
  int nmembers, nsteps;
  struct mpj_play_member *members, inline_member[1];
  struct mpj_play_step *steps, inline_steps[MPJ_STEPS_INLINE];
  int status; /* the first error */
  char why[240];
};

/* List the steps of a run; memory that they need is allocated. from, to, fetched: of a joined
 * schedule arrays of its members' addresses, which are read before return. On an error the play
 * owns nothing. */
int mpj_play_begin(struct mpj_play *play, struct mpj_array_schedule *schedule,
                   enum mpj_direction direction, const void *from, const void *to, void *fetched,
                   MPJ_Op op);
void mpj_play_end(struct mpj_play *play);
/* In checking mode: how beginning a run went on all ranks of its communicator, which run the same
 * schedule the same way with the same op. Else status. */
int mpj_play_agree(struct mpj_array_schedule *schedule, enum mpj_direction direction, MPJ_Op op,
                   int status);

/* Whether the run is one call, on all ranks, and local copies. */
bool mpj_play_is_single(struct mpj_array_schedule *schedule, enum mpj_direction direction,
                        MPJ_Op op);

/* Show all steps of such a run, with nothing but the schedule. */
typedef void mpj_step_fn(void *ctx, const struct mpj_play_step *step);
void mpj_play_steps(struct mpj_array_schedule *schedule, enum mpj_direction direction, MPJ_Op op,
                    mpj_step_fn *show, void *ctx);

static inline bool mpj_step_is_call(const struct mpj_play_step *step)
{
  return step->kind < MPJ_PLAY_LOCAL;
}

/* The call that a step is. own: types made for it, the caller's to free, or null. If they cannot be
 * made it is a call that fails, and status says why. */
struct mpj_step_call {
  struct mpj_arguments arguments;
  MPJ_Datatype own[2];
  int status;
};
void mpj_play_call(const struct mpj_play *play, const struct mpj_play_step *step,
                   struct mpj_step_call *call);
void mpj_step_call_end(struct mpj_step_call *call);
/* Have `call` refuse all calls of a run that this rank cannot begin; returns status, with the
 * sentence that it has now. */
typedef int mpj_refuse_fn(const struct mpj_arguments *arguments);
int mpj_play_refuse(struct mpj_array_schedule *schedule, enum mpj_direction direction, MPJ_Op op,
                    int status, mpj_refuse_fn *call);

/* Do the work that a step is. */
int mpj_play_work(const struct mpj_play *play, const struct mpj_play_step *step);

/* Note how a step went; the outcome of all, with its sentence. */
void mpj_play_note(struct mpj_play *play, int status);
int mpj_play_outcome(const struct mpj_play *play);

/* spread.c: of a member, whose image and buffers these are. */
int mpj_spread_forward(const struct mpj_array_schedule *schedule, void *to);
int mpj_spread_collect(const struct mpj_array_schedule *schedule, const struct mpj_round *round,
                       const void *to, char *image, MPJ_Op op);
int mpj_spread_fetched(const struct mpj_array_schedule *schedule, const struct mpj_round *round,
                       const char *image, void *fetched);

#endif
