/* This header declares how the ranks of a communicator signal each other by its control words. */
#ifndef MPJ_SRC_COLL_CONTROL_SIGNALS_H
#define MPJ_SRC_COLL_CONTROL_SIGNALS_H

#include "coll/control/words.h"

/* Begin over an endpoint, or over NULL. mpj_control_end must follow, before the endpoint is closed.
 */
void mpj_control_begin(struct mpj_control *control, struct mpj_net *net, void (*give_up)(void *ctx),
                       void *ctx);
void mpj_control_end(struct mpj_control *control);

/* Set `bit` of operation slot `slot` in peer's window `number`. Only where the window's rule allows
 * it (run/control.h). MPJ_SUCCESS or MPJ_AM_AGAIN. */
MPJ_HOT int mpj_control_signal(struct mpj_control *control, int peer, unsigned number,
                               unsigned slot, unsigned bit);

/* A lower bound of the operations that peer has completed in the communicator of that window. */
MPJ_HOT uint64_t mpj_control_done(struct mpj_control *control, int peer, unsigned number);

/* Come to a meeting (words.h). */
MPJ_HOT uint64_t mpj_control_meet(struct mpj_control *control, int home, unsigned number,
                                  unsigned slot, uint64_t term, uint64_t all);

/* Posts, only where all ranks share memory (mpj_net.shares_all). Write this rank's post of
 * operation slot `slot` of window `number`: MPJ_CELL_BODY bytes. `turn`, not 0, is what peers look
 * for. Only where nobody is still to read what was posted there before. */
MPJ_HOT void mpj_control_post(struct mpj_control *control, unsigned number, unsigned slot,
                              uint64_t turn, const void *body);
/* Whether the peer's post for `turn` is there; if so, copy it. Of two ranks that post and then look
 * for each other's, at least one finds it. */
MPJ_HOT bool mpj_control_look(struct mpj_control *control, int peer, unsigned number, unsigned slot,
                              uint64_t turn, void *body);
/* The memory in which a rank leaves what its posts refer to, board_bytes long: this rank's own to
 * write, a peer's to read where its post says so. */
unsigned char *mpj_control_published(struct mpj_control *control, int rank);

#endif
