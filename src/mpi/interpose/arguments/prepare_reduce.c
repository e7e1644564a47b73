/* This file says MPI's reductions in MPJ's terms. */
#include "mpi/interpose/arguments/alias.h"
#include "mpi/interpose/arguments/ops.h"
#include "mpi/interpose/arguments/prepare.h"
#include "mpi/interpose/arguments/types.h"

/* Both sides `count` elements; the rank that has no result gives no receive buffer. */
static enum reason reduction(struct call *call, const void *sendbuf, void *recvbuf, MPI_Count count,
                             MPI_Datatype type, MPI_Op op, bool has_result)
{
  const bool aliased = has_result && count > 0 && alias_is(sendbuf, recvbuf);
  if (!has_result && count == 0) sendbuf = NULL;
  const bool in_place = sendbuf == MPI_IN_PLACE || aliased;
  if (aliased && alias_is_refused(call->collective, count)) return call_give_up(call);
  if (in_place && !has_result) return call_give_up(call);
  if (!op_of(op, type, &call->op)) return call_give_up(call);
  MPJ_Datatype both;
  if (!type_of(count, type, &both)) return call_give_up(call);
  if (!in_place) call->sendtype = both;
  if (has_result) call->recvtype = both;
  call->sendbuf = in_place ? MPJ_IN_PLACE : sendbuf;
  call->recvbuf = has_result ? recvbuf : NULL;
  return SERVED;
}

enum reason prepare_reduce(struct call *call, const void *sendbuf, void *recvbuf, MPI_Count count,
                           MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
  int size;
  const enum reason why = call_begin(call, REDUCE, comm, &size);
  if (why) return why;
  if (!is_rank(root, size)) return call_give_up(call);
  call->root = root;
  return reduction(call, sendbuf, recvbuf, count, type, op, call->rank == root);
}

enum reason prepare_allreduce(struct call *call, const void *sendbuf, void *recvbuf,
                              MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  int size;
  const enum reason why = call_begin(call, ALLREDUCE, comm, &size);
  return why ? why : reduction(call, sendbuf, recvbuf, count, type, op, true);
}

enum reason prepare_scan(struct call *call, const void *sendbuf, void *recvbuf, MPI_Count count,
                         MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  int size;
  const enum reason why = call_begin(call, SCAN, comm, &size);
  return why ? why : reduction(call, sendbuf, recvbuf, count, type, op, true);
}

enum reason prepare_exscan(struct call *call, const void *sendbuf, void *recvbuf, MPI_Count count,
                           MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  int size;
  const enum reason why = call_begin(call, EXSCAN, comm, &size);
  return why ? why : reduction(call, sendbuf, recvbuf, count, type, op, true);
}

/* In place, the whole input is in recvbuf, and the result goes to its beginning: MPJ takes
 * the input through sendtype there, too. */
enum reason prepare_reduce_scatter(struct call *call, const void *sendbuf, void *recvbuf,
                                   struct lists recv, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  int size;
  const enum reason why = call_begin(call, REDUCE_SCATTER, comm, &size);
  if (why) return why;
  const int rank = call->rank;
  if (!recv.counts && !recv.large_counts) return call_give_up(call);
  const MPI_Count mine = recv.counts ? recv.counts[rank] : recv.large_counts[rank];
  const bool aliased = alias_is(sendbuf, recvbuf) && lists_have_elements(&recv, size);
  if (aliased && alias_is_refused(REDUCE_SCATTER, 1)) return call_give_up(call);
  if (!op_of(op, type, &call->op)) return call_give_up(call);
  recv.displs = NULL;
  recv.large_displs = NULL;
  if (!type_of_lists(size, &recv, type, &call->sendtype) || !type_of(mine, type, &call->recvtype))
    return call_give_up(call);
  call->sendbuf = sendbuf == MPI_IN_PLACE || aliased ? MPJ_IN_PLACE : sendbuf;
  call->recvbuf = recvbuf;
  return SERVED;
}

enum reason prepare_reduce_scatter_block(struct call *call, const void *sendbuf, void *recvbuf,
                                         MPI_Count count, MPI_Datatype type, MPI_Op op,
                                         MPI_Comm comm)
{
  int size;
  const enum reason why = call_begin(call, REDUCE_SCATTER_BLOCK, comm, &size);
  if (why) return why;
  const bool aliased = count > 0 && alias_is(sendbuf, recvbuf);
  if (aliased && alias_is_refused(REDUCE_SCATTER_BLOCK, 1)) return call_give_up(call);
  if (!op_of(op, type, &call->op)) return call_give_up(call);
  if (!type_of_parts(size, count, type, &call->sendtype) || !type_of(count, type, &call->recvtype))
    return call_give_up(call);
  call->sendbuf = sendbuf == MPI_IN_PLACE || aliased ? MPJ_IN_PLACE : sendbuf;
  call->recvbuf = recvbuf;
  return SERVED;
}
