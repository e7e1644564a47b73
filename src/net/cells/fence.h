/* This header declares the fence between who brings news and who goes to sleep.
 *
 * A sender stores its news and then looks whether the receiver sleeps; a
 * receiver stores that it sleeps and then looks for news. Each must see the
 * other's store if the other has not seen its own, which takes a fence on both
 * sides. Where ranks fit the cores sends are frequent and sleeping is rare: so, where
 * the kernel allows it, the sender's fence holds back the compiler alone, and the
 * receiver makes the processors of all ranks pass one (membarrier(2), global
 * expedited), which interrupts each of them. Else each passes its own. */
#ifndef MPJ_SRC_NET_CELLS_FENCE_H
#define MPJ_SRC_NET_CELLS_FENCE_H

#include <stdbool.h>

/* Ask that mpj_fence_everybody of any process reach this process's threads.
 * False if the kernel does not offer it: this process's senders then need a full
 * fence of their own. Cheap when repeated. Threads: any. */
bool mpj_fence_register(void);

/* A full fence on the calling thread and on every thread that runs just now in a
 * process that has registered. A microsecond or more. Threads: any. */
void mpj_fence_everybody(void);

#endif
