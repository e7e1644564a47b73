/* This header declares what the public collectives share: argument checks, and
 * the way out when one fails. */
#ifndef MPJ_SRC_COLL_CALLS_COLLECTIVE_H
#define MPJ_SRC_COLL_CALLS_COLLECTIVE_H

#include "coll/comm/comm.h"
#include "coll/op/op.h"
#include "coll/select/select.h"

/* MPJ_ERR_ROOT unless 0 <= root < size. */
int mpj_check_root(const struct mpj_comm *comm, int root);

/* Resolve a type that a collective uses whole, or by parts (as many as ranks:
 * MPJ_ERR_PARTS). `argument` is its name in messages. */
int mpj_check_type(MPJ_Datatype handle, const char *argument, const struct mpj_type **type);
int mpj_check_parts(const struct mpj_comm *comm, MPJ_Datatype handle, const char *argument,
                    const struct mpj_type **type);

/* MPJ_ERR_ARG if buf is MPJ_IN_PLACE, or NULL with data of the type near it. The arguments
 * are `side`buf and `side`type: "send", "recv" or "". */
int mpj_check_buffer(const void *buf, const struct mpj_type *type, const char *side);

/* A call on its way: who, what, with which arguments; and how their checks went
 * (status, with the thread's detail). */
struct mpj_prepared {
  struct mpj_comm *comm;
  struct mpj_choice choice;
  struct mpj_call call;
  int status;
};

/* Begin to prepare: resolve the communicator, and note the buffers. An error
 * (MPJ_ERR_COMM, or why the communicator is broken) ends the call at once. On success
 * the calling thread holds its rank until one of mpj_collective, mpj_request_begin and
 * mpj_request_init returns. */
int mpj_prepare(MPJ_Comm handle, enum mpj_operation operation, int root, const void *sendbuf,
                void *recvbuf, struct mpj_prepared *p);

/* MPJ_ERR_ARG if both sides' data begin at one address, which overwrites what is still needed. */
int mpj_check_apart(const struct mpj_call *call);

/* The checks that Allreduce, Scan and Exscan, and Reduce at its root, share. Only where the
 * rank neither gets a result nor gives recvbuf's data may recvbuf be NULL. */
int mpj_check_reduction(MPJ_Datatype sendtype, MPJ_Datatype recvtype, MPJ_Op op, bool has_result,
                        struct mpj_call *call);

/* Note what the rules go by for data of this type, cut at whole units (call.unit) of it;
 * and what this rank's buffers are like. */
void mpj_prepare_data(struct mpj_prepared *p, const struct mpj_type *data);

/* The same for reductions, with what the rules ask of the operation. */
void mpj_prepare_reduction(struct mpj_prepared *p, const struct mpj_type *data);

/* The call, or in checking mode *copy of it with the error that its receive type overlaps itself
 * (MPJ_ERR_TYPE): for who runs or begins it. */
const struct mpj_prepared *mpj_check_receive(const struct mpj_prepared *p,
                                             struct mpj_prepared *copy);

/* Run the operation and wait for it. If the checks failed, take this rank through
 * it all the same so that the others hear of it, and return that status. */
int mpj_collective(const struct mpj_prepared *p);

#endif
