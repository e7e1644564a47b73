/* This header declares how the results of `mpj-bench pack` are shown. */
#ifndef MPJ_BENCH_PACK_REPORT_H
#define MPJ_BENCH_PACK_REPORT_H

#include "pack_results.h"

/* Tables for people: one for each row and size, with geometric means. */
void pack_report_table(const struct pack_results *r, const struct pack_command *c, FILE *f);

/* An array of objects, one for each case and peer, "hand" and "memcpy" among the
 * peers:
 *   bench "pack", case "ROW/PATTERN/SIZE", row, pattern, size, p 1, bytes, peer,
 *   mpj_us, peer_us (best), ratio (peer_us / mpj_us), mpj_median, peer_median,
 *   mpj_of_hand, peer_of_hand (speed, each against the loop in its own process),
 *   rounds, ratio_median, ratio_low, ratio_high (with another build of MPJ: pack_compare)
 * null where there is none. In forward, backward and random "hand" is MPJ's own
 * whole message. The file appears whole or not at all.
 * Returns 0, or 1 after a sentence on stderr. */
int pack_report_json(const struct pack_results *r, const struct pack_command *c);

/* Bars by pattern and engine, in units of the loop by hand, a panel for each of
 * pack and unpack and each size. Returns 0, or 1 after a sentence on stderr (one
 * is that drawing was not built in). */
int pack_report_plot(const struct pack_results *r, const struct pack_command *c);

#endif
