/* This header declares what a communicator keeps in checking mode: the record of this rank's last
 * call, those of all ranks, and what these tell where they differ. */
#ifndef MPJ_SRC_COLL_CHECK_CHECKER_H
#define MPJ_SRC_COLL_CHECK_CHECKER_H

#include "coll/check/explain.h"

struct mpj_checker {
  struct mpj_said *mine;
  void *all;
  struct mpj_explanation *tell, *told; /* [p] each */
  MPJ_Datatype one, each;              /* a record, one of each rank */
  MPJ_Datatype explained;              /* an explanation of each rank */
  struct mpj_call exchange;
  struct mpj_records records; /* `all`, of the last call */
  struct mpj_explained types; /* borrowed from it, until it ends */
  bool explains;              /* ranks tell their types: nothing is compared meanwhile */
  bool refused;               /* the last blocking call, as its records differed */
};

/* Whether communicators are checked: the same on all ranks of a job. Make what one
 * needs; NULL where it is not checked or has one rank. Errors: MPJ_ERR_NO_MEM. */
int mpj_checker_make(int size, struct mpj_checker **checker);
void mpj_checker_free(struct mpj_checker *checker);

/* The call whose records are being exchanged, or were last. */
struct mpj_called mpj_checked_call(const struct mpj_checker *checker);

/* Whether the last blocking call of a communicator did not run because records differed.
 * Every rank knows it then: of a call made of several operations none goes on.
 * checker: NULL: it did. */
bool mpj_check_refused(const struct mpj_checker *checker);

#endif
