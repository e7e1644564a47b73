/* This file generates random types, top down: a constructor is drawn, its old
 * types are made with what is left of the budget, and a result that breaks the
 * options is thrown away for the old type. */
#include "types/random_type.h"

#include <stdio.h>
#include <stdlib.h>

#include "types/basic.h"
#include "types/random_arguments.h"

enum { LONG_ELEMENTS = 100 }; /* of a list of many blocks */

uint64_t mpj_random_next(struct mpj_random *rng)
{
  uint64_t z = rng->state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

int64_t mpj_random_in(struct mpj_random *rng, int64_t low, int64_t high)
{
  return low + (int64_t)(mpj_random_next(rng) % (uint64_t)(high - low + 1));
}

void mpj_random_type_free(struct mpj_random_type *t)
{
  if (mpj_basic_of_handle(t->type) < 0)
    mpj_call_must(MPJ_Type_free(&t->type) == MPJ_SUCCESS, t, "cannot be freed");
  mpj_ref_release(t->ref);
  t->type = MPJ_DATATYPE_NULL;
  t->ref = NULL;
}

/* Whether the type keeps to the options (nparts apart). */
static bool fits(const struct maker *m, const struct mpj_ref *ref)
{
  MPJ_Aint lb = mpj_ref_lb(ref), ub = lb + mpj_ref_extent(ref);
  MPJ_Aint low = least(least(lb, ub), mpj_ref_true_lb(ref));
  MPJ_Aint high = most(most(lb, ub), mpj_ref_true_ub(ref));
  if (low < -m->options.max_span || high > m->options.max_span) return false;
  return !m->options.receivable || !mpj_ref_overlaps(ref);
}

/* Any of a set that is not empty. */
static int draw_of(struct maker *m, uint64_t set)
{
  for (int64_t skip = mpj_random_in(m->rng, 1, __builtin_popcountll(set)); skip > 1; skip--)
    set &= set - 1;
  return __builtin_ctzll(set);
}

static void draw_basic(struct maker *m, struct mpj_random_type *t)
{
  static const int usual[] = {0, 6, 8, 13, 15, 20, 21, 23, 25};
  int basic = one_in(m->rng, 4) ? (int)mpj_random_in(m->rng, 0, MPJ_BASIC_COUNT - 1)
                                : usual[mpj_random_in(m->rng, 0, 8)];
  if (m->options.basics) basic = draw_of(m, m->options.basics);
  t->type = MPJ_BASIC_(basic);
  t->ref = mpj_ref_basic(basic);
  snprintf(t->text, sizeof t->text, "%s", mpj_basics[basic].name);
}

/* Perform the call on old (moved) and give *out; if the result breaks the
 * options, free it and give old. Returns whether the call was taken. */
static bool take_call(struct maker *m, const struct call *c, struct mpj_random_type *old,
                      struct mpj_random_type *out)
{
  struct mpj_random_type made = {.text = ""};
  made.ref = mpj_call_expand(c, old->ref);
  mpj_call_say(c, &made);
  mpj_call_append(&made, "%s)", old->text);
  if (!fits(m, made.ref)) {
    mpj_ref_release(made.ref);
    *out = *old;
    return false;
  }
  if (m->options.fail_allocations) mpj_call_fail_allocations(c, old->type, &made);
  mpj_call_must(mpj_call_perform(c, old->type, &made.type) == MPJ_SUCCESS, &made,
                "constructor failed");
  mpj_random_type_free(old);
  *out = made;
  return true;
}

static void make(struct maker *m, int depth, MPJ_Count nparts, struct mpj_random_type *out);

/* Which of the old types each block is of: any, or one after the other in turn. The last is a
 * large one in a list of many blocks, of which it is one. */
static void draw_old_types(struct maker *m, struct call *c, int nolds, bool large,
                           const struct mpj_random_type olds[])
{
  const int small = large && c->many ? nolds - 1 : nolds;
  const bool in_turn = one_in(m->rng, 2);
  for (MPJ_Count i = 0; i < c->count; i++)
    c->numbers[i] = in_turn ? (int)(i % small) : (int)mpj_random_in(m->rng, 0, small - 1);
  if (small < nolds) c->numbers[mpj_random_in(m->rng, 0, c->count - 1)] = nolds - 1;
  for (MPJ_Count i = 0; i < c->count; i++) {
    c->types[i] = olds[c->numbers[i]].type;
    c->refs[i] = olds[c->numbers[i]].ref;
  }
}

static int first_basic(const struct mpj_ref *ref)
{
  return ref->n > 0 ? ref->map[0].basic : MPJ_REF_LB;
}

/* An old type of a list of many blocks: small, and begun by another basic type than `beside`, if
 * few tries suffice. */
static void make_unlike(struct maker *m, int depth, const struct mpj_random_type *beside,
                        struct mpj_random_type *out)
{
  for (int tries = 0; tries < 4; tries++) {
    make(m, one_in(m->rng, 2) ? 0 : depth, 0, out);
    if (!beside || first_basic(out->ref) != first_basic(beside->ref)) return;
    mpj_random_type_free(out);
  }
  make(m, 0, 0, out);
}

/* A struct over a few types of its own. On failure to fit, the first of them. */
static bool make_struct(struct maker *m, struct call *c, int depth, MPJ_Count nparts,
                        struct mpj_random_type *out)
{
  enum { MOST_OLD = MAX_BUCKETS };
  struct mpj_random_type olds[MOST_OLD], made = {.text = ""};
  struct maker inner = *m;
  int nolds = (int)mpj_random_in(m->rng, c->many ? 2 : 1, MOST_OLD);
  const bool large = nolds > 1 && m->options.max_elements >= 2 * LONG_ELEMENTS;
  for (int k = 0; k < nolds; k++) {
    inner.options.max_elements = c->many ? 2 : m->options.max_elements / MOST_OLD;
    if (large && k + 1 == nolds) inner.options.max_elements = m->options.max_elements / 2;
    if (c->many && inner.options.max_elements == 2)
      make_unlike(&inner, depth - 1, k > 0 ? &olds[k - 1] : NULL, &olds[k]);
    else
      make(&inner, depth - 1, 0, &olds[k]);
  }
  c->count = mpj_draw_number(m, c, nparts);
  if (c->kind == SPARSE) mpj_draw_parts(m, c, nparts);
  draw_old_types(m, c, nolds, large, olds);
  mpj_draw_lengths(m, c);
  for (MPJ_Count i = 0; c->kind == SPARSE && i < c->count; i++)
    c->lens[i] = 1;
  if (c->kind == BUCKET_STRUCT) mpj_draw_struct_buckets(c, nolds, olds);
  mpj_draw_places(m, c);
  mpj_call_say(c, &made);
  for (int k = 0; k < nolds; k++)
    mpj_call_append(&made, "%s%s", olds[k].text, k + 1 < nolds ? ", " : ")");
  made.ref = mpj_call_expand(c, NULL);
  bool taken = fits(m, made.ref);
  if (taken && m->options.fail_allocations) mpj_call_fail_allocations(c, MPJ_DATATYPE_NULL, &made);
  if (taken)
    mpj_call_must(mpj_call_perform(c, MPJ_DATATYPE_NULL, &made.type) == MPJ_SUCCESS, &made,
                  "constructor failed");
  else
    mpj_ref_release(made.ref);
  for (int k = taken ? 0 : 1; k < nolds; k++)
    mpj_random_type_free(&olds[k]);
  *out = taken ? made : olds[0];
  return taken;
}

/* The local array of a random part, where old is a distribution. */
static void make_local(struct maker *m, struct call *c, struct mpj_random_type *old,
                       struct mpj_random_type *out)
{
  c->kind = LOCAL;
  c->count = mpj_random_in(m->rng, 0, old->ref->nparts - 1);
  take_call(m, c, old, out);
}

/* One attempt at a type of nparts parts (0: any): false if *out has others. */
static bool attempt(struct maker *m, int depth, MPJ_Count nparts, struct mpj_random_type *out)
{
  struct call *c = mpj_call_new(nparts);
  struct mpj_random_type old;
  struct maker inner = *m;
  bool taken;
  do
    c->kind = (enum kind)mpj_random_in(m->rng, 0, LOCAL - 1);
  while (nparts > 0 && depth == 1 &&
         (c->kind == RESIZED || c->kind == DUP || c->kind == DARRAY || c->kind == SLICE));
  c->many = nparts == 0 && m->options.max_elements >= LONG_ELEMENTS && one_in(m->rng, 8);
  if (nparts == 0 && m->options.max_elements >= LONG_ELEMENTS && one_in(m->rng, m->options.lists)) {
    c->kind = one_in(m->rng, 3) ? BUCKET_STRUCT : one_in(m->rng, 4) ? SPARSE : STRUCT;
    c->many = true;
  }
  if (c->kind >= STRUCT && c->kind <= BUCKET_STRUCT) {
    taken = make_struct(m, c, depth, nparts, out);
  } else {
    bool same_parts = c->kind == RESIZED || c->kind == DUP;
    c->many = c->many && c->kind >= INDEXED && c->kind <= SEGMENT;
    inner.options.max_elements = c->many                     ? 2
                                 : nparts > 0 && !same_parts ? m->options.max_elements / nparts
                                                             : m->options.max_elements / 2;
    make(&inner, depth - 1, same_parts ? nparts : 0, &old);
    mpj_draw_arguments(m, c, old.ref, nparts);
    taken = take_call(m, c, &old, out);
    if (taken && (c->kind == DISTRIBUTION || c->kind == GENERAL) && nparts == 0 &&
        one_in(m->rng, 4)) {
      old = *out;
      make_local(m, c, &old, out);
    }
  }
  free(c);
  return nparts == 0 || out->ref->nparts == nparts;
}

/* Spread out, so that any old type fits: the last resort for nparts. */
static void make_spread(struct maker *m, MPJ_Count nparts, struct mpj_random_type *out)
{
  struct call *c = mpj_call_new(nparts);
  struct mpj_random_type old;
  draw_basic(m, &old);
  c->kind = VECTOR;
  c->count = nparts;
  c->blocklen = 1;
  c->stride = 2;
  mpj_call_must(take_call(m, c, &old, out), &old, "spread type does not fit");
  free(c);
}

static void make(struct maker *m, int depth, MPJ_Count nparts, struct mpj_random_type *out)
{
  if (depth <= 0 || (nparts == 0 && one_in(m->rng, 10))) {
    if (nparts == 0)
      draw_basic(m, out);
    else
      make_spread(m, nparts, out);
    return;
  }
  for (int tries = 0; tries < 8; tries++) {
    if (attempt(m, depth, nparts, out)) return;
    mpj_random_type_free(out);
  }
  make_spread(m, nparts, out);
}

void mpj_random_type_make(struct mpj_random *rng, const struct mpj_random_options *options,
                          struct mpj_random_type *out)
{
  struct maker m = {rng, *options};
  if (m.options.max_elements == 0) m.options.max_elements = 256;
  if (m.options.max_span == 0) m.options.max_span = 65536;
  if (m.options.lists == 0) m.options.lists = 10;
  make(&m, options->depth, options->nparts, out);
}
