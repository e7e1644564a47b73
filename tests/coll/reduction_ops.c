/* This file holds users' operations: the product of 2 x 2 matrices, the
 * concatenation of texts, and the composition of maps modulo a number. */
#include "coll/reduction_ops.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "types/basic.h"

_Atomic long user_ops_garbage;

static void note(bool sound)
{
  if (!sound) atomic_fetch_add(&user_ops_garbage, 1);
}

static bool is_aligned(const void *at, size_t to)
{
  return (uintptr_t)at % to == 0;
}

static void must(int status)
{
  if (status == MPJ_SUCCESS) return;
  fprintf(stderr, "elemtype: %s\n", MPJ_Error_detail());
  exit(2);
}

/* Matrices modulo 2^32: elemtype is a contiguous type. */

static void multiply(void *ctx, const void *in, void *inout, MPJ_Count n)
{
  const uint32_t *a = in;
  uint32_t *b = inout;
  note(!ctx && n > 0 && is_aligned(in, alignof(uint32_t)) && is_aligned(inout, alignof(uint32_t)));
  for (; n > 0; n--, a += 4, b += 4) {
    const uint32_t c[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3],
                           a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]};
    memcpy(b, c, sizeof c);
  }
}

static void make_matrix(struct layout *out)
{
  struct mpj_ref *basic = mpj_ref_basic(mpj_basic_of_handle(MPJ_UINT32));
  *out = (struct layout){.t.text = "2 x 2 matrix", .t.ref = mpj_ref_contiguous(4, basic)};
  mpj_ref_release(basic);
  must(MPJ_Type_contiguous(4, MPJ_UINT32, &out->t.type));
  must(MPJ_Type_commit(&out->t.type));
}

static void matrix_value(struct mpj_random *rng, void *out)
{
  const uint64_t r[2] = {mpj_random_next(rng), mpj_random_next(rng)};
  memcpy(out, r, sizeof r);
}

/* Texts, cut at LETTERS, with the lengths before the cut summed: a struct with
 * padding inside and at its end. */

enum { LETTERS = 13 };
struct text {
  int16_t length; /* of letters, the others being 0 */
  char letters[LETTERS];
  int64_t total;
  int8_t mark; /* always MARK */
};
enum { MARK = 77 };

static bool is_text(const struct text *t)
{
  return t->length >= 0 && t->length <= LETTERS && t->mark == MARK;
}

static void concatenate(void *ctx, const void *in, void *inout, MPJ_Count n)
{
  const struct text *a = in;
  struct text *b = inout;
  note(!ctx && n > 0 && is_aligned(in, alignof(struct text)) &&
       is_aligned(inout, alignof(struct text)));
  for (; n > 0; n--, a++, b++) {
    const bool sound = is_text(a) && is_text(b);
    note(sound);
    if (!sound) continue;
    char joined[2 * LETTERS] = {0};
    memcpy(joined, a->letters, (size_t)a->length);
    memcpy(joined + a->length, b->letters, (size_t)b->length);
    const int length = a->length + b->length;
    memcpy(b->letters, joined, LETTERS);
    b->length = (int16_t)(length < LETTERS ? length : LETTERS);
    b->total += a->total;
  }
}

static void make_text(struct layout *out)
{
  const MPJ_Count lens[] = {1, LETTERS, 1, 1};
  const MPJ_Aint displs[] = {offsetof(struct text, length), offsetof(struct text, letters),
                             offsetof(struct text, total), offsetof(struct text, mark)};
  const MPJ_Datatype types[] = {MPJ_INT16, MPJ_CHAR, MPJ_INT64, MPJ_INT8};
  struct mpj_ref *refs[4], *fields;
  MPJ_Datatype made;
  for (int i = 0; i < 4; i++)
    refs[i] = mpj_ref_basic(mpj_basic_of_handle(types[i]));
  fields = mpj_ref_struct(4, lens, displs, refs);
  *out = (struct layout){.t.text = "text"};
  out->t.ref = mpj_ref_resized(fields, 0, sizeof(struct text));
  must(MPJ_Type_create_struct(4, lens, displs, types, &made));
  must(MPJ_Type_create_resized(made, 0, sizeof(struct text), &out->t.type));
  must(MPJ_Type_commit(&out->t.type));
  must(MPJ_Type_free(&made));
  mpj_ref_release(fields);
  for (int i = 0; i < 4; i++)
    mpj_ref_release(refs[i]);
}

static void text_value(struct mpj_random *rng, void *out)
{
  struct text t;
  memset(&t, 0, sizeof t);
  t.length = (int16_t)mpj_random_in(rng, 0, 4);
  for (int i = 0; i < t.length; i++)
    t.letters[i] = (char)mpj_random_in(rng, 'a', 'z');
  t.total = t.length;
  t.mark = MARK;
  memcpy(out, &t, sizeof t);
}

/* Maps x -> factor x + summand modulo *ctx; the left operand is applied last. */

struct map {
  uint64_t factor, summand;
};
static uint64_t modulus = UINT64_C(2147483647);

static void compose(void *ctx, const void *in, void *inout, MPJ_Count n)
{
  const uint64_t *m = ctx;
  const struct map *a = in;
  struct map *b = inout;
  note(m == &modulus && n > 0 && is_aligned(in, alignof(struct map)) &&
       is_aligned(inout, alignof(struct map)));
  for (; n > 0; n--, a++, b++) {
    note(a->factor < *m && a->summand < *m && b->factor < *m && b->summand < *m);
    b->summand = (a->factor * b->summand + a->summand) % *m;
    b->factor = a->factor * b->factor % *m;
  }
}

static void make_map(struct layout *out)
{
  struct mpj_ref *basic = mpj_ref_basic(mpj_basic_of_handle(MPJ_UINT64));
  *out = (struct layout){.t.text = "map"};
  out->t.ref = mpj_ref_hvector(2, 1, 8, basic);
  mpj_ref_release(basic);
  must(MPJ_Type_vector(2, 1, 1, MPJ_UINT64, &out->t.type));
  must(MPJ_Type_commit(&out->t.type));
}

static void map_value(struct mpj_random *rng, void *out)
{
  const struct map map = {mpj_random_next(rng) % modulus, mpj_random_next(rng) % modulus};
  memcpy(out, &map, sizeof map);
}

const struct user_op user_ops[USER_OPS] = {
    {"matrix product", multiply, NULL, 4 * sizeof(uint32_t), make_matrix, matrix_value},
    {"concatenation", concatenate, NULL, sizeof(struct text), make_text, text_value},
    {"composition", compose, &modulus, sizeof(struct map), make_map, map_value}};
