/* This file begins schedules and makes requests of them, where a run is one exchange: it is an
 * Alltoall then. What has further phases, or combines, has no such form. */
#include "array/array_schedule.h"
#include "base/entry.h"
#include "base/status.h"

/* A schedule whose forward is one exchange; the same on all ranks. */
static int resolve_single(MPJ_Schedule schedule, struct mpj_array_schedule **s)
{
  const int status = mpj_array_schedule_resolve(schedule, "schedule", s);
  if (status || (*s)->nphases == 1) return status;
  return mpj_error(MPJ_ERR_UNSUPPORTED,
                   "the schedule (%s) has %d phases, and this form is for those of one", (*s)->name,
                   (*s)->nphases);
}

/* And whose backward is one. */
static int resolve_single_back(MPJ_Schedule schedule, MPJ_Op op, struct mpj_array_schedule **s)
{
  const int status = resolve_single(schedule, s);
  if (status || (op == MPJ_REPLACE && !(*s)->overlap)) return status;
  return mpj_error(
      MPJ_ERR_UNSUPPORTED,
      "backward of the schedule (%s) combines, and this form is for MPJ_REPLACE where no "
      "place is met twice",
      (*s)->name);
}

int MPJ_Schedule_iforward(MPJ_Schedule schedule, const void *from, void *to, MPJ_Request *request)
{
  MPJ_ENTRY;
  struct mpj_array_schedule *s;
  const int status = resolve_single(schedule, &s);
  return status ? status
                : MPJ_Ialltoall(from, s->phases[0].send, to, s->phases[0].recv, s->comm, request);
}

int MPJ_Schedule_forward_init(MPJ_Schedule schedule, const void *from, void *to,
                              MPJ_Request *request)
{
  MPJ_ENTRY;
  struct mpj_array_schedule *s;
  const int status = resolve_single(schedule, &s);
  return status
             ? status
             : MPJ_Alltoall_init(from, s->phases[0].send, to, s->phases[0].recv, s->comm, request);
}

int MPJ_Schedule_ibackward(MPJ_Schedule schedule, void *from, const void *to, MPJ_Op op,
                           MPJ_Request *request)
{
  MPJ_ENTRY;
  struct mpj_array_schedule *s;
  const int status = resolve_single_back(schedule, op, &s);
  return status ? status
                : MPJ_Ialltoall(to, s->phases[0].recv, from, s->phases[0].send, s->comm, request);
}

int MPJ_Schedule_backward_init(MPJ_Schedule schedule, void *from, const void *to, MPJ_Op op,
                               MPJ_Request *request)
{
  MPJ_ENTRY;
  struct mpj_array_schedule *s;
  const int status = resolve_single_back(schedule, op, &s);
  return status
             ? status
             : MPJ_Alltoall_init(to, s->phases[0].recv, from, s->phases[0].send, s->comm, request);
}
