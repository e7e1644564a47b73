/* This file reads --peers, finds another build's library, and has workers compiled for an MPI by
 * its path. */
#include "peers.h"

#include "launch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The name that text begins with, and *length of it and its folder; n: none. */
static int name_at(const char *text, const char *const names[], int n, size_t *length)
{
  for (int peer = 0; peer < n; peer++) {
    const size_t word = strlen(names[peer]);
    const bool has_folder = names[peer][word - 1] == ':';
    *length = peer == n - 1 && has_folder ? strlen(text) : strcspn(text, ",");
    if (!strncmp(text, names[peer], word) && (has_folder ? *length > word : *length == word))
      return peer;
  }
  return n;
}

bool bench_peers_read(const char *text, const char *const names[], int n, bool chosen[],
                      char prefix[][PATH_MAX])
{
  memset(chosen, 0, (size_t)n * sizeof *chosen);
  for (int peer = 0; peer < n; peer++)
    prefix[peer][0] = '\0';
  if (!strcmp(text, "none")) return true;
  for (;; text++) {
    size_t length;
    const int peer = name_at(text, names, n, &length);
    if (peer == n || length >= PATH_MAX) return false;
    const size_t word = strlen(names[peer]);
    chosen[peer] = true;
    memcpy(prefix[peer], text + word, length - word);
    prefix[peer][length - word] = '\0';
    text += length;
    if (*text == '\0') return true;
  }
}

/* Workers that have been compiled, in a folder of their own. */
static char folder[] = "/tmp/mpj-bench-XXXXXX";
static int compiled;

static void remove_compiled(void)
{
  char path[PATH_MAX];
  for (int i = 0; i < compiled; i++) {
    snprintf(path, sizeof path, "%s/worker%d", folder, i);
    unlink(path);
  }
  rmdir(folder);
}

static void ignore_line(void *arg, const char *line)
{
  (void)arg;
  (void)line;
}

bool bench_peers_program(const char *prefix, const char *name, const char *mpi, char path[PATH_MAX])
{
  if (snprintf(path, PATH_MAX, "%s/bin/%s.%s", prefix, name, mpi) < PATH_MAX && !access(path, X_OK))
    return true;
  return snprintf(path, PATH_MAX, "%s/bin/%s", prefix, name) < PATH_MAX && !access(path, X_OK);
}

bool bench_peers_compile(const char *prefix, const char *mpi, char worker[PATH_MAX], char *why,
                         int size)
{
  enum { COMPILE_SECONDS = 120 };
  static char command[] =
      "src=$1; cc=$2; out=$3; set --; for f in coll_worker coll_kernel coll_case "
      "coll_data coll_options bench_list shim_mpi; do set -- \"$@\" "
      "\"$src/$f.c\"; done; exec \"$cc\" -O3 -DNDEBUG -std=gnu11 -w "
      "-DSHIM_ENGINE='\"mpi by path\"' -I\"$src\" -o \"$out\" \"$@\"";
  static char shell[] = "sh", option[] = "-c", name[] = "compile", source[] = BENCH_SOURCE_FOLDER;
  char compiler[PATH_MAX];
  struct bench_run run;
  if (!bench_peers_program(prefix, "mpicc", mpi, compiler)) {
    snprintf(why, (size_t)size, "there is no bin/mpicc in %s", prefix);
    return false;
  }
  if (compiled == 0 && (!mkdtemp(folder) || atexit(remove_compiled))) {
    snprintf(why, (size_t)size, "no folder for the worker of %s: %s", prefix, strerror(errno));
    return false;
  }
  snprintf(worker, PATH_MAX, "%s/worker%d", folder, compiled++);
  char *argv[] = {shell, option, command, name, source, compiler, worker, NULL};
  if (!bench_launch(argv, COMPILE_SECONDS, ignore_line, NULL, &run) && !run.timed_out &&
      run.exit_status == 0)
    return true;
  snprintf(why, (size_t)size, "%s does not compile the worker: %s", compiler, run.complaint);
  return false;
}

bool bench_peers_library(const char *prefix, char lib[PATH_MAX], char *why, int size)
{
  static const char *const folders[] = {"lib", "lib64"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    char library[PATH_MAX];
    const int n = snprintf(library, sizeof library, "%s/%s/" BENCH_LIBRARY, prefix, folders[i]);
    if (n >= PATH_MAX || access(library, R_OK)) continue;
    memcpy(lib, library, (size_t)n - sizeof BENCH_LIBRARY);
    lib[(size_t)n - sizeof BENCH_LIBRARY] = '\0';
    return true;
  }
  snprintf(why, (size_t)size, "there is no lib/" BENCH_LIBRARY " in %s", prefix);
  return false;
}
