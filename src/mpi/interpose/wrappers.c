/* This file is MPI's collectives: each is made from its parameters, its arguments and the
 * function that says it in MPJ's terms, in the blocking, nonblocking and persistent forms,
 * with int and, where the MPI library has them, large counts. */
#include "mpi/interpose/arguments/prepare.h"
#include "mpi/interpose/begun.h"
#include "mpi/interpose/call_run.h"
#include "mpi/interpose/comms.h"
#include "mpi/interpose/errors.h"
#include "mpi/interpose/first_sends.h"
#include "mpi/interpose/report.h"
#include "mpi/interpose/requests.h"
#include "mpi/interpose/waiting.h"

#ifdef OMPI_MAJOR_VERSION
#include <mpi-ext.h>
#endif

static int run(struct call *call)
{
  const double begun = report_begin();
  first_sends_leave();
  const int status =
      must_take_turns() || requests_under_way() ? requests_run(call) : requests_run_alone(call);
  report_served(call->collective, report_bytes(call), begun);
  mpi_is_behind();
  call_end(call);
  return mpi_error_of(status, call, call->mpi_comm);
}

static int start(struct call *call, MPI_Request *request)
{
  report_served(call->collective, report_bytes(call), report_begin());
  return requests_start(call, request);
}

#define INTS(c, d) ((struct lists){.counts = (c), .displs = (d)})
#define LARGE(c, d) ((struct lists){.large_counts = (c), .large_displs = (d)})

/* Parameters with counts of type C and displacements of type D; the arguments; and those
 * of prepare_..., with lists made by L. */
#define P_BARRIER(C, D) MPI_Comm comm
#define A_BARRIER comm
#define L_BARRIER(L) comm

#define P_BCAST(C, D) void *buf, C count, MPI_Datatype type, int root, MPI_Comm comm
#define A_BCAST buf, count, type, root, comm
#define L_BCAST(L) A_BCAST

#define P_SIDES(C)                                                                                 \
  const void *sendbuf, C sendcount, MPI_Datatype sendtype, void *recvbuf, C recvcount,             \
      MPI_Datatype recvtype
#define A_SIDES sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype
#define P_ROOTED(C, D) P_SIDES(C), int root, MPI_Comm comm
#define A_ROOTED A_SIDES, root, comm
#define L_ROOTED(L) A_ROOTED
#define P_ALL(C, D) P_SIDES(C), MPI_Comm comm
#define A_ALL A_SIDES, comm
#define L_ALL(L) A_ALL

#define P_TO_LISTS(C, D)                                                                           \
  const void *sendbuf, C sendcount, MPI_Datatype sendtype, void *recvbuf, const C recvcounts[],    \
      const D displs[], MPI_Datatype recvtype
#define A_TO_LISTS sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype
#define L_TO_LISTS(L) sendbuf, sendcount, sendtype, recvbuf, L(recvcounts, displs), recvtype
#define P_GATHERV(C, D) P_TO_LISTS(C, D), int root, MPI_Comm comm
#define A_GATHERV A_TO_LISTS, root, comm
#define L_GATHERV(L) L_TO_LISTS(L), root, comm
#define P_ALLGATHERV(C, D) P_TO_LISTS(C, D), MPI_Comm comm
#define A_ALLGATHERV A_TO_LISTS, comm
#define L_ALLGATHERV(L) L_TO_LISTS(L), comm

#define P_SCATTERV(C, D)                                                                           \
  const void *sendbuf, const C sendcounts[], const D displs[], MPI_Datatype sendtype,              \
      void *recvbuf, C recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm
#define A_SCATTERV sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm
#define L_SCATTERV(L)                                                                              \
  sendbuf, L(sendcounts, displs), sendtype, recvbuf, recvcount, recvtype, root, comm

#define P_ALLTOALLV(C, D)                                                                          \
  const void *sendbuf, const C sendcounts[], const D sdispls[], MPI_Datatype sendtype,             \
      void *recvbuf, const C recvcounts[], const D rdispls[], MPI_Datatype recvtype, MPI_Comm comm
#define A_ALLTOALLV                                                                                \
  sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm
#define L_ALLTOALLV(L)                                                                             \
  sendbuf, L(sendcounts, sdispls), sendtype, recvbuf, L(recvcounts, rdispls), recvtype, comm

#define P_ALLTOALLW(C, D)                                                                          \
  const void *sendbuf, const C sendcounts[], const D sdispls[], const MPI_Datatype sendtypes[],    \
      void *recvbuf, const C recvcounts[], const D rdispls[], const MPI_Datatype recvtypes[],      \
      MPI_Comm comm
#define A_ALLTOALLW                                                                                \
  sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm
#define L_ALLTOALLW(L)                                                                             \
  sendbuf, L(sendcounts, sdispls), sendtypes, recvbuf, L(recvcounts, rdispls), recvtypes, comm

#define P_REDUCE(C, D)                                                                             \
  const void *sendbuf, void *recvbuf, C count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm
#define A_REDUCE sendbuf, recvbuf, count, type, op, root, comm
#define L_REDUCE(L) A_REDUCE
#define P_ALLREDUCE(C, D)                                                                          \
  const void *sendbuf, void *recvbuf, C count, MPI_Datatype type, MPI_Op op, MPI_Comm comm
#define A_ALLREDUCE sendbuf, recvbuf, count, type, op, comm
#define L_ALLREDUCE(L) A_ALLREDUCE
#define P_REDUCE_SCATTER(C, D)                                                                     \
  const void *sendbuf, void *recvbuf, const C recvcounts[], MPI_Datatype type, MPI_Op op,          \
      MPI_Comm comm
#define A_REDUCE_SCATTER sendbuf, recvbuf, recvcounts, type, op, comm
#define L_REDUCE_SCATTER(L) sendbuf, recvbuf, L(recvcounts, NULL), type, op, comm

/* Who began MPI by another name may complete requests by another name, too. */
static bool is_seen(enum form form)
{
  return form == RUNS || !interposer_began_late();
}

/* Whether a call on an unconverted communicator has changed that, else *why not. */
static bool adopts(enum form form, MPI_Comm comm, enum reason *why)
{
  bool soon = true;
  if (form != STARTS && comms_adopt(comm, form == MAKES, &soon)) return true;
  if (soon && comms_may_adopt(comm)) *why = NOT_YET;
  return false;
}

static int say_wrong(struct call *call, enum form form)
{
  call->form = form;
  return mpi_error_of(mpi_report(MPJ_ERR_ARG, "MPJ_: %s", call->wrong), call, call->mpi_comm);
}

/* One function: serve it by SERVE, or pass it on; a call that gives no place for its request is
 * wrong. */
#define SERVED_BY(KIND, prepare, FORM, IS_GIVEN, PASS, SERVE)                                      \
  {                                                                                                \
    struct call call = {.collective = KIND, .form = FORM};                                         \
    if (interposer_is_child()) return mpi_error_in_child(&call, comm);                             \
    enum reason why = !is_seen(FORM) ? UNSEEN : IS_GIVEN ? call_settle(&call, prepare) : WRONG_CALL;\
    if (why == NO_COMM && adopts(FORM, comm, &why)) why = call_settle(&call, prepare);             \
    if (why == SERVED) return SERVE;                                                               \
    if (call.wrong) return say_wrong(&call, FORM);                                                 \
    report_passed(KIND, why);                                                                      \
    return PASS;                                                                                   \
  }

#ifdef OMPI_MAJOR_VERSION /* 4.1 has persistent collectives as an extension only */
#define INIT(Name) MPIX_##Name
#define PINIT(Name) PMPIX_##Name
#else
#define INIT(Name) MPI_##Name
#define PINIT(Name) PMPI_##Name
#endif

/* The three forms of one width. */
#define FORMS(Name, IName, InitName, KIND, P, A, prepare)                                          \
  int MPI_##Name(P) SERVED_BY(KIND, prepare, RUNS, true, PMPI_##Name(A), run(&call)) int           \
      MPI_##IName(P, MPI_Request *request)                                                         \
          SERVED_BY(KIND, prepare, STARTS, (request != NULL), PMPI_##IName(A, request),            \
                    start(&call, request)) int INIT(InitName)(P, MPI_Info info,                    \
                                                              MPI_Request * request)               \
              SERVED_BY(KIND, prepare, MAKES, (request != NULL),                                   \
                        PINIT(InitName)(A, info, request), requests_init(&call, request))

#if MPI_VERSION >= 4
#define BOTH(Name, IName, InitName, KIND, SHAPE, prepare)                                          \
  FORMS(Name, IName, InitName, KIND, P_##SHAPE(int, int), A_##SHAPE,                               \
        prepare(&call, L_##SHAPE(INTS)))                                                           \
  FORMS(Name##_c, IName##_c, InitName##_c, KIND, P_##SHAPE(MPI_Count, MPI_Aint), A_##SHAPE,        \
        prepare(&call, L_##SHAPE(LARGE)))
#else
#define BOTH(Name, IName, InitName, KIND, SHAPE, prepare)                                          \
  FORMS(Name, IName, InitName, KIND, P_##SHAPE(int, int), A_##SHAPE,                               \
        prepare(&call, L_##SHAPE(INTS)))
#endif

/* clang-format off */
FORMS(Barrier, Ibarrier, Barrier_init, BARRIER, P_BARRIER(int, int), A_BARRIER,
      prepare_barrier(&call, A_BARRIER))
BOTH(Bcast, Ibcast, Bcast_init, BCAST, BCAST, prepare_bcast)
BOTH(Gather, Igather, Gather_init, GATHER, ROOTED, prepare_gather)
BOTH(Gatherv, Igatherv, Gatherv_init, GATHERV, GATHERV, prepare_gatherv)
BOTH(Scatter, Iscatter, Scatter_init, SCATTER, ROOTED, prepare_scatter)
BOTH(Scatterv, Iscatterv, Scatterv_init, SCATTERV, SCATTERV, prepare_scatterv)
BOTH(Allgather, Iallgather, Allgather_init, ALLGATHER, ALL, prepare_allgather)
BOTH(Allgatherv, Iallgatherv, Allgatherv_init, ALLGATHERV, ALLGATHERV, prepare_allgatherv)
BOTH(Alltoall, Ialltoall, Alltoall_init, ALLTOALL, ALL, prepare_alltoall)
BOTH(Alltoallv, Ialltoallv, Alltoallv_init, ALLTOALLV, ALLTOALLV, prepare_alltoallv)
BOTH(Alltoallw, Ialltoallw, Alltoallw_init, ALLTOALLW, ALLTOALLW, prepare_alltoallw)
BOTH(Reduce, Ireduce, Reduce_init, REDUCE, REDUCE, prepare_reduce)
BOTH(Allreduce, Iallreduce, Allreduce_init, ALLREDUCE, ALLREDUCE, prepare_allreduce)
BOTH(Reduce_scatter, Ireduce_scatter, Reduce_scatter_init, REDUCE_SCATTER, REDUCE_SCATTER,
     prepare_reduce_scatter)
BOTH(Reduce_scatter_block, Ireduce_scatter_block, Reduce_scatter_block_init, REDUCE_SCATTER_BLOCK,
     ALLREDUCE, prepare_reduce_scatter_block)
BOTH(Scan, Iscan, Scan_init, SCAN, ALLREDUCE, prepare_scan)
BOTH(Exscan, Iexscan, Exscan_init, EXSCAN, ALLREDUCE, prepare_exscan)
/* clang-format on */

/* The collectives of neighbourhoods, which MPJ has not. */
#define PASS(KIND, ...)                                                                            \
  {                                                                                                \
    report_passed(NEIGHBOR_##KIND, NEVER);                                                         \
    return __VA_ARGS__;                                                                            \
  }
#define PASSED_FORMS(Name, IName, InitName, KIND, P, A)                                            \
  int MPI_##Name(P) PASS(KIND, PMPI_##Name(A)) int MPI_##IName(P, MPI_Request *request)            \
      PASS(KIND, PMPI_##IName(A, request)) int                                                     \
      INIT(InitName)(P, MPI_Info info, MPI_Request * request)                                      \
          PASS(KIND, PINIT(InitName)(A, info, request))
#if MPI_VERSION >= 4
#define PASSED(Name, KIND, SHAPE, D)                                                               \
  PASSED_FORMS(Neighbor_##Name, Ineighbor_##Name, Neighbor_##Name##_init, KIND, P_##SHAPE(int, D), \
               A_##SHAPE)                                                                          \
  PASSED_FORMS(Neighbor_##Name##_c, Ineighbor_##Name##_c, Neighbor_##Name##_init_c, KIND,          \
               P_##SHAPE(MPI_Count, MPI_Aint), A_##SHAPE)
#else
#define PASSED(Name, KIND, SHAPE, D)                                                               \
  PASSED_FORMS(Neighbor_##Name, Ineighbor_##Name, Neighbor_##Name##_init, KIND, P_##SHAPE(int, D), \
               A_##SHAPE)
#endif

/* clang-format off */
PASSED(allgather, ALLGATHER, ALL, int)
PASSED(allgatherv, ALLGATHERV, ALLGATHERV, int)
PASSED(alltoall, ALLTOALL, ALL, int)
PASSED(alltoallv, ALLTOALLV, ALLTOALLV, int)
PASSED(alltoallw, ALLTOALLW, ALLTOALLW, MPI_Aint)
/* clang-format on */
