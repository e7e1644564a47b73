/* This header declares the job: all that mpjrun knows while its ranks run. */
#ifndef MPJ_TOOLS_MPJRUN_JOB_H
#define MPJ_TOOLS_MPJRUN_JOB_H

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "mpjrun/groups.h"
#include "mpjrun/guard.h"
#include "mpjrun/options.h"
#include "mpjrun/relay.h"
#include "mpjrun/stream.h"
#include "net/cells/segment.h"

/* How far a job has come; see spec/launch.md. Phases only go forward. */
enum phase {
  PHASE_RUN,   /* all is well */
  PHASE_GRACE, /* a rank failed, or mpjrun was asked to end: the ranks may finish by themselves */
  PHASE_TERM,  /* they were sent SIGTERM */
  PHASE_KILL,  /* they were sent SIGKILL */
  PHASE_SWEEP, /* no rank runs: what they left behind is being killed */
  PHASE_DRAIN, /* no process is left: output is being written */
  PHASE_END
};

enum { EXIT_OWN_FAILURE = 1, EXIT_TIMEOUT = 124, EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

struct pollfd;

struct rank {
  pid_t pid;           /* of the child; 0 if it was not started */
  bool running;        /* started and not reaped */
  bool never_began;    /* it exited with code 0 and without MPJ_Init */
  bool child_attached; /* the child itself is, or was, the process in the rank's line */
  struct stream out, err;
};

struct job {
  struct options options;
  int segment_fd;
  struct mpj_segment *segment;
  struct groups *groups;
  struct guard guard;
  struct relay relay;
  sigset_t ranks_mask;       /* the signal mask that ranks start with */
  struct rlimit descriptors; /* their limit of descriptors; mpjrun may have raised its own */
  int signal_fd;
  int start_fd;           /* where children that cannot start the program say so; -1 at its end */
  struct pollfd *entries; /* of the loop, owned */
  pid_t *strangers;       /* [nstrangers], owned: children that this process had before the job */
  int nstrangers;
  struct sink sinks[2];   /* standard output, standard error */
  struct sink *out, *err; /* the same sink if both are one file */
  struct rank *ranks;     /* [nranks] owned */
  int running;            /* ranks with `running` */
  int failures;           /* of ranks, that mpjrun did not bring about */
  enum phase phase;
  double deadline;   /* of the phase, on MPJ_Wtime's clock; INFINITY: none */
  double timeout_at; /* of the job, likewise */
  double watch_at;   /* when to look again for attached processes that are gone */
  double asked_at;   /* when mpjrun was first sent SIGINT or SIGTERM; INFINITY: not yet */
  bool output_lost;  /* standard output failed, and the job was ended for it */
  bool failed;       /* a rank failed, or the job did */
  int code;          /* to exit with: of the first failure */
};

/* Write "mpjrun: <sentence>" as a line to standard error, between lines of the
 * ranks' output. Dropped if no room is left for it. */
void job_say(struct job *job, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The running ranks as "rank 3" or "ranks 0, 1 and 3". */
const char *job_running_text(const struct job *job, char *text, size_t size);

/* start.c: start all ranks. False, after saying why, if one could not be
 * forked; those before it run. */
bool job_start(struct job *job);
/* Take in news from children that could not start the program. */
void job_read_start(struct job *job);

/* exits.c: reap children, judge and report what became of ranks. */
void job_reap(struct job *job);
/* At watch_at, look for ranks whose attached process is not mpjrun's own child
 * and died, which no descriptor announces; then set watch_at anew. */
void job_watch(struct job *job);

/* phases.c: the ways from one phase to the next. */
void job_fail(struct job *job, int code); /* a rank failed; the others' grace begins */
void job_give_grace(struct job *job);
void job_terminate(struct job *job);
void job_kill(struct job *job);
void job_check_deadlines(struct job *job);
void job_check_progress(struct job *job); /* once all descriptors were looked at */

/* leftovers.c: note the children that this process has already. */
bool job_note_strangers(struct job *job);
/* Kill the processes that became children of mpjrun since. Returns how many
 * there are still. */
int job_kill_leftovers(struct job *job);

/* signals.c: receive signals through a descriptor from now on. */
bool job_open_signals(struct job *job);
void job_read_signals(struct job *job);

/* loop.c: everything else happens here; returns when the job has ended. Before it: false without
 * memory. */
bool job_open_loop(struct job *job);
void job_loop(struct job *job);

#endif
