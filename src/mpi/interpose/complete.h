/* This header declares how interposed calls wait. */
#ifndef MPJ_SRC_MPI_INTERPOSE_COMPLETE_H
#define MPJ_SRC_MPI_INTERPOSE_COMPLETE_H

#include <stdbool.h>

/* Whether this node has more ranks than cores, so that waiting must give way. */
bool wait_yields(void);

/* Whether the program's threads may call MPI at the same time. */
bool threads_many(void);

/* Whether the program has started a send that may still need this rank: served calls then let
 * MPI progress while they wait. */
bool mpi_may_send(void);

/* Whether a blocking call may not wait within MPJ: it would keep another thread of the program out,
 * or MPI from progressing. */
bool must_take_turns(void);

/* Between two looks: MPJ progresses, and others get the processor where it is short. */
void wait_a_little(void);

#endif
