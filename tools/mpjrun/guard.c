/* This file is the guard: it waits for mpjrun's end and cleans up after it. */
#include "mpjrun/guard.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mpjrun/proc.h"

enum { SWEEPS_MAX = 500, SWEEP_NS = 10 * 1000 * 1000 };

struct holders {
  int fd; /* the segment's number in every process that inherited it */
  struct stat segment;
  int found;
};

/* Kill a process that holds the segment. */
static void kill_holder(pid_t pid, void *arg)
{
  struct holders *holders = arg;
  char path[64];
  struct stat st;
  snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, holders->fd);
  if (pid == getpid() || stat(path, &st)) return;
  if (st.st_dev != holders->segment.st_dev || st.st_ino != holders->segment.st_ino) return;
  holders->found++;
  kill(pid, SIGKILL);
}

static void end_job(struct groups *groups, int segment_fd)
{
  struct holders holders = {.fd = segment_fd};
  groups_signal(groups, SIGKILL);
  if (fstat(segment_fd, &holders.segment)) return;
  for (int i = 0; i < SWEEPS_MAX; i++) {
    holders.found = 0;
    proc_for_each(kill_holder, &holders);
    if (!holders.found) return;
    nanosleep(&(struct timespec){.tv_nsec = SWEEP_NS}, NULL);
  }
}

/* Keep only the two descriptors. */
static void close_others(int a, int b)
{
  unsigned low = (unsigned)(a < b ? a : b), high = (unsigned)(a < b ? b : a);
  if (low > 0) close_range(0, low - 1, 0);
  if (high > low + 1) close_range(low + 1, high - 1, 0);
  close_range(high + 1, ~0U, 0);
}

static _Noreturn void be_guard(struct groups *groups, int segment_fd, int fd)
{
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  setsid();
  prctl(PR_SET_NAME, "mpj-guard");
  close_others(segment_fd, fd);
  char word;
  ssize_t n;
  do
    n = read(fd, &word, 1);
  while (n < 0 && errno == EINTR);
  if (n <= 0) end_job(groups, segment_fd);
  _exit(0);
}

bool guard_start(struct guard *guard, struct groups *groups, int segment_fd)
{
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return false;
  pid_t pid = fork();
  if (pid == 0) be_guard(groups, segment_fd, ends[1]);
  int error = errno;
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    errno = error;
    return false;
  }
  *guard = (struct guard){.fd = ends[0], .pid = pid};
  return true;
}

void guard_dismiss(struct guard *guard)
{
  if (!guard->pid) return;
  char word = 0;
  send(guard->fd, &word, 1, MSG_NOSIGNAL);
  close(guard->fd);
  while (waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR) {
  }
}
