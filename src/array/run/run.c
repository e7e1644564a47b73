/* This file runs schedules and waits for them. */
#include "array/run/play.h"
#include "array/schedule_life.h"
#include "base/entry.h"
#include "base/status.h"

static int call(struct mpj_play *play, const struct mpj_play_step *step)
{
  struct mpj_step_call call;
  mpj_play_call(play, step, &call);
  const int status = mpj_call_blocking(&call.arguments);
  mpj_step_call_end(&call);
  return status;
}

/* A rank takes part in all calls, also behind one that has failed; then it does no work of its own,
 * and refuses those whose data would be wrong. */
static int run(struct mpj_array_schedule *s, enum mpj_direction direction, const void *from,
               const void *to, void *fetched, MPJ_Op op)
{
  const struct mpj_schedule_run run = {s, direction, op, mpj_run_needs_comparison(s, direction)};
  struct mpj_play play;
  int status = mpj_play_begin(&play, &run, from, to, fetched);
  if (status) return mpj_run_refuse(&run, status, mpj_call_blocking);
  for (int i = 0; i < play.nsteps;) {
    const struct mpj_play_step *step = &play.steps[i++];
    if (mpj_step_is_call(step)) {
      status = call(&play, step);
      if (step->kind == MPJ_PLAY_COMPARE) status = mpj_play_compare(&play, status, &i);
      mpj_play_note(&play, step, status);
    } else if (!play.status) {
      mpj_play_note(&play, step, mpj_play_work(&play, step));
    }
  }
  mpj_play_end(&play);
  status = mpj_play_outcome(&play);
  return mpj_run_is_lost(&run, status) ? mpj_run_refuse(&run, status, mpj_call_blocking) : status;
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

/* Make a schedule, run it forward once, and free it. status: how making it went. */
static int run_once(int status, MPJ_Schedule schedule, const void *from, void *to)
{
  if (status) return status;
  status = MPJ_Schedule_forward(schedule, from, to);
  MPJ_Schedule_free(&schedule);
  return status;
}

int MPJ_Remap(MPJ_Array from_array, const MPJ_Range section[], MPJ_Array to_array,
              const MPJ_Range to_section[], const int axis_of[], const void *from, void *to)
{
  MPJ_ENTRY;
  MPJ_Schedule s = MPJ_SCHEDULE_NULL;
  const int status = MPJ_Remap_create(from_array, section, to_array, to_section, axis_of, &s);
  return run_once(status, s, from, to);
}

int MPJ_Remap_between(MPJ_Array from_array_or_null, const MPJ_Range section[],
                      MPJ_Array to_array_or_null, const MPJ_Range to_section[], const int axis_of[],
                      MPJ_Comm both, const void *from, void *to)
{
  MPJ_ENTRY;
  MPJ_Schedule s = MPJ_SCHEDULE_NULL;
  const int status = MPJ_Remap_create_between(from_array_or_null, section, to_array_or_null,
                                              to_section, axis_of, both, &s);
  return run_once(status, s, from, to);
}

int MPJ_Halo(MPJ_Array from_array, MPJ_Array to_array, const MPJ_Count low[],
             const MPJ_Count high[], int corners, const void *from, void *to)
{
  MPJ_ENTRY;
  MPJ_Schedule s = MPJ_SCHEDULE_NULL;
  const int status = MPJ_Halo_create(from_array, to_array, low, high, corners, &s);
  return run_once(status, s, from, to);
}

int MPJ_Shift(MPJ_Array array, int axis, MPJ_Count by, int edge, const void *from, void *to)
{
  MPJ_ENTRY;
  MPJ_Schedule s = MPJ_SCHEDULE_NULL;
  const int status = MPJ_Shift_create(array, axis, by, edge, &s);
  return run_once(status, s, from, to);
}

int MPJ_Subscript(MPJ_Array array, MPJ_Count n, const MPJ_Count index[], const MPJ_Count places[],
                  const void *from, void *to)
{
  MPJ_ENTRY;
  MPJ_Schedule s = MPJ_SCHEDULE_NULL;
  const int status = MPJ_Subscript_create(array, n, index, places, &s);
  return run_once(status, s, from, to);
}

int MPJ_Graph(MPJ_Count nroots, MPJ_Count n, const MPJ_Count places[], const int ranks[],
              const MPJ_Count offsets[], MPJ_Datatype element, MPJ_Comm comm, const void *from,
              void *to)
{
  MPJ_ENTRY;
  MPJ_Schedule s = MPJ_SCHEDULE_NULL;
  const int status = MPJ_Graph_create(nroots, n, places, ranks, offsets, element, comm, &s);
  return run_once(status, s, from, to);
}
