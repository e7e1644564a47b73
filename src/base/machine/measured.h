/* This header declares what has been measured of this machine: whether long data between two
 * processes is sooner there through pieces in shared memory or by straight copies, and which
 * algorithms are the fastest.
 *
 * `mpj-bench tune --machine` measures it and writes a file (spec/performance.md). One process a
 * node reads that, the launcher or the first rank, and the others find it in the segment. Without a
 * file the caches' sizes and the processor's family say what is likely. */
#ifndef MPJ_SRC_BASE_MACHINE_MEASURED_H
#define MPJ_SRC_BASE_MACHINE_MEASURED_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the two processes are: on one core; on two that share the last cache, a package, no more.
 */
enum mpj_placement {
  MPJ_PLACE_ONE_CORE,
  MPJ_PLACE_CACHE,
  MPJ_PLACE_PACKAGE,
  MPJ_PLACE_APART,
  MPJ_PLACEMENTS
};

/* What kind of pull: bits. GAPS: only the owner can say where the data lies. */
enum { MPJ_PULL_GAPS = 1, MPJ_PULL_COMBINED = 2, MPJ_PULL_KINDS = 4 };

enum { MPJ_MEASURED_RULES = 2048 }; /* room for the rules' text */

/* How pieces are written: into the writer's caches, or past them by streaming stores. Lines that
 * are dirty in the cache of a core that shares none with the reader's come to it slowly. */
enum mpj_pieces { MPJ_PIECES_CACHED, MPJ_PIECES_PAST, MPJ_PIECES_WAYS };

/* Sizes by placement and kind. Bit s: of 2^(13+s) bytes to twice that. */
typedef uint32_t mpj_measured_sizes[MPJ_PLACEMENTS][MPJ_PULL_KINDS];

struct mpj_measured {
  mpj_measured_sizes
      faster[MPJ_PIECES_WAYS];    /* that are sooner through such pieces than straight */
  mpj_measured_sizes past;        /* whose pieces had better go past the caches */
  char rules[MPJ_MEASURED_RULES]; /* JSON, as of MPJ_COLL_FILE, or "" */
};

/* What a file must be for. */
struct mpj_machine_key {
  char processor[64], version[16], kernel[72];
  int cores; /* hardware threads that are online */
};

/* Where it comes from. */
struct mpj_measured_source {
  char path[PATH_MAX]; /* of the file; "": there is none, or it is not to be used */
  bool read;           /* it says all that is used; else the defaults do */
  int64_t made;        /* s since 1970 */
  bool wrong;          /* somebody should know why it is not used */
  char why[200];       /* it is not used, or "" */
};

extern const char *const mpj_placement_names[MPJ_PLACEMENTS];
extern const char *const mpj_pull_kind_names[MPJ_PULL_KINDS];

/* Read a file's text. False, *m unspecified, and what is wrong with it in why[size], if it is
 * malformed or, *foreign then, for another machine. */
bool mpj_measured_parse(const char *text, const struct mpj_machine_key *key, struct mpj_measured *m,
                        int64_t *made, bool *foreign, char *why, size_t size);

/* What a pull goes by: bits as above, by kind. */
struct mpj_measured_row {
  uint32_t streams[MPJ_PULL_KINDS]; /* through pieces */
  uint32_t past[MPJ_PULL_KINDS];    /* if it goes so, they are written past the caches */
};

/* Whether a pull is among the sizes of its kind. */
static inline bool mpj_measured_has(const uint32_t row[MPJ_PULL_KINDS], unsigned kind,
                                    int64_t bytes)
{
  const int size = 63 - __builtin_clzll((uint64_t)bytes | 1) - 13;
  return row[kind % MPJ_PULL_KINDS] >> (size < 0 ? 0 : size > 31 ? 31 : size) & 1;
}

#endif
