/* This file reads the symbols of a type's text: words, numbers, and lists of
 * numbers with their repetitions. */
#include "types/text/scan.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "base/status.h"

enum { FIRST_CAPACITY = 8 };

int mpj_scan_wrong(const struct mpj_scan *p, const char *expected)
{
  return mpj_error(MPJ_ERR_FORMAT, "text has '%.20s' at position %td, expected %s", p->at,
                   p->at - p->text, expected);
}

void mpj_scan_blanks(struct mpj_scan *p)
{
  while (isspace((unsigned char)*p->at))
    p->at++;
}

/* Whether c comes next; if so, it is taken. */
bool mpj_scan_take(struct mpj_scan *p, char c)
{
  mpj_scan_blanks(p);
  if (*p->at != c) return false;
  p->at++;
  return true;
}

int mpj_scan_need(struct mpj_scan *p, char c)
{
  const char expected[] = {'\'', c, '\'', '\0'};
  return mpj_scan_take(p, c) ? MPJ_SUCCESS : mpj_scan_wrong(p, expected);
}

size_t mpj_scan_word(struct mpj_scan *p)
{
  size_t n = 0;
  mpj_scan_blanks(p);
  while (isalnum((unsigned char)p->at[n]) || p->at[n] == '_')
    n++;
  return n;
}

bool mpj_scan_word_is(const char *word, size_t n, const char *name)
{
  return strlen(name) == n && strncmp(word, name, n) == 0;
}

static int parse_number(struct mpj_scan *p, int64_t *out)
{
  int64_t value = 0;
  mpj_scan_blanks(p);
  const char *digits = p->at + (*p->at == '-');
  const bool negative = digits > p->at;
  if (!isdigit((unsigned char)*digits)) return mpj_scan_wrong(p, "a number");
  for (; isdigit((unsigned char)*digits); digits++) {
    const int64_t digit = *digits - '0';
    if (!mpj_mul_count(value, 10, &value) ||
        !mpj_add_count(value, negative ? -digit : digit, &value))
      return mpj_scan_wrong(p, "a number of 64 bits");
  }
  p->at = digits;
  *out = value;
  return MPJ_SUCCESS;
}

/* A number, or one of the words. */
int mpj_scan_value(struct mpj_scan *p, const struct mpj_text_word *words, int64_t *out)
{
  const size_t n = mpj_scan_word(p);
  for (; words && words->word; words++) {
    if (!mpj_scan_word_is(p->at, n, words->word)) continue;
    p->at += n;
    *out = words->value;
    return MPJ_SUCCESS;
  }
  return parse_number(p, out);
}

/* Make room for `more` further values. */
static int reserve(struct mpj_numbers *list, MPJ_Count more)
{
  MPJ_Count needed = 0, capacity = list->capacity ? list->capacity : FIRST_CAPACITY;
  bool fits = mpj_add_count(list->n, more, &needed);
  while (fits && capacity < needed)
    fits = mpj_mul_count(capacity, 2, &capacity);
  if (fits && capacity == list->capacity) return MPJ_SUCCESS;
  int64_t *values = fits ? mpj_alloc_array((size_t)capacity, sizeof *values) : NULL;
  if (!values)
    return mpj_error(MPJ_ERR_NO_MEM,
                     "list of %" PRId64 " and %" PRId64 " more items could not be allocated",
                     list->n, more);
  if (list->n > 0) memcpy(values, list->values, (size_t)list->n * sizeof *values);
  mpj_free(list->values);
  list->values = values;
  list->capacity = capacity;
  return MPJ_SUCCESS;
}

int mpj_scan_repeat(struct mpj_numbers *list, int64_t value, int64_t step, MPJ_Count times)
{
  int status = reserve(list, times);
  for (MPJ_Count i = 0; i < times && !status; i++)
    list->values[list->n++] = (int64_t)((uint64_t)value + (uint64_t)i * (uint64_t)step);
  return status;
}

int mpj_scan_push(struct mpj_numbers *list, int64_t value)
{
  return mpj_scan_repeat(list, value, 0, 1);
}

/* "*" and how many times, if they come next. */
int mpj_scan_times(struct mpj_scan *p, MPJ_Count *times)
{
  *times = 1;
  if (!mpj_scan_take(p, '*')) return MPJ_SUCCESS;
  const char *start = p->at;
  int status = parse_number(p, times);
  if (status) return status;
  if (*times >= 1) return MPJ_SUCCESS;
  p->at = start;
  return mpj_scan_wrong(p, "a repetition of at least 1");
}

/* value, value*times, or value+step*times. */
static int parse_item(struct mpj_scan *p, const struct mpj_text_word *words,
                      struct mpj_numbers *list)
{
  int64_t value, step = 0;
  MPJ_Count times = 1;
  int status = mpj_scan_value(p, words, &value);
  const bool stepped = !status && mpj_scan_take(p, '+');
  if (stepped) status = parse_number(p, &step);
  mpj_scan_blanks(p);
  if (!status && stepped && *p->at != '*') status = mpj_scan_wrong(p, "'*'");
  if (!status) status = mpj_scan_times(p, &times);
  if (status) return status;
  int64_t last;
  if (!mpj_mul_count(step, times - 1, &last) || !mpj_add_count(value, last, &last))
    return mpj_scan_wrong(p, "a list of numbers of 64 bits");
  return mpj_scan_repeat(list, value, step, times);
}

int mpj_scan_list(struct mpj_scan *p, const struct mpj_text_word *words, struct mpj_numbers *list)
{
  int status = mpj_scan_need(p, '[');
  if (status || mpj_scan_take(p, ']')) return status;
  do
    status = parse_item(p, words, list);
  while (!status && mpj_scan_take(p, ','));
  return status ? status : mpj_scan_need(p, ']');
}
