/* This file tests reductions into random types of unlike basic types: long lists of unlike
 * pieces, in one another and beside other data, against one element after another. */
#include <mpj/mpj.h>

#include <stdlib.h>
#include <string.h>

#include "base/suite.h"
#include "pack/guarded.h"
#include "pack/maps.h"
#include "pack/run/address.h"
#include "pack/run/cursor.h"
#include "pack/scalar_ops.h"
#include "types/basic.h"
#include "types/random_type.h"
#include "types/type.h"
#include "types/wanted.h"

/* Memory for a type: exactly its true extent. */
struct memory {
  struct guarded guarded;
  size_t bytes;
  char *base, *expected, *expected_base; /* what the memory must become */
};

struct subject {
  enum mpj_reduce_op op;
  struct mpj_random_type t;
  struct memory memory;
  MPJ_Count bytes;
  char *stream;        /* [bytes] what is combined with it */
  MPJ_Count *elements; /* [nelements + 1] where each begins in the stream, and the end */
  MPJ_Count nelements;
};

/* One, two, or any of the basic types that op applies to. */
static uint64_t draw_basics(struct mpj_random *rng, enum mpj_reduce_op op)
{
  const int64_t kinds = mpj_random_in(rng, 1, 3);
  uint64_t basics = 0;
  while (__builtin_popcountll(basics) < 1 ||
         (kinds > 1 && mpj_random_in(rng, 0, kinds == 2 ? 1 : 9))) {
    const int basic = (int)mpj_random_in(rng, 0, MPJ_BASIC_COUNT - 1);
    if (scalar_applies(op, basic)) basics |= UINT64_C(1) << basic;
  }
  return basics;
}

/* Random bytes, and values where elements are. */
static void make_memory(struct mpj_random *rng, const struct mpj_ref *ref, struct memory *m)
{
  const MPJ_Aint lb = mpj_ref_true_lb(ref);
  m->bytes = (size_t)(mpj_ref_true_ub(ref) - lb);
  m->guarded = guarded_make(m->bytes, (int)mpj_random_in(rng, 0, 1));
  m->base = mpj_at(m->guarded.at, -lb);
  m->expected = malloc(m->bytes + 1);
  m->expected_base = mpj_at(m->expected, -lb);
  fill_randomly(rng, m->guarded.at, m->bytes);
  for (MPJ_Count e = 0; e < ref->n; e++)
    if (ref->map[e].basic >= 0)
      scalar_value(rng, ref->map[e].basic, false, mpj_at(m->base, ref->map[e].displ));
  memcpy(m->expected, m->guarded.at, m->bytes);
}

static void free_memory(struct memory *m)
{
  free(m->expected);
  guarded_free(&m->guarded);
}

static void make_stream(struct mpj_random *rng, struct subject *s)
{
  const struct mpj_ref *ref = s->t.ref;
  MPJ_Count at = 0;
  s->bytes = mpj_ref_bytes(ref);
  s->stream = malloc((size_t)s->bytes + 1);
  s->elements = calloc((size_t)ref->n + 1, sizeof *s->elements);
  for (MPJ_Count e = 0; e < ref->n; e++) {
    if (ref->map[e].basic < 0) continue;
    s->elements[s->nelements++] = at;
    scalar_value(rng, ref->map[e].basic, false, s->stream + at);
    at += mpj_basics[ref->map[e].basic].size;
  }
  s->elements[s->nelements] = at;
}

static void make_subject(struct mpj_random *rng, enum mpj_reduce_op op, struct subject *s)
{
  const struct mpj_random_options options = {.depth = (int)mpj_random_in(rng, 1, 4),
                                             .max_elements = 600,
                                             .receivable = true,
                                             .lists = (int)mpj_random_in(rng, 1, 3),
                                             .basics = draw_basics(rng, op)};
  *s = (struct subject){.op = op};
  mpj_random_type_make(rng, &options, &s->t);
  if (mpj_random_in(rng, 0, 1)) { /* another nest of the same elements */
    struct mpj_random_type like;
    mpj_random_type_like(rng, s->t.ref, &like);
    mpj_random_type_free(&s->t);
    s->t = like;
  }
  make_memory(rng, s->t.ref, &s->memory);
  make_stream(rng, s);
}

static void free_subject(struct subject *s)
{
  free(s->elements);
  free(s->stream);
  free_memory(&s->memory);
  mpj_random_type_free(&s->t);
}

/* Elements [first, end), by definition. */
static void expect(const struct subject *s, MPJ_Count first, MPJ_Count end)
{
  const struct mpj_ref *ref = s->t.ref;
  for (MPJ_Count e = 0, i = 0; e < ref->n; e++) {
    const int basic = ref->map[e].basic;
    if (basic < 0) continue;
    if (first <= i && i < end)
      scalar_combine(s->op, basic, s->stream + s->elements[i],
                     mpj_at(s->memory.expected_base, ref->map[e].displ));
    i++;
  }
}

/* Gaps are compared as well; the bytes of an element that are no part of its value are not. */
static void check(const struct subject *s, const char *how)
{
  const struct mpj_ref *ref = s->t.ref;
  for (MPJ_Count e = 0; e < ref->n; e++) {
    if (ref->map[e].basic < 0) continue;
    scalar_settle(ref->map[e].basic, mpj_at(s->memory.base, ref->map[e].displ));
    scalar_settle(ref->map[e].basic, mpj_at(s->memory.expected_base, ref->map[e].displ));
  }
  ck_assert_msg(memcmp(s->memory.guarded.at, s->memory.expected, s->memory.bytes) == 0,
                "op %d %s: %s", (int)s->op, how, s->t.text);
}

static struct mpj_cursor begin(const struct mpj_random_type *t, char *base)
{
  struct mpj_type *type;
  struct mpj_cursor c;
  ck_assert_int_eq(mpj_type_resolve(t->type, "type", &type), MPJ_SUCCESS);
  const struct mpj_view view = mpj_type_view(type);
  ck_assert_int_eq(mpj_cursor_begin(&c, &view, base), MPJ_SUCCESS);
  return c;
}

static void reduce(const struct subject *s, struct mpj_cursor *c, MPJ_Count first, MPJ_Count end)
{
  const MPJ_Count at = s->elements[first], bytes = s->elements[end] - at;
  ck_assert_int_eq(mpj_cursor_reduce(c, s->stream + at, bytes, s->op), MPJ_SUCCESS);
  ck_assert_int_eq(c->offset, at + bytes);
}

/* In stream order, in pieces of any number of elements. */
static void reduce_in_pieces(struct mpj_random *rng, struct subject *s)
{
  struct mpj_cursor c = begin(&s->t, s->memory.base);
  const MPJ_Count most = mpj_random_in(rng, 0, 1) ? 8 : s->nelements;
  for (MPJ_Count first = 0, n; first < s->nelements; first += n) {
    n = mpj_random_in(rng, 1, most < 1 ? 1 : most);
    if (n > s->nelements - first) n = s->nelements - first;
    reduce(s, &c, first, first + n);
  }
  mpj_cursor_end(&c);
  expect(s, 0, s->nelements);
  check(s, "in pieces");
}

/* One stretch alone, wherever it lies; the rest stays. */
static void reduce_a_stretch(struct mpj_random *rng, struct subject *s)
{
  const MPJ_Count first = mpj_random_in(rng, 0, s->nelements);
  const MPJ_Count end = mpj_random_in(rng, first, s->nelements);
  struct mpj_cursor c = begin(&s->t, s->memory.base);
  mpj_cursor_seek(&c, s->elements[first]);
  reduce(s, &c, first, end);
  mpj_cursor_end(&c);
  expect(s, first, end);
  check(s, "one stretch");
}

/* Out of another layout of the same signature. */
static void reduce_from_layout(struct mpj_random *rng, struct subject *s)
{
  struct mpj_random_type from;
  struct memory m;
  mpj_random_type_like(rng, s->t.ref, &from);
  make_memory(rng, from.ref, &m);
  mpj_ref_unpack(from.ref, s->stream, m.base);
  memcpy(m.expected, m.guarded.at, m.bytes);
  struct mpj_cursor dst = begin(&s->t, s->memory.base), src = begin(&from, m.base);
  ck_assert_int_eq(mpj_cursor_reduce_copy(&dst, &src, s->bytes, s->op), MPJ_SUCCESS);
  mpj_cursor_end(&dst);
  mpj_cursor_end(&src);
  ck_assert(memcmp(m.guarded.at, m.expected, m.bytes) == 0);
  expect(s, 0, s->nelements);
  check(s, "from a layout");
  free_memory(&m);
  mpj_random_type_free(&from);
}

static void reduce_whole(struct subject *s)
{
  struct mpj_cursor c = begin(&s->t, s->memory.base);
  reduce(s, &c, 0, s->nelements);
  mpj_cursor_end(&c);
  expect(s, 0, s->nelements);
  check(s, "whole");
}

START_TEST(unlike_pieces_are_reduced_element_by_element)
{
  struct mpj_random rng = {71};
  for (int i = 0; i < types_wanted; i++) {
    struct subject s;
    make_subject(&rng, (enum mpj_reduce_op)(i % MPJ_REDUCE_OPS), &s);
    switch (i / MPJ_REDUCE_OPS % 4) {
    case 0:
      reduce_whole(&s);
      break;
    case 1:
      reduce_in_pieces(&rng, &s);
      break;
    case 2:
      reduce_a_stretch(&rng, &s);
      break;
    default:
      reduce_from_layout(&rng, &s);
      break;
    }
    free_subject(&s);
  }
}
END_TEST

int main(int argc, char **argv)
{
  read_wanted(argc, argv, 2600);
  return RUN_SUITE("pack/reduce_mixed", unlike_pieces_are_reduced_element_by_element);
}
