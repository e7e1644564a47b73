/* This file counts Open MPI's Fortran collectives of neighbourhoods, which MPJ has not, and calls
 * Open MPI's own. */
#include <dlfcn.h>
#include <string.h>

#include "mpi/interpose/report.h"

#include "mpi/interpose/fortran/fortran.h" /* last: its REDUCE is of parameters */

#ifdef OMPI_MAJOR_VERSION

/* The program's MPI library has the name, as it was found before. */
#define PASSED_NAME(name, KIND, PARAMETERS, NAMES)                                                 \
  void name(PARAMETERS, MPI_Fint *error);                                                          \
  void name(PARAMETERS, MPI_Fint *error)                                                           \
  {                                                                                                \
    void (*own)(PARAMETERS, MPI_Fint * error) = NULL;                                              \
    void *const symbol = dlsym(RTLD_NEXT, #name);                                                  \
    report_passed(KIND, NEVER);                                                                    \
    memcpy(&own, &symbol, sizeof own);                                                             \
    own(NAMES, error);                                                                             \
  }
#define PASSED_FORM(name, KIND, PARAMETERS, NAMES)                                                 \
  PASSED_NAME(mpi_##name##_, KIND, LIST(PARAMETERS), LIST(NAMES))                                  \
  PASSED_NAME(mpi_##name##_f08_, KIND, LIST(PARAMETERS), LIST(NAMES))
#define PASSED(name, KIND, PARAMETERS, NAMES)                                                      \
  PASSED_FORM(neighbor_##name, NEIGHBOR_##KIND, LIST(PARAMETERS, MPI_Fint *c), LIST(NAMES, c))     \
  PASSED_FORM(ineighbor_##name, NEIGHBOR_##KIND, LIST(PARAMETERS, MPI_Fint *c, MPI_Fint *request), \
              LIST(NAMES, c, request))

/* Displacements of w are MPI_Aint. */
#define ALL_SENDS void *sb, MPI_Fint *sn, void *sd, MPI_Fint *st
#define ALL_RECVS void *rb, MPI_Fint *rn, void *rd, MPI_Fint *rt
#define N_SEND sb, sn, st
#define N_RECV rb, rn, rt
#define N_SENDS sb, sn, sd, st
#define N_RECVS rb, rn, rd, rt

/* clang-format off */
PASSED(allgather, ALLGATHER, LIST(SEND, RECV), LIST(N_SEND, N_RECV))
PASSED(allgatherv, ALLGATHERV, LIST(SEND, RECVS), LIST(N_SEND, N_RECVS))
PASSED(alltoall, ALLTOALL, LIST(SEND, RECV), LIST(N_SEND, N_RECV))
PASSED(alltoallv, ALLTOALLV, LIST(SENDS, RECVS), LIST(N_SENDS, N_RECVS))
PASSED(alltoallw, ALLTOALLW, LIST(ALL_SENDS, ALL_RECVS), LIST(N_SENDS, N_RECVS))
/* clang-format on */

#endif
