/* This file says what sequences of basic types are, and where two differ first. */
#include "types/introspect/letters.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "types/basic.h"
#include "types/introspect/annex.h"
#include "types/type.h"

enum { STEPS = 4096 };

bool mpj_letters_add(struct mpj_letters *l, int basic, MPJ_Count count)
{
  struct mpj_letters_run *last = l->n > 0 ? &l->runs[l->n - 1] : NULL;
  if (last && mpj_letters_alike(last->basic, basic)) {
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
  if (basic >= 0) return mpj_letters_add(l, basic, layout->signature.elements);
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
    mpj_letters_add(out, basic, view->count * layout->signature.elements);
    return;
  }
  while (layout->kind == MPJ_LAYOUT_LOOP || layout->kind == MPJ_LAYOUT_INDEX)
    out->times *= copies_in(layout, &layout);
  if (!add_layout(out, layout, &steps)) out->times = 1;
}

/* Append what lies in `*bytes` bytes after the first `*skip` of the runs, and take that off both.
 */
static bool cut_runs(const struct mpj_letters *l, MPJ_Count *skip, MPJ_Count *bytes,
                     struct mpj_letters *out)
{
  for (int i = 0; i<l->n && * bytes> 0; i++) {
    const int size = mpj_basics[l->runs[i].basic].size;
    const MPJ_Count all = l->runs[i].count * size, passed = *skip < all ? *skip : all;
    const MPJ_Count taken = all - passed < *bytes ? all - passed : *bytes;
    *skip -= passed;
    *bytes -= taken;
    if (passed % size != 0 || taken % size != 0) return false;
    if (taken > 0 && !mpj_letters_add(out, l->runs[i].basic, taken / size)) return false;
  }
  return true;
}

bool mpj_letters_cut(const struct mpj_letters *l, MPJ_Count first, MPJ_Count bytes,
                     struct mpj_letters *out)
{
  const MPJ_Count unit = l->times > 0 ? l->bytes / l->times : 0;
  struct mpj_letters cut = {.times = 1, .bytes = bytes};
  if (l->more || unit == 0) return false;
  if (first % unit == 0 && bytes % unit == 0) {
    cut = *l;
    cut.times = bytes / unit;
    cut.bytes = bytes;
  } else {
    MPJ_Count skip = first % unit;
    for (MPJ_Count left = bytes; left > 0;)
      if (!cut_runs(l, &skip, &left, &cut)) return false;
  }
  *out = cut;
  return true;
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
  if (l->bytes == MPJ_LETTERS_UNKNOWN) {
    if (l->about > 0)
      snprintf(text, size, "about %" PRId64 " bytes of another sequence", l->about);
    else
      append(text, size, 0, "another sequence");
    return;
  }
  if (l->n == 0) {
    snprintf(text, size, "%" PRId64 " bytes of another sequence", l->bytes);
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
    if (!mpj_letters_alike(a->runs[p.run].basic, b->runs[q.run].basic)) return element;
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
  const bool known = a->bytes != MPJ_LETTERS_UNKNOWN && b->bytes != MPJ_LETTERS_UNKNOWN;
  const MPJ_Count element = known ? first_difference(a, b) : -1;
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

/* The type's name, or NULL: it has none. */
static const char *name_of(const struct mpj_type *type)
{
  return type->annex ? type->annex->name : NULL;
}

const char *mpj_letters_argument(const char *argument, const struct mpj_type *type,
                                 char text[MPJ_LETTERS_SUBJECT])
{
  const char *name = type ? name_of(type) : NULL;
  if (name)
    snprintf(text, MPJ_LETTERS_SUBJECT, "%.40s '%.40s'", argument, name);
  else
    snprintf(text, MPJ_LETTERS_SUBJECT, "%.40s", argument);
  return text;
}

const char *mpj_letters_subject(const char *argument, const struct mpj_type *type, const char *does,
                                char text[MPJ_LETTERS_SUBJECT])
{
  mpj_letters_argument(argument, type, text);
  const size_t n = strlen(text);
  snprintf(text + n, MPJ_LETTERS_SUBJECT - n, " %s", does);
  return text;
}
