/* This file is MPI's calls that make communicators: each new one is converted at once, by
 * all its processes, so that no later call has to. A communicator that MPI_Comm_idup makes cannot
 * be, as that would have to wait: it is in its first call that may. */
#include "mpi/comm.h"

#include <pthread.h>

#include "mpi/interpose/comms.h"
#include "mpi/interpose/complete.h"
#include "mpi/interpose/requests.h"

static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

/* Of several threads that make communicators at the same time, one converts its: they would wait
 * for each other, in another order on another rank. All members of the communicator hear
 * whether all may. True: the lock is held. */
static bool may_convert(MPI_Comm comm)
{
  if (!threads_many()) return true;
  int mine = pthread_mutex_trylock(&making) == 0, all = 0;
  PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm);
  if (mine && !all) pthread_mutex_unlock(&making);
  return all != 0;
}

void comms_convert(int code, const MPI_Comm *made)
{
  MPJ_Comm comm;
  int between = 0;
  if (code != MPI_SUCCESS || *made == MPI_COMM_NULL) return;
  if (PMPI_Comm_test_inter(*made, &between) || between) return;
  if (!may_convert(*made)) return;
  requests_lock();
  MPJ_Comm_from_mpi(*made, &comm);
  requests_unlock();
  if (threads_many()) pthread_mutex_unlock(&making);
}

static int refused = MPI_KEYVAL_INVALID; /* an attribute of those that were not to be converted */

void comms_begin(void)
{
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &refused, NULL);
}

bool comms_adopt(MPI_Comm comm)
{
  void *value;
  int found = 0;
  if (refused == MPI_KEYVAL_INVALID) return false;
  if (PMPI_Comm_get_attr(comm, refused, &value, &found) || found) return false;
  comms_convert(MPI_SUCCESS, &comm);
  if (mpi_comm_look(comm)) return true;
  PMPI_Comm_set_attr(comm, refused, NULL);
  return false;
}

/* What is under way on it ends first, as its conversion goes with it. */
static void prepare_to_free(const MPI_Comm *comm)
{
  if (!comm || *comm == MPI_COMM_NULL) return;
  requests_drain(*comm);
  requests_lock();
  mpi_comm_give_up(*comm);
  requests_unlock();
}

int MPI_Comm_free(MPI_Comm *comm)
{
  prepare_to_free(comm);
  return PMPI_Comm_free(comm);
}

int MPI_Comm_disconnect(MPI_Comm *comm)
{
  prepare_to_free(comm);
  return PMPI_Comm_disconnect(comm);
}

/* int MPI_Name(PARAMETERS, MPI_Comm *made), in terms of PMPI_Name. */
#define MAKING(Name, PARAMETERS, ...)                                                              \
  int MPI_##Name(PARAMETERS, MPI_Comm *made)                                                       \
  {                                                                                                \
    const int code = PMPI_##Name(__VA_ARGS__, made);                                               \
    comms_convert(code, made);                                                                     \
    return code;                                                                                   \
  }
#define LIST(...) __VA_ARGS__

/* clang-format off */
MAKING(Comm_dup, LIST(MPI_Comm comm), comm)
MAKING(Comm_dup_with_info, LIST(MPI_Comm comm, MPI_Info info), comm, info)
MAKING(Comm_split, LIST(MPI_Comm comm, int color, int order), comm, color, order)
MAKING(Comm_split_type, LIST(MPI_Comm comm, int kind, int order, MPI_Info info),
       comm, kind, order, info)
MAKING(Comm_create, LIST(MPI_Comm comm, MPI_Group group), comm, group)
MAKING(Comm_create_group, LIST(MPI_Comm comm, MPI_Group group, int tag), comm, group, tag)
MAKING(Intercomm_merge, LIST(MPI_Comm comm, int high), comm, high)
MAKING(Cart_create, LIST(MPI_Comm comm, int ndims, const int dims[], const int periods[],
                         int reorder), comm, ndims, dims, periods, reorder)
MAKING(Cart_sub, LIST(MPI_Comm comm, const int remain[]), comm, remain)
MAKING(Graph_create, LIST(MPI_Comm comm, int n, const int index[], const int edges[], int reorder),
       comm, n, index, edges, reorder)
MAKING(Dist_graph_create, LIST(MPI_Comm comm, int n, const int sources[], const int degrees[],
                               const int destinations[], const int weights[], MPI_Info info,
                               int reorder),
       comm, n, sources, degrees, destinations, weights, info, reorder)
MAKING(Dist_graph_create_adjacent, LIST(MPI_Comm comm, int indegree, const int sources[],
                                        const int sourceweights[], int outdegree,
                                        const int destinations[], const int destweights[],
                                        MPI_Info info, int reorder),
       comm, indegree, sources, sourceweights, outdegree, destinations, destweights, info, reorder)
/* clang-format on */
