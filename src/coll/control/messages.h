/* This header declares what ranks that have no memory in common tell each other of their control
 * windows by messages.
 *
 *   message    sender -> receiver                          what the receiver does
 *   SIGNAL     whoever has arrived -> whom it tells        sets the bit in its own window
 *   ASK_DONE   who waits for progress -> the peer          tells DONE when it is further than that
 *   DONE       the peer -> who has asked                   notes it
 *   MEET       who counts in -> the home                   counts it in at its own window
 *   MET        the home -> who has counted in by MEET      notes the word
 *
 * Whoever needs a peer's `done` asks once, and is told when it has risen; from then on the peer
 * tells of every quarter of a window, so that a rank that only sends is seldom held up. At a
 * meeting the home counts for the one who came, and tells it when all are there.
 *
 * Records are kept by window; a poll looks at those windows alone of which there may be something
 * to tell, whatever their number. What finds no room is sent from a later poll. Where there is no
 * memory for a record of a peer and a window, the rank's communicators break with MPJ_ERR_NO_MEM.
 */
#ifndef MPJ_SRC_COLL_CONTROL_MESSAGES_H
#define MPJ_SRC_COLL_CONTROL_MESSAGES_H

#include "coll/control/words.h"

void mpj_told_begin(struct mpj_control *control);
/* Poll until all is told that living peers wait for: before what handlers look at ends. */
void mpj_told_finish(struct mpj_control *control);
void mpj_told_end(struct mpj_control *control);

/* A window's number, of which peers wait to be told, and what has been completed of it: the next
 * poll tells those whom so much is news to. */
void mpj_told_note(struct mpj_control *control, unsigned number, uint64_t done);
/* There is no memory for what a peer is to be told, to tell, or to be seen by: the next poll gives
 * up. */
void mpj_told_lacks_memory(struct mpj_control *control);

/* This rank has completed so many operations of its own window: peers may see it, or are told. */
static inline void mpj_control_has_done(struct mpj_control *control,
                                        struct mpj_control_window *window, unsigned number,
                                        uint64_t done)
{
  atomic_store_explicit(&window->done, done, memory_order_release);
  if (control->told.n > 0) mpj_told_note(control, number, done);
}

/* As mpj_control_signal, mpj_control_done and mpj_control_meet. */
int mpj_tell_signal(struct mpj_control *control, int peer, unsigned number, unsigned slot,
                    unsigned bit);
uint64_t mpj_told_done(struct mpj_control *control, int peer, unsigned number);
uint64_t mpj_told_meet(struct mpj_control *control, int home, unsigned number, unsigned slot,
                       uint64_t term, uint64_t all);

/* Tell what is due; whether anything was. Every poll does it. */
bool mpj_told_poll(struct mpj_control *control);

/* Before this rank goes about its own business: tell those who wait. */
static inline void mpj_told_settle(struct mpj_control *control)
{
  if (control->news) mpj_told_poll(control);
}

#endif
