/* This file runs schedules and waits for them. */
#include "array/play.h"
#include "base/entry.h"
#include "base/status.h"

/* This rank cannot take part: the others hear of it in the calls that they wait in. */
static void fail_calls(struct mpj_array_schedule *s, enum mpj_direction direction, MPJ_Op op)
{
  const struct mpj_phase *last = &s->phases[s->nphases - 1];
  const bool reduces = direction != MPJ_FORWARD && op != MPJ_REPLACE;
  if (reduces && last->kind == MPJ_PHASE_BCAST && last->comm)
    MPJ_Reduce(NULL, MPJ_DATATYPE_NULL, NULL, MPJ_DATATYPE_NULL, op, last->root, last->comm);
  MPJ_Alltoall(NULL, MPJ_DATATYPE_NULL, NULL, MPJ_DATATYPE_NULL, s->comm);
}

/* A rank takes part in all calls, also behind one that has failed. */
static int run(struct mpj_array_schedule *s, enum mpj_direction direction, const void *from,
               const void *to, void *fetched, MPJ_Op op)
{
  struct mpj_play play;
  char why[512];
  int status = mpj_play_begin(&play, s, direction, from, to, fetched, op);
  if (status) {
    mpj_error_keep(why, sizeof why);
    fail_calls(s, direction, op);
    return mpj_error(status, "%s", why);
  }
  for (int i = 0; i < play.nsteps; i++) {
    const struct mpj_play_step *step = &play.steps[i];
    mpj_play_note(&play,
                  step->work ? step->work(&play, step->index) : mpj_call_blocking(&step->call));
  }
  mpj_play_end(&play);
  return play.status ? mpj_error(play.status, "%s", play.why) : MPJ_SUCCESS;
}

int MPJ_Schedule_forward(MPJ_Schedule schedule, const void *from, void *to)
{
  MPJ_ENTRY;
  struct mpj_array_schedule *s;
  const int status = mpj_array_schedule_resolve(schedule, "schedule", &s);
  return status ? status : run(s, MPJ_FORWARD, from, to, NULL, MPJ_REPLACE);
}

int MPJ_Schedule_backward(MPJ_Schedule schedule, void *from, const void *to, MPJ_Op op)
{
  MPJ_ENTRY;
  struct mpj_array_schedule *s;
  const int status = mpj_array_schedule_resolve(schedule, "schedule", &s);
  return status ? status : run(s, MPJ_BACKWARD, from, to, NULL, op);
}

int MPJ_Schedule_fetch_op(MPJ_Schedule schedule, void *from, const void *to, void *fetched,
                          MPJ_Op op)
{
  MPJ_ENTRY;
  struct mpj_array_schedule *s;
  const int status = mpj_array_schedule_resolve(schedule, "schedule", &s);
  return status ? status : run(s, MPJ_FETCH, from, to, fetched, op);
}
