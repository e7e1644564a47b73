/* This header declares the reading of comma-separated lists on the command
 * line, for the driver and the workers alike. */
#ifndef MPJ_BENCH_LIST_H
#define MPJ_BENCH_LIST_H

#include <stdbool.h>

enum { BENCH_LIST_MOST = 64 };

struct bench_list {
  int n;
  long at[BENCH_LIST_MOST];
};

/* Read "8,1024,65536": 1 to 64 whole numbers, each in [least, most] and a
 * multiple of `step`. False, *list unspecified, if text is anything else. */
bool bench_list_numbers(const char *text, long least, long most, long step,
                        struct bench_list *list);

/* Read "bcast,gather": 1 to 64 words, each one of words[nwords], as indices in
 * the order given. False if text is anything else. */
bool bench_list_words(const char *text, const char *const words[], int nwords,
                      struct bench_list *list);

/* Read a whole number or a decimal one in [least, most]. */
bool bench_number(const char *text, double least, double most, double *value);

/* Is x on the list? */
bool bench_list_has(const struct bench_list *list, long x);

#endif
