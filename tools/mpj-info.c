/* This file is mpj-info: it shows the version, the machine as the library sees
 * it, the configuration, and which algorithms would run. */
#include <inttypes.h>
#include <mpj/base.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/config/config.h"
#include "base/machine/measured.h"
#include "base/machine/measured_find.h"
#include "base/machine/topology.h"
#include "base/machine/topology_load.h"
#include "coll/select/select.h"

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

static const char usage[] =
    "usage: mpj-info [--coll | --markdown | --version | --help]\n"
    "       mpj-info --why OPERATION [--p RANKS] [--bytes N] [--nodes N] [--cores N] [--ordered]\n"
    "\n"
    "Show the version, the machine as the library sees it, and every configuration\n"
    "variable with its present value.\n"
    "\n"
    "  --coll      print what algorithm each collective would run, and why, instead\n"
    "  --why       say which algorithm this operation (bcast, reduce_scatter, ...) would run on\n"
    "              so many ranks (2) with so many bytes (8; 64K, 1M; of allgather and\n"
    "              reduce_scatter of all parts together), and why: on 1 node, unless\n"
    "              said otherwise, with the cores that are usable here; --ordered: with an op\n"
    "              that does not commute\n"
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

/* Sizes by kind: "dense from 16 KiB to below 64 KiB, gaps from 4096 KiB". */
static void print_sizes(const char *who, const uint32_t row[MPJ_PULL_KINDS])
{
  const char *separator = "";
  printf("  %-14s ", who);
  for (int kind = 0; kind < MPJ_PULL_KINDS; kind++)
    for (int s = 0; s < 32; s++) {
      const int first = s;
      if (!(row[kind] >> s & 1)) continue;
      while (s < 32 && row[kind] >> s & 1)
        s++;
      printf("%s%s from %lld KiB", separator, mpj_pull_kind_names[kind], 8LL << first);
      if (s < 32) printf(" to below %lld KiB", 8LL << s);
      separator = ", ";
    }
  printf("%s\n", *separator ? "" : "nothing");
}

/* The file and its age; no file is from before the day that time_t begins with. */
static void print_made(const struct mpj_measured_source *source)
{
  const time_t when = (time_t)source->made, age = time(NULL) - when;
  char made[32] = "";
  struct tm day;
  if (when > 0 && localtime_r(&when, &day)) strftime(made, sizeof made, "%Y-%m-%d", &day);
  printf("  %-14s %s, ", "file", source->path);
  if (made[0] == '\0')
    printf("which does not say when it was made\n");
  else if (age < 0)
    printf("of %s, which is still to come\n", made);
  else
    printf("of %s, %lld days old\n", made, (long long)age / (24 * 60 * 60));
}

static void print_measured(void)
{
  static struct mpj_measured m;
  static struct mpj_measured_source source;
  struct mpj_measured_row rows[2];
  mpj_measured_find(&m, &source);
  mpj_measured_rows(&m, rows);
  printf("\nmeasured of this machine (mpj-bench tune --machine)\n");
  if (source.read) {
    print_made(&source);
  } else if (source.path[0]) {
    printf("  %-14s %s is not used: %s\n", "file", source.path, source.why);
  } else {
    printf("  %-14s none\n", "file");
  }
  const struct mpj_rule *rules = mpj_tuning_here();
  int nrules = 0;
  while (rules && rules[nrules].name)
    nrules++;
  printf("  %-14s %d  (mpj-info --coll says what they choose)\n", "rules", nrules);
  printf("long data between processes through pieces, the rest by straight copies\n");
  print_sizes("a core each", rows[0].streams);
  print_sizes("sharing cores", rows[1].streams);
  print_sizes("past caches", rows[0].past);
}

static void print_all(void)
{
  print_version();
  printf("\n");
  print_machine();
  print_measured();
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

/* A whole number from `least` to `most`, which may end in K or M; -1 if it is none. */
static long long number(const char *text, long long least, long long most)
{
  char *end;
  if (*text < '0' || *text > '9') return -1;
  long long n = strtoll(text, &end, 10), unit = 1;
  if (*end == 'K' || *end == 'M') unit = *end++ == 'K' ? 1024 : 1024 * 1024;
  return *end == '\0' && n >= least && n <= most / unit ? n * unit : -1;
}

struct question {
  struct mpj_agreed call;
  long long ranks, nodes, cores;
};

/* Read an option of --why that has a number; false, with a message, if it is none. */
static bool read_number(struct question *q, const char *option, const char *text)
{
  static const long long most = 1 << 30, most_bytes = INT64_C(1) << 50;
  const bool bytes = !strcmp(option, "--bytes");
  const long long n = number(text ? text : "", !bytes, bytes ? most_bytes : most);
  if (bytes)
    q->call.bytes = n;
  else if (!strcmp(option, "--p"))
    q->ranks = n;
  else if (!strcmp(option, "--nodes"))
    q->nodes = n;
  else if (!strcmp(option, "--cores"))
    q->cores = n;
  else {
    fprintf(stderr, "mpj-info: unknown option '%s' of --why; see mpj-info --help\n", option);
    return false;
  }
  if (n < 0)
    fprintf(stderr,
            "mpj-info: %s wants a whole number from %d to %lld, which may end in K or M, got %s\n",
            option, !bytes, bytes ? most_bytes : most, text ? text : "none");
  return n >= 0;
}

/* Answer --why with its arguments [n]; the exit status. */
static int explain(int n, char **arguments)
{
  struct question q = {.call = {.bytes = 8, .cuttable = true}, .ranks = 2, .nodes = 1};
  struct mpj_facts facts;
  q.cores = mpj_usable_cores();
  q.call.operation = n > 0 ? mpj_operation_of_word(arguments[0]) : MPJ_OPERATION_NONE;
  if (q.call.operation == MPJ_OPERATION_NONE) {
    fprintf(stderr, "mpj-info: --why wants an operation (barrier, bcast, ... exscan), got '%s'\n",
            n > 0 ? arguments[0] : "nothing");
    return EXIT_USAGE;
  }
  for (int i = 1; i < n; i++) {
    if (!strcmp(arguments[i], "--ordered"))
      q.call.ordered = true;
    else if (!read_number(&q, arguments[i], i + 1 < n ? arguments[i + 1] : NULL))
      return EXIT_USAGE;
    else
      i++;
  }
  if (q.call.ordered && !mpj_operation_rows[q.call.operation].has_op) {
    fprintf(stderr, "mpj-info: --ordered is about an op, and %s has none\n",
            mpj_operation_name(q.call.operation));
    return EXIT_USAGE;
  }
  if (mpj_facts_suppose((int)q.ranks, (int)q.nodes, (int)q.cores, &facts) != MPJ_SUCCESS) {
    fprintf(stderr, "mpj-info: %s\n", MPJ_Error_detail());
    return EXIT_FAILED;
  }
  facts.tuned = mpj_tuning_here();
  mpj_select_explain(stdout, &facts, &q.call);
  mpj_facts_end(&facts);
  return EXIT_OK;
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
  const bool why = argc > 1 && !strcmp(argv[1], "--why");
  if (argc > 2 && !why) {
    fprintf(stderr, "mpj-info: takes at most one argument, got %d; see mpj-info --help\n",
            argc - 1);
    return EXIT_USAGE;
  }
  if (why) {
    const int status = explain(argc - 2, argv + 2);
    if (status != EXIT_OK) return status;
  } else if (argc < 2) {
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
