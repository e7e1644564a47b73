/* This file has this machine measured, by the program that does it. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machines.h"

extern char **environ;

enum { LIMIT_S = 300 };

/* What is there while it is measured, for the handler of signals. */
static char file[PATH_MAX];
static volatile sig_atomic_t child, is_late;

/* The time is up; or this program is ended, and leaves nothing behind. */
static void end_measuring(int signal)
{
  if (child > 0) kill((pid_t)child, SIGTERM); /* which ends its ranks */
  is_late = signal == SIGALRM;
  if (is_late) return;
  unlink(file);
  raise(signal); /* the handler is gone (SA_RESETHAND) */
}

/* What is ignored (SIGHUP under nohup) stays so; in the end all is as it was. */
static void watch_signals(bool begins)
{
  static const int signals[] = {SIGALRM, SIGHUP, SIGINT, SIGTERM};
  static struct sigaction before[4];
  struct sigaction action = {.sa_flags = (int)SA_RESETHAND};
  action.sa_handler = end_measuring;
  sigemptyset(&action.sa_mask);
  if (!begins) alarm(0);
  for (int i = 0; i < 4; i++) {
    if (begins) sigaction(signals[i], NULL, &before[i]);
    const bool ignored = before[i].sa_handler == SIG_IGN && signals[i] != SIGALRM;
    if (!ignored) sigaction(signals[i], begins ? &action : &before[i], NULL);
  }
  if (begins) alarm(LIMIT_S);
}

/* mpj-bench where this program was built or lies, else in PATH. */
static void find_bench(char path[PATH_MAX])
{
  static const char *const places[] = {"../bench/mpj-bench", "mpj-bench"};
  for (int i = 0; i < 2; i++) {
    char self[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n < 0) break;
    self[n] = '\0';
    if (snprintf(path, PATH_MAX, "%s/%s", dirname(self), places[i]) < PATH_MAX &&
        access(path, X_OK) == 0)
      return;
  }
  snprintf(path, PATH_MAX, "mpj-bench");
}

/* Start it; 0: it could not be. What it says on stdout is not wanted. No signal comes between its
 * start and the note of who it is. */
static pid_t start_bench(const char *how)
{
  char bench[PATH_MAX];
  find_bench(bench);
  const char *const argv[] = {bench, "am", "--machine", file, "--transport", how, NULL};
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t all, before;
  pid_t started = 0;
  if (posix_spawn_file_actions_init(&actions) != 0) return 0;
  if (posix_spawnattr_init(&attributes) != 0) goto end_actions;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  if (posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) != 0 ||
      posix_spawnattr_setsigmask(&attributes, &before) != 0 ||
      posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK) != 0 ||
      posix_spawnp(&started, bench, &actions, &attributes, (char *const *)(uintptr_t)argv,
                   environ) != 0)
    started = 0;
  child = started;
  sigprocmask(SIG_SETMASK, &before, NULL);
  posix_spawnattr_destroy(&attributes);
end_actions:
  posix_spawn_file_actions_destroy(&actions);
  return started;
}

/* Its exit code, -1: it could not be started. */
static int run_bench(const char *how)
{
  const pid_t started = start_bench(how);
  int status = 0;
  if (started == 0) return -1;
  while (waitpid(started, &status, 0) < 0)
    if (errno != EINTR) return -1;
  child = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* What is taken is what the quiet quarter of the batches took; where hardly one is quiet, other
 * programs' work is in the times, too. */
static void warn_of_load(void)
{
  double load = 0;
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  if (getloadavg(&load, 1) == 1 && load > (double)cores)
    fprintf(
        stderr,
        "mpj-sim: --measured: the load is %.1f on %ld cores, so the times may be those of a busy "
        "machine\n",
        load, cores);
}

bool machine_measured(const char *how, struct mpj_sim_machine *m, char *why, size_t size)
{
  const char *folder = getenv("TMPDIR");
  if (snprintf(file, sizeof file, "%s/mpj-sim-XXXXXX", folder && *folder ? folder : "/tmp") >=
      (int)sizeof file) {
    snprintf(why, size, "TMPDIR is longer than a path can be");
    return false;
  }
  watch_signals(true);
  const int fd = mkstemp(file);
  if (fd < 0) {
    watch_signals(false);
    snprintf(why, size, "%s cannot be made: %s", file, strerror(errno));
    return false;
  }
  close(fd);
  warn_of_load();
  const int code = run_bench(how);
  const bool good = code == 0 && machine_read(file, m, why, size);
  unlink(file);
  watch_signals(false);
  if (is_late)
    snprintf(why, size, "mpj-bench am --machine had not ended after %d s: is the machine idle?",
             LIMIT_S);
  else if (code == 127 || code < 0)
    snprintf(why, size, "mpj-bench, which measures, is neither beside mpj-sim nor in PATH");
  else if (code != 0)
    snprintf(why, size, "mpj-bench am --machine failed with exit code %d", code);
  return good;
}
