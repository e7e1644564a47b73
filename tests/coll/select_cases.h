/* This header declares calls and communicators for tests of the choice of algorithms. */
#ifndef MPJ_TESTS_COLL_SELECT_CASES_H
#define MPJ_TESTS_COLL_SELECT_CASES_H

#include "base/suite.h"
#include "coll/select/select.h"

/* On one machine, of so many cores. */
static inline struct mpj_facts crew(int ranks, int cores)
{
  return (struct mpj_facts){.ranks = ranks,
                            .nodes = 1,
                            .cores = cores,
                            .oversubscribed = ranks > cores,
                            .shared = true,
                            .posts = ranks > 2,
                            .contiguous = true,
                            .node_ranks = ranks};
}

static inline struct mpj_agreed call_of(enum mpj_operation operation, MPJ_Count bytes, bool ordered)
{
  return (struct mpj_agreed){
      .operation = operation, .bytes = bytes, .cuttable = true, .ordered = ordered};
}

#endif
