/* This file is mpj-bench-types: it runs the types benchmark's worker for MPJ and
 * for each MPI library that it was built with, one after another, and prints their
 * results side by side; or MPJ's alone for its table of growth. */
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ENGINES = 3, MOST = 64, NAME = 64 };

static const char *const engines[ENGINES] = {"mpj", "mpich", "openmpi"};

struct result {
  char name[NAME];
  double ms[ENGINES];
  size_t bytes[ENGINES];
  int has[ENGINES];
};

static struct result results[MOST];
static int nresults;

static struct result *result_of(const char *name)
{
  for (int i = 0; i < nresults; i++)
    if (strcmp(results[i].name, name) == 0) return &results[i];
  if (nresults == MOST) return NULL;
  snprintf(results[nresults].name, NAME, "%s", name);
  return &results[nresults++];
}

enum what { TIMES, BYTES };

static void read_results(FILE *in, int engine, enum what what)
{
  char name[NAME];
  double ms;
  size_t bytes;
  while (fscanf(in, "%63s %lf %zu", name, &ms, &bytes) == 3) {
    struct result *r = result_of(name);
    if (!r) return;
    if (what == TIMES) r->ms[engine] = ms;
    if (what == BYTES) r->bytes[engine] = bytes;
    r->has[engine] = 1;
  }
}

/* The worker beside this program, if it was built. The heap is measured in a run
 * of its own, without the thread's cache of freed blocks, which glibc counts as
 * used. False if it failed. */
static int run_worker(const char *folder, int engine, enum what what)
{
  char path[PATH_MAX + 32], command[PATH_MAX + 128];
  snprintf(path, sizeof path, "%s/types_%s", folder, engines[engine]);
  if (access(path, X_OK) != 0) return 1;
  snprintf(command, sizeof command, "%s'%s'",
           what == BYTES ? "GLIBC_TUNABLES=glibc.malloc.tcache_count=0 " : "", path);
  FILE *in = popen(command, "r"); /* the path is ours; no argument is passed on */
  if (!in) return 0;
  read_results(in, engine, what);
  return pclose(in) == 0;
}

static void print_time(double ms)
{
  if (ms >= 0.1)
    printf(" %9.3f ms", ms);
  else
    printf(" %9.1f ns", ms * 1e6);
}

static void print_results(void)
{
  printf("%-24s", "create + commit");
  for (int e = 0; e < ENGINES; e++)
    printf(" %12s %12s", engines[e], "bytes kept");
  printf("\n");
  for (int i = 0; i < nresults; i++) {
    printf("%-24s", results[i].name);
    for (int e = 0; e < ENGINES; e++) {
      if (!results[i].has[e]) {
        printf(" %12s %12s", "-", "-");
        continue;
      }
      print_time(results[i].ms[e]);
      printf(" %12zu", results[i].bytes[e]);
    }
    printf("\n");
  }
}

static const char usage[] =
    "usage: mpj-bench-types [--growth [MOST] | --help]\n"
    "\n"
    "Time making datatypes in MPJ and in each MPI library that this was built with.\n"
    "\n"
    "  --growth  instead: MPJ's cost against size for each constructor and for commit,\n"
    "            from 100 to MOST (10000000) blocks, at most ten times that\n";

/* MPJ's worker in our place. */
static int run_growth(const char *folder, const char *most)
{
  char path[PATH_MAX + 32];
  char *end;
  const long n = strtol(most, &end, 10);
  if (*end || n < 100 || n > 100000000) {
    fprintf(stderr, "mpj-bench-types: MOST is %s, must be 100 to 100000000\n", most);
    return 2;
  }
  snprintf(path, sizeof path, "%s/types_mpj", folder);
  execl(path, path, "--growth", most, (char *)NULL);
  perror(path);
  return 1;
}

static int run_all(const char *folder)
{
  int ok = 1;
  for (int e = 0; e < ENGINES; e++)
    ok &= run_worker(folder, e, TIMES) & run_worker(folder, e, BYTES);
  print_results();
  return ok ? 0 : 1;
}

int main(int argc, char **argv)
{
  char self[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  if (n < 0) return 1;
  self[n] = '\0';
  const char *folder = dirname(self);
  if (argc == 1) return run_all(folder);
  if (argc <= 3 && !strcmp(argv[1], "--growth"))
    return run_growth(folder, argc == 3 ? argv[2] : "10000000");
  if (argc == 2 && !strcmp(argv[1], "--help")) {
    fputs(usage, stdout);
    return 0;
  }
  fputs(usage, stderr);
  return 2;
}
