/* This header declares how a schedule of transfers begins, runs an exchange and ends. */
#ifndef MPJ_SRC_ARRAY_SCHEDULE_LIFE_H
#define MPJ_SRC_ARRAY_SCHEDULE_LIFE_H

#include "array/array_schedule.h"

int mpj_array_schedule_resolve(MPJ_Schedule handle, const char *argument,
                               struct mpj_array_schedule **schedule);
void mpj_array_schedule_release(struct mpj_array_schedule *schedule);
/* An empty one. element: shared; MPJ_DATATYPE_NULL: it is to have members. Errors: MPJ_ERR_NO_MEM.
 */
int mpj_array_schedule_new(const char *name, MPJ_Comm comm, MPJ_Datatype element,
                           struct mpj_array_schedule **schedule);
/* The first phase, from out and in, which are complete. local: all that goes to other ranks, and a
 * LOCAL phase. */
int mpj_array_schedule_exchange(struct mpj_array_schedule *schedule, bool local);

#endif
