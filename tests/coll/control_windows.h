/* This header has the control windows of a few ranks, for the tests of their words. */
#ifndef MPJ_TESTS_COLL_CONTROL_WINDOWS_H
#define MPJ_TESTS_COLL_CONTROL_WINDOWS_H

#include "coll/control/messages.h"
#include "coll/control/own_windows.h"
#include "coll/control/signals.h"
#include "net/endpoints.h"

/* Numbers of windows in extents of common memory beyond the first. */
static const unsigned further[] = {
    MPJ_FIRST_CONTROLS, MPJ_FIRST_CONTROLS + 1, MPJ_FIRST_CONTROLS + MPJ_FURTHER_CONTROLS - 1,
    MPJ_FIRST_CONTROLS + MPJ_FURTHER_CONTROLS, MPJ_FIRST_CONTROLS + 7 * MPJ_FURTHER_CONTROLS + 9};
enum { FURTHER = sizeof further / sizeof *further };

/* The windows of a few ranks. */
struct windows {
  struct endpoints e;
  struct mpj_control of[ENDPOINTS_MAX];
};

static inline void windows_open(struct windows *w, int n)
{
  endpoints_open(&w->e, n);
  for (int rank = 0; rank < n; rank++)
    mpj_control_begin(&w->of[rank], w->e.net[rank], NULL, NULL);
}

static inline void windows_close(struct windows *w)
{
  for (int rank = 0; rank < w->e.n; rank++)
    mpj_control_end(&w->of[rank]);
  endpoints_close(&w->e);
}

/* Bits set in all windows of a rank. */
static inline unsigned count_bits(struct mpj_control *control)
{
  unsigned n = 0;
  for (unsigned number = 0; number < MPJ_CONTROLS; number++)
    for (unsigned slot = 0; slot < MPJ_WINDOW; slot++)
      for (unsigned w = 0; w < MPJ_BITS_WORDS; w++) {
        const struct mpj_control_slot *s = &mpj_control_window(control, number)->slot[slot];
        n += (unsigned)__builtin_popcountll(mpj_atomic_bits_load(&s->arrived, w));
      }
  return n;
}

static inline bool is_set(const struct mpj_atomic_bits *bits, unsigned bit)
{
  return mpj_atomic_bits_load(bits, bit / 64) >> (bit % 64) & 1;
}

static inline void publish(struct windows *w, int rank, unsigned number, uint64_t done)
{
  mpj_control_has_done(&w->of[rank], mpj_control_window(&w->of[rank], number), number, done);
}

#endif
