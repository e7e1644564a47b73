/* This header declares how sequences are stored. For the sequence*.c files.
 *
 * Invariants: n >= 1; FEW n <= MPJ_SEQUENCE_FEW_MOST; PERIODS 2 <= period <= n / 2, inner holds
 * `period` values; LINES first[0] = 0, starts rise; TABLE the inner values are rows of the table,
 * which rises; WINDOW offset + n <= the inner length, inner is no WINDOW. */
#ifndef MPJ_SRC_TYPES_SEQUENCE_FORMS_H
#define MPJ_SRC_TYPES_SEQUENCE_FORMS_H

#include "base/count.h"
#include "types/frames.h"
#include "types/sequence.h"

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
  mpj_count references;
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
    struct mpj_frames frames;
    struct {
      MPJ_Count rows;
      MPJ_Count *values; /* [rows], owned */
    } table;
    struct {
      MPJ_Count offset, origin;
    } window;
  } u;
  MPJ_Count few[]; /* [n] if FEW, else none */
};

#endif
