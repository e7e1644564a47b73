/* This header declares mpjrun's command line. */
#ifndef MPJ_TOOLS_MPJRUN_OPTIONS_H
#define MPJ_TOOLS_MPJRUN_OPTIONS_H

#include <stdbool.h>

struct options {
  int nranks;           /* 1 or more */
  bool bind;            /* ranks that share processors stay on one each */
  bool label;           /* begin each line of output with its rank */
  bool mpi;             /* the program is MPI's: its launcher and the interposer run it */
  const char *own;      /* the last option that is for mpjrun's own ranks alone; NULL: none */
  const char *mpi_name; /* of the MPI library; NULL: the one it is linked with */
  double timeout_s;     /* seconds the job may take; INFINITY: any time */
  double grace_s;       /* seconds that survivors of a failure get; INFINITY: for ever */
  char **command;       /* program and arguments, NULL at the end; borrowed from argv */
};

enum { EXIT_WRONG_USAGE = 2 };

/* Fill *options from the command line. Returns -1 when the job is to be run,
 * else the code to exit with: 0 (--help or --version was printed) or
 * EXIT_WRONG_USAGE (one sentence on stderr names the argument and its value). */
int options_parse(int argc, char *argv[], struct options *options);

#endif
