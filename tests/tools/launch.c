/* This file runs mpjrun for the tests. */
#include "tools/launch.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.h"
#include "mpjrun/proc.h"

enum { PATIENCE_MS = 8000 };

/* The output may hold any byte: words are looked for past zeros too. */
static int count_in(const char *text, size_t length, const char *word)
{
  int count = 0;
  const char *end = text + length;
  for (const char *at = text; (at = memmem(at, (size_t)(end - at), word, strlen(word))); at++)
    count++;
  return count;
}

int count_of(const char *text, const char *word)
{
  return count_in(text, strlen(text), word);
}

void launch_command(struct launch *l, int input, const char *const argv[])
{
  int ends[2];
  *l = (struct launch){.text = calloc(1, 1)};
  ck_assert_ptr_nonnull(l->text);
  ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
  l->out = ends[0];
  l->err = memfd_create("stderr", MFD_CLOEXEC);
  ck_assert_int_ge(l->err, 0);
  fflush(NULL);
  l->pid = fork();
  ck_assert_int_ge(l->pid, 0);
  if (l->pid == 0) {
    dup2(input >= 0 ? input : open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(ends[1], STDOUT_FILENO);
    dup2(l->err, STDERR_FILENO);
    execvp(argv[0], (char *const *)(void *)argv);
    _exit(99);
  }
  close(ends[1]);
}

/* Read some more output; false at its end. */
static bool read_more(struct launch *l)
{
  enum { STEP = 65536 };
  l->text = realloc(l->text, l->length + STEP + 1);
  ck_assert_ptr_nonnull(l->text);
  ssize_t n = read(l->out, l->text + l->length, STEP);
  ck_assert_int_ge(n, 0);
  l->length += (size_t)n;
  l->text[l->length] = '\0';
  return n > 0;
}

void launch_await(struct launch *l, const char *word, int count)
{
  while (count_in(l->text, l->length, word) < count)
    ck_assert_msg(read_more(l), "output ended before '%s': %s", word, l->text);
}

int launch_end(struct launch *l)
{
  int status;
  while (read_more(l)) {
  }
  ck_assert_int_eq(waitpid(l->pid, &status, 0), l->pid);
  l->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ssize_t n = pread(l->err, l->errors, sizeof l->errors - 1, 0);
  ck_assert_int_ge(n, 0);
  l->errors[n] = '\0';
  close(l->out);
  close(l->err);
  return l->code;
}

void launch_free(struct launch *l)
{
  free(l->text);
}

pid_t launch_pid(const struct launch *l, const char *word, int rank)
{
  char key[64];
  snprintf(key, sizeof key, "%s %d ", word, rank);
  const char *at = strstr(l->text, key);
  ck_assert_msg(at != NULL, "no '%s' in: %s", key, l->text);
  return (pid_t)atoi(at + strlen(key));
}

char state_of(pid_t pid)
{
  char state;
  pid_t parent;
  return proc_stat(pid, &state, &parent) && state != 'Z' ? state : '\0';
}

void await_state(pid_t pid, char state)
{
  for (int ms = 0; state_of(pid) != state; ms++) {
    ck_assert_msg(ms < PATIENCE_MS, "process %d is in state '%c', not '%c'", (int)pid,
                  state_of(pid), state);
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
}

void await_gone(pid_t pid)
{
  await_state(pid, '\0');
}

struct search {
  pid_t parent, found;
  const char *name;
};

static void look_at(pid_t pid, void *arg)
{
  struct search *search = arg;
  char path[64], name[32] = "", state;
  pid_t parent;
  if (!proc_stat(pid, &state, &parent) || parent != search->parent) return;
  snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
  FILE *file = fopen(path, "r");
  if (!file) return;
  if (fscanf(file, "%31s", name) == 1 && strcmp(name, search->name) == 0) search->found = pid;
  fclose(file);
}

pid_t child_named(pid_t parent, const char *name)
{
  struct search search = {.parent = parent, .name = name};
  for (int ms = 0; !search.found; ms++) {
    ck_assert_msg(ms < PATIENCE_MS, "process %d has no child '%s'", (int)parent, name);
    proc_for_each(look_at, &search);
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  return search.found;
}

double now_s(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
