/* This header declares the reading of a type's text, symbol by symbol. Blanks
 * before a symbol are passed over. A failure is MPJ_ERR_FORMAT, with the position,
 * what is there, and what was expected. */
#ifndef MPJ_SRC_TYPES_TEXT_SCAN_H
#define MPJ_SRC_TYPES_TEXT_SCAN_H

#include <stdbool.h>

#include <mpj/base.h>

#include "types/text/grammar.h"

struct mpj_scan {
  const char *text, *at; /* borrowed; at is what comes next */
};

/* A growing array of numbers. */
struct mpj_numbers {
  int64_t *values; /* owned */
  MPJ_Count n, capacity;
};

/* Report that something else was expected at p->at. */
int mpj_scan_wrong(const struct mpj_scan *p, const char *expected);

void mpj_scan_blanks(struct mpj_scan *p);

/* Whether c comes next; if so, it is taken. The other form needs it. */
bool mpj_scan_take(struct mpj_scan *p, char c);
int mpj_scan_need(struct mpj_scan *p, char c);

/* The length of the word at p->at, which is not taken; whether it is `name`. */
size_t mpj_scan_word(struct mpj_scan *p);
bool mpj_scan_word_is(const char *word, size_t n, const char *name);

/* A number, or one of the words (which may be NULL). */
int mpj_scan_value(struct mpj_scan *p, const struct mpj_text_word *words, int64_t *out);

/* "*" and how many times; 1 if it does not come next. */
int mpj_scan_times(struct mpj_scan *p, MPJ_Count *times);

/* A list in brackets, appended. Errors: also MPJ_ERR_NO_MEM. */
int mpj_scan_list(struct mpj_scan *p, const struct mpj_text_word *words, struct mpj_numbers *list);

/* Append one value; or value, value + step, ..., `times` >= 0 of them, the last of which
 * must fit 64 bits. Errors: MPJ_ERR_NO_MEM. */
int mpj_scan_push(struct mpj_numbers *list, int64_t value);
int mpj_scan_repeat(struct mpj_numbers *list, int64_t value, int64_t step, MPJ_Count times);

#endif
