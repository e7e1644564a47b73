/* This header declares when the interposer serves: from MPI_Init to MPI_Finalize; or, where the
 * program began MPI by another name (PMPI_Init), from its first blocking collective of all
 * processes on. */
#ifndef MPJ_SRC_MPI_INTERPOSE_BEGUN_H
#define MPJ_SRC_MPI_INTERPOSE_BEGUN_H

#include "mpi/convert/interop.h"

/* What it has come to (begun.c). */
enum interposer_stage {
  INTERPOSER_BEGUN = 1,
  INTERPOSER_SERVES = 2,
  INTERPOSER_LATE = 4,
  INTERPOSER_FITS = 8,
  INTERPOSER_CHILD = 16
};
void interposer_now(enum interposer_stage stage);

bool interposer_has_begun(void);
/* Whether MPJ could start. */
bool interposer_serves(void);

/* Whether less may come than there is room for: MPJ_SIGNATURES=fit. */
bool interposer_fits(void);

/* Whether this process was forked by a rank that is served: it is no rank, and neither MPJ nor the
 * MPI library must take its calls for its parent's. */
bool interposer_is_child(void);

/* In the second way. Then MPI is asked for requests by other names, too, which MPJ's must not be
 * among: no call that makes one is served. (The ranks' nonblocking calls before and after the
 * beginning need not be the same ones either.) */
bool interposer_began_late(void);

#endif
