/* This file starts the ranks. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "mpjrun/bind.h"
#include "mpjrun/job.h"

/* What a child that cannot start the program writes to job->start_fd. */
struct start_failure {
  int error; /* errno */
};

/* The pipes of one rank: [0] read by mpjrun, [1] written by the rank. */
struct pipes {
  int out[2], err[2];
};

static bool open_pipes(struct pipes *pipes)
{
  if (pipe2(pipes->out, O_CLOEXEC)) return false;
  if (!pipe2(pipes->err, O_CLOEXEC)) return true;
  close(pipes->out[0]);
  close(pipes->out[1]);
  return false;
}

/* In the child: give it its standard descriptors. */
static bool place_descriptors(const struct job *job, int rank, const struct pipes *pipes)
{
  int in = job->relay.rank_side;
  if (rank > 0 && (in = open("/dev/null", O_RDONLY | O_CLOEXEC)) < 0) return false;
  if (in >= 0 && dup2(in, STDIN_FILENO) < 0) return false;
  return dup2(pipes->out[1], STDOUT_FILENO) >= 0 && dup2(pipes->err[1], STDERR_FILENO) >= 0 &&
         !fcntl(job->segment_fd, F_SETFD, 0);
}

static bool name_rank(int rank)
{
  char text[16];
  snprintf(text, sizeof text, "%d", rank);
  return !setenv("MPJ_RANK", text, 1);
}

/* In the child, in mpjrun's own memory: become the program. */
static _Noreturn void be_rank(const struct job *job, int rank, const struct pipes *pipes,
                              int start_fd, pid_t launcher)
{
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launcher) _exit(EXIT_OWN_FAILURE); /* mpjrun died before the line above */
  if (job->options.bind) rank_bind(rank, job->options.nranks);
  if (place_descriptors(job, rank, pipes)) {
    sigprocmask(SIG_SETMASK, &job->ranks_mask, NULL);
    setrlimit(RLIMIT_NOFILE, &job->descriptors);
    execvp(job->options.command[0], job->options.command);
  }
  struct start_failure failure = {.error = errno};
  ssize_t written = write(start_fd, &failure, sizeof failure);
  (void)written; /* if mpjrun is gone nobody asks */
  _exit(failure.error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE);
}

/* The child's pid, or -1 with errno. It uses mpjrun's memory, and mpjrun waits, until it is the
 * program: copying that memory, which the program has no use for, takes longer than all else of
 * the start. */
static pid_t spawn_rank(const struct job *job, int rank, const struct pipes *pipes, int start_fd)
{
  const pid_t launcher = getpid();
  const pid_t pid = vfork();
  if (pid == 0) be_rank(job, rank, pipes, start_fd, launcher);
  return pid;
}

static bool start_rank(struct job *job, int rank, int start_fd)
{
  struct pipes pipes;
  struct rank *r = &job->ranks[rank];
  if (!name_rank(rank) || !open_pipes(&pipes)) return false;
  const pid_t pid = spawn_rank(job, rank, &pipes, start_fd);
  const int error = errno;
  close(pipes.out[1]);
  close(pipes.err[1]);
  if (pid < 0) {
    close(pipes.out[0]);
    close(pipes.err[0]);
    errno = error;
    return false;
  }
  setpgid(pid, pid); /* the child does it too: whoever comes first */
  atomic_store(&job->groups->group[rank], pid);
  r->pid = pid;
  r->running = true;
  job->running++;
  int label = job->options.label ? rank : -1;
  stream_open(&r->out, pipes.out[0], label, job->out);
  stream_open(&r->err, pipes.err[0], label, job->err);
  return true;
}

bool job_start(struct job *job)
{
  int ends[2], rank = 0;
  bool started = !pipe2(ends, O_CLOEXEC);
  if (started) {
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    job->start_fd = ends[0];
    while (started && rank < job->options.nranks)
      started = start_rank(job, rank++, ends[1]);
    close(ends[1]);
    if (!started) rank--;
  }
  if (!started) job_say(job, "cannot start rank %d: %s", rank, strerror(errno));
  relay_started(&job->relay);
  return started;
}

void job_read_start(struct job *job)
{
  struct start_failure failure;
  ssize_t n = read(job->start_fd, &failure, sizeof failure);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n == (ssize_t)sizeof failure && job->phase < PHASE_KILL) {
    job_say(job, "cannot start '%s': %s", job->options.command[0], strerror(failure.error));
    job_fail(job, failure.error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE);
    job_kill(job);
  }
  close(job->start_fd); /* at its end, or after the first failure: all are alike */
  job->start_fd = -1;
}
