/* This header declares checking mode (MPJ_CHECK=1): before each operation of a
 * communicator the ranks exchange records of their calls, and compare them. (What a rank can
 * see alone, a receive type that overlaps itself, mpj_check_receive sees before.)
 *
 * An operation takes two of the communicator's numbers: 2n for the exchange, an
 * allgather that no rank can take for anything else; 2n + 1 for the operation itself.
 *
 *   number 2n ends             2n + 1 on this rank
 *   all records fit            the operation
 *   some types do not          the ranks tell each other what these are (coll/check/explain.h)
 *   else some do not           nothing, with no message: every rank has the same records
 *   by a failure               an operation that has failed: others may have begun it
 *
 * What a persistent request is made with is compared at its init, once for all its starts.
 * So ranks stay in step, and the communicator is as good as before. The exchange of an
 * operation begins when that of the one before has ended and it has begun itself. */
#ifndef MPJ_SRC_COLL_CHECK_CHECK_H
#define MPJ_SRC_COLL_CHECK_CHECK_H

#include "coll/calls/collective.h"
#include "coll/check/checker.h"

/* Begin the exchange for a call, or (init) for the init of a persistent request of such calls:
 * there is room for it. Errors: MPJ_ERR_NO_MEM, nothing having begun. */
int mpj_check_begin(struct mpj_comm *comm, const struct mpj_choice *choice,
                    const struct mpj_call *call, bool init, struct mpj_slot **slot);

/* The exchange has ended well: MPJ_SUCCESS, or how the records differ (coll/check/compare.h); of
 * types that do, mpj_check_explain says it when mpj_check_pass_over's operation has ended. */
int mpj_check_compare(const struct mpj_comm *comm);

/* Begin the number of an operation that does not run: because the records differ
 * (told: all know it), or of another failure. There is room for it. NULL: the
 * communicator is broken, and nothing has to be said. */
struct mpj_slot *mpj_check_pass_over(struct mpj_comm *comm, int status, bool told);

/* That number's operation has ended, with `status`, after records whose types differ:
 * MPJ_ERR_SIGNATURE, with its sentence. */
int mpj_check_explain(struct mpj_comm *comm, int status);

/* All of it for a blocking call, whose argument checks may have failed. MPJ_SUCCESS:
 * go on; else the call's status, and all is done. */
int mpj_check(const struct mpj_prepared *p);

#endif
