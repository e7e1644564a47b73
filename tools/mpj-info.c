/* This file is mpj-info: it shows the version, the machine as the library sees
 * it, the configuration, and which algorithms would run. */
#include <inttypes.h>
#include <mpj/base.h>
#include <stdio.h>
#include <string.h>

#include "base/config/config.h"
#include "base/machine/topology.h"
#include "coll/select/select.h"

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

static const char usage[] =
    "usage: mpj-info [--coll | --markdown | --version | --help]\n"
    "\n"
    "Show the version, the machine as the library sees it, and every configuration\n"
    "variable with its present value.\n"
    "\n"
    "  --coll      print what algorithm each collective would run, and why, instead\n"
    "  --markdown  print the reference of the configuration variables instead\n"
    "  --version   print the version instead\n"
    "  --help      print this text instead\n";

static void print_version(void)
{
  int version, subversion;
  if (MPJ_Get_version(&version, &subversion) == MPJ_SUCCESS)
    printf("mpj %d.%d\n", version, subversion);
}

static void print_cache(const char *name, int64_t bytes)
{
  if (bytes > 0)
    printf("  %-14s %" PRId64 " KiB\n", name, bytes / 1024);
  else
    printf("  %-14s unknown\n", name);
}

static void print_machine(void)
{
  const struct mpj_topology *t = mpj_topology();
  printf("machine\n");
  printf("  %-14s %d\n", "packages", t->packages);
  printf("  %-14s %d\n", "NUMA nodes", t->numa_nodes);
  printf("  %-14s %d\n", "cores", t->cores);
  printf("  %-14s %d\n", "hw threads", t->pus);
  printf("  %-14s %d  (affinity mask and cgroup quota)\n", "usable here", mpj_usable_cores());
  print_cache("L1 data cache", t->l1d_bytes);
  print_cache("L2 cache", t->l2_bytes);
  print_cache("L3 cache", t->l3_bytes);
}

static void print_all(void)
{
  print_version();
  printf("\n");
  print_machine();
  printf("\nconfiguration (environment variables; launcher: set by mpjrun)\n");
  mpj_config_print(stdout, mpj_config());
}

static void print_markdown(void)
{
  printf("# Configuration\n\n"
         "Environment variables set these when a process first uses the library. A malformed or\n"
         "unknown `MPJ_` variable is a warning that names it, on rank 0. `mpj-info` shows the "
         "present\n"
         "values; this page is the output of `mpj-info --markdown`.\n\n");
  mpj_config_print_markdown(stdout);
}

/* Do what the one argument says; false if it says nothing known. */
static bool act(const char *argument)
{
  if (!strcmp(argument, "--help"))
    fputs(usage, stdout);
  else if (!strcmp(argument, "--version"))
    print_version();
  else if (!strcmp(argument, "--coll"))
    mpj_select_print(stdout, mpj_usable_cores());
  else if (!strcmp(argument, "--markdown"))
    print_markdown();
  else
    return false;
  return true;
}

int main(int argc, char **argv)
{
  if (argc > 2) {
    fprintf(stderr, "mpj-info: takes at most one argument, got %d; see mpj-info --help\n",
            argc - 1);
    return EXIT_USAGE;
  }
  if (argc < 2) {
    print_all();
  } else if (!act(argv[1])) {
    fprintf(stderr, "mpj-info: unknown argument '%s'; see mpj-info --help\n", argv[1]);
    return EXIT_USAGE;
  }
  if (fflush(stdout) != 0 || ferror(stdout)) {
    perror("mpj-info: writing to standard output");
    return EXIT_FAILED;
  }
  return EXIT_OK;
}
