/* This header declares what follows from the rows of `mpj-bench am --machine`: a machine that
 * mpj-sim can simulate. */
#ifndef MPJ_BENCH_AM_MACHINE_H
#define MPJ_BENCH_AM_MACHINE_H

#include <stdbool.h>

/* Whether ranks can be joined so. */
bool am_machine_transport(const char *name);

/* Write the machine's file (spec/simulated-machine.md).
 *   transport  for its name
 *   median     us that a row of the worker took (am/machine.c); 0: it is not there
 * False, after saying why, where a row is missing or the file cannot be written. */
bool am_machine_write(const char *path, const char *transport,
                      double (*median)(void *arg, const char *row), void *arg);

#endif
