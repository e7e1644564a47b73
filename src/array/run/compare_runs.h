/* This header declares how ranks compare, in checking mode, the ways in which they run a schedule.
 */
#ifndef MPJ_SRC_ARRAY_RUN_COMPARE_RUNS_H
#define MPJ_SRC_ARRAY_RUN_COMPARE_RUNS_H

#include "array/run/schedule_run.h"
#include "coll/calls/collective.h"

/* [1 + ranks]: what this rank says of a run, and what all do, once an Allgather has brought it. */
struct mpj_run_record;

/* What this rank says, with the name of the public function that it is in. records: the caller's to
 * free, set on success. Errors: MPJ_ERR_NO_MEM. */
int mpj_run_records_new(const struct mpj_schedule_run *run, struct mpj_run_record **records);
/* The types of that Allgather, the caller's to free also on an error, and its buffers. */
int mpj_run_records_types(int size, MPJ_Datatype types[2]);
void mpj_run_records_fill(struct mpj_run_record *records, const MPJ_Datatype types[2],
                          struct mpj_arguments *arguments);
/* Behind it: whether all run the same schedule by the same function with the same op. Errors, the
 * same on all ranks: MPJ_ERR_ARG, MPJ_ERR_OP, of the lowest rank that differs from rank 0. */
int mpj_run_records_compare(const struct mpj_run_record *records, int size);

/* All of it at once; status: how beginning the run went here, of which all hear. In other modes it
 * returns that alone. */
int mpj_run_agree(const struct mpj_schedule_run *run, int status);

#endif
