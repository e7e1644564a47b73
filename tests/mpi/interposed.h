/* This header declares what one comparison of a served collective with the MPI library's own
 * has. */
#ifndef MPJ_TESTS_MPI_INTERPOSED_H
#define MPJ_TESTS_MPI_INTERPOSED_H

#include "mpi/tiled_mpi.h"

#ifdef OMPI_MAJOR_VERSION
#include <mpi-ext.h>
#endif

enum { RANKS_MAX = 16, BUFFER = 1 << 18, MIDDLE = BUFFER / 4 };

/* One call, made twice on equal buffers: [0] by its name MPI_..., [1] by PMPI_.... */
struct trial {
  MPI_Comm comm;
  int rank, size, root, form; /* form: one of FORMS */
  int served;                 /* by the interposer */
  struct stream *all, *own;   /* equal on all ranks; this rank's own */
  struct stream ways;         /* to complete requests */
  MPI_Datatype type;          /* what data consists of */
  const char *name;           /* of what was called, to name failures */
  char *send[2], *recv[2];    /* [BUFFER] bytes each; in a call their middles */
  MPI_Op op;
  MPI_Datatype elemtype;
};

enum { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };

/* Fill all buffers: send and receive ones differ, [0] and [1] do not. */
void trial_fill(struct trial *t);

/* End the two requests together, in one of MPI's ways to do it. */
void trial_complete(struct trial *t, MPI_Request requests[2]);

/* Make a random collective of data movement, or a reduction, twice. */
void trial_move(struct trial *t);
void trial_reduce(struct trial *t);

/* MPI-4 has persistent collectives; Open MPI 4.1 as an extension. */
#ifdef OMPI_MAJOR_VERSION
#define TRIAL_INIT(Name) MPIX_##Name
#else
#define TRIAL_INIT(Name) MPI_##Name
#endif

/* Call both of a collective in the trial's form. Name, IName, Init: its three names without
 * a prefix; A(i): its arguments with buffers [i]. A persistent one is compared with a nonblocking
 * one of the MPI library's, whose own lose count of derived types in MPICH 4.0.2; without the
 * interposer, two such. */
#define TRIAL_CALL(t, Name, IName, Init, A)                                                        \
  do {                                                                                             \
    MPI_Request requests[2];                                                                       \
    (t)->name = #Name;                                                                             \
    if ((t)->form == BLOCKING) {                                                                   \
      MPI_##Name(A(0));                                                                            \
      PMPI_##Name(A(1));                                                                           \
    } else if ((t)->form == NONBLOCKING) {                                                         \
      MPI_##IName(A(0), &requests[0]);                                                             \
      PMPI_##IName(A(1), &requests[1]);                                                            \
      trial_complete(t, requests);                                                                 \
    } else {                                                                                       \
      if ((t)->served) TRIAL_INIT(Init)(A(0), MPI_INFO_NULL, &requests[0]);                        \
      for (int times = 0; times < 2; times++) {                                                    \
        PMPI_##IName(A(1), &requests[1]);                                                          \
        if ((t)->served)                                                                           \
          MPI_Start(&requests[0]);                                                                 \
        else                                                                                       \
          MPI_##IName(A(0), &requests[0]);                                                         \
        trial_complete(t, requests);                                                               \
      }                                                                                            \
      if ((t)->served) MPI_Request_free(&requests[0]);                                             \
    }                                                                                              \
  } while (0)

#endif
