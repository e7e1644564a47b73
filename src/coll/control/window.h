/* This header declares control windows: the memory in which ranks tell each other how far they are
 * in the operations of a communicator, without a message.
 *
 * A rank has one window for each of its communicators, and a board; they fill its common memory
 * (net.h), which begins as zeros:
 *   control windows  [MPJ_CONTROLS]
 *   small windows    [MPJ_SMALL_CONTROLS]  of MPJ_SMALL_WINDOW slots each
 *   their posts      as many as they have slots, in the same order
 *   board            bytes of data that its posts refer to
 * Whoever reads what a peer wrote copies it first and checks it then. */
#ifndef MPJ_SRC_COLL_CONTROL_WINDOW_H
#define MPJ_SRC_COLL_CONTROL_WINDOW_H

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"
#include "net/net.h"

enum {
  MPJ_WINDOW = 16,      /* operations that may be under way per communicator; a power of two */
  MPJ_CONTROLS = 1024,  /* control windows of a rank: one for each of its communicators */
  MPJ_SMALL_WINDOW = 4, /* operations of a persistent request; a power of two */
  MPJ_SMALL_CONTROLS = 16384, /* small windows of a rank: numbers MPJ_CONTROLS and up */
  MPJ_ALL_CONTROLS = MPJ_CONTROLS + MPJ_SMALL_CONTROLS
};

/* A message that its rank writes once and every peer may read. `turn` names what it
 * belongs to, and is set when the rest is written; it never falls. Written again only
 * when all who were to read it have said that they need it no more. */
struct mpj_post {
  _Alignas(MPJ_CACHE_LINE) _Atomic uint64_t turn;
  unsigned char body[MPJ_CELL_BODY];
};

/* The slot of one operation: a bit set by whoever has arrived at this rank. */
struct mpj_control_slot {
  _Alignas(MPJ_CACHE_LINE) struct mpj_atomic_bits arrived;
};

/* A rank's control window for one communicator. */
struct mpj_control_window {
  _Alignas(MPJ_CACHE_LINE) _Atomic uint64_t done; /* operations that this rank has completed;
                                                     never falls (run/control.h) */
  _Atomic uint64_t ended; /* what ranks have counted in that end it (comm/closing.h) */
  /* Of each slot: what ranks have counted in at meetings here (words.h). */
  _Alignas(MPJ_CACHE_LINE) _Atomic uint64_t met[MPJ_WINDOW];
  struct mpj_control_slot slot[MPJ_WINDOW]; /* operation n uses slot n mod MPJ_WINDOW; of a small
                                               window the first MPJ_SMALL_WINDOW */
};

enum {
  MPJ_SMALL_WINDOW_BYTES = offsetof(struct mpj_control_window, slot) +
                           MPJ_SMALL_WINDOW * sizeof(struct mpj_control_slot),
  MPJ_SMALL_WINDOWS_AT = MPJ_CONTROLS * sizeof(struct mpj_control_window),
  MPJ_POSTS_AT = MPJ_SMALL_WINDOWS_AT + MPJ_SMALL_CONTROLS * MPJ_SMALL_WINDOW_BYTES,
  MPJ_POSTS = MPJ_CONTROLS * MPJ_WINDOW + MPJ_SMALL_CONTROLS * MPJ_SMALL_WINDOW,
  MPJ_BOARD_AT = MPJ_POSTS_AT + MPJ_POSTS * sizeof(struct mpj_post)
};
static_assert((int)MPJ_BOARD_AT < (int)MPJ_COMMON_BYTES, "a rank's windows fit its common memory");

/* Slots of a control window. */
static inline unsigned mpj_control_slots(unsigned control)
{
  return control < MPJ_CONTROLS ? MPJ_WINDOW : MPJ_SMALL_WINDOW;
}

/* Window `control` in a rank's common memory. */
static inline struct mpj_control_window *mpj_window_at(unsigned char *common, unsigned control)
{
  const size_t at =
      control < MPJ_CONTROLS
          ? control * sizeof(struct mpj_control_window)
          : MPJ_SMALL_WINDOWS_AT + (size_t)(control - MPJ_CONTROLS) * MPJ_SMALL_WINDOW_BYTES;
  return (struct mpj_control_window *)(void *)(common + at);
}

/* The post of slot `slot` of window `control`. */
static inline struct mpj_post *mpj_post_at(unsigned char *common, unsigned control, unsigned slot)
{
  const unsigned first = control < MPJ_CONTROLS ? control * MPJ_WINDOW
                                                : MPJ_CONTROLS * MPJ_WINDOW +
                                                      (control - MPJ_CONTROLS) * MPJ_SMALL_WINDOW;
  return (struct mpj_post *)(void *)(common + MPJ_POSTS_AT) + first + slot;
}

#endif
