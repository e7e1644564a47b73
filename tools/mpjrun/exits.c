/* This file judges how ranks ended. */
#include <math.h>
#include <string.h>
#include <sys/wait.h>

#include <mpj/base.h>

#include "mpjrun/job.h"
#include "mpjrun/proc.h"
#include "net/net.h"

#define WATCH_S 0.25

enum { LEFT_IN_THE_MIDDLE = 1 }; /* exit code of a rank that ended without MPJ_Finalize */

static int find_rank(const struct job *job, pid_t pid)
{
  for (int rank = 0; rank < job->options.nranks; rank++)
    if (job->ranks[rank].running && job->ranks[rank].pid == pid) return rank;
  return -1;
}

static bool is_active(struct job *job, int rank)
{
  return atomic_load(&mpj_segment_rank(job->segment, rank)->state) == MPJ_RANK_ACTIVE;
}

/* Whether mpjrun itself brought this end about. */
static bool is_our_doing(const struct job *job, int status)
{
  if (job->phase >= PHASE_KILL) return true;
  return job->phase == PHASE_TERM && WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM;
}

/* Failures that are reported one by one; of the others, how many there were. */
enum { REPORTED = 16 };

static void report(struct job *job, int rank, int pid, int status)
{
  if (is_our_doing(job, status) || job->failures++ >= REPORTED) return;
  if (WIFSIGNALED(status))
    job_say(job, "rank %d (pid %d) was killed by signal %d (%s)", rank, pid, WTERMSIG(status),
            strsignal(WTERMSIG(status)));
  else if (WEXITSTATUS(status))
    job_say(job, "rank %d (pid %d) exited with code %d", rank, pid, WEXITSTATUS(status));
  else
    job_say(job, "rank %d (pid %d) exited without MPJ_Finalize", rank, pid);
}

/* What a rank's end counts as among exit codes; a rank that leaves in the
 * middle has failed, whatever it says. */
static int code_of(int status)
{
  if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
  return WEXITSTATUS(status) ? WEXITSTATUS(status) : LEFT_IN_THE_MIDDLE;
}

static bool has_begun(struct job *job, int rank)
{
  return atomic_load(&mpj_segment_rank(job->segment, rank)->state) != MPJ_RANK_ABSENT &&
         !job->ranks[rank].never_began;
}

/* Programs that do not use MPJ are well; of one that does, all ranks are wanted. */
static void report_absent(struct job *job)
{
  bool any = false;
  for (int rank = 0; rank < job->options.nranks; rank++)
    any |= has_begun(job, rank);
  for (int rank = 0; any && rank < job->options.nranks; rank++)
    if (job->ranks[rank].never_began)
      job_say(job, "rank %d (pid %d) exited without calling MPJ_Init successfully", rank,
              (int)job->ranks[rank].pid);
}

static void rank_exited(struct job *job, int rank, int status)
{
  struct rank *r = &job->ranks[rank];
  bool failed = status != 0 || is_active(job, rank);
  r->running = false;
  job->running--;
  const bool absent = atomic_load(&mpj_segment_rank(job->segment, rank)->state) == MPJ_RANK_ABSENT;
  r->never_began = absent && !failed;
  if (failed)
    mpj_segment_mark(job->segment, rank, MPJ_RANK_DEAD, status);
  else
    mpj_segment_mark(job->segment, rank, MPJ_RANK_FINALIZED, absent ? MPJ_CAUSE_NEVER_BEGAN : 0);
  if (failed) {
    report(job, rank, (int)r->pid, status);
    job_fail(job, code_of(status));
  }
  if (job->running > 0) return;
  if (job->failures > REPORTED)
    job_say(job, "%d more rank%s failed", job->failures - REPORTED,
            job->failures > REPORTED + 1 ? "s" : "");
  report_absent(job);
}

void job_reap(struct job *job)
{
  int status;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    int rank = find_rank(job, pid);
    if (rank >= 0) rank_exited(job, rank, status);
  }
  for (int rank = 0; rank < job->options.nranks; rank++)
    if (!job->ranks[rank].running) groups_refresh(job->groups, rank);
}

/* Whether a process that is not our child is gone, or waits for its parent to
 * take notice of its end. */
static bool is_gone(pid_t pid)
{
  char state;
  pid_t parent;
  return !proc_stat(pid, &state, &parent) || state == 'Z';
}

/* Whether the process that attached as this rank is gone although its line says
 * active. The line is read again after the process was found gone: what it last
 * wrote is visible then. */
static bool attached_is_gone(struct job *job, int rank, pid_t pid)
{
  struct mpj_rank_line *line = mpj_segment_rank(job->segment, rank);
  return pid > 0 && is_active(job, rank) && is_gone(pid) && is_active(job, rank) &&
         atomic_load(&line->pid) == pid;
}

/* Look at one rank; returns whether to look again later. */
static bool watch_rank(struct job *job, int rank)
{
  struct rank *r = &job->ranks[rank];
  if (!r->running || r->child_attached) return false;
  pid_t pid = (pid_t)atomic_load(&mpj_segment_rank(job->segment, rank)->pid);
  if (pid == r->pid) {
    r->child_attached = true;
    return false;
  }
  if (attached_is_gone(job, rank, pid)) {
    mpj_segment_mark(job->segment, rank, MPJ_RANK_DEAD, 0);
    job_say(job, "rank %d (pid %d) ended without MPJ_Finalize", rank, (int)pid);
    job_fail(job, LEFT_IN_THE_MIDDLE);
  }
  return true;
}

void job_watch(struct job *job)
{
  if (MPJ_Wtime() < job->watch_at) return;
  bool again = false;
  for (int rank = 0; rank < job->options.nranks; rank++)
    if (watch_rank(job, rank)) again = true;
  job->watch_at = again ? MPJ_Wtime() + WATCH_S : INFINITY;
}
