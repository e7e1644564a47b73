/* This file receives mpjrun's signals and passes them on. */
#include <errno.h>
#include <math.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <mpj/base.h>

#include "mpjrun/job.h"

#define SAME_REQUEST_S 0.1 /* a group and its leader signalled at once are one request */

bool job_open_signals(struct job *job)
{
  static const int received[] = {SIGINT,  SIGTERM, SIGHUP,  SIGUSR1, SIGUSR2,
                                 SIGQUIT, SIGTSTP, SIGCONT, SIGCHLD};
  sigset_t set, blocked;
  sigemptyset(&set);
  for (size_t i = 0; i < sizeof received / sizeof *received; i++)
    sigaddset(&set, received[i]);
  blocked = set;
  sigaddset(&blocked, SIGPIPE); /* writes and reads return the error instead */
  sigaddset(&blocked, SIGTTIN);
  signal(SIGCHLD, SIG_DFL); /* ignored children could not be waited for */
  sigprocmask(SIG_BLOCK, &blocked, &job->ranks_mask);
  job->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  return job->signal_fd >= 0;
}

/* SIGINT or SIGTERM: the first is passed on and begins the grace, the second kills. */
static void asked_to_end(struct job *job, int signal)
{
  double now = MPJ_Wtime();
  if (now >= job->asked_at + SAME_REQUEST_S) {
    job_kill(job);
    return;
  }
  if (job->asked_at < INFINITY) return;
  job->asked_at = now;
  groups_signal(job->groups, signal);
  job_give_grace(job);
}

/* No rank runs any more: what is left to write is given up. */
static void give_up_output(struct job *job, int signal)
{
  job->output_lost = true;
  job_fail(job, 128 + signal);
  sink_fail(job->out, EINTR);
  sink_fail(job->err, EINTR);
}

/* Stop the ranks, then mpjrun; its clocks stand still meanwhile. */
static void stop(struct job *job)
{
  double stopped_at = MPJ_Wtime();
  groups_signal(job->groups, SIGTSTP);
  raise(SIGSTOP);
  double stopped_s = MPJ_Wtime() - stopped_at;
  job->deadline += stopped_s;
  job->timeout_at += stopped_s;
}

static void pass_on(struct job *job, int signal)
{
  switch (signal) {
  case SIGCHLD:
    job_reap(job);
    break;
  case SIGINT:
  case SIGTERM:
    if (job->phase >= PHASE_DRAIN)
      give_up_output(job, signal);
    else
      asked_to_end(job, signal);
    break;
  case SIGTSTP:
    stop(job);
    break;
  default:
    groups_signal(job->groups, signal);
  }
}

void job_read_signals(struct job *job)
{
  struct signalfd_siginfo info;
  while (read(job->signal_fd, &info, sizeof info) == (ssize_t)sizeof info)
    pass_on(job, (int)info.ssi_signo);
}
