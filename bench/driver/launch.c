/* This file runs a command under a time limit and hands on its lines. */
#include "launch.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LINE_BYTES = 4096, TICK_MS = 20 };

static const double kill_grace = 2; /* seconds */

struct child {
  pid_t pid;
  int out;    /* read end of its stdout; -1 after its end */
  FILE *err;  /* its stderr, a file without a name */
  double due; /* when it is to be ended */
  bool ended;
  size_t length;
  char line[LINE_BYTES];
};

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void become(char *const argv[], int out, int err, pid_t parent)
{
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(BENCH_NO_PROGRAM);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  execvp(argv[0], argv);
  dprintf(STDERR_FILENO, "cannot run %s: %s\n", argv[0], strerror(errno));
  _exit(BENCH_NO_PROGRAM);
}

/* 0, or errno. */
static int start(struct child *c, char *const argv[])
{
  int ends[2];
  pid_t self = getpid();
  c->err = tmpfile();
  if (!c->err) return errno;
  int failed = pipe(ends) ? errno : 0;
  if (failed) goto close_err;
  c->pid = fork();
  if (c->pid == 0) {
    close(ends[0]);
    become(argv, ends[1], fileno(c->err), self);
  }
  failed = c->pid < 0 ? errno : 0;
  close(ends[1]);
  c->out = ends[0];
  if (!failed) return 0;
  close(ends[0]);
close_err:
  fclose(c->err);
  return failed;
}

/* Split what was read into lines; what is too long for one is dropped. */
static void take(struct child *c, const char *bytes, size_t n,
                 void (*on_line)(void *, const char *), void *arg)
{
  for (size_t i = 0; i < n; i++) {
    if (bytes[i] != '\n') {
      if (c->length < LINE_BYTES - 1) c->line[c->length++] = bytes[i];
      continue;
    }
    c->line[c->length] = '\0';
    on_line(arg, c->line);
    c->length = 0;
  }
}

static void read_some(struct child *c, void (*on_line)(void *, const char *), void *arg)
{
  char bytes[LINE_BYTES];
  struct pollfd ready = {.fd = c->out, .events = POLLIN};
  if (poll(&ready, 1, TICK_MS) <= 0) return;
  ssize_t n = read(c->out, bytes, sizeof bytes);
  if (n > 0) {
    take(c, bytes, (size_t)n, on_line, arg);
  } else if (n == 0 || errno != EINTR) {
    close(c->out);
    c->out = -1;
  }
}

/* Note whether it has ended. It is not reaped yet, so that its process group's
 * number stays its own for as long as we may send signals there. */
static void look(struct child *c)
{
  siginfo_t info = {0};
  if (c->ended) return;
  c->ended =
      waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == c->pid;
}

/* End it if its time is up: by SIGTERM, then by SIGKILL. */
static void watch(struct child *c, struct bench_run *run)
{
  if (now() < c->due) return;
  if (!run->timed_out) {
    kill(c->pid, SIGTERM);
    run->timed_out = true;
    c->due = now() + kill_grace;
    return;
  }
  kill(-c->pid, SIGKILL);
  if (c->out >= 0) close(c->out); /* whoever holds the other end has left the group */
  c->out = -1;
}

/* The first line with a letter in it: libraries frame theirs with rules. */
static void first_sentence(FILE *f, char *text, int size)
{
  rewind(f);
  while (fgets(text, size, f)) {
    text[strcspn(text, "\n")] = '\0';
    for (const char *s = text; *s; s++)
      if (isalpha((unsigned char)*s)) return;
  }
  text[0] = '\0';
}

int bench_launch(char *const argv[], double seconds, void (*on_line)(void *arg, const char *line),
                 void *arg, struct bench_run *run)
{
  struct child c = {.due = now() + seconds};
  *run = (struct bench_run){0};
  int failed = start(&c, argv);
  if (failed) {
    snprintf(run->complaint, sizeof run->complaint, "cannot start %s: %s", argv[0],
             strerror(failed));
    return 1;
  }
  while (c.out >= 0 || !c.ended) {
    if (c.out >= 0)
      read_some(&c, on_line, arg);
    else
      poll(NULL, 0, TICK_MS);
    look(&c);
    watch(&c, run);
  }
  int status = 0;
  waitpid(c.pid, &status, 0);
  run->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  first_sentence(c.err, run->complaint, sizeof run->complaint);
  fclose(c.err);
  return 0;
}
