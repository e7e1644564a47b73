/* This file reads mpjrun's command line. */
#include "mpjrun/options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpj/base.h>

#define DEFAULT_GRACE_S 10.0
#define LONGEST_S 1e8 /* about three years; keeps deadlines exact to a microsecond */

enum { LABEL = 256, TIMEOUT, GRACE, KEEP, BIND, MPI, HELP, VERSION };

static const struct option long_options[] = {
    {"label", no_argument, NULL, LABEL},
    {"timeout", required_argument, NULL, TIMEOUT},
    {"grace", required_argument, NULL, GRACE},
    {"keep", no_argument, NULL, KEEP},
    {"bind", no_argument, NULL, BIND},
    {"help", no_argument, NULL, HELP},
    {"mpi", optional_argument, NULL, MPI},
    {"version", no_argument, NULL, VERSION},
    {NULL, 0, NULL, 0},
};

static int print_help(void)
{
  printf(
      "usage: mpjrun -n N [options] program [arguments...]\n"
      "Start N ranks of a program on this machine and wait for them.\n"
      "\n"
      "  -n N, -np N    number of ranks, 1 or more\n"
      "  --label        begin each line of output with the rank that wrote it\n"
      "  --timeout S    end the job after S seconds and say where its ranks were (exit code 124)\n"
      "  --grace S      seconds that the other ranks go on after one failed (default %g)\n"
      "  --keep         let them go on for ever\n"
      "  --bind         bind each rank to a processor if there are more ranks than processors\n"
      "  --mpi[=NAME]   the program is an MPI program (of mpich or openmpi): start it by mpiexec, "
      "its\n"
      "                 collectives served by MPJ; of the options above, -n alone goes with it\n"
      "  --help         print this text\n"
      "  --version      print the version\n"
      "\n"
      "Rank 0 reads standard input. The exit code is 0 if all ranks exited with 0, having called\n"
      "MPJ_Finalize if they called MPJ_Init; else that of the first rank that failed (128 + "
      "signal\n"
      "if it was killed by one, 1 if it exited with 0 but without MPJ_Finalize).\n",
      DEFAULT_GRACE_S);
  return 0;
}

static int print_version(void)
{
  int version, subversion;
  MPJ_Get_version(&version, &subversion);
  printf("mpjrun %d.%d\n", version, subversion);
  return 0;
}

static int parse_ranks(const char *option, const char *text, int *nranks)
{
  char *end;
  errno = 0;
  long n = strtol(text, &end, 10);
  if (end == text || *end || errno || n < 1 || n > INT_MAX) {
    fprintf(stderr, "mpjrun: %s is '%s': it must be a number of ranks from 1 to %d\n", option, text,
            INT_MAX);
    return EXIT_WRONG_USAGE;
  }
  *nranks = (int)n;
  return -1;
}

static int parse_seconds(const char *option, const char *text, bool zero_is_legal, double *seconds)
{
  char *end;
  double s = strtod(text, &end);
  bool in_range = s <= LONGEST_S && (s > 0 || (s >= 0 && zero_is_legal)); /* false for NaN */
  if (end == text || *end || !in_range) {
    fprintf(stderr, "mpjrun: %s is '%s': it must be a number of seconds%s\n", option, text,
            zero_is_legal ? ", 0 or more" : " greater than 0");
    return EXIT_WRONG_USAGE;
  }
  *seconds = s;
  return -1;
}

/* Say what getopt could not make sense of. */
static int complain(int found, char *argv[])
{
  const char *word = argv[optind - 1];
  if (found == ':')
    fprintf(stderr, "mpjrun: option '%s' needs a value\n", word);
  else if (optopt >= LABEL)
    fprintf(stderr, "mpjrun: option '%s' takes no value\n", word);
  else if (optopt)
    fprintf(stderr, "mpjrun: option '-%c' is unknown; see mpjrun --help\n", optopt);
  else
    fprintf(stderr, "mpjrun: option '%s' is unknown; see mpjrun --help\n", word);
  return EXIT_WRONG_USAGE;
}

static int missing(const char *what)
{
  fprintf(stderr, "mpjrun: %s; see mpjrun --help\n", what);
  return EXIT_WRONG_USAGE;
}

/* -n N, -nN, -n=N, and so with -np; glued: `optarg` is part of the word. */
static int apply_ranks(bool glued, char *argv[], struct options *options)
{
  const bool np = glued && *optarg == 'p';
  const char *value = optarg + np;
  if (glued && *value == '=') value++;
  if (np && *value == '\0' && value == optarg + 1) value = argv[optind];
  if (!value) return missing("option '-np' needs a value");
  if (value == argv[optind]) optind++;
  return parse_ranks(np ? "-np" : "-n", value, &options->nranks);
}

/* Take in one option; returns as options_parse does. */
static int apply(int found, char *argv[], struct options *options)
{
  switch (found) {
  case 'n':
    return apply_ranks(optarg == argv[optind - 1] + 2, argv, options);
  case LABEL:
    options->own = "--label";
    options->label = true;
    return -1;
  case TIMEOUT:
    options->own = "--timeout";
    return parse_seconds("--timeout", optarg, false, &options->timeout_s);
  case GRACE:
    options->own = "--grace";
    return parse_seconds("--grace", optarg, true, &options->grace_s);
  case KEEP:
    options->own = "--keep";
    options->grace_s = INFINITY;
    return -1;
  case BIND:
    options->own = "--bind";
    options->bind = true;
    return -1;
  case MPI:
    options->mpi = true;
    options->mpi_name = optarg;
    return -1;
  case HELP:
    return print_help();
  case VERSION:
    return print_version();
  default:
    return complain(found, argv);
  }
}

int options_parse(int argc, char *argv[], struct options *options)
{
  struct options o = {.timeout_s = INFINITY, .grace_s = DEFAULT_GRACE_S};
  opterr = 0;
  for (int found; (found = getopt_long(argc, argv, "+:n:", long_options, NULL)) != -1;) {
    int code = apply(found, argv, &o);
    if (code >= 0) return code;
  }
  if (!o.nranks) return missing("-n is missing: it says how many ranks to start");
  if (optind == argc) return missing("the program to run is missing");
  if (o.mpi && o.own) {
    fprintf(stderr, "mpjrun: %s does not go with --mpi: mpiexec starts the ranks\n", o.own);
    return EXIT_WRONG_USAGE;
  }
  o.command = argv + optind;
  *options = o;
  return -1;
}
