/* This file reads comma-separated lists. */
#include "bench_list.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool bench_list_numbers(const char *text, long least, long most, long step, struct bench_list *list)
{
  for (list->n = 0; list->n < BENCH_LIST_MOST; text++) {
    char *end;
    errno = 0;
    long x = strtol(text, &end, 10);
    if (!isdigit((unsigned char)*text) || errno || x < least || x > most || x % step) return false;
    list->at[list->n++] = x;
    text = end;
    if (*text != ',') return *text == '\0';
  }
  return false;
}

/* The index of the word at text[0..length), or -1. */
static int word_index(const char *text, size_t length, const char *const words[], int nwords)
{
  for (int i = 0; i < nwords; i++)
    if (strlen(words[i]) == length && !memcmp(words[i], text, length)) return i;
  return -1;
}

bool bench_list_words(const char *text, const char *const words[], int nwords,
                      struct bench_list *list)
{
  for (list->n = 0; list->n < BENCH_LIST_MOST; text++) {
    size_t length = strcspn(text, ",");
    int index = word_index(text, length, words, nwords);
    if (index < 0) return false;
    list->at[list->n++] = index;
    text += length;
    if (*text == '\0') return true;
  }
  return false;
}

bool bench_number(const char *text, double least, double most, double *value)
{
  char *end;
  double x = strtod(text, &end);
  if (end == text || *end || !(x >= least && x <= most)) return false;
  *value = x;
  return true;
}

bool bench_list_has(const struct bench_list *list, long x)
{
  for (int i = 0; i < list->n; i++)
    if (list->at[i] == x) return true;
  return false;
}
