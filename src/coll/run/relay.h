/* This header declares relays: an inner rank of a tree forwards the data of a broadcast or a
 * scatter before the rank itself has called it.
 *
 * The message says all that is needed: root, algorithm, radix and segment give the tree,
 * hence this rank's parent and children. Of a broadcast the packed bytes and their signature's
 * digest go on as they came; of a scatter each child gets the stretch of the bundle that holds its
 * subtree's records. So the rank's own layout is not asked for. Long data is brought
 * here before (relay_data.h), and offered to the children from here. When the rank calls,
 * the sends that have been begun are passed over, and the rest go their ordinary way.
 *
 *   state of an arrival ahead of its rank           event                       next
 *   KEPT      short or eager, from the parent       a poll of the progress      RELAYING
 *             in a tree, a progress thread runs     thread
 *   KEPT      the same, but advertised; the rank    a poll, and the pull        PULLING
 *             has children                          begins
 *   PULLING                                         the data is here            RELAYING
 *   PULLING                                         the owner has gone          dropped
 *   RELAYING  k of its children have it             the next child has room     k + 1
 *   RELAYING  the next child has gone, or the                                   KEPT
 *             bundle lacks its records
 *   RELAYING  all have it                           -                           RELAYED
 *   any                                             the rank calls              taken, k sends
 *                                                                               being done
 *
 * Short data takes no memory but the early arrival's own, long data MPJ_SCRATCH_BYTES of a
 * rank at most: longer data stays at its owner until the rank itself asks for it. What finds no
 * room is tried again. */
#ifndef MPJ_SRC_COLL_RUN_RELAY_H
#define MPJ_SRC_COLL_RUN_RELAY_H

#include "coll/comm/comm.h"

/* An arrival has been kept: relay it later, if it can be. */
void mpj_relay_consider(struct mpj_comm *comm, struct mpj_early *early);

/* Send on what waits for that; whether anything moved. Not from a handler. */
bool mpj_relay_advance(struct mpj_comm *comm);

/* The rank has called: pass over the sends of this arrival's bit that have been begun. */
void mpj_relay_pass_over(struct mpj_slot *slot, const struct mpj_early *early);

#endif
