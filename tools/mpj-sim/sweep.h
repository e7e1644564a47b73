/* This header declares runs of many algorithms, numbers of ranks and sizes on one machine. */
#ifndef MPJ_TOOLS_MPJ_SIM_SWEEP_H
#define MPJ_TOOLS_MPJ_SIM_SWEEP_H

#include "options.h"

/* Run what o->ops, o->counts and o->sizes list, each in a process of its own, as an algorithm is
 * asked for by the environment, and print a table: when the last rank left, by algorithm. tune:
 * write rules that choose the best for MPJ_COLL_FILE to o->json, too. Returns the exit code. */
int sweep(const struct options *o, bool tune);

#endif
