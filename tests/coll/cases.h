/* This header declares the cases of wrong use: each is what every rank does and
 * expects, on threads and in processes alike. */
#ifndef MPJ_TESTS_COLL_CASES_H
#define MPJ_TESTS_COLL_CASES_H

#include <stdbool.h>

struct ranks {
  int rank, size;
};

/* The number of expectations that failed on this rank. */
typedef int case_fn(const struct ranks *r);

struct wrong_case {
  const char *name;
  case_fn *fn;
  bool breaks; /* the communicator cannot be used afterwards */
};

extern const struct wrong_case argument_cases[], signature_cases[], order_cases[];

/* 1 after a line on stderr unless status is `code` and the detail has `text`
 * in it; else 0. `either`: success is as good, for a rank that may have done its
 * part before it could hear of another's error. */
int expect(const struct ranks *r, int status, int code, const char *text, const char *what,
           int line);
int expect_either(const struct ranks *r, int status, int code, const char *text, const char *what,
                  int line);
#define EXPECT(call, code, text) expect(r, (call), (code), (text), #call, __LINE__)
#define EXPECT_EITHER(call, code, text) expect_either(r, (call), (code), (text), #call, __LINE__)

/* 1 after a line on stderr unless `fact` holds. */
int expect_fact(const struct ranks *r, bool fact, const char *what, int line);
#define EXPECT_FACT(fact) expect_fact(r, (fact), #fact, __LINE__)

#endif
