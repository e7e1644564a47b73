/* This header declares a thread that lets MPJ progress while the program is in a call of MPI's that
 * does not: MPI_Comm_dup, MPI_Win_fence, MPI_File_write_all and others wait for ranks that may be
 * waiting for this one's part in a served nonblocking operation. */
#ifndef MPJ_SRC_MPI_INTERPOSE_PROGRESS_HELPER_H
#define MPJ_SRC_MPI_INTERPOSE_PROGRESS_HELPER_H

#include <stdbool.h>

/* What it looks at: whether anything is under way, how often others have let MPJ progress, and how
 * it does (requests.h). */
struct progress_helper_work {
  bool (*under_way)(void);
  unsigned (*polls)(void);
  void (*progress)(void);
};

/* A served operation is under way: from now on the thread looks after it, when nobody else has for
 * a millisecond. Cheap where it runs already. The lock of requests is held. */
void progress_helper_needed(const struct progress_helper_work *what);

/* It ends. Before MPJ does. */
void progress_helper_end(void);

#endif
