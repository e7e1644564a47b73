/* This header declares the writing of slots. */
#ifndef MPJ_SRC_NET_CELLS_FILL_H
#define MPJ_SRC_NET_CELLS_FILL_H

#include "net/cells/cells.h"

/* The words of MPJ_PIECES. */
enum mpj_pieces_choice { MPJ_PIECES_AUTO, MPJ_PIECES_ALL_CACHED, MPJ_PIECES_ALL_PAST };

/* What cells->past_least is to be. */
int64_t mpj_slot_past_least(const struct mpj_cells *cells);

/* Pack the next bytes of the payload into a slot of the peer's. */
void mpj_slot_fill(const struct mpj_cells *cells, struct mpj_cells_peer *peer,
                   struct mpj_cursor *payload, void *slot, MPJ_Count bytes);

#endif
