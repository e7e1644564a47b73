/* This file makes a datatype of its text. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "base/status.h"
#include "types/basic.h"
#include "types/build.h"
#include "types/contents.h"
#include "types/text/grammar.h"

/* Bounds on what a short text can ask for. */
enum { EXPANDED_MAX = 1 << 20, SHAPES_MAX = 1 << 16 };

struct parser {
  const char *text, *at; /* borrowed; at is what comes next */
  int depth;
  MPJ_Count expanded; /* list items that repetition made */
  MPJ_Count shapes;
};

/* A growing array of numbers, or of handles. */
struct numbers {
  int64_t *values; /* owned */
  MPJ_Count n, capacity;
};

/* The arguments of one constructor. Handles that are not basic are owned. */
struct call {
  struct numbers counts, addresses, types;
  MPJ_Count length, length_at; /* of the lists, or -1; and where in counts it goes, or -1 */
};

static int wrong(const struct parser *p, const char *expected)
{
  return mpj_error(MPJ_ERR_FORMAT, "text has '%.20s' at position %td, expected %s", p->at,
                   p->at - p->text, expected);
}

static void skip_blanks(struct parser *p)
{
  while (isspace((unsigned char)*p->at))
    p->at++;
}

/* Whether c comes next; if so, it is taken. */
static bool take(struct parser *p, char c)
{
  skip_blanks(p);
  if (*p->at != c) return false;
  p->at++;
  return true;
}

static int need(struct parser *p, char c)
{
  const char expected[] = {'\'', c, '\'', '\0'};
  return take(p, c) ? MPJ_SUCCESS : wrong(p, expected);
}

static size_t word_length(struct parser *p)
{
  size_t n = 0;
  skip_blanks(p);
  while (isalnum((unsigned char)p->at[n]) || p->at[n] == '_')
    n++;
  return n;
}

static bool word_is(const char *word, size_t n, const char *name)
{
  return strlen(name) == n && strncmp(word, name, n) == 0;
}

static int parse_number(struct parser *p, int64_t *out)
{
  int64_t value = 0;
  skip_blanks(p);
  const char *digits = p->at + (*p->at == '-');
  const bool negative = digits > p->at;
  if (!isdigit((unsigned char)*digits)) return wrong(p, "a number");
  for (; isdigit((unsigned char)*digits); digits++) {
    const int64_t digit = *digits - '0';
    if (!mpj_mul_count(value, 10, &value) ||
        !mpj_add_count(value, negative ? -digit : digit, &value))
      return wrong(p, "a number of 64 bits");
  }
  p->at = digits;
  *out = value;
  return MPJ_SUCCESS;
}

/* A number, or one of the words. */
static int parse_value(struct parser *p, const struct mpj_text_word *words, int64_t *out)
{
  const size_t n = word_length(p);
  for (; words && words->word; words++) {
    if (!word_is(p->at, n, words->word)) continue;
    p->at += n;
    *out = words->value;
    return MPJ_SUCCESS;
  }
  return parse_number(p, out);
}

static int push(struct numbers *list, int64_t value)
{
  if (list->n == list->capacity) {
    const MPJ_Count capacity = list->capacity ? 2 * list->capacity : 8;
    int64_t *values = mpj_alloc_array((size_t)capacity, sizeof *values);
    if (!values)
      return mpj_error(MPJ_ERR_NO_MEM, "list of %" PRId64 " items could not be allocated",
                       capacity);
    if (list->n > 0) memcpy(values, list->values, (size_t)list->n * sizeof *values);
    mpj_free(list->values);
    list->values = values;
    list->capacity = capacity;
  }
  list->values[list->n++] = value;
  return MPJ_SUCCESS;
}

/* "*" and how many times, if they come next. */
static int parse_times(struct parser *p, MPJ_Count *times)
{
  *times = 1;
  if (!take(p, '*')) return MPJ_SUCCESS;
  const char *start = p->at;
  int status = parse_number(p, times);
  if (status) return status;
  if (*times >= 1 && *times <= EXPANDED_MAX - p->expanded) {
    p->expanded += *times;
    return MPJ_SUCCESS;
  }
  p->at = start;
  return wrong(p, "a repetition from 1 to what is left of 2^20 in all");
}

/* value, value*times, or value+step*times. */
static int parse_item(struct parser *p, const struct mpj_text_word *words, struct numbers *list)
{
  int64_t value, step = 0;
  MPJ_Count times = 1;
  int status = parse_value(p, words, &value);
  const bool stepped = !status && take(p, '+');
  if (stepped) status = parse_number(p, &step);
  if (!status) status = parse_times(p, &times);
  for (MPJ_Count i = 0; !status && i < times; i++) {
    status = push(list, value);
    if (!status && i + 1 < times && !mpj_add_count(value, step, &value))
      status = wrong(p, "a list of numbers of 64 bits");
  }
  return status;
}

static int parse_list(struct parser *p, const struct mpj_text_word *words, struct numbers *list)
{
  int status = need(p, '[');
  if (status || take(p, ']')) return status;
  do
    status = parse_item(p, words, list);
  while (!status && take(p, ','));
  return status ? status : need(p, ']');
}

static int parse_type(struct parser *p, MPJ_Datatype *out);

static int push_type(struct numbers *types, MPJ_Datatype type)
{
  return push(types, (int64_t)(intptr_t)type);
}

static void free_handle(MPJ_Datatype type)
{
  if (type != MPJ_DATATYPE_NULL && mpj_basic_of_handle(type) < 0) MPJ_Type_free(&type);
}

/* A type that is repeated is one handle, used several times; only its first place
 * owns it. */
static int parse_type_item(struct parser *p, struct numbers *types)
{
  MPJ_Datatype type;
  MPJ_Count times;
  int status = parse_type(p, &type);
  if (status) return status;
  status = push_type(types, type);
  if (status) {
    free_handle(type);
    return status;
  }
  status = parse_times(p, &times);
  for (MPJ_Count i = 1; !status && i < times; i++)
    status = push_type(types, type);
  return status;
}

static int parse_types(struct parser *p, struct numbers *types)
{
  int status = need(p, '[');
  if (status || take(p, ']')) return status;
  do
    status = parse_type_item(p, types);
  while (!status && take(p, ','));
  return status ? status : need(p, ']');
}

/* All lists of one call are of one length. */
static int check_length(struct parser *p, struct call *c, MPJ_Count n)
{
  if (c->length < 0) c->length = n;
  if (c->length == n) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_FORMAT,
                   "text has a list of %" PRId64 " before position %td, where others have %" PRId64,
                   n, p->at - p->text, c->length);
}

static int parse_single(struct parser *p, const struct mpj_text_word *words, struct numbers *list)
{
  int64_t value;
  int status = parse_value(p, words, &value);
  return status ? status : push(list, value);
}

static int parse_lists(struct parser *p, struct call *c, char letter)
{
  struct numbers *list = letter == 'A' ? &c->addresses : letter == 'T' ? &c->types : &c->counts;
  const MPJ_Count before = list->n;
  int status = letter == 'T'   ? parse_types(p, list)
               : letter == 'D' ? parse_list(p, mpj_text_distributions, list)
               : letter == 'G' ? parse_list(p, mpj_text_distribution_arguments, list)
                               : parse_list(p, NULL, list);
  return status ? status : check_length(p, c, list->n - before);
}

static int parse_old(struct parser *p, struct call *c)
{
  MPJ_Datatype type;
  int status = parse_type(p, &type);
  if (status) return status;
  status = push_type(&c->types, type);
  if (status) free_handle(type);
  return status;
}

static int parse_argument(struct parser *p, struct call *c, char letter)
{
  switch (letter) {
  case 'c':
    return parse_single(p, NULL, &c->counts);
  case 'o':
    return parse_single(p, mpj_text_orders, &c->counts);
  case 'a':
    return parse_single(p, NULL, &c->addresses);
  case 'B':
    return parse_list(p, NULL, &c->counts);
  case 't':
    return parse_old(p, c);
  default:
    return parse_lists(p, c, letter);
  }
}

static int parse_arguments(struct parser *p, struct call *c, const char *letters)
{
  int status = need(p, '(');
  bool comma = false;
  for (; *letters && !status; letters++) {
    if (*letters == 'n') {
      c->length_at = c->counts.n;
      status = push(&c->counts, 0);
      continue;
    }
    if (comma) status = need(p, ',');
    skip_blanks(p);
    if (status || (*letters == 'B' && *p->at != '[')) {
      comma = false;
      continue;
    }
    status = parse_argument(p, c, *letters);
    comma = true;
  }
  if (!status && c->length_at >= 0) c->counts.values[c->length_at] = c->length;
  return status ? status : need(p, ')');
}

static void free_call(struct call *c)
{
  for (MPJ_Count i = 0; i < c->types.n; i++) {
    const int64_t handle = c->types.values[i];
    if (i == 0 || handle != c->types.values[i - 1]) free_handle((MPJ_Datatype)(intptr_t)handle);
  }
  mpj_free(c->counts.values);
  mpj_free(c->addresses.values);
  mpj_free(c->types.values);
}

static int make_call(struct parser *p, const struct call *c, int combiner, const char *start,
                     MPJ_Datatype *out)
{
  const struct mpj_contents n = {c->counts.n, c->addresses.n, c->types.n};
  MPJ_Datatype *types = mpj_alloc_array((size_t)n.types, sizeof *types);
  if (!types)
    return mpj_error(MPJ_ERR_NO_MEM, "list of %" PRId64 " types could not be allocated", n.types);
  for (MPJ_Count i = 0; i < n.types; i++)
    types[i] = (MPJ_Datatype)(intptr_t)c->types.values[i];
  int status = mpj_contents_make(combiner, &n, c->counts.values, c->addresses.values, types,
                                 &p->shapes, out);
  mpj_free(types);
  return status ? mpj_error_context(status, "text at position %td", start - p->text) : status;
}

static int parse_call(struct parser *p, int combiner, const char *start, MPJ_Datatype *out)
{
  struct call c = {.length = -1, .length_at = -1};
  if (p->depth == MPJ_DEPTH_MAX)
    return mpj_error(MPJ_ERR_UNSUPPORTED, "text nests more than %d constructors at position %td",
                     MPJ_DEPTH_MAX, start - p->text);
  p->depth++;
  int status = parse_arguments(p, &c, mpj_text_forms[combiner].arguments);
  p->depth--;
  if (!status) status = make_call(p, &c, combiner, start, out);
  free_call(&c);
  return status;
}

/* The basic type of a word of n letters, or -1. */
static int find_basic(const char *word, size_t n)
{
  for (int b = 0; b < MPJ_BASIC_COUNT; b++) {
    const char *name = mpj_basics[b].name + strlen("MPJ_");
    if (strlen(name) != n) continue;
    size_t same = 0;
    while (same < n && word[same] == tolower((unsigned char)name[same]))
      same++;
    if (same == n) return b;
  }
  return -1;
}

static int parse_type(struct parser *p, MPJ_Datatype *out)
{
  const size_t n = word_length(p);
  const char *word = p->at;
  const int basic = find_basic(word, n);
  if (basic >= 0) {
    p->at += n;
    *out = MPJ_BASIC_((uintptr_t)basic);
    return MPJ_SUCCESS;
  }
  for (int combiner = 0; combiner < MPJ_TEXT_FORMS; combiner++) {
    const char *name = mpj_text_forms[combiner].name;
    if (!name || !word_is(word, n, name)) continue;
    p->at += n;
    return parse_call(p, combiner, word, out);
  }
  return wrong(p, "a type");
}

int MPJ_Type_parse(const char *text, MPJ_Datatype *newtype)
{
  MPJ_Datatype type;
  int status = mpj_build_need(text, "text");
  if (!status) status = mpj_build_need(newtype, "newtype");
  if (status) return status;
  struct parser p = {.text = text, .at = text, .shapes = SHAPES_MAX};
  status = parse_type(&p, &type);
  if (status) return status;
  skip_blanks(&p);
  if (*p.at) {
    free_handle(type);
    return wrong(&p, "nothing more");
  }
  *newtype = type;
  return MPJ_SUCCESS;
}
