/* This header declares how cells are sent and polled. */
#ifndef MPJ_SRC_NET_CELLS_CELLS_POLL_H
#define MPJ_SRC_NET_CELLS_CELLS_POLL_H

#include "net/cells/cells.h"

/* The entries of the ops table that the two transports share. */
MPJ_HOT int mpj_cells_send_short(struct mpj_transport *t, int peer, unsigned handler,
                                 struct mpj_am_mark mark, const void *data, unsigned bytes);
MPJ_HOT int mpj_cells_send_eager(struct mpj_transport *t, int peer, unsigned handler,
                                 const void *header, unsigned header_bytes,
                                 struct mpj_cursor *payload, MPJ_Count bytes,
                                 mpj_am_complete_fn *sent, void *arg);
MPJ_HOT bool mpj_cells_poll(struct mpj_transport *t, int from);
/* Whether a poll would find a message. */
bool mpj_cells_have_mail(const struct mpj_cells *c);

#endif
