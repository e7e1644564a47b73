/* This file combines packed streams by definition. */
#include "coll/reduction_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pack/scalar_ops.h"
#include "types/basic.h"

enum { FIELDS = 4 };

static void must(int status, const char *what)
{
  if (status == MPJ_SUCCESS) return;
  fprintf(stderr, "%s failed: %s\n", what, MPJ_Error_detail());
  exit(2);
}

static void *room(MPJ_Count bytes)
{
  void *p = calloc((size_t)bytes + 1, 1);
  if (!p) exit(2);
  return p;
}

/* Elements */

/* A basic type that op applies to; one of the same class and size as `like`
 * (under another name, maybe) half of the time, if like >= 0. */
static int draw_basic(struct mpj_random *rng, enum mpj_reduce_op op, int like)
{
  const bool alike = like >= 0 && mpj_random_in(rng, 0, 1);
  for (;;) {
    const int basic = (int)mpj_random_in(rng, 0, MPJ_BASIC_COUNT - 1);
    if (alike && mpj_basics[basic].letter != mpj_basics[like].letter) continue;
    if (scalar_applies(op, basic)) return basic;
  }
}

/* A struct of 1 to FIELDS fields with gaps, aligned or not. */
static void make_struct(struct mpj_random *rng, enum mpj_reduce_op op, struct layout *out)
{
  MPJ_Count lens[FIELDS];
  MPJ_Aint displs[FIELDS], at = 0;
  MPJ_Datatype types[FIELDS];
  struct mpj_ref *refs[FIELDS];
  const int n = (int)mpj_random_in(rng, 1, FIELDS);
  for (int i = 0, basic = -1; i < n; i++) {
    basic = draw_basic(rng, op, basic);
    lens[i] = mpj_random_in(rng, 1, 3);
    displs[i] = at;
    types[i] = MPJ_BASIC_(basic);
    refs[i] = mpj_ref_basic(basic);
    at += lens[i] * mpj_basics[basic].size + mpj_random_in(rng, 0, 1) * mpj_random_in(rng, 0, 16);
  }
  out->t.ref = mpj_ref_struct(n, lens, displs, refs);
  must(MPJ_Type_create_struct(n, lens, displs, types, &out->t.type), "struct");
  for (int i = 0; i < n; i++)
    mpj_ref_release(refs[i]);
}

/* Some of the basic types that op applies to: one, two, or any. */
static uint64_t draw_basics(struct mpj_random *rng, enum mpj_reduce_op op)
{
  const int64_t kinds = mpj_random_in(rng, 1, 3);
  uint64_t basics = 0;
  for (int64_t i = 0; i < (kinds < 3 ? kinds : MPJ_BASIC_COUNT); i++)
    basics |= UINT64_C(1) << draw_basic(rng, op, -1);
  return basics;
}

static void make_element(struct mpj_random *rng, enum mpj_reduce_op op, struct layout *out)
{
  struct mpj_random_options options = {.depth = 0, .max_elements = 20, .receivable = true};
  const int64_t kind = mpj_random_in(rng, 0, 7);
  *out = (struct layout){.t.text = "struct of basic types"};
  if (kind < 2) {
    make_struct(rng, op, out);
  } else if (kind < 5) {
    out->t.text[0] = '\0';
    options.depth = (int)mpj_random_in(rng, 1, 4);
    options.max_elements = 600;
    options.lists = (int)mpj_random_in(rng, 1, 2);
    options.basics = draw_basics(rng, op);
    mpj_random_type_make(rng, &options, &out->t);
  } else {
    if (kind == 5) options.depth = 3;
    out->t.text[0] = '\0';
    options.basics = UINT64_C(1) << draw_basic(rng, op, -1);
    mpj_random_type_make(rng, &options, &out->t);
  }
  must(MPJ_Type_commit(&out->t.type), "commit");
}

void model_make(struct mpj_random *rng, int number, struct model *out)
{
  *out = (struct model){.op = MPJ_REDUCE_OPS};
  if (number < MPJ_REDUCE_OPS) {
    out->op = (enum mpj_reduce_op)number;
    make_element(rng, out->op, &out->element);
  } else {
    out->user = &user_ops[number - MPJ_REDUCE_OPS];
    out->user->make(&out->element);
  }
  out->bytes = mpj_ref_bytes(out->element.t.ref);
}

void model_free(struct model *model)
{
  layout_free(&model->element);
}

const char *model_name(const struct model *model)
{
  static const char *const names[MPJ_REDUCE_OPS] = {"sum",     "prod",   "min",   "max",  "land",
                                                    "band",    "lor",    "bor",   "lxor", "bxor",
                                                    "replace", "minloc", "maxloc"};
  return model->user ? model->user->name : names[model->op];
}

MPJ_Op model_op(const struct model *model)
{
  MPJ_Op op;
  if (!model->user) return MPJ_PREDEFINED_OP_(model->op);
  must(MPJ_Op_create(model->user->fn, model->user->ctx, model->element.t.type, 0, &op), "op");
  return op;
}

/* Streams */

/* The packed elements of one element type. */
static void predefined_value(const struct model *m, struct mpj_random *rng, char *packed)
{
  const struct mpj_ref *ref = m->element.t.ref;
  for (MPJ_Count e = 0; e < ref->n; e++) {
    if (ref->map[e].basic < 0) continue;
    if (m->exact)
      scalar_exact_value(rng, m->op, ref->map[e].basic, packed);
    else
      scalar_value(rng, ref->map[e].basic, false, packed);
    packed += mpj_basics[ref->map[e].basic].size;
  }
}

void *model_stream(const struct model *m, uint64_t seed, MPJ_Count n)
{
  struct mpj_random rng = {seed};
  char *stream = room(n * m->bytes), *at = stream;
  char *value = room(m->user ? (MPJ_Count)m->user->bytes : 0);
  for (MPJ_Count i = 0; i < n; i++, at += m->bytes) {
    if (!m->user) {
      predefined_value(m, &rng, at);
      continue;
    }
    m->user->value(&rng, value);
    mpj_ref_pack(m->element.t.ref, value, at);
  }
  free(value);
  return stream;
}

static void combine_predefined(const struct model *m, const char *in, char *inout)
{
  const struct mpj_ref *ref = m->element.t.ref;
  for (MPJ_Count e = 0; e < ref->n; e++) {
    const int basic = ref->map[e].basic;
    if (basic < 0) continue;
    scalar_combine(m->op, basic, in, inout);
    in += mpj_basics[basic].size;
    inout += mpj_basics[basic].size;
  }
}

static void combine_user(const struct model *m, const char *in, char *inout)
{
  _Alignas(16) char a[64] = {0}, b[64] = {0};
  mpj_ref_unpack(m->element.t.ref, in, a);
  mpj_ref_unpack(m->element.t.ref, inout, b);
  m->user->fn(m->user->ctx, a, b, 1);
  mpj_ref_pack(m->element.t.ref, b, inout);
}

void model_combine(const struct model *m, const void *in, void *inout, MPJ_Count n)
{
  const char *a = in;
  char *b = inout;
  for (; n > 0; n--, a += m->bytes, b += m->bytes) {
    if (m->user)
      combine_user(m, a, b);
    else
      combine_predefined(m, a, b);
  }
}
