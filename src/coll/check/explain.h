/* This header declares what is said where types differ: both ranks' sequences of basic types, and
 * the first place where they part. Records have digests of them alone; so ranks whose records
 * differ tell each other the types that their sentences are about:
 *
 *   rank q's sentence   is about two sides, which every rank finds by q's place and the records
 *   part q of `tell`    the sides of these that are this rank's; else unknown
 *   an Alltoall         2 p sequences of 176 bytes
 *
 * What does not come, as a rank dies or has no memory, is guessed (types/introspect/letters.h). */
#ifndef MPJ_SRC_COLL_CHECK_EXPLAIN_H
#define MPJ_SRC_COLL_CHECK_EXPLAIN_H

#include "coll/check/compare.h"
#include "types/introspect/letters.h"

/* What one rank tells another of the two sides. */
struct mpj_explanation {
  struct mpj_letters sides[2];
};

/* This rank's types of the call; NULL: it has none. */
struct mpj_explained {
  const struct mpj_type *send, *receive;
};

/* Fill in what is told to each rank: tell[r->size]. */
void mpj_explanation_fill(const struct mpj_records *r, const struct mpj_explained *types,
                          struct mpj_explanation tell[]);

/* MPJ_ERR_SIGNATURE, with the sentence. told[r->size]: what each rank has told, this one too; from
 * peers, and checked. */
int mpj_explain(const struct mpj_records *r, const struct mpj_explained *types,
                const struct mpj_explanation told[]);

#endif
