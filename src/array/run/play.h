/* This header declares plays: one run of a schedule between buffers, as a list of its steps. */
#ifndef MPJ_SRC_ARRAY_PLAY_H
#define MPJ_SRC_ARRAY_PLAY_H

#include "array/run/compare_runs.h"
#include "coll/calls/collective.h"

/* What a run of a member goes between. What is written is not const there. */
struct mpj_play_member {
  struct mpj_array_schedule *schedule; /* borrowed */
  const void *from, *to;
  void *fetched;
  char *scratch, *image;         /* owned, for the largest round; left to the schedule */
  const struct mpj_round *round; /* in which it is; as mpj_play_round has found it */
  struct mpj_round *own;         /* owned: one of several, number own_index; or NULL */
  int own_index;
};

enum { MPJ_STEPS_INLINE = 8 };

struct mpj_play {
  struct mpj_schedule_run run;
  int nmembers, nsteps;
  struct mpj_play_member *members, inline_member[1];
  struct mpj_play_step *steps, inline_steps[MPJ_STEPS_INLINE];
  struct mpj_run_records records; /* of a run that compares */
  int status;                     /* the first error */
  bool refuses;                   /* what this rank would send from now on is not what it should */
  char why[240];
};

/* List the steps of a run; memory that they need is allocated. from, to, fetched: of a joined
 * schedule arrays of its members' addresses, which are read before return. On an error the play
 * owns nothing. */
int mpj_play_begin(struct mpj_play *play, const struct mpj_schedule_run *run, const void *from,
                   const void *to, void *fetched);
void mpj_play_end(struct mpj_play *play);

/* play_calls.c: the call that a step is. own: types made for it, the caller's to free, or null. If
 * they cannot be made it is a call that fails, and status says why. */
struct mpj_step_call {
  struct mpj_arguments arguments;
  MPJ_Datatype own[2];
  int status;
};
void mpj_play_call(struct mpj_play *play, const struct mpj_play_step *step,
                   struct mpj_step_call *call);
void mpj_step_call_end(struct mpj_step_call *call);
/* Have `call` refuse all calls of a run that this rank cannot begin; returns status, with the
 * sentence that it has now. */
typedef int mpj_refuse_fn(const struct mpj_arguments *arguments);
int mpj_run_refuse(const struct mpj_schedule_run *run, int status, mpj_refuse_fn *call);
/* Whether a run that has ended so has broken a communicator, and has others: copies' own. Who is in
 * the next run may wait for this rank in one of these, so they break as well. */
bool mpj_run_is_lost(const struct mpj_schedule_run *run, int status);

/* Find, or make, the round that a member is in. */
int mpj_play_round(struct mpj_play_member *member, int k);

/* Do the work that a step is. */
int mpj_play_work(const struct mpj_play *play, const struct mpj_play_step *step);

/* Behind the comparison that a run may begin with, which went so: whether the ranks run alike. If
 * they do not, none of them does any more of it: *step is the end then. */
int mpj_play_compare(const struct mpj_play *play, int status, int *step);

/* Note how a step went, or (step NULL) something else; the outcome of all, with its sentence. */
void mpj_play_note(struct mpj_play *play, const struct mpj_play_step *step, int status);
int mpj_play_outcome(const struct mpj_play *play);

/* spread.c: of a member, whose image and buffers these are. Behind a round's image there is room
 * for sums of what is wanted repeatedly, and for what is added to them. */
int mpj_spread_forward(const struct mpj_array_schedule *schedule, void *to);
int mpj_spread_collect(const struct mpj_array_schedule *schedule, const struct mpj_round *round,
                       const void *to, char *image, MPJ_Op op);
int mpj_spread_fetched(const struct mpj_array_schedule *schedule, const struct mpj_round *round,
                       const char *image, void *fetched);

#endif
