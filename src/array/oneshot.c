/* This file makes a schedule, runs it forward once, and frees it. */
#include "array/array_schedule.h"
#include "base/entry.h"
#include "base/status.h"

/* status: how making it went. */
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
