/* This file is mpjrun: it starts the ranks of a program on this machine, and
 * sees to it that nothing of them is left when it ends. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mpj/base.h>

#include "base/config/config.h"
#include "base/machine/topology.h"
#include "base/machine/topology_load.h"
#include "base/memory.h"
#include "mpjrun/job.h"
#include "mpjrun/mpi.h"
#include "mpjrun/resources.h"
#include "net/shm/create.h"

/* Standard descriptors that are closed would be taken by the next pipe: put
 * something there that reads as empty and can't be written. */
static bool hold_standard_descriptors(void)
{
  int fd;
  do
    fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd < 0) return false;
  close(fd);
  return true;
}

/* Streams and sinks, before anything can be said or started. */
static void open_output(struct job *job)
{
  struct stat out, err;
  bool same = !fstat(STDOUT_FILENO, &out) && !fstat(STDERR_FILENO, &err) &&
              out.st_dev == err.st_dev && out.st_ino == err.st_ino;
  sink_open(&job->sinks[0], STDOUT_FILENO);
  sink_open(&job->sinks[1], STDERR_FILENO);
  job->out = &job->sinks[0];
  job->err = &job->sinks[same ? 0 : 1];
  for (int rank = 0; rank < job->options.nranks; rank++) {
    stream_open(&job->ranks[rank].out, -1, -1, job->out);
    stream_open(&job->ranks[rank].err, -1, -1, job->err);
  }
}

/* What all ranks find in their environment. */
static bool set_environment(int nranks, int segment_fd)
{
  struct mpj_topology topology;
  char text[256], size[16], fd[16];
  mpj_topology_load(&topology);
  snprintf(size, sizeof size, "%d", nranks);
  snprintf(fd, sizeof fd, "%d", segment_fd);
  return mpj_topology_encode(&topology, text, sizeof text) && !setenv("MPJ_TOPOLOGY", text, 1) &&
         !setenv("MPJ_SIZE", size, 1) && !setenv("MPJ_SEGMENT_FD", fd, 1);
}

/* Complain and return false: something of mpjrun's own could not be had. */
static bool lacks(const char *what, const char *why)
{
  fprintf(stderr, "mpjrun: cannot %s: %s\n", what, why);
  return false;
}

/* Everything that must be there before the first rank. Nothing is taken down on
 * failure: mpjrun then ends. */
static bool prepare(struct job *job)
{
  int nranks = job->options.nranks;
  if (mpj_shm_create(nranks, &job->segment_fd, &job->segment) != MPJ_SUCCESS)
    return lacks("make the shared segment", MPJ_Error_detail());
  fcntl(job->segment_fd, F_SETFD, FD_CLOEXEC); /* only ranks inherit it */
  if (!set_environment(nranks, job->segment_fd)) return lacks("set variables", strerror(errno));
  if (!job_open_signals(job)) return lacks("receive signals", strerror(errno));
  if (!job_open_loop(job)) return lacks("wait for its ranks", strerror(ENOMEM));
  if (!job_note_strangers(job)) return lacks("note child processes", strerror(ENOMEM));
  if (!(job->groups = groups_create(nranks))) return lacks("share memory", strerror(errno));
  if (prctl(PR_SET_CHILD_SUBREAPER, 1)) return lacks("become a subreaper", strerror(errno));
  if (!relay_open(&job->relay)) return lacks("make a pipe", strerror(errno));
  job->start_fd = -1;
  job->deadline = job->asked_at = INFINITY;
  job->watch_at = MPJ_Wtime();
  job->timeout_at = MPJ_Wtime() + job->options.timeout_s;
  return true;
}

/* Start the ranks, then the guard: the first children are the ranks. */
static bool start(struct job *job)
{
  if (!job_start(job)) return false;
  if (guard_start(&job->guard, job->groups, job->segment_fd)) return true;
  job_say(job, "cannot start the guard: %s", strerror(errno));
  return false;
}

/* Start the job and stay with it to the end; returns the code to exit with. */
static int run(struct job *job)
{
  if (!start(job)) {
    job_fail(job, EXIT_OWN_FAILURE);
    job_kill(job);
  }
  job_loop(job);
  relay_close(&job->relay);
  guard_dismiss(&job->guard);
  return job->code;
}

int main(int argc, char *argv[])
{
  struct options options;
  if (!hold_standard_descriptors()) return EXIT_OWN_FAILURE;
  int code = options_parse(argc, argv, &options);
  if (code >= 0) return code;
  if (options.mpi) return mpi_become(&options);
  mpj_config_leave_warnings();
  struct rlimit descriptors;
  if (!resources_suffice(options.nranks, &descriptors)) return EXIT_OWN_FAILURE;
  struct job *job = mpj_alloc_array(1, sizeof *job);
  if (job) job->ranks = mpj_alloc_array((size_t)options.nranks, sizeof *job->ranks);
  if (!job || !job->ranks) {
    fprintf(stderr, "mpjrun: no memory for the job\n");
    return EXIT_OWN_FAILURE;
  }
  job->options = options;
  job->descriptors = descriptors;
  open_output(job);
  code = prepare(job) ? run(job) : EXIT_OWN_FAILURE;
  if (job->segment) mpj_shm_discard(job->segment_fd, job->segment);
  mpj_free(job->strangers);
  mpj_free(job->entries);
  mpj_free(job->ranks);
  mpj_free(job);
  return code;
}
