/* This header declares how sequences are stored. For the sequence*.c files.
 *
 * Invariants: n >= 1; FEW n <= MPJ_SEQUENCE_FEW_MOST; PERIODS 2 <= period <= n / 2, inner holds
 * `period` values; LINES first[0] = 0, starts rise; TABLE the inner values are rows of the table,
 * which rises; WINDOW offset + n <= the inner length, inner is no WINDOW. */
#ifndef MPJ_SRC_TYPES_SEQUENCE_SEQUENCE_FORMS_H
#define MPJ_SRC_TYPES_SEQUENCE_SEQUENCE_FORMS_H

#include <assert.h>
#include <stddef.h>

#include "base/refcount.h"
#include "types/sequence/frames.h"
#include "types/sequence/sequence.h"

enum mpj_sequence_form {
  MPJ_SEQUENCE_LINE,
  MPJ_SEQUENCE_FEW,
  MPJ_SEQUENCE_PERIODS,
  MPJ_SEQUENCE_LINES,
  MPJ_SEQUENCE_FRAMES,
  MPJ_SEQUENCE_TABLE,
  MPJ_SEQUENCE_WINDOW
};

enum { MPJ_SEQUENCE_FEW_MOST = 16 };

/* Values from index `first` on are base, base + slope, ... */
struct mpj_line {
  MPJ_Count first, base, slope;
};

struct mpj_sequence {
  enum mpj_sequence_form form;
  mpj_refcount references;
  MPJ_Count n;
  struct mpj_sequence *inner; /* PERIODS, TABLE, WINDOW: shared; else NULL */
  union {
    struct mpj_line line;
    struct {
      MPJ_Count period, step;
    } periods;
    struct {
      MPJ_Count count;
      struct mpj_line *all; /* [count], owned */
    } lines;
    struct mpj_frames frames; /* behind the sequence */
    struct {
      MPJ_Count rows;
      MPJ_Count *values; /* [rows], owned */
    } table;
    struct {
      MPJ_Count offset, origin;
    } window;
    MPJ_Count few[MPJ_SEQUENCE_FEW_MOST]; /* [n] */
  } u; /* last: there is memory for the member of this form alone */
};

/* Bytes of a sequence of n values in this form, without what it points to. */
static inline size_t mpj_sequence_own_bytes(enum mpj_sequence_form form, MPJ_Count n)
{
  const struct mpj_sequence *s = NULL;
  const size_t head = offsetof(struct mpj_sequence, u);
  switch (form) {
  case MPJ_SEQUENCE_LINE:
    return head + sizeof s->u.line;
  case MPJ_SEQUENCE_FEW:
    return head + (size_t)n * sizeof s->u.few[0];
  case MPJ_SEQUENCE_FRAMES:
    return head + sizeof s->u.frames;
  case MPJ_SEQUENCE_PERIODS:
  case MPJ_SEQUENCE_LINES:
  case MPJ_SEQUENCE_TABLE:
  case MPJ_SEQUENCE_WINDOW:
    break;
  }
  static_assert(sizeof s->u.periods == sizeof s->u.lines, "");
  static_assert(sizeof s->u.periods == sizeof s->u.table, "");
  static_assert(sizeof s->u.periods == sizeof s->u.window, "");
  return head + sizeof s->u.periods;
}

#endif
