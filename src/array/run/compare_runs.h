/* This header declares how ranks compare the ways in which they run a schedule: where copies are
 * reduced, and in checking mode. */
#ifndef MPJ_SRC_ARRAY_RUN_COMPARE_RUNS_H
#define MPJ_SRC_ARRAY_RUN_COMPARE_RUNS_H

#include "array/run/schedule_run.h"
#include "coll/calls/collective.h"

/* Whether a run begins with a comparison: in checking mode, and where ranks must be alike in more
 * than a run's calls, as the algorithm of a reduction among copies depends on the op. */
bool mpj_run_needs_comparison(const struct mpj_array_schedule *schedule,
                              enum mpj_direction direction);

/* What ranks say of a run; but in checking mode the first alone. */
enum mpj_run_fact {
  MPJ_RUN_HOW, /* the public function; the op: which predefined one, or of a user's whether it
                  commutes, and elemtype's digest */
  MPJ_RUN_SERIAL,
  MPJ_RUN_FILE,     /* where a user's function lies */
  MPJ_RUN_FUNCTION, /* its place in that file, which counts where all files are alike */
  MPJ_RUN_FACTS
};
/* For each the greatest value, and the least as the greatest of its complement, with the lowest
 * rank that has it: of this rank, and, once an Allreduce has ended, of all. */
struct mpj_run_records {
  int64_t mine[2 * MPJ_RUN_FACTS], all[2 * MPJ_RUN_FACTS];
};

/* Fill in what this rank says, with the name of the public function that it is in; the schedule
 * gets the type of that Allreduce. Errors: MPJ_ERR_OP, MPJ_ERR_NO_MEM. */
int mpj_run_records_say(const struct mpj_schedule_run *run, struct mpj_run_records *records);
/* The Allreduce's data and op. */
void mpj_run_records_fill(const struct mpj_schedule_run *run, struct mpj_run_records *records,
                          struct mpj_arguments *arguments);
/* Behind it: whether all run the same schedule by the same function with the same op. Errors, the
 * same on all ranks: MPJ_ERR_ARG, MPJ_ERR_OP, which name two ranks that differ. */
int mpj_run_records_compare(const struct mpj_run_records *records);

/* All of it at once; status: how beginning the run went here, of which all hear. All ranks have an
 * error, or none has. */
int mpj_run_agree(const struct mpj_schedule_run *run, int status);

#endif
