/* This header declares what the rows of the table share in the worker. */
#ifndef MPJ_BENCH_PACK_WORKER_H
#define MPJ_BENCH_PACK_WORKER_H

#include "measure.h"
#include "pack_options.h"
#include "pattern.h"

/* Print one result as a line of JSON: how long the engine takes, how long the
 * reference (a loop by hand, or the engine's own whole message), memcpy of
 * as many bytes, and the other build; subjects in this order, the last two of which may be
 * nobody. */
enum { PACK_ENGINE, PACK_REFERENCE, PACK_MEMCPY, PACK_OTHER, PACK_NSUBJECTS };
void pack_report(enum pack_row row, const char *pattern, enum pack_size size, size_t bytes,
                 const struct pack_subject subjects[PACK_NSUBJECTS]);

/* `bytes` bytes that were touched, on a page's start. Ends the program if there
 * is no memory. Release with free. */
void *pack_buffer(size_t bytes);

/* Fill with numbers that depend on the place and on `salt`; as doubles all of
 * them are finite. */
void pack_fill(void *mem, size_t bytes, unsigned salt);

/* Ends the program with a sentence unless the engine's bytes equal the loop's. */
void pack_must_equal(const void *engine, const void *hand, size_t bytes, enum pack_row row,
                     const char *pattern, enum pack_size size);

/* One row for each of the options' patterns and sizes. */
void pack_row_pack(const struct pack_options *o);
void pack_row_unpack(const struct pack_options *o);
void pack_row_pieces(const struct pack_options *o, enum pack_row row);
void pack_row_copy(const struct pack_options *o);
void pack_row_transpose(const struct pack_options *o);
void pack_row_small(const struct pack_options *o);
void pack_row_sum(const struct pack_options *o);

#endif
