/* This file reads the values of options. */
#include "values.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machines.h"

/* A whole number with K, M or G behind it, `least` to `most`. */
bool read_number(const char *text, int64_t least, int64_t most, int64_t *number, char *why,
                 size_t size)
{
  char *end;
  errno = 0;
  const long long n = strtoll(text, &end, 10);
  int64_t unit = 1;
  const bool counts = isdigit((unsigned char)*text) && errno == 0;
  const char *letter = *end ? strchr("KMG", toupper((unsigned char)*end)) : NULL;
  for (const char *c = "KMG"; letter && c <= strchr("KMG", toupper((unsigned char)*end)); c++)
    unit *= 1024;
  if (letter) end++;
  if (!counts || *end || n > most / unit || n * unit < least) {
    snprintf(why, size, "\"%s\" is no whole number from %" PRId64 " to %" PRId64, text, least,
             most);
    return false;
  }
  *number = n * unit;
  return true;
}

bool read_int(const char *text, int least, int *number, char *why, size_t size)
{
  int64_t n;
  if (!read_number(text, least, INT32_MAX, &n, why, size)) return false;
  *number = (int)n;
  return true;
}

bool read_time(const char *text, int64_t *time, char *why, size_t size)
{
  if (time_of_text(text, false, time)) return true;
  snprintf(why, size, "\"%s\" is no time: a number and s, ms, us, ns, or ps", text);
  return false;
}

/* One behind the others of a list, which has each rank once. */
static bool add(struct rank_time one, struct rank_time **list, int *n, char *why, size_t size)
{
  for (int i = 0; i < *n; i++)
    if ((*list)[i].rank == one.rank) {
      snprintf(why, size, "rank %d is given twice", one.rank);
      return false;
    }
  struct rank_time *more = mpj_alloc_array((size_t)*n + 1, sizeof *more);
  if (!more) {
    snprintf(why, size, "there is no memory");
    return false;
  }
  if (*n > 0) memcpy(more, *list, (size_t)*n * sizeof *more);
  mpj_free(*list);
  more[(*n)++] = one;
  *list = more;
  return true;
}

/* The rank of "777:5ms" and what follows the colon; NULL: there is none. */
static const char *read_rank(const char *text, int *rank)
{
  char *end;
  const long n = strtol(text, &end, 10);
  *rank = (int)n;
  return !isdigit((unsigned char)*text) || *end != ':' || n > INT32_MAX ? NULL : end + 1;
}

bool add_rank_time(const char *text, struct rank_time **list, int *n, char *why, size_t size)
{
  struct rank_time one = {0};
  const char *time = read_rank(text, &one.rank);
  if (time && time_of_text(time, false, &one.time)) return add(one, list, n, why, size);
  snprintf(why, size, "\"%s\" is no RANK:TIME, as 777:5ms", text);
  return false;
}

bool add_rank_bytes(const char *text, struct rank_time **list, int *n, char *why, size_t size)
{
  struct rank_time one = {0};
  const char *bytes = read_rank(text, &one.rank);
  if (bytes && read_number(bytes, 0, 4096, &one.time, why, size))
    return add(one, list, n, why, size);
  if (!bytes) snprintf(why, size, "\"%s\" is no RANK:BYTES, as 777:8", text);
  return false;
}

/* "8,1K,32K": rising numbers. */
bool read_list(const char *text, int64_t least, struct list *list, char *why, size_t size)
{
  char one[32];
  for (list->n = 0; list->n < LIST_MOST;) {
    const size_t length = strcspn(text, ",");
    int64_t *at = &list->at[list->n];
    snprintf(one, sizeof one, "%.*s", (int)(length < sizeof one ? length : sizeof one - 1), text);
    if (!read_number(one, least, INT32_MAX, at, why, size)) return false;
    if (list->n > 0 && *at <= at[-1]) {
      snprintf(why, size, "%s does not rise above %" PRId64, one, at[-1]);
      return false;
    }
    list->n++;
    if (text[length] == '\0') return true;
    text += length + 1;
  }
  snprintf(why, size, "there are more than %d numbers", LIST_MOST);
  return false;
}
