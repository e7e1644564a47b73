/* This header declares the progress thread of a rank (MPJ_PROGRESS=thread): it polls
 * while no other thread of the rank is in the library.
 *
 *   state    event                                            next
 *   ASIDE    a thread leaves, the last one inside, with       ACTIVE: it is rung
 *            operations under way
 *   ASIDE    nobody has called for a while                    ACTIVE
 *   ACTIVE   another thread is inside, or has been            ASIDE
 *   ACTIVE   some polls have found nothing                    ASLEEP on the rank's doorbell
 *   ASLEEP   a peer brings news, or some milliseconds passed  ACTIVE
 *   any      MPJ_Finalize                                     ended, and joined
 *
 * ASIDE it sleeps on a condition of its own and the doorbell is not set, so that peers
 * need not ring while the application itself polls. */
#ifndef MPJ_SRC_COLL_THREADS_PROGRESS_THREAD_H
#define MPJ_SRC_COLL_THREADS_PROGRESS_THREAD_H

#include <stdbool.h>

struct mpj_context;
struct mpj_progress;

/* Start it for a context whose lock is closed. Errors: MPJ_ERR_NO_MEM. */
int mpj_progress_begin(struct mpj_context *context);
/* End it, by the only other thread; nothing if there is none. */
void mpj_progress_end(struct mpj_context *context);

#endif
