/* This file makes a datatype of its text. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "types/basic.h"
#include "types/build.h"
#include "types/contents.h"
#include "types/text/scan.h"

/* Shapes of part that the distributions in one text may have. */
enum { SHAPES_MAX = 1 << 16 };

/* The arguments of one constructor. Handles that are not basic are owned. */
struct call {
  struct mpj_numbers counts, addresses, types;
  struct length {
    MPJ_Count n, at; /* or -1; where in counts it goes, or -1 */
  } lists, buckets;  /* how long all lists are, and those of buckets */
};

static int parse_type(struct mpj_scan *p, MPJ_Datatype *out);

static int push_type(struct mpj_numbers *types, MPJ_Datatype type)
{
  return mpj_scan_push(types, (int64_t)(intptr_t)type);
}

static void free_handle(MPJ_Datatype type)
{
  if (type != MPJ_DATATYPE_NULL && mpj_basic_of_handle(type) < 0) MPJ_Type_free(&type);
}

/* A type that is repeated is one handle, used several times; only its first place
 * owns it. */
static int parse_type_item(struct mpj_scan *p, struct mpj_numbers *types)
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
  status = mpj_scan_times(p, &times);
  for (MPJ_Count i = 1; !status && i < times; i++)
    status = push_type(types, type);
  return status;
}

static int parse_types(struct mpj_scan *p, struct mpj_numbers *types)
{
  int status = mpj_scan_need(p, '[');
  if (status || mpj_scan_take(p, ']')) return status;
  do
    status = parse_type_item(p, types);
  while (!status && mpj_scan_take(p, ','));
  return status ? status : mpj_scan_need(p, ']');
}

/* All lists of one call are of one length, and those of buckets of one. */
static int check_length(struct mpj_scan *p, struct length *length, MPJ_Count n)
{
  if (length->n < 0) length->n = n;
  if (length->n == n) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_FORMAT,
                   "text has a list of %" PRId64 " before position %td, where others have %" PRId64,
                   n, p->at - p->text, length->n);
}

static int parse_single(struct mpj_scan *p, const struct mpj_text_word *words,
                        struct mpj_numbers *list)
{
  int64_t value;
  int status = mpj_scan_value(p, words, &value);
  return status ? status : mpj_scan_push(list, value);
}

static int parse_lists(struct mpj_scan *p, struct call *c, char letter)
{
  const bool types = letter == 'T' || letter == 'U', buckets = letter == 'K' || letter == 'U';
  struct mpj_numbers *list = letter == 'A' ? &c->addresses : types ? &c->types : &c->counts;
  const MPJ_Count before = list->n;
  int status = types           ? parse_types(p, list)
               : letter == 'D' ? mpj_scan_list(p, mpj_text_distributions, list)
               : letter == 'G' ? mpj_scan_list(p, mpj_text_distribution_arguments, list)
                               : mpj_scan_list(p, NULL, list);
  return status ? status : check_length(p, buckets ? &c->buckets : &c->lists, list->n - before);
}

static int parse_old(struct mpj_scan *p, struct call *c)
{
  MPJ_Datatype type;
  int status = parse_type(p, &type);
  if (status) return status;
  status = push_type(&c->types, type);
  if (status) free_handle(type);
  return status;
}

static int parse_argument(struct mpj_scan *p, struct call *c, char letter)
{
  switch (letter) {
  case 'c':
    return parse_single(p, NULL, &c->counts);
  case 'o':
    return parse_single(p, mpj_text_orders, &c->counts);
  case 'a':
    return parse_single(p, NULL, &c->addresses);
  case 'B':
    return mpj_scan_list(p, NULL, &c->counts);
  case 't':
    return parse_old(p, c);
  default:
    return parse_lists(p, c, letter);
  }
}

static int parse_arguments(struct mpj_scan *p, struct call *c, const char *letters)
{
  int status = mpj_scan_need(p, '(');
  bool comma = false;
  for (; *letters && !status; letters++) {
    if (*letters == 'n' || *letters == 'm') {
      (*letters == 'n' ? &c->lists : &c->buckets)->at = c->counts.n;
      status = mpj_scan_push(&c->counts, 0);
      continue;
    }
    if (comma) status = mpj_scan_need(p, ',');
    mpj_scan_blanks(p);
    if (status || (*letters == 'B' && *p->at != '[')) {
      comma = false;
      continue;
    }
    status = parse_argument(p, c, *letters);
    comma = true;
  }
  if (!status && c->lists.at >= 0) c->counts.values[c->lists.at] = c->lists.n;
  if (!status && c->buckets.at >= 0) c->counts.values[c->buckets.at] = c->buckets.n;
  return status ? status : mpj_scan_need(p, ')');
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

static int make_call(struct mpj_scan *p, const struct call *c, int combiner, const char *start,
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

static int parse_call(struct mpj_scan *p, int combiner, const char *start, MPJ_Datatype *out)
{
  struct call c = {.lists = {-1, -1}, .buckets = {-1, -1}};
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

static int parse_type(struct mpj_scan *p, MPJ_Datatype *out)
{
  const size_t n = mpj_scan_word(p);
  const char *word = p->at;
  const int basic = find_basic(word, n);
  if (basic >= 0) {
    p->at += n;
    *out = MPJ_BASIC_((uintptr_t)basic);
    return MPJ_SUCCESS;
  }
  for (int combiner = 0; combiner < MPJ_TEXT_FORMS; combiner++) {
    const char *name = mpj_text_forms[combiner].name;
    if (!name || !mpj_scan_word_is(word, n, name)) continue;
    p->at += n;
    return parse_call(p, combiner, word, out);
  }
  return mpj_scan_wrong(p, "a type");
}

int MPJ_Type_parse(const char *text, MPJ_Datatype *newtype)
{
  MPJ_Datatype type;
  int status = mpj_build_need(text, "text");
  if (!status) status = mpj_build_need(newtype, "newtype");
  if (status) return status;
  struct mpj_scan p = {.text = text, .at = text, .shapes = SHAPES_MAX};
  status = parse_type(&p, &type);
  if (status) return status;
  mpj_scan_blanks(&p);
  if (*p.at) {
    free_handle(type);
    return mpj_scan_wrong(&p, "nothing more");
  }
  *newtype = type;
  return MPJ_SUCCESS;
}
