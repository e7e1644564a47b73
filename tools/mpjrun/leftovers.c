/* This file ends the processes that ranks leave behind: mpjrun is a subreaper,
 * so they become its children when their parents exit. */
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "mpjrun/job.h"
#include "mpjrun/proc.h"

enum { STRANGERS_MAX = 1024 };

/* A visit of all processes. */
struct visit {
  struct job *job;
  int found;
};

static bool is_child(pid_t pid)
{
  char state;
  pid_t parent;
  return proc_stat(pid, &state, &parent) && parent == getpid();
}

static void note(pid_t pid, void *arg)
{
  struct job *job = arg;
  if (job->nstrangers < STRANGERS_MAX && is_child(pid)) job->strangers[job->nstrangers++] = pid;
}

static bool has_children(void)
{
  siginfo_t info;
  return !waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) || errno != ECHILD;
}

bool job_note_strangers(struct job *job)
{
  job->strangers = NULL;
  job->nstrangers = 0;
  if (!has_children()) return true;
  job->strangers = mpj_alloc_array(STRANGERS_MAX, sizeof *job->strangers);
  if (!job->strangers) return false;
  proc_for_each(note, job);
  return true;
}

/* Whether a child is none of the job's. */
static bool is_stranger(const struct job *job, pid_t pid)
{
  if (pid == job->guard.pid) return true;
  for (int i = 0; i < job->nstrangers; i++)
    if (job->strangers[i] == pid) return true;
  return false;
}

static void kill_leftover(pid_t pid, void *arg)
{
  struct visit *visit = arg;
  if (!is_child(pid) || is_stranger(visit->job, pid)) return;
  visit->found++;
  kill(pid, SIGKILL);
}

int job_kill_leftovers(struct job *job)
{
  struct visit visit = {.job = job};
  job_reap(job);
  proc_for_each(kill_leftover, &visit);
  return visit.found;
}
