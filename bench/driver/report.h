/* This header declares how the results are shown. */
#ifndef MPJ_BENCH_REPORT_H
#define MPJ_BENCH_REPORT_H

#include "results.h"

/* Tables for people: one for each p, transport and timing. */
void bench_report_table(const struct bench_results *r, const struct bench_options *o, FILE *f);

/* An array of objects, one for each case, transport and peer (peer "none" where
 * none was asked for):
 *   bench "coll", case, timing, p, bytes (of a rank's block), transport, peer,
 *   mpj_us, mpj_min, mpj_max, peer_us, peer_min, peer_max, ratio (peer_us /
 *   mpj_us), mpj_gbs, peer_gbs, rounds (that brought MPJ a time), peer_rounds
 * Times are medians over the rounds, in us; null where there is none. The file
 * appears whole or not at all.
 * Returns 0, or 1 after a sentence on stderr. */
int bench_report_json(const struct bench_results *r, const struct bench_options *o);

/* Write the array as a file that appears whole or not at all. Returns 0, or 1
 * after a sentence on stderr. */
struct json_t;
int bench_report_write(const char *name, const struct json_t *array);

/* The same of a text (NULL: there was no memory for it); and the text of what is to be written, the
 * caller's (free). */
int bench_report_write_text(const char *name, const char *text);
char *bench_report_text(const struct json_t *what);

/* Could a file of that name be made? Else a sentence on stderr. */
bool bench_report_can_write(const char *name);

#endif
