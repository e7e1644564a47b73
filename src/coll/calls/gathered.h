/* This header declares the making of types that the ranks build together. */
#ifndef MPJ_SRC_COLL_CALLS_GATHERED_H
#define MPJ_SRC_COLL_CALLS_GATHERED_H

#include "coll/comm/comm.h"

/* MPJ_Type_create_gathered with each rank's part in its encoded form.
 *   status  how it was to encode it, with the thread's detail
 *   message [bytes], borrowed
 * Errors: also MPJ_ERR_FORMAT (a message is no encoded type), on all ranks. */
int mpj_gather_types(struct mpj_comm *comm, int root_or_all, int status, const void *message,
                     MPJ_Count bytes, MPJ_Datatype *newtype);

#endif
