/* This header declares what the public collectives share: argument checks, and
 * the way out when one fails. */
#ifndef MPJ_SRC_COLL_COLLECTIVE_H
#define MPJ_SRC_COLL_COLLECTIVE_H

#include "coll/algorithms.h"
#include "coll/comm.h"
#include "coll/op.h"

/* MPJ_ERR_ROOT unless 0 <= root < size. */
int mpj_check_root(const struct mpj_comm *comm, int root);

/* Resolve a type that a collective uses whole, or by parts (as many as ranks:
 * MPJ_ERR_PARTS). `argument` is its name in messages. */
int mpj_check_type(MPJ_Datatype handle, const char *argument, const struct mpj_type **type);
int mpj_check_parts(const struct mpj_comm *comm, MPJ_Datatype handle, const char *argument,
                    const struct mpj_type **type);

/* MPJ_ERR_ARG if buf is MPJ_IN_PLACE. */
int mpj_check_not_in_place(const void *buf, const char *argument);

/* Run an operation whose arguments have been checked: status of the checks,
 * then the call. If they failed, take this rank through the operation all the
 * same so that the others hear of it, and return `status` with its detail. */
int mpj_collective(struct mpj_comm *comm, const struct mpj_choice *choice, int status,
                   const struct mpj_call *call);

/* The same for a reduction of data of the type `data`: what the rules go by, and
 * how the buffers are, is found from the call. call->sendbuf may be MPJ_IN_PLACE. */
int mpj_reduction(struct mpj_comm *comm, enum mpj_operation operation, int root, int status,
                  const struct mpj_type *data, const struct mpj_call *call);

/* The checks that Allreduce, Scan and Exscan, and Reduce at its root, share. */
int mpj_check_reduction(const void *sendbuf, MPJ_Datatype sendtype, const void *recvbuf,
                        MPJ_Datatype recvtype, MPJ_Op op, struct mpj_call *call);

#endif
