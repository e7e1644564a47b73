/* This file writes a datatype as text. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "types/basic.h"
#include "types/build.h"
#include "types/contents.h"
#include "types/serial/bytes.h"
#include "types/text/grammar.h"

enum { TEXT_MAX = 1 << 26, CHUNK = 64 };

static void put(struct mpj_writer *w, const char *text)
{
  const size_t n = strlen(text);
  uint8_t *at = mpj_writer_room(w, n);
  if (!at) return;
  memcpy(at, text, n);
  w->n += n;
}

static void put_number(struct mpj_writer *w, int64_t value)
{
  char text[24];
  snprintf(text, sizeof text, "%" PRId64, value);
  put(w, text);
}

/* A list as it is written: values come one by one, and stretches of equal steps
 * are held back until they end. */
struct list {
  struct mpj_writer *w;
  const struct mpj_text_word *words; /* or NULL */
  int64_t first, last, step;
  MPJ_Count held; /* values of the stretch */
  bool empty;     /* nothing was written */
};

static void put_value(struct list *l, int64_t value)
{
  const char *word = l->words ? mpj_text_word_of(l->words, value) : NULL;
  if (word)
    put(l->w, word);
  else
    put_number(l->w, value);
}

/* The first `count` values of the stretch, as one item. */
static void put_item(struct list *l, MPJ_Count count)
{
  if (!l->empty) put(l->w, ",");
  l->empty = false;
  put_value(l, l->first);
  if (count == 1) return;
  if (l->step != 0) {
    put(l->w, "+");
    put_number(l->w, l->step);
  }
  put(l->w, "*");
  put_number(l->w, count);
}

static void flush(struct list *l)
{
  if (l->held >= 3) {
    put_item(l, l->held);
  } else {
    for (; l->held > 0; l->held--) {
      put_item(l, 1);
      l->first = l->last;
    }
  }
  l->held = 0;
}

static void add(struct list *l, int64_t value)
{
  int64_t next;
  if (l->held >= 2 && !(mpj_add_count(l->last, l->step, &next) && next == value)) {
    if (l->held == 2) {
      put_item(l, 1);
      l->first = l->last;
      l->held = 1;
    } else {
      flush(l);
    }
  }
  if (l->held == 1 && __builtin_sub_overflow(value, l->last, &l->step)) flush(l);
  if (l->held++ == 0) l->first = value;
  l->last = value;
}

typedef void (*read_fn)(const struct mpj_type_spec *spec, MPJ_Count first, MPJ_Count n,
                        int64_t out[]);

static void put_list(struct mpj_writer *w, const struct mpj_type_spec *spec, read_fn read,
                     MPJ_Count first, MPJ_Count n, const struct mpj_text_word words[])
{
  int64_t values[CHUNK];
  struct list l = {.w = w, .words = words, .empty = true};
  put(w, "[");
  for (MPJ_Count done = 0; done < n && !w->failed; done += CHUNK) {
    const MPJ_Count now = n - done < CHUNK ? n - done : CHUNK;
    read(spec, first + done, now, values);
    for (MPJ_Count i = 0; i < now; i++)
      add(&l, values[i]);
  }
  flush(&l);
  put(w, "]");
}

static void put_spec(struct mpj_writer *w, const struct mpj_type_spec *spec);

/* A list of types; equal neighbours are one item. */
static void put_types(struct mpj_writer *w, const struct mpj_type_spec *spec, MPJ_Count n)
{
  const struct mpj_type_spec *type, *next;
  put(w, "[");
  for (MPJ_Count i = 0, run; i < n && w->n <= TEXT_MAX && !w->failed; i += run) {
    mpj_contents_types(spec, i, 1, &type);
    for (run = 1; i + run < n; run++) {
      mpj_contents_types(spec, i + run, 1, &next);
      if (!mpj_spec_same(type, next)) break;
    }
    if (i > 0) put(w, ",");
    put_spec(w, type);
    if (run == 1) continue;
    put(w, "*");
    put_number(w, run);
  }
  put(w, "]");
}

static void put_basic(struct mpj_writer *w, int basic)
{
  char name[40];
  const char *from = mpj_basics[basic].name + strlen("MPJ_");
  size_t n = 0;
  for (; from[n] && n + 1 < sizeof name; n++)
    name[n] = (char)tolower((unsigned char)from[n]);
  name[n] = '\0';
  put(w, name);
}

/* Where the next numbers are taken from. */
struct place {
  MPJ_Count counts, addresses;
  MPJ_Count length, buckets; /* of a list, and of one of buckets */
};

static void put_single(struct mpj_writer *w, const struct mpj_type_spec *spec, read_fn read,
                       MPJ_Count at, const struct mpj_text_word words[])
{
  int64_t value;
  read(spec, at, 1, &value);
  const char *word = words ? mpj_text_word_of(words, value) : NULL;
  if (word)
    put(w, word);
  else
    put_number(w, value);
}

/* One argument; false if nothing was written for it. */
static bool put_argument(struct mpj_writer *w, const struct mpj_type_spec *spec, char letter,
                         struct place *p)
{
  const struct mpj_contents n = mpj_contents_of(spec);
  const struct mpj_type_spec *old;
  const struct mpj_text_word *words = letter == 'D'   ? mpj_text_distributions
                                      : letter == 'G' ? mpj_text_distribution_arguments
                                                      : NULL;
  switch (letter) {
  case 'n':
    mpj_contents_counts(spec, p->counts++, 1, &p->length);
    return false;
  case 'm':
    mpj_contents_counts(spec, p->counts++, 1, &p->buckets);
    return false;
  case 'K':
    put_list(w, spec, mpj_contents_counts, p->counts, p->buckets, NULL);
    p->counts += p->buckets;
    return true;
  case 'c':
    put_single(w, spec, mpj_contents_counts, p->counts++, NULL);
    return true;
  case 'o':
    put_single(w, spec, mpj_contents_counts, p->counts++, mpj_text_orders);
    return true;
  case 'a':
    put_single(w, spec, mpj_contents_addresses, p->addresses++, NULL);
    return true;
  case 'A':
    put_list(w, spec, mpj_contents_addresses, 0, p->length, NULL);
    return true;
  case 'B':
    if (p->counts == n.counts) return false;
    put_list(w, spec, mpj_contents_counts, p->counts, n.counts - p->counts, NULL);
    return true;
  case 't':
    mpj_contents_types(spec, 0, 1, &old);
    put_spec(w, old);
    return true;
  case 'T':
  case 'U':
    put_types(w, spec, n.types);
    return true;
  default: /* C, D, G */
    put_list(w, spec, mpj_contents_counts, p->counts, p->length, words);
    p->counts += p->length;
    return true;
  }
}

/* Recursion: as deep as types are, MPJ_DEPTH_MAX and some dimensions. */
static void put_spec(struct mpj_writer *w, const struct mpj_type_spec *spec)
{
  if (spec->combiner == MPJ_COMBINER_NAMED) {
    put_basic(w, spec->map.layout->u.run.basic);
    return;
  }
  const struct mpj_text_form *form = &mpj_text_forms[spec->combiner];
  struct place place = {0, 0, 0, 0};
  bool comma = false;
  put(w, form->name);
  put(w, "(");
  for (const char *letter = form->arguments; *letter && w->n <= TEXT_MAX; letter++) {
    if (comma) put(w, ",");
    comma = put_argument(w, spec, *letter, &place);
  }
  put(w, ")");
}

int MPJ_Type_print(MPJ_Datatype type, char text[], MPJ_Count size, MPJ_Count *length)
{
  struct mpj_type *t;
  struct mpj_writer w = {.bytes = NULL};
  int status = mpj_build_need(length, "length");
  if (!status && size < 0)
    status = mpj_error(MPJ_ERR_ARG, "size is %" PRId64 ", must not be negative", size);
  if (!status && size > 0) status = mpj_build_need(text, "text");
  if (!status) status = mpj_type_resolve(type, "type", &t);
  if (status) return status;
  const struct mpj_type_spec spec = mpj_type_spec_of(t);
  put_spec(&w, &spec);
  if (w.failed)
    status = mpj_error(MPJ_ERR_NO_MEM, "text of %zu bytes could not be allocated", w.n);
  else if (w.n > TEXT_MAX)
    status = mpj_error(MPJ_ERR_UNSUPPORTED, "type is longer than %d bytes as text", TEXT_MAX);
  if (!status) {
    const size_t room = size > 0 ? (size_t)size - 1 : 0, n = w.n < room ? w.n : room;
    if (n > 0) memcpy(text, w.bytes, n);
    if (size > 0) text[n] = '\0';
    *length = (MPJ_Count)w.n;
  }
  mpj_writer_free(&w);
  return status;
}
