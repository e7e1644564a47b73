/* This file reads the options that the driver and the workers share. */
#include "coll_options.h"

#include <string.h>

const char *const coll_family_names[COLL_NFAMILIES] = {
    "barrier",   "bcast",          "gather", "scatter", "allgather", "alltoall",  "reduce",
    "allreduce", "reduce_scatter", "scan",   "exscan",  "matrix",    "transpose", "redistribute"};

static const long most_bytes = 1L << 30, most_order = 32768;

bool coll_options_ops(struct coll_options *o, const char *text)
{
  return bench_list_words(text, coll_family_names, COLL_NFAMILIES, &o->ops);
}

bool coll_options_sizes(struct coll_options *o, const char *text)
{
  return bench_list_numbers(text, 8, most_bytes, 8, &o->sizes);
}

bool coll_options_orders(struct coll_options *o, const char *text)
{
  return bench_list_numbers(text, 1, most_order, 1, &o->orders);
}

bool coll_options_timings(struct coll_options *o, const char *text)
{
  static const char *const names[] = {"back_to_back", "dependent", "rewritten", "separate"};
  return bench_list_words(text, names, sizeof names / sizeof *names, &o->timings);
}

bool coll_options_buffers(struct coll_options *o, const char *text)
{
  o->library = !strcmp(text, "library");
  return o->library || !strcmp(text, "private");
}

bool coll_options_seconds(struct coll_options *o, const char *text)
{
  return bench_number(text, 1e-6, 3600, &o->seconds);
}

bool coll_options_deadline(struct coll_options *o, const char *text)
{
  return bench_number(text, 1, 86400, &o->deadline);
}

bool coll_options_threads(struct coll_options *o, const char *text)
{
  struct bench_list one;
  if (!bench_list_numbers(text, 1, 256, 1, &one) || one.n != 1) return false;
  o->nthreads = (int)one.at[0];
  return true;
}

bool coll_options_ranks(struct coll_options *o, const char *text)
{
  struct bench_list one;
  if (!bench_list_numbers(text, 1, 1 << 20, 1, &one) || one.n != 1) return false;
  o->nranks = (int)one.at[0];
  return true;
}
