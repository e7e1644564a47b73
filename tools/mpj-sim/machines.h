/* This header declares how machines are described: by name, by a file, by single values. */
#ifndef MPJ_TOOLS_MPJ_SIM_MACHINES_H
#define MPJ_TOOLS_MPJ_SIM_MACHINES_H

#include <stdbool.h>
#include <stdio.h>

#include "net/sim/machine.h"

/* Of all: what is wrong is a sentence in why[size]. */

/* Set *m to what a preset says; list them with their sources. */
bool machine_preset(const char *name, struct mpj_sim_machine *m, char *why, size_t size);
void machine_list(FILE *out);

/* "64x32x32" -> kind and dims, of a flat machine none; ranks_per_node and ranks stay. */
bool machine_shape(enum mpj_sim_kind kind, const char *text, struct mpj_sim_machine *m, char *why,
                   size_t size);

/* "latency=1.5us": one of the times by its name. */
bool machine_set(const char *text, struct mpj_sim_machine *m, char *why, size_t size);
/* The names and present values: "o 1us, g ...", for people. */
void machine_print(const struct mpj_sim_machine *m, FILE *out);

/* Change *m as a JSON file says (spec/simulated-machine.md). */
bool machine_read(const char *path, struct mpj_sim_machine *m, char *why, size_t size);

/* Change *m to what `mpj-bench am --machine` finds on this machine, which takes some seconds.
 *   how  how its two ranks are joined: shm, threads or ucx */
bool machine_measured(const char *how, struct mpj_sim_machine *m, char *why, size_t size);

/* "1.5us" -> picoseconds, or thousandths of them where `fine`. */
bool time_of_text(const char *text, bool fine, int64_t *time);
/* The other way round, exact: "1500000 ps" is "1.5 us". */
const char *text_of_time(int64_t ps, char text[32]);

#endif
