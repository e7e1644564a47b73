/* This header declares which control windows a rank's communicators have, from
 * the moment that all members know it to that when all have left.
 *
 *   state     event                                            next
 *   FREE      it is held for a new communicator, agreed on     TAKEN: window cleared
 *   TAKEN     freed by the user, and nothing under way         LEFT: said in `done`
 *   LEFT      every member has left, died or finalized; of a   FREE
 *             persistent request: and all that it sent is here
 *
 * Invariants:
 *   `done` of a window is serial << MPJ_SERIAL_SHIFT plus the operations completed
 *   while TAKEN, and (serial + 1) << MPJ_SERIAL_SHIFT once LEFT; serials rise, so
 *   it never falls, and done >= (s + 1) << MPJ_SERIAL_SHIFT says: has left s
 *   nobody sets a bit in, or counts in at, a window that is FREE
 *
 * Windows 1 and 2 are WORLD's and SELF's for good. */
#ifndef MPJ_SRC_COLL_COMM_CONTEXT_IDS_H
#define MPJ_SRC_COLL_COMM_CONTEXT_IDS_H

#include "coll/comm/context.h"

/* Choose a free window, a small one if there is no other, for a communicator that is being agreed
 * on, and keep it: its number, and the lowest serial that it can have. Errors: MPJ_ERR_NO_MEM.
 * Or let go of it: no communicator of this serial (0: of any) will have it here. */
int mpj_context_ids_hold(struct mpj_context *context, unsigned *control, uint64_t *serial);
void mpj_context_ids_let_go(struct mpj_context *context, unsigned control, uint64_t serial);

/* Choose a window and an id for a persistent request's communicator, this rank's alone, and keep
 * it. Errors: MPJ_ERR_NO_MEM. */
int mpj_context_ids_reserve(struct mpj_comm *comm);
/* The lowest serial that such a window can have next: with it `done` rises. */
uint64_t mpj_context_ids_serial(const struct mpj_comm *comm);

/* Take the window of a communicator that has begun: from here on messages for it
 * are taken in. False: there is no memory; one that has been reserved needs none. */
bool mpj_context_ids_take(struct mpj_comm *comm);

/* Leave a communicator (moved) with which nothing is under way, without waiting for the others,
 * none of whom has used it. */
void mpj_context_ids_drop(struct mpj_comm *comm);
/* The communicator of this id that has been left and is still known, or NULL. */
struct mpj_comm *mpj_context_ids_left(const struct mpj_context *context, uint32_t id);
/* Leave it if it has been freed and nothing is under way. */
void mpj_context_ids_consider(struct mpj_comm *comm);

/* Another rank has renounced a communicator that this one does not have. If it gets it yet, it is
 * broken. */
void mpj_context_ids_renounced(struct mpj_context *context, uint32_t id,
                               const struct mpj_cause *cause);

/* End and free everything, whoever has left; the context's end. */
void mpj_context_ids_end(struct mpj_context *context);

#endif
