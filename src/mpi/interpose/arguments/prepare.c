/* This file says MPI's data-moving collectives in MPJ's terms. */
#include "mpi/interpose/arguments/prepare.h"

#include <string.h>

#include "mpi/convert/comm.h"
#include "mpi/interpose/arguments/alias.h"
#include "mpi/interpose/arguments/types.h"
#include "mpi/interpose/begun.h"
#include "mpi/interpose/call_run.h"

enum { LOOKED_UP = 8 };

/* The communicators used lately, as MPI takes its time to look at attributes. Valid while none was
 * given up, as handles are used again. */
static _Thread_local struct {
  MPI_Comm mpi;
  unsigned long generation;
  const struct mpi_comm_of *kept;
} looked_up[LOOKED_UP];

static const struct mpi_comm_of *look(MPI_Comm comm)
{
  const uint64_t h = (uint64_t)(uintptr_t)comm * UINT64_C(0x9e3779b97f4a7c15);
  const unsigned i = (unsigned)(h >> 61);
  const unsigned long now = mpi_comm_generation();
  if (looked_up[i].mpi != comm || looked_up[i].generation != now) {
    const struct mpi_comm_of *kept = mpi_comm_look(comm);
    if (!kept) return NULL;
    looked_up[i].mpi = comm;
    looked_up[i].generation = now;
    looked_up[i].kept = kept;
  }
  return looked_up[i].kept;
}

enum reason call_begin(struct call *call, enum collective collective, MPI_Comm comm, int *size)
{
  *call = (struct call){.collective = collective, .mpi_comm = comm};
  if (!collective_chosen(collective)) return NOT_CHOSEN;
  if (comm == MPI_COMM_NULL) return WRONG_CALL;
  const struct mpi_comm_of *kept = look(comm);
  if (!kept) return NO_COMM;
  call->comm = kept->comm;
  call->rank = kept->rank;
  *size = kept->size;
  types_begin();
  return SERVED;
}

enum reason call_give_up(struct call *call)
{
  call_end(call);
  return WRONG_CALL;
}

/* Data of `type` at address 0, which MPI takes for absolute addresses alone. */
static bool is_nowhere(const void *buf, MPJ_Datatype type)
{
  MPJ_Count bytes = 0;
  MPJ_Aint lb = 0, extent = 0;
  if (buf || !type) return false;
  MPJ_Type_size(type, &bytes);
  MPJ_Type_get_true_extent(type, &lb, &extent);
  return bytes > 0 && lb == 0;
}

/* Whether MPI_IN_PLACE as the buffer of such data is wrong: where there is none, it is a dummy. */
static bool is_wrong_place(const void *buf, MPJ_Datatype type)
{
  MPJ_Count bytes = 0;
  if (buf != MPI_IN_PLACE) return false;
  if (type) MPJ_Type_size(type, &bytes);
  return bytes > 0;
}

/* Rank 0 gets nothing from an Exscan, and need not have a place for it: MPICH wants one. */
static bool leaves_alone(const struct call *call)
{
#ifdef OMPI_MAJOR_VERSION
  return call->collective == EXSCAN && call->rank == 0 && call->sendbuf != MPJ_IN_PLACE;
#else
  (void)call;
  return false;
#endif
}

enum reason call_settle(struct call *call, enum reason why)
{
  const bool scatters = call->collective == SCATTER || call->collective == SCATTERV;
  if (why != SERVED) return why;
  if (scatters) {
    if (is_wrong_place(call->sendbuf, call->sendtype)) return call_give_up(call);
    if (call->sendbuf == MPI_IN_PLACE) call->sendbuf = NULL;
  } else if (call->recvbuf == MPI_IN_PLACE) {
    if (!leaves_alone(call) && is_wrong_place(call->recvbuf, call->recvtype))
      return call_give_up(call);
    call->recvbuf = NULL;
  }
  if (is_nowhere(call->sendbuf, call->sendtype)) return call_give_up(call);
  if (!leaves_alone(call) && is_nowhere(call->recvbuf, call->recvtype)) return call_give_up(call);
  return SERVED;
}

bool lists_have_elements(const struct lists *l, int n)
{
  if (!l->counts && !l->large_counts) return false;
  for (int i = 0; i < n; i++)
    if ((l->counts ? l->counts[i] : l->large_counts[i]) > 0) return true;
  return false;
}

/* `count` elements. The type of none is not looked at, as some MPI libraries let it be anything. */
static bool part_of(MPI_Count count, MPI_Datatype type, MPJ_Datatype *made)
{
  return type_of(count, type, made) || (count == 0 && type_of(0, MPI_BYTE, made));
}

/* Lists without displacements are wrong, where there is data. */
static bool lack_displs(const struct lists *lists, int size)
{
  return !lists->displs && !lists->large_displs && lists_have_elements(lists, size);
}

/* The side that has a part a rank: p times count elements, or as the lists say. */
static bool parts_of(int size, MPI_Count count, const struct lists *lists, MPI_Datatype type,
                     MPJ_Datatype *made)
{
  if (!lists)
    return type_of_parts(size, count, type, made) ||
           (count == 0 && type_of_parts(size, 0, MPI_BYTE, made));
  if (lack_displs(lists, size)) return false;
  return type_of_lists(size, lists, type, made) ||
         (!lists_have_elements(lists, size) && type_of_lists(size, lists, MPI_BYTE, made));
}

/* The same with a type a part. */
static bool w_parts_of(int size, const struct lists *lists, const MPI_Datatype types[],
                       MPJ_Datatype *made)
{
  if (lack_displs(lists, size)) return false;
  return type_of_w_lists(size, lists, types, made) ||
         (!lists_have_elements(lists, size) && type_of_lists(size, lists, MPI_BYTE, made));
}

enum reason prepare_barrier(struct call *call, MPI_Comm comm)
{
  int size;
  return call_begin(call, BARRIER, comm, &size);
}

enum reason prepare_bcast(struct call *call, void *buf, MPI_Count count, MPI_Datatype type,
                          int root, MPI_Comm comm)
{
  int size;
  const enum reason why = call_begin(call, BCAST, comm, &size);
  if (why) return why;
  if (!is_rank(root, size) || !part_of(count, type, &call->recvtype)) return call_give_up(call);
  call->recvbuf = buf;
  call->root = root;
  return SERVED;
}

/* What the lists say of one part; without them, part `rank` of equal ones of `count` elements. */
static MPI_Count count_of(const struct lists *lists, MPI_Count count, int rank)
{
  if (!lists) return count;
  if (lists->counts) return lists->counts[rank];
  return lists->large_counts ? lists->large_counts[rank] : 0;
}

static MPI_Count displ_of(const struct lists *lists, MPI_Count count, int rank)
{
  if (!lists) return count * rank;
  if (lists->displs) return lists->displs[rank];
  return lists->large_displs ? lists->large_displs[rank] : 0;
}

/* Whether `buf` is this rank's own part of `parts`: an aliased Gather, Scatter or Allgather. */
static bool is_own_part(const struct call *call, const void *buf, MPI_Count count,
                        MPI_Datatype type, const void *parts, MPI_Count part_count,
                        const struct lists *lists, MPI_Datatype part_type)
{
  if (type != part_type || count <= 0 || count_of(lists, part_count, call->rank) != count)
    return false;
  return alias_is_part(buf, parts, displ_of(lists, part_count, call->rank), type);
}

/* Gather and Gatherv; lists is NULL for the first. */
static enum reason gather(struct call *call, const void *sendbuf, MPI_Count sendcount,
                          MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
                          const struct lists *lists, MPI_Datatype recvtype, int root, int size)
{
  if (!is_rank(root, size)) return call_give_up(call);
  const bool is_root = call->rank == root;
  const bool aliased = is_root && is_own_part(call, sendbuf, sendcount, sendtype, recvbuf,
                                              recvcount, lists, recvtype);
  if (!is_root && sendcount == 0) sendbuf = NULL;
  const bool in_place = sendbuf == MPI_IN_PLACE || aliased;
  if (aliased && alias_is_refused(call->collective, 1)) return call_give_up(call);
  if (in_place && !is_root) return call_give_up(call);
  if (!in_place && !part_of(sendcount, sendtype, &call->sendtype)) return call_give_up(call);
  if (is_root && !parts_of(size, recvcount, lists, recvtype, &call->recvtype))
    return call_give_up(call);
  call->sendbuf = in_place ? MPJ_IN_PLACE : sendbuf;
  call->recvbuf = is_root ? recvbuf : NULL;
  call->root = root;
  return SERVED;
}

enum reason prepare_gather(struct call *call, const void *sendbuf, MPI_Count sendcount,
                           MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
                           MPI_Datatype recvtype, int root, MPI_Comm comm)
{
  int size;
  const enum reason why = call_begin(call, GATHER, comm, &size);
  return why ? why
             : gather(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, NULL, recvtype, root,
                      size);
}

enum reason prepare_gatherv(struct call *call, const void *sendbuf, MPI_Count sendcount,
                            MPI_Datatype sendtype, void *recvbuf, struct lists recv,
                            MPI_Datatype recvtype, int root, MPI_Comm comm)
{
  int size;
  const enum reason why = call_begin(call, GATHERV, comm, &size);
  return why ? why
             : gather(call, sendbuf, sendcount, sendtype, recvbuf, 0, &recv, recvtype, root, size);
}

/* Scatter and Scatterv; lists is NULL for the first. */
static enum reason scatter(struct call *call, const void *sendbuf, MPI_Count sendcount,
                           const struct lists *lists, MPI_Datatype sendtype, void *recvbuf,
                           MPI_Count recvcount, MPI_Datatype recvtype, int root, int size)
{
  if (!is_rank(root, size)) return call_give_up(call);
  const bool is_root = call->rank == root;
  const bool aliased = is_root && is_own_part(call, recvbuf, recvcount, recvtype, sendbuf,
                                              sendcount, lists, sendtype);
  if (!is_root && recvcount == 0) recvbuf = NULL;
  const bool in_place = recvbuf == MPI_IN_PLACE || aliased;
  if (aliased && alias_is_refused(call->collective, 1)) return call_give_up(call);
  if (in_place && !is_root) {
    call->wrong = "recvbuf is MPI_IN_PLACE on a rank that is not the root";
    return call_give_up(call);
  }
  if (!in_place && !part_of(recvcount, recvtype, &call->recvtype)) return call_give_up(call);
  if (is_root && !parts_of(size, sendcount, lists, sendtype, &call->sendtype))
    return call_give_up(call);
  call->sendbuf = is_root ? sendbuf : NULL;
  call->recvbuf = in_place ? MPJ_IN_PLACE : recvbuf;
  call->root = root;
  return SERVED;
}

enum reason prepare_scatter(struct call *call, const void *sendbuf, MPI_Count sendcount,
                            MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
                            MPI_Datatype recvtype, int root, MPI_Comm comm)
{
  int size;
  const enum reason why = call_begin(call, SCATTER, comm, &size);
  return why ? why
             : scatter(call, sendbuf, sendcount, NULL, sendtype, recvbuf, recvcount, recvtype, root,
                       size);
}

enum reason prepare_scatterv(struct call *call, const void *sendbuf, struct lists send,
                             MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
                             MPI_Datatype recvtype, int root, MPI_Comm comm)
{
  int size;
  const enum reason why = call_begin(call, SCATTERV, comm, &size);
  return why ? why
             : scatter(call, sendbuf, 0, &send, sendtype, recvbuf, recvcount, recvtype, root, size);
}

/* An Allgather has one size for all ranks' parts: where this rank sends less than its room for each
 * part, so do the others, and the parts that come are at the beginnings of their rooms. MPJ itself
 * goes by that size before it knows of others', and hands on parts from the rooms. */
static bool fit_parts(struct call *call, MPI_Count count, MPI_Datatype type, int size)
{
  MPJ_Count sent = 0, room = 0;
  if (!interposer_fits()) return true;
  MPJ_Type_size(call->sendtype, &sent);
  MPJ_Type_size(call->recvtype, &room);
  room /= size;
  if (sent >= room || sent % (room / count) != 0) return true;
  MPI_Count *counts = mpi_array(size, sizeof *counts);
  MPI_Aint *displs = mpi_array(size, sizeof *displs);
  for (int i = 0; counts && displs && i < size; i++) {
    counts[i] = sent / (room / count);
    displs[i] = (MPI_Aint)(i * count);
  }
  const struct lists lists = {.large_counts = counts, .large_displs = displs};
  const bool made = counts && displs && type_of_lists(size, &lists, type, &call->recvtype);
  free(counts);
  free(displs);
  return made;
}

static enum reason allgather(struct call *call, const void *sendbuf, MPI_Count sendcount,
                             MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
                             const struct lists *lists, MPI_Datatype recvtype, int size)
{
  const bool aliased =
      is_own_part(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, lists, recvtype);
  const bool in_place = sendbuf == MPI_IN_PLACE || aliased;
  if (aliased && alias_is_refused(call->collective, 1)) return call_give_up(call);
  if (!in_place && !part_of(sendcount, sendtype, &call->sendtype)) return call_give_up(call);
  if (!parts_of(size, recvcount, lists, recvtype, &call->recvtype)) return call_give_up(call);
  const bool alike = in_place || lists || (sendtype == recvtype && sendcount == recvcount);
  if (!alike && !fit_parts(call, recvcount, recvtype, size)) return call_give_up(call);
  call->sendbuf = in_place ? MPJ_IN_PLACE : sendbuf;
  call->recvbuf = recvbuf;
  return SERVED;
}

enum reason prepare_allgather(struct call *call, const void *sendbuf, MPI_Count sendcount,
                              MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
                              MPI_Datatype recvtype, MPI_Comm comm)
{
  int size;
  const enum reason why = call_begin(call, ALLGATHER, comm, &size);
  return why ? why
             : allgather(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, NULL, recvtype,
                         size);
}

enum reason prepare_allgatherv(struct call *call, const void *sendbuf, MPI_Count sendcount,
                               MPI_Datatype sendtype, void *recvbuf, struct lists recv,
                               MPI_Datatype recvtype, MPI_Comm comm)
{
  int size;
  const enum reason why = call_begin(call, ALLGATHERV, comm, &size);
  return why ? why
             : allgather(call, sendbuf, sendcount, sendtype, recvbuf, 0, &recv, recvtype, size);
}

/* In place, the receiving side says what is sent, too. */
enum reason prepare_alltoall(struct call *call, const void *sendbuf, MPI_Count sendcount,
                             MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
                             MPI_Datatype recvtype, MPI_Comm comm)
{
  int size;
  const enum reason why = call_begin(call, ALLTOALL, comm, &size);
  const bool aliased =
      alias_is(sendbuf, recvbuf) && sendtype == recvtype && sendcount == recvcount && sendcount > 0;
  const bool in_place = sendbuf == MPI_IN_PLACE || aliased;
  if (why) return why;
  if (aliased && alias_is_refused(ALLTOALL, 1)) return call_give_up(call);
  if (!parts_of(size, recvcount, NULL, recvtype, &call->recvtype)) return call_give_up(call);
  if (!in_place && sendcount == recvcount && sendtype == recvtype)
    call->sendtype = call->recvtype;
  else if (!in_place && !parts_of(size, sendcount, NULL, sendtype, &call->sendtype))
    return call_give_up(call);
  call->sendbuf = in_place ? MPJ_IN_PLACE : sendbuf;
  call->recvbuf = recvbuf;
  return SERVED;
}

/* One pair of arrays for both sides, as MPI libraries look at them. */
static bool are_same_lists(const struct lists *a, const struct lists *b)
{
  return a->counts == b->counts && a->displs == b->displs && a->large_counts == b->large_counts &&
         a->large_displs == b->large_displs;
}

static bool is_equal(const void *a, const void *b, size_t bytes)
{
  return a == b || (a && b && memcmp(a, b, bytes) == 0);
}

/* Lists that say the same, perhaps in arrays of their own, which MPI libraries do not see. */
static bool are_equal_lists(const struct lists *a, const struct lists *b, int size)
{
  const size_t n = (size_t)size;
  return is_equal(a->counts, b->counts, n * sizeof *a->counts) &&
         is_equal(a->displs, b->displs, n * sizeof *a->displs) &&
         is_equal(a->large_counts, b->large_counts, n * sizeof *a->large_counts) &&
         is_equal(a->large_displs, b->large_displs, n * sizeof *a->large_displs);
}

/* One buffer for both sides, whose lists say the same, and in which there is something. */
static bool are_aliased(const void *sendbuf, const struct lists *send, const void *recvbuf,
                        const struct lists *recv, int size)
{
  return alias_is(sendbuf, recvbuf) && are_equal_lists(send, recv, size) &&
         lists_have_elements(recv, size);
}

enum reason prepare_alltoallv(struct call *call, const void *sendbuf, struct lists send,
                              MPI_Datatype sendtype, void *recvbuf, struct lists recv,
                              MPI_Datatype recvtype, MPI_Comm comm)
{
  int size;
  const enum reason why = call_begin(call, ALLTOALLV, comm, &size);
  if (why) return why;
  const bool aliased = sendtype == recvtype && are_aliased(sendbuf, &send, recvbuf, &recv, size);
  const bool in_place = sendbuf == MPI_IN_PLACE || aliased;
  if (aliased && are_same_lists(&send, &recv) && alias_is_refused(ALLTOALLV, 1))
    return call_give_up(call);
  if (!in_place && !parts_of(size, 0, &send, sendtype, &call->sendtype)) return call_give_up(call);
  if (!parts_of(size, 0, &recv, recvtype, &call->recvtype)) return call_give_up(call);
  call->sendbuf = in_place ? MPJ_IN_PLACE : sendbuf;
  call->recvbuf = recvbuf;
  return SERVED;
}

enum reason prepare_alltoallw(struct call *call, const void *sendbuf, struct lists send,
                              const MPI_Datatype sendtypes[], void *recvbuf, struct lists recv,
                              const MPI_Datatype recvtypes[], MPI_Comm comm)
{
  int size;
  const enum reason why = call_begin(call, ALLTOALLW, comm, &size);
  if (why) return why;
  const bool aliased = are_aliased(sendbuf, &send, recvbuf, &recv, size) &&
                       is_equal(sendtypes, recvtypes, (size_t)size * sizeof *sendtypes);
  const bool in_place = sendbuf == MPI_IN_PLACE || aliased;
  if (aliased && are_same_lists(&send, &recv) && sendtypes == recvtypes &&
      alias_is_refused(ALLTOALLW, 1))
    return call_give_up(call);
  if (!in_place && !w_parts_of(size, &send, sendtypes, &call->sendtype)) return call_give_up(call);
  if (!w_parts_of(size, &recv, recvtypes, &call->recvtype)) return call_give_up(call);
  call->sendbuf = in_place ? MPJ_IN_PLACE : sendbuf;
  call->recvbuf = recvbuf;
  return SERVED;
}
