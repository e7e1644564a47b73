/* This header declares control windows: the memory in which ranks tell each other how far they are
 * in the operations of a communicator, without a message.
 *
 * A rank has one window for each of its communicators, and a board; they fill its common memory
 * (net.h), which begins as zeros. Its first extent:
 *   control windows  [MPJ_CONTROLS]
 *   small windows    [MPJ_SMALL_CONTROLS]  of MPJ_SMALL_WINDOW slots each
 *   their posts      as many as they have slots, in the same order
 *   board            bytes of data that its posts refer to
 * Each further one, made when it is needed:
 *   small windows    [MPJ_FURTHER_CONTROLS]
 *   their posts
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
  MPJ_SMALL_WINDOW = 4, /* operations of a persistent request, and of communicators beyond those; a
                           power of two */
  MPJ_SMALL_CONTROLS = 16384, /* small windows of the first extent: numbers MPJ_CONTROLS and up */
  MPJ_FIRST_CONTROLS = MPJ_CONTROLS + MPJ_SMALL_CONTROLS,
  MPJ_FURTHER_CONTROLS = 16384 /* small windows of each further extent: the numbers after those */
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

enum {
  MPJ_FURTHER_POSTS_AT = MPJ_FURTHER_CONTROLS * MPJ_SMALL_WINDOW_BYTES,
  MPJ_FURTHER_POSTS = MPJ_FURTHER_CONTROLS * MPJ_SMALL_WINDOW
};
static_assert(MPJ_FURTHER_POSTS_AT + MPJ_FURTHER_POSTS * sizeof(struct mpj_post) <=
                  MPJ_COMMON_BYTES,
              "further windows fit an extent");

/* The extent of common memory in which window `control` lies. */
static inline unsigned mpj_window_extent(unsigned control)
{
  return control < MPJ_FIRST_CONTROLS ? 0
                                      : 1 + (control - MPJ_FIRST_CONTROLS) / MPJ_FURTHER_CONTROLS;
}

/* Slots of a control window. */
static inline unsigned mpj_control_slots(unsigned control)
{
  return control < MPJ_CONTROLS ? MPJ_WINDOW : MPJ_SMALL_WINDOW;
}

/* Window `control` in its extent of a rank's common memory. */
static inline struct mpj_control_window *mpj_window_at(unsigned char *extent, unsigned control)
{
  size_t at = control * sizeof(struct mpj_control_window);
  if (control >= MPJ_FIRST_CONTROLS)
    at = (size_t)((control - MPJ_FIRST_CONTROLS) % MPJ_FURTHER_CONTROLS) * MPJ_SMALL_WINDOW_BYTES;
  else if (control >= MPJ_CONTROLS)
    at = MPJ_SMALL_WINDOWS_AT + (size_t)(control - MPJ_CONTROLS) * MPJ_SMALL_WINDOW_BYTES;
  return (struct mpj_control_window *)(void *)(extent + at);
}

/* The post of slot `slot` of window `control`. */
static inline struct mpj_post *mpj_post_at(unsigned char *extent, unsigned control, unsigned slot)
{
  size_t at = MPJ_POSTS_AT;
  unsigned first = control * MPJ_WINDOW;
  if (control >= MPJ_FIRST_CONTROLS) {
    at = MPJ_FURTHER_POSTS_AT;
    first = (control - MPJ_FIRST_CONTROLS) % MPJ_FURTHER_CONTROLS * MPJ_SMALL_WINDOW;
  } else if (control >= MPJ_CONTROLS) {
    first = MPJ_CONTROLS * MPJ_WINDOW + (control - MPJ_CONTROLS) * MPJ_SMALL_WINDOW;
  }
  return (struct mpj_post *)(void *)(extent + at) + first + slot;
}

#endif
