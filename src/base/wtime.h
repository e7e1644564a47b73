/* This header declares the clock that everything measures by. */
#ifndef MPJ_SRC_BASE_WTIME_H
#define MPJ_SRC_BASE_WTIME_H

#include <stdint.h>

/* Nanoseconds since some moment before the machine's ranks began, the same for all of
 * them; never falls. Threads: any. */
int64_t mpj_clock_ns(void);

/* Where ranks are simulated: what this thread's clock says, in ns. NULL: it is the machine's. */
extern _Thread_local __attribute__((tls_model("initial-exec"))) const int64_t *mpj_clock_simulated;

#endif
