/* This file lists the basic types of a sequence, and finds a sequence by its digest. */
#include "types/introspect/letters.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "types/basic.h"
#include "types/introspect/annex.h"
#include "types/type.h"

/* Tries of two runs one after another; and the longest run of a repeated pattern. */
enum { TRIES = 1 << 15, PATTERN = 8, STEPS = 4096 };

static bool alike(int a, int b)
{
  return mpj_basics[a].letter == mpj_basics[b].letter;
}

/* Append a run; false if there is no room. */
static bool add_run(struct mpj_letters *l, int basic, MPJ_Count count)
{
  struct mpj_letters_run *last = l->n > 0 ? &l->runs[l->n - 1] : NULL;
  if (last && alike(last->basic, basic)) {
    last->count += count;
    return true;
  }
  l->more = l->n == MPJ_LETTERS_RUNS;
  if (!l->more) l->runs[l->n++] = (struct mpj_letters_run){basic, count};
  return !l->more;
}

/* The basic type that a layout consists of, or -1. */
static int only_basic(const struct mpj_layout *layout)
{
  while (layout->kind == MPJ_LAYOUT_LOOP || layout->kind == MPJ_LAYOUT_INDEX)
    layout = layout->kind == MPJ_LAYOUT_LOOP ? layout->u.loop.child : layout->u.index.child;
  return layout->kind == MPJ_LAYOUT_RUN ? layout->u.run.basic : -1;
}

static MPJ_Count copies_in(const struct mpj_layout *layout, const struct mpj_layout **child)
{
  if (layout->kind == MPJ_LAYOUT_LOOP) {
    *child = layout->u.loop.child;
    return layout->u.loop.count;
  }
  *child = layout->u.index.child;
  return mpj_layout_index_copies(layout);
}

/* Append a layout's runs in order; false once there is no room, or it takes long.
 * Recursion: one level a layout node. */
static bool add_layout(struct mpj_letters *l, const struct mpj_layout *layout, int *steps)
{
  const int basic = only_basic(layout);
  const struct mpj_layout *child;
  if (layout->kind == MPJ_LAYOUT_EMPTY) return true;
  if (basic >= 0) return add_run(l, basic, layout->signature.elements);
  l->more = ++*steps > STEPS;
  if (layout->kind == MPJ_LAYOUT_SEQ) {
    for (MPJ_Count i = 0; i < layout->u.seq.npieces && !l->more; i++) {
      struct mpj_piece piece;
      mpj_layout_seq_piece(layout, i, &piece, NULL);
      if (!add_layout(l, piece.layout, steps)) return false;
    }
    return !l->more;
  }
  const MPJ_Count copies = copies_in(layout, &child);
  for (MPJ_Count i = 0; i < copies && !l->more; i++)
    if (!add_layout(l, child, steps)) return false;
  return !l->more;
}

void mpj_letters_of_view(const struct mpj_view *view, struct mpj_letters *out)
{
  const struct mpj_layout *layout = view->layout;
  int steps = 0;
  *out = (struct mpj_letters){.times = view->count, .bytes = mpj_view_bytes(view)};
  if (out->bytes == 0) return;
  const int basic = only_basic(layout);
  if (basic >= 0) {
    out->times = 1;
    add_run(out, basic, view->count * layout->signature.elements);
    return;
  }
  while (layout->kind == MPJ_LAYOUT_LOOP || layout->kind == MPJ_LAYOUT_INDEX)
    out->times *= copies_in(layout, &layout);
  if (!add_layout(out, layout, &steps)) out->times = 1;
}

static struct mpj_signature signature_of(const struct mpj_letters *l)
{
  struct mpj_signature all = mpj_signature_empty;
  for (int i = 0; i < l->n; i++)
    all = mpj_signature_join(
        all, mpj_signature_repeat(mpj_signature_of_basic(l->runs[i].basic), l->runs[i].count));
  return mpj_signature_repeat(all, l->times);
}

/* What is looked for, and the letters that it may consist of: one row each. */
struct search {
  MPJ_Count bytes;
  uint64_t digest;
  int rows[MPJ_BASIC_COUNT], nrows;
  struct mpj_letters *out;
};

static bool is_it(const struct search *s, const struct mpj_letters *l)
{
  const struct mpj_signature own = signature_of(l);
  if (own.bytes != s->bytes || mpj_signature_digest(&own) != s->digest) return false;
  *s->out = *l;
  s->out->bytes = s->bytes;
  return true;
}

static void add_row(struct search *s, int basic)
{
  for (int i = 0; i < s->nrows; i++)
    if (alike(s->rows[i], basic)) return;
  s->rows[s->nrows++] = basic;
}

/* The names that are met most come first of their letter. */
static void list_rows(struct search *s, const struct mpj_letters *own)
{
  static const MPJ_Datatype usual[] = {MPJ_INT,  MPJ_DOUBLE, MPJ_FLOAT,
                                       MPJ_CHAR, MPJ_LONG,   MPJ_BYTE};
  for (int i = 0; i < own->n; i++)
    add_row(s, own->runs[i].basic);
  for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
    add_row(s, mpj_basic_of_handle(usual[i]));
  for (int b = 0; b < MPJ_BASIC_COUNT; b++)
    add_row(s, b);
}

/* All of one basic type. */
static bool find_one(const struct search *s)
{
  for (int r = 0; r < s->nrows; r++) {
    const int size = mpj_basics[s->rows[r]].size;
    const struct mpj_letters l = {{{s->rows[r], s->bytes / size}}, 1, 1, 0, false};
    if (is_it(s, &l)) return true;
  }
  return false;
}

/* What was expected, more or less often, or its beginning. */
static bool find_own(const struct search *s, const struct mpj_letters *own)
{
  struct mpj_letters l = *own;
  MPJ_Count unit = own->times > 0 ? own->bytes / own->times : 0;
  if (own->more || unit == 0) return false;
  l.times = s->bytes / unit;
  if (l.times > 0 && is_it(s, &l)) return true;
  MPJ_Count left = s->bytes;
  l.times = 1;
  for (l.n = 0; left > 0 && l.n < own->n; l.n++) {
    const int size = mpj_basics[own->runs[l.n].basic].size;
    if (l.runs[l.n].count > left / size) l.runs[l.n].count = left / size;
    if (l.runs[l.n].count == 0) break;
    left -= l.runs[l.n].count * size;
  }
  return left == 0 && l.n > 0 && is_it(s, &l);
}

/* i of a, then j of b, over and over. */
static bool find_pattern(const struct search *s, int a, int b)
{
  for (int i = 1; i <= PATTERN; i++) {
    for (int j = 1; j <= PATTERN; j++) {
      const MPJ_Count unit = i * mpj_basics[a].size + j * mpj_basics[b].size;
      const struct mpj_letters l = {{{a, i}, {b, j}}, 2, s->bytes / unit, 0, false};
      if (s->bytes % unit == 0 && is_it(s, &l)) return true;
    }
  }
  return false;
}

/* Some of a, then b to the end. */
static bool find_two(const struct search *s, int a, int b, int *tries)
{
  const int size_a = mpj_basics[a].size, size_b = mpj_basics[b].size;
  for (MPJ_Count i = 1; i <= (s->bytes - 1) / size_a && *tries < TRIES; i++, ++*tries) {
    const MPJ_Count rest = s->bytes - i * size_a;
    const struct mpj_letters l = {{{a, i}, {b, rest / size_b}}, 2, 1, 0, false};
    if (rest % size_b == 0 && is_it(s, &l)) return true;
  }
  return false;
}

static bool find_pairs(const struct search *s)
{
  int tries = 0;
  for (int a = 0; a < s->nrows; a++)
    for (int b = 0; b < s->nrows; b++)
      if (a != b &&
          (find_pattern(s, s->rows[a], s->rows[b]) || find_two(s, s->rows[a], s->rows[b], &tries)))
        return true;
  return false;
}

void mpj_letters_guess(MPJ_Count bytes, uint64_t digest, const struct mpj_letters *own,
                       struct mpj_letters *out)
{
  const struct mpj_letters hint = *own; /* out may be own */
  struct search s = {.bytes = bytes, .digest = digest, .out = out};
  *out = (struct mpj_letters){.bytes = bytes, .times = 1};
  if (bytes <= 0) return;
  list_rows(&s, &hint);
  out->more = !find_one(&s) && !find_own(&s, &hint) && !find_pairs(&s);
}

static void name_basic(int basic, char *name, size_t size)
{
  const char *from = mpj_basics[basic].name + strlen("MPJ_");
  size_t n = 0;
  for (; from[n] && n + 1 < size; n++)
    name[n] = (char)tolower((unsigned char)from[n]);
  name[n] = '\0';
}

static size_t append(char *text, size_t size, size_t at, const char *more)
{
  const int n = snprintf(text + at, size - at, "%s", more);
  const size_t end = at + (n > 0 ? (size_t)n : 0);
  return end < size ? end : size - 1;
}

/* "3 double, then 6 float", "100 times (1 double, then 2 int)". */
static void describe(const struct mpj_letters *l, char *text, size_t size)
{
  char item[80], name[40];
  size_t at = 0;
  text[0] = '\0';
  if (l->bytes == 0) {
    append(text, size, 0, "nothing");
    return;
  }
  if (l->n == 0) {
    snprintf(text, size, "%" PRId64 " bytes of a sequence of its own", l->bytes);
    return;
  }
  if (l->times > 1) {
    snprintf(item, sizeof item, "%" PRId64 " times (", l->times);
    at = append(text, size, at, item);
  }
  for (int i = 0; i < l->n; i++) {
    name_basic(l->runs[i].basic, name, sizeof name);
    snprintf(item, sizeof item, "%s%" PRId64 " %s", i > 0 ? ", then " : "", l->runs[i].count, name);
    at = append(text, size, at, item);
  }
  if (l->more) {
    snprintf(item, sizeof item, ", and so on, %" PRId64 " bytes", l->bytes);
    at = append(text, size, at, item);
  }
  if (l->times > 1) append(text, size, at, ")");
}

/* A place between two elements. */
struct place {
  const struct mpj_letters *l;
  int run;
  MPJ_Count time, left; /* left: of the run */
};

static bool at_end(const struct place *p)
{
  return p->l->n == 0 || p->time == p->l->times;
}

static void step(struct place *p, MPJ_Count elements)
{
  p->left -= elements;
  if (p->left > 0) return;
  if (++p->run == p->l->n) {
    p->run = 0;
    p->time++;
  }
  p->left = p->l->runs[p->run].count;
}

/* The first element that differs, or -1: it is not known. */
static MPJ_Count first_difference(const struct mpj_letters *a, const struct mpj_letters *b)
{
  struct place p = {a, 0, 0, a->runs[0].count}, q = {b, 0, 0, b->runs[0].count};
  MPJ_Count element = 0;
  for (int steps = 0; steps < STEPS; steps++) {
    if (at_end(&p) || at_end(&q)) return (at_end(&p) ? a : b)->more ? -1 : element;
    if (!alike(a->runs[p.run].basic, b->runs[q.run].basic)) return element;
    const MPJ_Count now = p.left < q.left ? p.left : q.left;
    step(&p, now);
    step(&q, now);
    element += now;
  }
  return -1;
}

void mpj_letters_compare(const char *a_does, const struct mpj_letters *a, const char *b_does,
                         const struct mpj_letters *b, char *text, size_t size)
{
  char one[160], other[160];
  describe(a, one, sizeof one);
  describe(b, other, sizeof other);
  const MPJ_Count element = first_difference(a, b);
  const int n = snprintf(text, size, "%s %s; %s %s", a_does, one, b_does, other);
  if (n < 0 || (size_t)n >= size) return;
  if (element >= 0)
    snprintf(text + n, size - (size_t)n, ": they differ at element %" PRId64, element);
}

int mpj_letters_refuse(const char *a_does, const struct mpj_view *a, const char *b_does,
                       const struct mpj_view *b)
{
  struct mpj_letters one, other;
  char text[MPJ_LETTERS_TEXT];
  mpj_letters_of_view(a, &one);
  mpj_letters_of_view(b, &other);
  mpj_letters_compare(a_does, &one, b_does, &other, text, sizeof text);
  return mpj_error(MPJ_ERR_SIGNATURE, "%s", text);
}

const char *mpj_letters_subject(const char *argument, const struct mpj_type *type, const char *does,
                                char text[MPJ_LETTERS_SUBJECT])
{
  const char *name = type && type->annex && type->annex->name ? type->annex->name : NULL;
  if (name)
    snprintf(text, MPJ_LETTERS_SUBJECT, "%.40s '%.40s' %s", argument, name, does);
  else
    snprintf(text, MPJ_LETTERS_SUBJECT, "%.40s %s", argument, does);
  return text;
}
