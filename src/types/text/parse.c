/* This file makes a datatype of its text. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <zlib.h>

#include "base/entry.h"
#include "base/memory.h"
#include "base/status.h"
#include "types/basic.h"
#include "types/introspect/contents.h"
#include "types/text/made.h"
#include "types/text/scan.h"

enum { FIRST_CALLS = 16 };

/* The arguments of one constructor, as far as they were read. Handles are borrowed. */
struct call {
  int combiner;
  const char *start;  /* of its name */
  const char *hashed; /* up to here its text is in `hash`, that of old types by their hashes */
  uint32_t hash;
  const char *letter; /* of the next argument */
  bool comma;         /* one comes before it */
  char listing;       /* T or U inside such a list of types, else 0 */
  MPJ_Count listed;   /* types before the list */
  struct mpj_numbers counts, addresses, types;
  struct length {
    MPJ_Count n, at; /* or -1; where in counts it goes, or -1 */
  } lists, buckets;  /* how long all lists are, and those of buckets */
};

/* The constructors that are open, each inside the one before: no recursion, for types
 * nest deeper than small stacks are. */
struct parser {
  struct mpj_scan scan;
  struct call *calls; /* [capacity], owned */
  int open, capacity;
  struct mpj_made made; /* the types in the one that is parsed */
};

static int push_type(struct mpj_numbers *types, MPJ_Datatype type)
{
  return mpj_scan_push(types, (int64_t)(intptr_t)type);
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

static int parse_list(struct mpj_scan *p, struct call *c, char letter)
{
  struct mpj_numbers *list = letter == 'A' ? &c->addresses : &c->counts;
  const MPJ_Count before = list->n;
  int status = letter == 'D'   ? mpj_scan_list(p, mpj_text_distributions, list)
               : letter == 'G' ? mpj_scan_list(p, mpj_text_distribution_arguments, list)
                               : mpj_scan_list(p, NULL, list);
  if (status) return status;
  return check_length(p, letter == 'K' ? &c->buckets : &c->lists, list->n - before);
}

static int end_types(struct mpj_scan *p, struct call *c)
{
  struct length *length = c->listing == 'U' ? &c->buckets : &c->lists;
  c->listing = 0;
  return check_length(p, length, c->types.n - c->listed);
}

/* An argument that is a type, or a list of them: *wanted says whether one comes next. */
static int begin_types(struct mpj_scan *p, struct call *c, char letter, bool *wanted)
{
  *wanted = letter == 't';
  if (*wanted) return MPJ_SUCCESS;
  c->listing = letter;
  c->listed = c->types.n;
  int status = mpj_scan_need(p, '[');
  if (status) return status;
  *wanted = !mpj_scan_take(p, ']');
  return *wanted ? MPJ_SUCCESS : end_types(p, c);
}

static int parse_argument(struct mpj_scan *p, struct call *c, char letter, bool *wanted)
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
  case 'T':
  case 'U':
    return begin_types(p, c, letter, wanted);
  default:
    return parse_list(p, c, letter);
  }
}

/* The arguments up to the next type, or to the end: *wanted says which. */
static int parse_arguments(struct mpj_scan *p, struct call *c, bool *wanted)
{
  int status = MPJ_SUCCESS;
  *wanted = false;
  while (*c->letter && !status && !*wanted) {
    const char letter = *c->letter++;
    if (letter == 'n' || letter == 'm') {
      (letter == 'n' ? &c->lists : &c->buckets)->at = c->counts.n;
      status = mpj_scan_push(&c->counts, 0);
      continue;
    }
    if (c->comma) status = mpj_scan_need(p, ',');
    mpj_scan_blanks(p);
    c->comma = !status && (letter != 'B' || *p->at == '[');
    if (c->comma) status = parse_argument(p, c, letter, wanted);
  }
  if (status || *wanted) return status;
  if (c->lists.at >= 0) c->counts.values[c->lists.at] = c->lists.n;
  if (c->buckets.at >= 0) c->counts.values[c->buckets.at] = c->buckets.n;
  return mpj_scan_need(p, ')');
}

/* A type came. One that is repeated is one handle, used several times. */
static int take_type(struct mpj_scan *p, struct call *c, MPJ_Datatype type, bool *wanted)
{
  MPJ_Count times;
  *wanted = false;
  int status = push_type(&c->types, type);
  if (status || !c->listing) return status;
  status = mpj_scan_times(p, &times);
  if (!status) status = mpj_scan_repeat(&c->types, (int64_t)(intptr_t)type, 0, times - 1);
  if (status) return status;
  *wanted = mpj_scan_take(p, ',');
  if (*wanted) return MPJ_SUCCESS;
  status = mpj_scan_need(p, ']');
  return status ? status : end_types(p, c);
}

static void free_call(struct call *c)
{
  mpj_free(c->counts.values);
  mpj_free(c->addresses.values);
  mpj_free(c->types.values);
}

/* Text is the program's own, as arguments are: it may ask for as many shapes of part. */
static int make_call(struct mpj_scan *p, const struct call *c, MPJ_Datatype *out)
{
  MPJ_Count shapes = INT64_MAX;
  const struct mpj_contents n = {c->counts.n, c->addresses.n, c->types.n};
  MPJ_Datatype *types = mpj_alloc_array((size_t)n.types, sizeof *types);
  if (!types)
    return mpj_error(MPJ_ERR_NO_MEM, "list of %" PRId64 " types could not be allocated", n.types);
  for (MPJ_Count i = 0; i < n.types; i++)
    types[i] = (MPJ_Datatype)(intptr_t)c->types.values[i];
  int status = mpj_contents_make(c->combiner, &n, c->counts.values, c->addresses.values, types,
                                 &shapes, out);
  mpj_free(types);
  return status ? mpj_error_context(status, "text at position %td", c->start - p->text) : status;
}

static int grow_calls(struct parser *q)
{
  const int capacity = q->capacity ? 2 * q->capacity : FIRST_CALLS;
  struct call *calls = mpj_alloc_array((size_t)capacity, sizeof *calls);
  if (!calls)
    return mpj_error(MPJ_ERR_NO_MEM, "list of %d constructors could not be allocated", capacity);
  if (q->open > 0) memcpy(calls, q->calls, (size_t)q->open * sizeof *calls);
  mpj_free(q->calls);
  q->calls = calls;
  q->capacity = capacity;
  return MPJ_SUCCESS;
}

/* Begin a constructor, whose name was read. */
static int begin_call(struct parser *q, int combiner, const char *start)
{
  int status = MPJ_SUCCESS;
  if (q->open == MPJ_DEPTH_MAX)
    return mpj_error(MPJ_ERR_UNSUPPORTED, "text nests more than %d constructors at position %td",
                     MPJ_DEPTH_MAX, start - q->scan.text);
  if (q->open == q->capacity) status = grow_calls(q);
  if (status) return status;
  q->calls[q->open++] = (struct call){.combiner = combiner,
                                      .start = start,
                                      .hashed = start,
                                      .letter = mpj_text_forms[combiner].arguments,
                                      .lists = {-1, -1},
                                      .buckets = {-1, -1}};
  return mpj_scan_need(&q->scan, '(');
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

/* A basic type, *out; or the beginning of another one: *out is then null. */
static int begin_type(struct parser *q, MPJ_Datatype *out)
{
  struct mpj_scan *p = &q->scan;
  const size_t n = mpj_scan_word(p);
  const char *word = p->at;
  const int basic = find_basic(word, n);
  *out = MPJ_DATATYPE_NULL;
  if (basic >= 0) {
    p->at += n;
    *out = MPJ_BASIC_((uintptr_t)basic);
    return MPJ_SUCCESS;
  }
  for (int combiner = 0; combiner < MPJ_TEXT_FORMS; combiner++) {
    const char *name = mpj_text_forms[combiner].name;
    if (!name || !mpj_scan_word_is(word, n, name)) continue;
    p->at += n;
    return begin_call(q, combiner, word);
  }
  return mpj_scan_wrong(p, "a type");
}

/* The hash of a constructor's text up to `end`: each character is in one constructor's, so that
 * the time is linear in the text however deep it nests. */
static uint32_t hash_up_to(struct call *c, const char *end)
{
  c->hash = (uint32_t)crc32_z(c->hash, (const unsigned char *)c->hashed, (size_t)(end - c->hashed));
  c->hashed = end;
  return c->hash;
}

static void hash_old_type(struct call *c, const struct mpj_made_type *old)
{
  hash_up_to(c, old->start);
  c->hash = (uint32_t)crc32_z(c->hash, (const unsigned char *)&old->hash, sizeof old->hash);
  c->hashed = old->start + old->length;
}

/* The type of a constructor whose arguments were read, borrowed. */
static int make_inner(struct parser *q, const struct call *c, struct mpj_made_type *t)
{
  t->type = mpj_made_find(&q->made, t);
  if (t->type != MPJ_DATATYPE_NULL) return MPJ_SUCCESS;
  const int status = make_call(&q->scan, c, &t->type);
  return status ? status : mpj_made_add(&q->made, *t);
}

/* End the innermost constructor, whose arguments were read: *out is its type, owned if it is the
 * outermost one, too. */
static int end_call(struct parser *q, MPJ_Datatype *out)
{
  struct call *c = &q->calls[--q->open];
  struct mpj_made_type t = {.start = c->start,
                            .length = (size_t)(q->scan.at - c->start),
                            .hash = hash_up_to(c, q->scan.at)};
  const int status = q->open ? make_inner(q, c, &t) : make_call(&q->scan, c, &t.type);
  if (!status && q->open) hash_old_type(c - 1, &t);
  free_call(c);
  *out = t.type;
  return status;
}

/* One type with all that is in it. Whenever a type is whole, the constructor around it
 * takes it and goes on to where it wants the next one, or to its end. */
static int parse_type(struct parser *q, MPJ_Datatype *out)
{
  MPJ_Datatype type;
  int status;
  do {
    bool wanted = false;
    status = begin_type(q, &type);
    bool whole = !status && type != MPJ_DATATYPE_NULL;
    while (!status && !wanted && (q->open > 0 || !whole)) {
      struct call *c = &q->calls[q->open - 1];
      if (whole) status = take_type(&q->scan, c, type, &wanted);
      if (!status && !wanted) status = parse_arguments(&q->scan, c, &wanted);
      whole = !status && !wanted;
      if (whole) status = end_call(q, &type);
    }
  } while (!status && q->open > 0);
  if (!status) *out = type;
  return status;
}

int MPJ_Type_parse(const char *text, MPJ_Datatype *newtype)
{
  MPJ_ENTRY;
  MPJ_Datatype type = MPJ_DATATYPE_NULL;
  int status = mpj_need(text, "text");
  if (!status) status = mpj_need(newtype, "newtype");
  if (status) return status;
  struct parser q = {.scan = {.text = text, .at = text}};
  status = parse_type(&q, &type);
  while (q.open > 0)
    free_call(&q.calls[--q.open]);
  mpj_free(q.calls);
  mpj_made_free(&q.made);
  if (status) return status;
  mpj_scan_blanks(&q.scan);
  if (*q.scan.at) {
    if (mpj_basic_of_handle(type) < 0) MPJ_Type_free(&type);
    return mpj_scan_wrong(&q.scan, "nothing more");
  }
  *newtype = type;
  return MPJ_SUCCESS;
}
