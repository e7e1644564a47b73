/* This header declares the collectives.
 *
 * A collective takes, for each buffer, a base address and a committed datatype,
 * nothing else. Every rank of the communicator calls the same collectives in
 * the same order. Where one block per rank is needed the datatype's parts give
 * it: the communicator's size and the number of parts must be equal
 * (MPJ_ERR_PARTS), and part i belongs to rank i.
 *
 * Errors of all collectives: MPJ_ERR_COMM, MPJ_ERR_TYPE, MPJ_ERR_ROOT,
 * MPJ_ERR_PARTS, MPJ_ERR_ARG (MPJ_IN_PLACE where it has no meaning);
 * MPJ_ERR_SIGNATURE (data of another signature came than this rank's layout
 * describes; nothing was written outside the layout; the communicator stays
 * usable); MPJ_ERR_PEER (a rank that this one needs died or left; names it);
 * and, on the other ranks of a collective that one rank's error ended, that
 * rank's code with a detail that names the rank.
 * Buffers are the caller's again when the call returns, error or not.
 * Threads: as the rank's level allows (MPJ_Init_thread). */
#ifndef MPJ_COLL_H
#define MPJ_COLL_H

#include <mpj/base.h>
#include <mpj/comm.h>
#include <mpj/datatype.h>
#include <mpj/op.h>
#include <mpj/request.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Return once every rank has called it. */
MPJ_PUBLIC int MPJ_Barrier(MPJ_Comm comm);

/* Data of root's buf, through root's type, arrives in every other rank's buf
 * through that rank's type; signatures must be equal. */
MPJ_PUBLIC int MPJ_Bcast(void *buf, MPJ_Datatype type, int root, MPJ_Comm comm);

/* Each rank's sendbuf arrives in root's recvbuf as part `rank` of recvtype.
 *   recvbuf, recvtype  significant at root only; recvtype has one part a rank
 *   sendbuf            MPJ_IN_PLACE at root: its own part is there already
 *                      (sendtype is then not looked at) */
MPJ_PUBLIC int MPJ_Gather(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                          MPJ_Datatype recvtype, int root, MPJ_Comm comm);

/* Part i of root's sendtype in sendbuf arrives in rank i's recvbuf.
 *   sendbuf, sendtype  significant at root only; sendtype has one part a rank
 *   recvbuf            MPJ_IN_PLACE at root: its own part stays where it is */
MPJ_PUBLIC int MPJ_Scatter(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                           MPJ_Datatype recvtype, int root, MPJ_Comm comm);

/* Each rank's sendbuf arrives in every rank's recvbuf, as part `rank` of the
 * recvtype there.
 *   sendbuf  MPJ_IN_PLACE, on all ranks: its own part is in recvbuf already */
MPJ_PUBLIC int MPJ_Allgather(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                             MPJ_Datatype recvtype, MPJ_Comm comm);

/* Part j of rank i's sendtype arrives in rank j's recvbuf as part i of recvtype.
 *   sendbuf  MPJ_IN_PLACE, on all ranks: recvtype says both what goes and what
 *            comes; part j on rank i and part i on rank j have equal signatures
 * Where all types are sparse (MPJ_Type_create_sparse), on all ranks, a rank sends and receives the
 * parts that have data, and nothing else: a call costs O(k) for k of these, whatever the number of
 * ranks. It is MPJ_ERR_COMM if types are sparse on some ranks only, MPJ_ERR_PARTS if they are on
 * one side of a rank only. Part j on rank i is empty if and only if part i on rank j is. Where this
 * does not hold the receiver returns MPJ_ERR_SIGNATURE: from this call; or, if the data comes after
 * the call has ended, from the next collective that ends, whose own work is done all the same, or
 * from MPJ_Finalize. */
MPJ_PUBLIC int MPJ_Alltoall(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                            MPJ_Datatype recvtype, MPJ_Comm comm);

/* Reductions combine the ranks' data element by element, in rank order:
 *   x(0) op (x(1) op ( ... op x(p - 1)))
 * All types of a call have one signature. The result is the same on all ranks
 * that get it, and from run to run. MPJ_ERR_OP: op does not apply to the data.
 *   sendbuf  MPJ_IN_PLACE (Reduce: at root; else on all ranks): the input lies in
 *            recvbuf, and is described by recvtype */

/* The combination of all, at root. recvbuf and recvtype are significant there only. */
MPJ_PUBLIC int MPJ_Reduce(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                          MPJ_Datatype recvtype, MPJ_Op op, int root, MPJ_Comm comm);

/* The combination of all, everywhere. */
MPJ_PUBLIC int MPJ_Allreduce(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                             MPJ_Datatype recvtype, MPJ_Op op, MPJ_Comm comm);

/* The combination of all ranks' parts `rank` of sendtype, in rank's recvbuf.
 *   sendtype  one part a rank; part i has the signature of rank i's recvtype
 *   sendbuf   MPJ_IN_PLACE, on all ranks: the input is recvbuf through sendtype */
MPJ_PUBLIC int MPJ_Reduce_scatter(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                                  MPJ_Datatype recvtype, MPJ_Op op, MPJ_Comm comm);

/* Scan: the combination of the ranks up to and with this one. Exscan: of the
 * ranks before it; rank 0's recvbuf stays as it is. */
MPJ_PUBLIC int MPJ_Scan(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                        MPJ_Datatype recvtype, MPJ_Op op, MPJ_Comm comm);
MPJ_PUBLIC int MPJ_Exscan(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                          MPJ_Datatype recvtype, MPJ_Op op, MPJ_Comm comm);

/* A type of one part a rank: part i is rank i's `part`, the parts one after another,
 * each at the sum of the extents of those before it. It replaces the gathering of
 * counts and the summing of displacements.
 *   part         borrowed; need not be committed
 *   root_or_all  the rank that gets the type; or MPJ_ALL
 *   newtype      set on success, not committed; MPJ_DATATYPE_NULL on other ranks than
 *                the root
 * Equal parts are kept once, and travel once, encoded (MPJ_Type_encode); parts that
 * are copies of one type in different numbers become a segment type.
 * Errors: the same code on all ranks: MPJ_ERR_TYPE, MPJ_ERR_ROOT, MPJ_ERR_ARG,
 * MPJ_ERR_OVERFLOW, MPJ_ERR_FORMAT (what came from a rank is no encoded type). */
#define MPJ_ALL (-32767)
MPJ_PUBLIC int MPJ_Type_create_gathered(MPJ_Datatype part, int root_or_all, MPJ_Comm comm,
                                        MPJ_Datatype *newtype);

/* The nonblocking forms: as above, with a request (mpj/request.h). Checks of the
 * arguments are made in the call; what goes wrong later is the request's status. */
MPJ_PUBLIC int MPJ_Ibarrier(MPJ_Comm comm, MPJ_Request *request);
MPJ_PUBLIC int MPJ_Ibcast(void *buf, MPJ_Datatype type, int root, MPJ_Comm comm,
                          MPJ_Request *request);
MPJ_PUBLIC int MPJ_Igather(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                           MPJ_Datatype recvtype, int root, MPJ_Comm comm, MPJ_Request *request);
MPJ_PUBLIC int MPJ_Iscatter(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                            MPJ_Datatype recvtype, int root, MPJ_Comm comm, MPJ_Request *request);
MPJ_PUBLIC int MPJ_Iallgather(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                              MPJ_Datatype recvtype, MPJ_Comm comm, MPJ_Request *request);
MPJ_PUBLIC int MPJ_Ialltoall(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                             MPJ_Datatype recvtype, MPJ_Comm comm, MPJ_Request *request);
MPJ_PUBLIC int MPJ_Ireduce(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                           MPJ_Datatype recvtype, MPJ_Op op, int root, MPJ_Comm comm,
                           MPJ_Request *request);
MPJ_PUBLIC int MPJ_Iallreduce(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                              MPJ_Datatype recvtype, MPJ_Op op, MPJ_Comm comm,
                              MPJ_Request *request);
MPJ_PUBLIC int MPJ_Ireduce_scatter(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                                   MPJ_Datatype recvtype, MPJ_Op op, MPJ_Comm comm,
                                   MPJ_Request *request);
MPJ_PUBLIC int MPJ_Iscan(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                         MPJ_Datatype recvtype, MPJ_Op op, MPJ_Comm comm, MPJ_Request *request);
MPJ_PUBLIC int MPJ_Iexscan(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                           MPJ_Datatype recvtype, MPJ_Op op, MPJ_Comm comm, MPJ_Request *request);

/* The persistent forms: the arguments are kept in an inactive request. An init counts
 * among the communicator's calls, whose order is the same on all ranks; it returns at once. A bad
 * argument is an error of this call, and of every start of the other ranks' requests. */
MPJ_PUBLIC int MPJ_Barrier_init(MPJ_Comm comm, MPJ_Request *request);
MPJ_PUBLIC int MPJ_Bcast_init(void *buf, MPJ_Datatype type, int root, MPJ_Comm comm,
                              MPJ_Request *request);
MPJ_PUBLIC int MPJ_Gather_init(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                               MPJ_Datatype recvtype, int root, MPJ_Comm comm,
                               MPJ_Request *request);
MPJ_PUBLIC int MPJ_Scatter_init(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                                MPJ_Datatype recvtype, int root, MPJ_Comm comm,
                                MPJ_Request *request);
MPJ_PUBLIC int MPJ_Allgather_init(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                                  MPJ_Datatype recvtype, MPJ_Comm comm, MPJ_Request *request);
MPJ_PUBLIC int MPJ_Alltoall_init(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                                 MPJ_Datatype recvtype, MPJ_Comm comm, MPJ_Request *request);
MPJ_PUBLIC int MPJ_Reduce_init(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                               MPJ_Datatype recvtype, MPJ_Op op, int root, MPJ_Comm comm,
                               MPJ_Request *request);
MPJ_PUBLIC int MPJ_Allreduce_init(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                                  MPJ_Datatype recvtype, MPJ_Op op, MPJ_Comm comm,
                                  MPJ_Request *request);
MPJ_PUBLIC int MPJ_Reduce_scatter_init(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                                       MPJ_Datatype recvtype, MPJ_Op op, MPJ_Comm comm,
                                       MPJ_Request *request);
MPJ_PUBLIC int MPJ_Scan_init(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                             MPJ_Datatype recvtype, MPJ_Op op, MPJ_Comm comm, MPJ_Request *request);
MPJ_PUBLIC int MPJ_Exscan_init(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                               MPJ_Datatype recvtype, MPJ_Op op, MPJ_Comm comm,
                               MPJ_Request *request);

#ifdef __cplusplus
}
#endif
#endif
