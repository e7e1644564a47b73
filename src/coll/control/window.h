/* This header declares control windows: the memory in which ranks tell each other how far they are
 * in the operations of a communicator, without a message.
 *
 * A rank has one window for each of its communicators, and a published; they fill its common memory
 * (net.h), which begins as zeros. Behind each window lie its posts, as many as it has slots.
 * Extents:
 *   0        WORLD's window
 *   1        published buffer: bytes of data that posts refer to; windows [MPJ_MIDDLE_CONTROLS]
 *   2        windows up to MPJ_CONTROLS; small windows [MPJ_SMALL_CONTROLS] of
 *            MPJ_SMALL_WINDOW slots
 *   3, ...   made when needed: small windows [MPJ_FURTHER_CONTROLS]
 * So what all ranks look at lies close together: an operation over WORLD touches a page of a peer,
 * and one of its published buffer where it has posted more than fits the message. Whoever reads
 * what a peer wrote copies it first and checks it then. */
#ifndef MPJ_SRC_COLL_CONTROL_WINDOW_H
#define MPJ_SRC_COLL_CONTROL_WINDOW_H

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"
#include "net/net.h"

enum {
  MPJ_WINDOW = 32,       /* operations that may be under way per communicator; a power of two */
  MPJ_EAGER_WINDOW = 16, /* of these, if they send data in early-arrival slots */
  MPJ_CONTROLS = 1024,   /* control windows of a rank: one for each of its communicators */
  MPJ_SMALL_WINDOW = 4,  /* operations of a persistent request, and of communicators beyond those; a
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

/* The slot of one operation: a bit set by whoever has arrived at this rank. Two share a line, so
 * that WORLD's window is a page. */
struct mpj_control_slot {
  _Alignas(MPJ_CACHE_LINE / 2) struct mpj_atomic_bits arrived;
};

/* A rank's control window for one communicator. */
struct mpj_control_window {
  _Alignas(MPJ_CACHE_LINE) _Atomic uint64_t done; /* operations that this rank has completed;
                                                     never falls (run/control.h) */
  /* Of each slot: what ranks have counted in at meetings here (words.h). */
  _Alignas(MPJ_CACHE_LINE) _Atomic uint64_t met[MPJ_WINDOW];
  struct mpj_control_slot slot[MPJ_WINDOW]; /* operation n uses slot n mod MPJ_WINDOW; of a small
                                               window the first MPJ_SMALL_WINDOW */
};

enum {
  MPJ_WORLD_CONTROL = 1, /* comm/context_ids.h */
  MPJ_BOARD_BYTES = 128 << 10,
  MPJ_WINDOW_BYTES = sizeof(struct mpj_control_window) + MPJ_WINDOW * sizeof(struct mpj_post),
  MPJ_SMALL_POSTS_AT = offsetof(struct mpj_control_window, slot) +
                       MPJ_SMALL_WINDOW * sizeof(struct mpj_control_slot),
  MPJ_SMALL_WINDOW_BYTES = MPJ_SMALL_POSTS_AT + MPJ_SMALL_WINDOW * sizeof(struct mpj_post),
  MPJ_MIDDLE_CONTROLS = (MPJ_MIDDLE_BYTES - MPJ_BOARD_BYTES) / MPJ_WINDOW_BYTES,
  MPJ_SMALL_WINDOWS_AT = (MPJ_CONTROLS - MPJ_MIDDLE_CONTROLS) * MPJ_WINDOW_BYTES
};
static_assert((int)MPJ_WINDOW_BYTES <= (int)MPJ_NEAR_BYTES, "a window fits the near memory");
static_assert(MPJ_SMALL_WINDOWS_AT + MPJ_SMALL_CONTROLS * MPJ_SMALL_WINDOW_BYTES <=
                  MPJ_COMMON_BYTES,
              "a rank's windows fit its common memory");
static_assert(MPJ_FURTHER_CONTROLS * MPJ_SMALL_WINDOW_BYTES <= MPJ_COMMON_BYTES,
              "further windows fit an extent");

/* The extent of common memory in which window `control` lies. */
static inline unsigned mpj_window_extent(unsigned control)
{
  if (control == MPJ_WORLD_CONTROL) return 0;
  if (control < MPJ_FIRST_CONTROLS) return control < MPJ_MIDDLE_CONTROLS ? 1 : 2;
  return MPJ_EXTENTS_AT_ONCE + (control - MPJ_FIRST_CONTROLS) / MPJ_FURTHER_CONTROLS;
}

/* Slots of a control window. */
static inline unsigned mpj_control_slots(unsigned control)
{
  return control < MPJ_CONTROLS ? MPJ_WINDOW : MPJ_SMALL_WINDOW;
}

/* Window `control` in its extent of a rank's common memory. */
static inline struct mpj_control_window *mpj_window_at(unsigned char *extent, unsigned control)
{
  size_t at = 0;
  if (control >= MPJ_FIRST_CONTROLS)
    at = (size_t)((control - MPJ_FIRST_CONTROLS) % MPJ_FURTHER_CONTROLS) * MPJ_SMALL_WINDOW_BYTES;
  else if (control >= MPJ_CONTROLS)
    at = MPJ_SMALL_WINDOWS_AT + (size_t)(control - MPJ_CONTROLS) * MPJ_SMALL_WINDOW_BYTES;
  else if (control >= MPJ_MIDDLE_CONTROLS)
    at = (size_t)(control - MPJ_MIDDLE_CONTROLS) * MPJ_WINDOW_BYTES;
  else if (control != MPJ_WORLD_CONTROL)
    at = MPJ_BOARD_BYTES + (size_t)control * MPJ_WINDOW_BYTES;
  return (struct mpj_control_window *)(void *)(extent + at);
}

/* The post of slot `slot` of window `control`. */
static inline struct mpj_post *mpj_post_at(unsigned char *extent, unsigned control, unsigned slot)
{
  const size_t behind =
      control < MPJ_CONTROLS ? sizeof(struct mpj_control_window) : MPJ_SMALL_POSTS_AT;
  unsigned char *window = (unsigned char *)mpj_window_at(extent, control);
  return (struct mpj_post *)(void *)(window + behind) + slot;
}

#endif
