/* This header declares the store of what the workers of `mpj-bench pack`
 * measured: for every case, each engine beside its own process's hand loop. */
#ifndef MPJ_BENCH_PACK_RESULTS_H
#define MPJ_BENCH_PACK_RESULTS_H

#include "pack_command.h"
#include "results.h"

enum pack_engine_id { PACK_BY_MPJ, PACK_BY_MPICH, PACK_BY_OPENMPI, PACK_BY_OTHER, PACK_NENGINES };

enum { PACK_NAME_BYTES = 32, PACK_CASES_MOST = 512 };

/* Of one way to do it: the best batch of all rounds, and each round's median. */
struct pack_series {
  int n; /* rounds that brought a time */
  double best, medians[PACK_ROUNDS_MOST];
};

struct pack_times {
  struct pack_series engine, hand, copy; /* copy: memcpy of as many bytes */
};

struct pack_result {
  enum pack_row row;
  enum pack_size size;
  char name[PACK_NAME_BYTES]; /* of the pattern */
  long bytes;
  struct pack_times times[PACK_NENGINES];
};

struct pack_results {
  int n;
  struct pack_result *all; /* [PACK_CASES_MOST], in the order in which they first came */
};

static inline enum pack_engine_id pack_engine_of_peer(int peer)
{
  return (enum pack_engine_id)(PACK_BY_MPICH + peer);
}

/* False if there is no memory. */
bool pack_results_open(struct pack_results *r);
void pack_results_close(struct pack_results *r);

/* The times of that case, made if it is new; NULL if there are too many. */
struct pack_times *pack_results_at(struct pack_results *r, enum pack_row row, const char *name,
                                   enum pack_size size, long bytes, enum pack_engine_id engine);
void pack_series_add(struct pack_series *s, double best, double median);

/* The median of the medians; 0 if there is none. */
double pack_series_median(const struct pack_series *s);

/* Speed as a fraction of the hand loop's, best against best; 0 if unknown. */
double pack_ratio(const struct pack_times *t);

/* How many times as long the other build takes, of the medians of each round (results.h). */
struct bench_ratio pack_compare(const struct pack_result *one);

/* Speed in GB/s; 0 if unknown. */
double pack_gbs(long bytes, const struct pack_series *s);

/* Over the known cases of one row and size. */
struct pack_summary {
  int n;
  double mean; /* geometric, of pack_ratio */
  double worst;
  const char *worst_name; /* into r */
};
struct pack_summary pack_summarise(const struct pack_results *r, enum pack_row row,
                                   enum pack_size size, enum pack_engine_id engine);

/* The same of what pack_compare finds. */
struct pack_summary pack_summarise_other(const struct pack_results *r, enum pack_row row,
                                         enum pack_size size);

#endif
