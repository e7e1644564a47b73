/* This file leads a job from phase to phase; the table is in spec/launch.md. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <mpj/base.h>

#include "mpjrun/job.h"
#include "mpjrun/proc.h"

#define TERM_S 1.0  /* from SIGTERM to SIGKILL */
#define KILL_S 5.0  /* from SIGKILL until a process counts as unkillable */
#define DRAIN_S 2.0 /* without news from a pipe that someone outside the job holds open */

static void enter(struct job *job, enum phase phase, double seconds)
{
  job->phase = phase;
  job->deadline = MPJ_Wtime() + seconds;
}

void job_fail(struct job *job, int code)
{
  if (!job->failed) {
    job->failed = true;
    job->code = code;
  }
  job_give_grace(job);
}

void job_give_grace(struct job *job)
{
  if (job->phase < PHASE_GRACE) enter(job, PHASE_GRACE, job->options.grace_s);
}

void job_terminate(struct job *job)
{
  if (job->phase >= PHASE_TERM) return;
  enter(job, PHASE_TERM, TERM_S);
  groups_signal(job->groups, SIGTERM);
  groups_signal(job->groups, SIGCONT); /* a stopped process would not see it */
}

void job_kill(struct job *job)
{
  if (job->phase >= PHASE_KILL) return;
  enter(job, PHASE_KILL, KILL_S);
  groups_signal(job->groups, SIGKILL);
  for (int rank = 0; rank < job->options.nranks; rank++) /* one may have changed its group */
    if (job->ranks[rank].running) kill(job->ranks[rank].pid, SIGKILL);
}

/* Where the rank's attached process is, or else mpjrun's child. */
static void say_where(struct job *job, int rank)
{
  static const char *const states[] = {"not attached", "attached", "finalized", "marked dead"};
  struct mpj_rank_line *line = mpj_segment_rank(job->segment, rank);
  unsigned state = atomic_load(&line->state);
  pid_t pid = state == MPJ_RANK_ACTIVE ? (pid_t)atomic_load(&line->pid) : job->ranks[rank].pid;
  char where[160];
  proc_describe(pid, where, sizeof where);
  job_say(job, "rank %d (pid %d) still runs: %s, %s", rank, (int)pid, where,
          state <= MPJ_RANK_DEAD ? states[state] : "state unknown");
}

static void time_out(struct job *job)
{
  job_say(job, "the job did not end within the timeout of %g s", job->options.timeout_s);
  for (int rank = 0; rank < job->options.nranks; rank++)
    if (job->ranks[rank].running) say_where(job, rank);
  job->timeout_at = INFINITY;
  job->failed = true;
  job->code = EXIT_TIMEOUT;
  job_terminate(job);
}

static void end_grace(struct job *job)
{
  char ranks[512];
  job_say(job, "ending %s, still running after a grace of %g s",
          job_running_text(job, ranks, sizeof ranks), job->options.grace_s);
  job_terminate(job);
}

/* Processes survived SIGKILL: leave them to the kernel. */
static void give_up(struct job *job)
{
  for (int rank = 0; rank < job->options.nranks; rank++) {
    if (!job->ranks[rank].running) continue;
    job->ranks[rank].running = false;
    job_say(job, "rank %d (pid %d) cannot be killed", rank, (int)job->ranks[rank].pid);
  }
  job->running = 0;
}

static void cut_streams(struct job *job)
{
  for (int rank = 0; rank < job->options.nranks; rank++) {
    stream_cut(&job->ranks[rank].out);
    stream_cut(&job->ranks[rank].err);
  }
}

static void phase_is_over(struct job *job)
{
  switch (job->phase) {
  case PHASE_GRACE:
    end_grace(job);
    break;
  case PHASE_TERM:
    job_kill(job);
    break;
  case PHASE_KILL:
    give_up(job);
    break;
  case PHASE_SWEEP:
    enter(job, PHASE_DRAIN, DRAIN_S);
    break;
  case PHASE_DRAIN:
    cut_streams(job);
    break;
  case PHASE_RUN:
  case PHASE_END:
    break;
  }
}

void job_check_deadlines(struct job *job)
{
  double now = MPJ_Wtime();
  if (now >= job->timeout_at && job->phase < PHASE_TERM) time_out(job);
  if (now >= job->deadline) phase_is_over(job);
}

static bool streams_done(const struct job *job)
{
  for (int rank = 0; rank < job->options.nranks; rank++)
    if (!stream_done(&job->ranks[rank].out) || !stream_done(&job->ranks[rank].err)) return false;
  return true;
}

/* Standard output is gone: the job is for nothing. */
static void check_output(struct job *job)
{
  if (!job->out->error || job->output_lost) return;
  job->output_lost = true;
  if (job->out->error == EPIPE) {
    job_fail(job, 128 + SIGPIPE); /* as for a program that does not handle it */
  } else {
    job_say(job, "cannot write to standard output: %s", strerror(job->out->error));
    job_fail(job, EXIT_OWN_FAILURE);
  }
  job_terminate(job);
}

void job_check_progress(struct job *job)
{
  check_output(job);
  if (job->phase < PHASE_SWEEP && job->running == 0) {
    groups_signal(job->groups, SIGKILL);
    enter(job, PHASE_SWEEP, KILL_S);
  }
  if (job->phase == PHASE_SWEEP && job_kill_leftovers(job) == 0) enter(job, PHASE_DRAIN, DRAIN_S);
  if (job->phase == PHASE_DRAIN && !(sink_empty(job->out) && sink_empty(job->err)))
    job->deadline = MPJ_Wtime() + DRAIN_S; /* whoever reads us is slow: that is no reason to stop */
  if (job->phase == PHASE_DRAIN && streams_done(job) && sink_empty(job->out) &&
      sink_empty(job->err))
    enter(job, PHASE_END, INFINITY);
}
