/* This file writes a datatype as text. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/status.h"
#include "types/basic.h"
#include "types/encoded/bytes.h"
#include "types/encoded/nodes.h"
#include "types/introspect/contents.h"
#include "types/introspect/contents_read.h"
#include "types/text/grammar.h"
#include "types/type.h"

enum { TEXT_MAX = 1 << 26, CHUNK = 64, FIRST_FRAMES = 16 };

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
  for (MPJ_Count done = 0; done < n && !w->failed && w->n <= TEXT_MAX; done += CHUNK) {
    const MPJ_Count now = n - done < CHUNK ? n - done : CHUNK;
    read(spec, first + done, now, values);
    for (MPJ_Count i = 0; i < now; i++)
      add(&l, values[i]);
  }
  flush(&l);
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

/* One argument that is no type; false if nothing was written for it. */
static bool put_argument(struct mpj_writer *w, const struct mpj_type_spec *spec, char letter,
                         struct place *p)
{
  const struct mpj_contents n = mpj_contents_of(spec);
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
  default: /* C, D, G */
    put_list(w, spec, mpj_contents_counts, p->counts, p->length, words);
    p->counts += p->length;
    return true;
  }
}

/* A constructor whose arguments are being written. */
struct frame {
  const struct mpj_type_spec *spec;
  const char *letter; /* of the next argument */
  struct place place;
  bool comma;           /* something was written before it */
  bool listing;         /* inside a list of types: */
  MPJ_Count at, run, n; /* the `run` types from number `at` on are one item, of n in all */
  size_t start;         /* where in the text it began */
  struct item {
    size_t start, length; /* of the type's text */
    size_t ended;         /* types that had been written to their end before it */
    MPJ_Count run;
  } item, before; /* before: run 0: there is none */
};

/* The types that one is built of, and where each is in the text already: the second
 * time it is copied. */
struct printer {
  struct mpj_writer w;
  struct mpj_nodes nodes;
  struct extent {
    size_t start, length; /* length 0: not yet */
  } * written;            /* [nodes.n], owned */
  size_t *ended;          /* [nended of nodes.n], owned: their numbers in the order of their ends */
  size_t nended;
  struct frame *frames; /* [open of capacity], owned: the innermost last */
  size_t open, capacity;
};

static struct extent *extent_of(const struct printer *p, const struct mpj_type_spec *spec)
{
  return &p->written[mpj_nodes_number(&p->nodes, spec)];
}

static bool copy_written(struct printer *p, const struct mpj_type_spec *spec)
{
  const struct extent *e = extent_of(p, spec);
  if (e->length == 0) return false;
  uint8_t *at = mpj_writer_room(&p->w, e->length);
  if (at) memcpy(at, p->w.bytes + e->start, e->length);
  if (at) p->w.n += e->length;
  return true;
}

static bool grow_frames(struct printer *p)
{
  const size_t capacity = p->capacity ? 2 * p->capacity : FIRST_FRAMES;
  struct frame *frames = mpj_alloc_array(capacity, sizeof *frames);
  if (!frames) return false;
  if (p->open > 0) memcpy(frames, p->frames, p->open * sizeof *frames);
  mpj_free(p->frames);
  p->frames = frames;
  p->capacity = capacity;
  return true;
}

/* Write a type that takes no arguments or was written before, or begin it. */
static void begin_type(struct printer *p, const struct mpj_type_spec *spec)
{
  if (spec->combiner == MPJ_COMBINER_NAMED) {
    put_basic(&p->w, spec->map.layout->u.run.basic);
    return;
  }
  if (copy_written(p, spec)) return;
  if (p->open == p->capacity && !grow_frames(p)) {
    p->w.failed = true;
    return;
  }
  const struct mpj_text_form *form = &mpj_text_forms[spec->combiner];
  p->frames[p->open++] = (struct frame){.spec = spec, .letter = form->arguments, .start = p->w.n};
  put(&p->w, form->name);
  put(&p->w, "(");
}

/* Whether they are one type, or two that are known to have one text. */
static bool is_same(const struct printer *p, const struct mpj_type_spec *a,
                    const struct mpj_type_spec *b)
{
  if (mpj_spec_same(a, b)) return true;
  if (a->combiner == MPJ_COMBINER_NAMED || b->combiner == MPJ_COMBINER_NAMED) return false;
  const struct extent *one = extent_of(p, a), *other = extent_of(p, b);
  return one->length > 0 && one->start == other->start && one->length == other->length;
}

/* The item has the text of the one before it: they become one. What was written inside it first is
 * inside that one, too. */
static void join_items(struct printer *p, struct frame *f)
{
  const struct mpj_type_spec *first, *second;
  const size_t back = f->item.start - f->before.start;
  for (size_t k = f->item.ended; k < p->nended; k++)
    if (p->written[p->ended[k]].start >= f->item.start) p->written[p->ended[k]].start -= back;
  mpj_contents_types(f->spec, f->at - 1, 1, &first);
  mpj_contents_types(f->spec, f->at, 1, &second);
  if (second->combiner != MPJ_COMBINER_NAMED) *extent_of(p, second) = *extent_of(p, first);
  p->w.n = f->before.start + f->before.length;
  f->at -= f->before.run;
  f->before.run += f->run;
  f->run = f->before.run;
  f->item = f->before;
}

static void end_item(struct printer *p, struct frame *f)
{
  f->item.length = p->w.n - f->item.start;
  f->item.run = f->run;
  const bool same =
      f->before.run > 0 && f->item.length == f->before.length && !p->w.failed &&
      memcmp(p->w.bytes + f->item.start, p->w.bytes + f->before.start, f->item.length) == 0;
  if (same) join_items(p, f);
  f->before = f->item;
  if (f->run == 1) return;
  put(&p->w, "*");
  put_number(&p->w, f->run);
}

/* Begin the next item of a list of types, equal neighbours, or end the list. */
static void next_item(struct printer *p, struct frame *f)
{
  const struct mpj_type_spec *type, *next;
  if (f->run > 0) end_item(p, f);
  f->at += f->run;
  if (f->at == f->n) {
    put(&p->w, "]");
    f->listing = false;
    return;
  }
  if (f->at > 0) put(&p->w, ",");
  mpj_contents_types(f->spec, f->at, 1, &type);
  for (f->run = 1; f->at + f->run < f->n; f->run++) {
    mpj_contents_types(f->spec, f->at + f->run, 1, &next);
    if (!is_same(p, type, next)) break;
  }
  f->item = (struct item){.start = p->w.n, .ended = p->nended};
  begin_type(p, type);
}

static void begin_types(struct printer *p, struct frame *f)
{
  f->listing = true;
  f->at = f->run = 0;
  f->before.run = 0;
  f->n = mpj_contents_of(f->spec).types;
  put(&p->w, "[");
}

static void end_type(struct printer *p, const struct frame *f)
{
  put(&p->w, ")");
  const size_t number = mpj_nodes_number(&p->nodes, f->spec);
  p->written[number] = (struct extent){f->start, p->w.n - f->start};
  p->ended[p->nended++] = number;
  p->open--;
}

/* The next argument of the innermost constructor, up to a type inside it. */
static void next_argument(struct printer *p, struct frame *f)
{
  const struct mpj_type_spec *old;
  const char letter = *f->letter++;
  if (letter == '\0') {
    end_type(p, f);
    return;
  }
  if (f->comma) put(&p->w, ",");
  f->comma = true;
  if (letter == 't') {
    mpj_contents_types(f->spec, 0, 1, &old);
    begin_type(p, old);
  } else if (letter == 'T' || letter == 'U') {
    begin_types(p, f);
  } else {
    f->comma = put_argument(&p->w, f->spec, letter, &f->place);
  }
}

/* No recursion: types nest deeper than small stacks are. */
static int print_type(struct printer *p, const struct mpj_type_spec *spec)
{
  int status = mpj_nodes_collect(&p->nodes, spec);
  if (status) return status;
  p->written = mpj_alloc_array(p->nodes.n, sizeof *p->written);
  p->ended = mpj_alloc_array(p->nodes.n, sizeof *p->ended);
  if (!p->written || !p->ended)
    return mpj_error(MPJ_ERR_NO_MEM, "list of %zu types could not be allocated", p->nodes.n);
  begin_type(p, spec);
  while (p->open > 0 && !p->w.failed && p->w.n <= TEXT_MAX) {
    struct frame *f = &p->frames[p->open - 1];
    if (f->listing)
      next_item(p, f);
    else
      next_argument(p, f);
  }
  if (p->w.failed)
    return mpj_error(MPJ_ERR_NO_MEM, "text of %zu bytes could not be allocated", p->w.n);
  if (p->w.n > TEXT_MAX)
    return mpj_error(MPJ_ERR_UNSUPPORTED, "type is longer than %d bytes as text", TEXT_MAX);
  return MPJ_SUCCESS;
}

int MPJ_Type_print(MPJ_Datatype type, char text[], MPJ_Count size, MPJ_Count *length)
{
  MPJ_ENTRY;
  struct mpj_type *t;
  struct printer p = {.open = 0};
  int status = mpj_need(length, "length");
  if (!status && size < 0)
    status = mpj_error(MPJ_ERR_ARG, "size is %" PRId64 ", must not be negative", size);
  if (!status && size > 0) status = mpj_need(text, "text");
  if (!status) status = mpj_type_resolve(type, "type", &t);
  if (status) return status;
  const struct mpj_type_spec spec = mpj_type_spec_of(t);
  status = print_type(&p, &spec);
  if (!status) {
    const size_t room = size > 0 ? (size_t)size - 1 : 0, n = p.w.n < room ? p.w.n : room;
    if (n > 0) memcpy(text, p.w.bytes, n);
    if (size > 0) text[n] = '\0';
    *length = (MPJ_Count)p.w.n;
  }
  mpj_nodes_free(&p.nodes);
  mpj_free(p.written);
  mpj_free(p.ended);
  mpj_free(p.frames);
  mpj_writer_free(&p.w);
  return status;
}
