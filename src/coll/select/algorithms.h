/* This header declares the algorithms, each in a file of its own that says its
 * steps, its cost, when it wins and where it is from, and the table of them.
 *
 * Costs: alpha = time of a message, beta = time of a byte, gamma = time to
 * combine a byte, n = bytes of one rank's data, p = ranks. */
#ifndef MPJ_SRC_COLL_SELECT_ALGORITHMS_H
#define MPJ_SRC_COLL_SELECT_ALGORITHMS_H

#include "coll/algorithms/shapes/tree.h"
#include "coll/comm/comm.h"

#define ROW(op, word, fn, ...) mpj_algorithm_fn fn;
#include "coll/select/algorithms.def"
#undef ROW

/* What an algorithm needs; a sum. */
enum {
  MPJ_NEEDS_NOTHING = 0,
  MPJ_NEEDS_CUTTABLE = 1,    /* data that can be cut into segments */
  MPJ_NEEDS_COMMUTATIVE = 2, /* an operation that commutes */
  MPJ_NEEDS_ROWS = 4,        /* nodes whose ranks follow one another, or one that commutes */
  MPJ_NEEDS_SHARED = 8,      /* memory that all ranks share */
  MPJ_NEEDS_STRETCHES = 16,  /* nodes whose ranks follow one another */
  MPJ_NEEDS_SPARSE = 32,     /* sparse types; who does not, needs others */
  MPJ_NEEDS_POSTS = 64       /* memory in which all ranks can read what one posts */
};

enum { MPJ_SEGMENTS_MOST = 64 };

struct mpj_algorithm {
  enum mpj_operation operation;
  const char *name;
  mpj_algorithm_fn *build;
  unsigned needs;
  int radix;               /* unless another is asked for; 0: it has none */
  int least_radix;         /* that makes sense */
  bool fixed_radix;        /* there is no other: to users it has none */
  enum mpj_tree_kind tree; /* along which an early message can be forwarded, or none */
  bool judges;             /* ranks tell by a byte whether data may be put to them */
  bool answers;      /* such verdicts of ranks may come to who has given up waiting for them */
  bool segmented;    /* may cut its data into segments */
  int most_segments; /* then; 0: MPJ_SEGMENTS_MOST */
};

/* The table: the rows of one operation follow one another, and a row's place is its
 * number in messages. The last row has no name. */
extern const struct mpj_algorithm mpj_algorithms[];

/* The row of this name (length bytes), or NULL. */
const struct mpj_algorithm *mpj_algorithm_find(enum mpj_operation operation, const char *name,
                                               size_t length);

/* The row of this number in messages, which may be any, or NULL; its name. */
const struct mpj_algorithm *mpj_algorithm_row(unsigned number);
const char *mpj_algorithm_name(unsigned number);

/* Whether this radix can be asked for (0: none is). If not, `why` says so. */
bool mpj_algorithm_takes_radix(const struct mpj_algorithm *a, int radix, char *why, size_t size);

#endif
