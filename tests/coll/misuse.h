/* This header declares the cases of misuse of exchanges and reductions: each is
 * what every rank does and expects; the communicator must work afterwards. */
#ifndef MPJ_TESTS_COLL_MISUSE_H
#define MPJ_TESTS_COLL_MISUSE_H

#include <mpj/mpj.h>

#include <stdbool.h>

#include "coll/runner.h"

struct misuse {
  const char *name;
  run_fn *fn; /* the number of expectations that failed */
};

/* Ended by a case without a name. */
extern const struct misuse exchange_misuses[], reduction_misuses[], reduction_differences[];

enum { CULPRIT = 1, MISUSE_RANKS = 64 };
#define WORLD (run->comm)

/* The call's status is `code` and, if that is an error, its detail has `text` in
 * it; MAY: or success, for a rank that may have done its part before. */
int misuse_expect(const struct run *run, int status, int code, const char *text, bool may,
                  const char *what, int line);
#define MUST(call, code, text) misuse_expect(run, (call), (code), (text), false, #call, __LINE__)
#define MAY(call, code, text) misuse_expect(run, (call), (code), (text), true, #call, __LINE__)

/* 1 after a line on stderr unless the fact holds. */
int misuse_fact(const struct run *run, bool fact, const char *what, int line);
#define FACT(fact) misuse_fact(run, (fact), #fact, __LINE__)

/* A committed type of n blocks of `length` copies of `old`, one a part. */
MPJ_Datatype misuse_parts(MPJ_Count n, MPJ_Count length, MPJ_Datatype old);

#endif
