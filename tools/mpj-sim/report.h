/* This header declares what is told of a run, all of it marked as simulated. */
#ifndef MPJ_TOOLS_MPJ_SIM_REPORT_H
#define MPJ_TOOLS_MPJ_SIM_REPORT_H

#include <stdio.h>

#include "run.h"

/* A short table. */
void report_table(const struct run_options *o, const struct result *r, FILE *out);
/* Files hold what was simulated alone, nothing of the time or memory that it took, but for
 * peak_bytes of the JSON file where asked. */
void report_csv(const struct result *r, FILE *f);
void report_json(const struct run_options *o, const struct result *r, bool cost, FILE *f);
/* A picture: planes of the torus (or rows of ranks), coloured by when each rank left. */
void report_svg(const struct run_options *o, const struct result *r, FILE *f);

/* A trace for Perfetto of the first ranks: their calls and messages. NULL: there is no memory. */
struct trace;
struct trace *trace_begin(FILE *f, int ranks);
void trace_see(void *trace, const struct mpj_sim_seen *seen);
void trace_end(struct trace *trace, const struct run_options *o, const struct result *r);

/* A list of all messages, as CSV: what was sent and pulled, in the order in which receivers were
 * done with it. */
void messages_begin(FILE *f);
void messages_see(void *file, const struct mpj_sim_seen *seen);

#endif
