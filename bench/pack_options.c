/* This file reads the options that driver and worker of `mpj-bench pack` share. */
#include "pack_options.h"

#include <string.h>

#define NAME(name) #name,

const char *const pack_row_names[PACK_NROWS] = {
    "pack", "unpack", "forward", "backward", "random", "copy", "transpose", "small", "sum"};
const char *const pack_size_names[PACK_NSIZES] = {"S", "M", "B"};
const char *const pack_pattern_names[PACK_NPATTERNS] = {PACK_FOR_ALL(NAME)};

bool pack_options_all(struct bench_list *list, int first, int n)
{
  for (list->n = 0; list->n < n; list->n++)
    list->at[list->n] = first + list->n;
  return true;
}

bool pack_options_rows(struct pack_options *o, const char *text)
{
  return bench_list_words(text, pack_row_names, PACK_NROWS, &o->rows);
}

bool pack_options_patterns(struct pack_options *o, const char *text)
{
  if (!strcmp(text, "applications")) return pack_options_all(&o->patterns, 0, PACK_NAPPLICATIONS);
  if (!strcmp(text, "lists"))
    return pack_options_all(&o->patterns, PACK_NAPPLICATIONS, PACK_NLISTS);
  return bench_list_words(text, pack_pattern_names, PACK_NPATTERNS, &o->patterns);
}

bool pack_options_sizes(struct pack_options *o, const char *text)
{
  return bench_list_words(text, pack_size_names, PACK_NSIZES, &o->sizes);
}

bool pack_options_seconds(struct pack_options *o, const char *text)
{
  return bench_number(text, 1e-6, 3600, &o->seconds);
}
