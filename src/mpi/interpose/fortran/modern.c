/* This file is the names that `use mpi_f08` calls under MPICH where its wrappers call PMPI_...:
 * calls without a buffer. Those with one call the C names MPI_..., which are interposed already.
 * Handles are C's, statuses are laid out as C's, and every argument comes by its address. */
#include "mpi/convert/interop.h"

#ifdef MPICH_NUMVERSION

#include <assert.h>
#include <dlfcn.h>
#include <string.h>

static_assert(sizeof(MPI_F08_status) == sizeof(MPI_Status), "Fortran's statuses are C's");

/* The last parameter is the error code, which may be absent. */
#define MODERN(name, call, ...)                                                                    \
  void mpi_##name##_f08_(__VA_ARGS__, MPI_Fint *error);                                            \
  void mpi_##name##_f08_(__VA_ARGS__, MPI_Fint *error)                                             \
  {                                                                                                \
    const int code = (call);                                                                       \
    if (error) *error = code;                                                                      \
  }

/* Fortran says by the address of a variable what C says by a constant. */
static MPI_Status *one(MPI_Status *status)
{
  return (void *)status == &MPIR_F08_MPI_STATUS_IGNORE_OBJ ? MPI_STATUS_IGNORE : status;
}

static MPI_Status *several(MPI_Status statuses[])
{
  return (void *)statuses == MPIR_F08_MPI_STATUSES_IGNORE_OBJ ? MPI_STATUSES_IGNORE : statuses;
}

/* --- the number of an array's first request: 1, but 0 in MPICH 4.0's mpi_f08 --- */

static int query(void *state, MPI_Status *status)
{
  (void)state;
  PMPI_Status_set_elements(status, MPI_BYTE, 0);
  return PMPI_Status_set_cancelled(status, 0);
}

static int free_nothing(void *state)
{
  (void)state;
  return MPI_SUCCESS;
}

static int cancel_nothing(void *state, int complete)
{
  (void)state, (void)complete;
  return MPI_SUCCESS;
}

/* The index that MPICH's own wrapper gives to the only request of an array. */
static int ask_first(void)
{
  typedef void waitany(const MPI_Fint *n, MPI_Request requests[], MPI_Fint *index,
                       MPI_Status *status, MPI_Fint *error);
  void *const symbol = dlsym(RTLD_NEXT, "mpi_waitany_f08_");
  waitany *ask;
  MPI_Fint one = 1, index = 1, error;
  MPI_Status status;
  MPI_Request request;
  memcpy(&ask, &symbol, sizeof ask);
  if (!ask || PMPI_Grequest_start(query, free_nothing, cancel_nothing, NULL, &request)) return 1;
  PMPI_Grequest_complete(request);
  ask(&one, &request, &index, &status, &error);
  return index;
}

static int first(void)
{
  static int number = -1; /* atomic */
  int known = __atomic_load_n(&number, __ATOMIC_RELAXED);
  if (known < 0) __atomic_store_n(&number, known = ask_first(), __ATOMIC_RELAXED);
  return known;
}

static int count_from_first(int code, MPI_Fint *index)
{
  if (!code && *index != MPI_UNDEFINED) *index += first();
  return code;
}

static int count_all(int code, const MPI_Fint *n, MPI_Fint indices[])
{
  for (int i = 0; !code && *n != MPI_UNDEFINED && i < *n; i++)
    indices[i] += first();
  return code;
}

#define REQUESTS MPI_Fint *n, MPI_Request *r
#define PEER MPI_Fint *from, MPI_Fint *tag, MPI_Comm *c

/* clang-format off */
MODERN(init_thread, MPI_Init_thread(NULL, NULL, *required, provided), MPI_Fint *required,
       MPI_Fint *provided)
MODERN(comm_free, MPI_Comm_free(c), MPI_Comm *c)
MODERN(comm_disconnect, MPI_Comm_disconnect(c), MPI_Comm *c)
MODERN(op_free, MPI_Op_free(op), MPI_Op *op)
MODERN(error_class, MPI_Error_class(*of, class), MPI_Fint *of, MPI_Fint *class)

MODERN(barrier, MPI_Barrier(*c), MPI_Comm *c)
MODERN(ibarrier, MPI_Ibarrier(*c, r), MPI_Comm *c, MPI_Request *r)
MODERN(barrier_init, MPI_Barrier_init(*c, *info, r), MPI_Comm *c, MPI_Info *info, MPI_Request *r)

MODERN(start, MPI_Start(r), MPI_Request *r)
MODERN(startall, MPI_Startall(*n, r), REQUESTS)
MODERN(request_free, MPI_Request_free(r), MPI_Request *r)
MODERN(cancel, MPI_Cancel(r), MPI_Request *r)
MODERN(request_get_status, MPI_Request_get_status(*r, flag, one(s)), MPI_Request *r, int *flag,
       MPI_Status *s)
MODERN(wait, MPI_Wait(r, one(s)), MPI_Request *r, MPI_Status *s)
MODERN(test, MPI_Test(r, flag, one(s)), MPI_Request *r, int *flag, MPI_Status *s)
MODERN(waitall, MPI_Waitall(*n, r, several(s)), REQUESTS, MPI_Status *s)
MODERN(testall, MPI_Testall(*n, r, flag, several(s)), REQUESTS, int *flag, MPI_Status *s)
MODERN(waitany, count_from_first(MPI_Waitany(*n, r, at, one(s)), at), REQUESTS, MPI_Fint *at,
       MPI_Status *s)
MODERN(testany, count_from_first(MPI_Testany(*n, r, at, flag, one(s)), at), REQUESTS, MPI_Fint *at,
       int *flag, MPI_Status *s)
MODERN(waitsome, count_all(MPI_Waitsome(*n, r, ndone, at, several(s)), ndone, at), REQUESTS,
       MPI_Fint *ndone, MPI_Fint *at, MPI_Status *s)
MODERN(testsome, count_all(MPI_Testsome(*n, r, ndone, at, several(s)), ndone, at), REQUESTS,
       MPI_Fint *ndone, MPI_Fint *at, MPI_Status *s)

MODERN(probe, MPI_Probe(*from, *tag, *c, one(s)), PEER, MPI_Status *s)
MODERN(iprobe, MPI_Iprobe(*from, *tag, *c, flag, one(s)), PEER, int *flag, MPI_Status *s)
MODERN(mprobe, MPI_Mprobe(*from, *tag, *c, m, one(s)), PEER, MPI_Message *m, MPI_Status *s)
MODERN(improbe, MPI_Improbe(*from, *tag, *c, flag, m, one(s)), PEER, int *flag, MPI_Message *m,
       MPI_Status *s)
MODERN(win_test, MPI_Win_test(*w, flag), MPI_Win *w, int *flag)
/* clang-format on */

void mpi_init_f08_(MPI_Fint *error);
void mpi_init_f08_(MPI_Fint *error)
{
  const int code = MPI_Init(NULL, NULL);
  if (error) *error = code;
}

void mpi_finalize_f08_(MPI_Fint *error);
void mpi_finalize_f08_(MPI_Fint *error)
{
  const int code = MPI_Finalize();
  if (error) *error = code;
}

#endif
