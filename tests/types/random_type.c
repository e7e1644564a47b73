/* This file generates random types, top down: a constructor is drawn, its old
 * types are made with what is left of the budget, and a result that breaks the
 * options is thrown away for the old type. */
#include "types/random_type.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "types/basic.h"
#include "types/layout/layout.h"
#include "types/random_call.h"

enum { LONG_ELEMENTS = 100, NESTED = 3 }; /* of a list of many blocks; deep, in one another */

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

static bool one_in(struct mpj_random *rng, int n)
{
  return mpj_random_in(rng, 1, n) == 1;
}

/* What generation carries along. */
struct maker {
  struct mpj_random *rng;
  struct mpj_random_options options;
};

static void release_handle(struct mpj_random_type *t)
{
  if (mpj_basic_of_handle(t->type) < 0)
    mpj_call_must(MPJ_Type_free(&t->type) == MPJ_SUCCESS, t, "cannot be freed");
  mpj_ref_release(t->ref);
}

void mpj_random_type_free(struct mpj_random_type *t)
{
  release_handle(t);
  t->type = MPJ_DATATYPE_NULL;
  t->ref = NULL;
}

static MPJ_Aint most(MPJ_Aint a, MPJ_Aint b)
{
  return a > b ? a : b;
}

static MPJ_Aint least(MPJ_Aint a, MPJ_Aint b)
{
  return a < b ? a : b;
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

static MPJ_Count draw_count(struct maker *m, MPJ_Count high)
{
  high = high < 5 ? high : 5;
  if (high < 1 || one_in(m->rng, 25)) return 0;
  return mpj_random_in(m->rng, 1, high);
}

/* `copies` copies of old are within the budget. */
static MPJ_Count copies_left(const struct maker *m, const struct mpj_ref *old)
{
  return m->options.max_elements / (old->n > 0 ? old->n : 1);
}

static void draw_vector(struct maker *m, struct call *c, const struct mpj_ref *old,
                        MPJ_Count nparts)
{
  MPJ_Count room = copies_left(m, old);
  MPJ_Aint extent = mpj_ref_extent(old);
  c->count = nparts > 0 ? nparts : draw_count(m, room);
  c->blocklen = draw_count(m, c->count > 0 ? room / c->count : room);
  c->stride = one_in(m->rng, 3) ? c->blocklen : mpj_random_in(m->rng, -4, 7);
  if (c->kind == HVECTOR)
    c->stride = c->stride * extent + (one_in(m->rng, 2) ? 0 : mpj_random_in(m->rng, -9, 9));
}

/* How many blocks: few; or many, often just below or above what a layout keeps together. */
static MPJ_Count draw_number(struct maker *m, const struct call *c, MPJ_Count nparts)
{
  static const MPJ_Count limits[] = {MPJ_LAYOUT_SEQ_OPEN, MPJ_LAYOUT_FRAME, 2 * MPJ_LAYOUT_FRAME};
  if (nparts > 0) return nparts;
  if (!c->many) return draw_count(m, 5);
  if (!one_in(m->rng, 3)) return mpj_random_in(m->rng, 60, MAX_MANY);
  return limits[mpj_random_in(m->rng, 0, 2)] + mpj_random_in(m->rng, -1, 2);
}

static MPJ_Aint true_span(const struct mpj_ref *ref)
{
  return mpj_ref_true_ub(ref) - mpj_ref_true_lb(ref);
}

/* Most copies of old in a block of many: none of them overlap where that matters. */
static MPJ_Count most_of_many(const struct maker *m, const struct mpj_ref *old)
{
  const bool overlap = m->options.receivable && mpj_ref_extent(old) < true_span(old);
  return overlap || old->n > 4 ? 1 : 2;
}

static void draw_lengths(struct maker *m, struct call *c, struct mpj_ref *const olds[])
{
  const MPJ_Count room = m->options.max_elements;
  const bool same = one_in(m->rng, 3);
  for (MPJ_Count i = 0; i < c->count; i++) {
    const MPJ_Count each = olds[i]->n > 0 ? olds[i]->n : 1;
    const MPJ_Count share = c->many ? most_of_many(m, olds[i]) : room / (c->count * each);
    c->lens[i] = same && i > 0 ? least(c->lens[0], share) : draw_count(m, share);
  }
}

/* Displacements mostly one after another with gaps: in extents for INDEXED, else in
 * bytes that may be odd; now and then anywhere. */
static void draw_places(struct maker *m, struct call *c, struct mpj_ref *const olds[])
{
  MPJ_Aint end = mpj_random_in(m->rng, -20, 20);
  MPJ_Count next = mpj_random_in(m->rng, -3, 3);
  const bool gaps = !one_in(m->rng, 4);
  for (MPJ_Count i = 0; i < c->count; i++) {
    c->displs[i] = next;
    c->bytes[i] = end - least(0, mpj_ref_lb(olds[i]));
    if (one_in(m->rng, 6)) {
      c->displs[i] = mpj_random_in(m->rng, -8, 8);
      c->bytes[i] = mpj_random_in(m->rng, -80, 80);
    }
    next += c->lens[i] + (gaps ? mpj_random_in(m->rng, 0, 2) : 0);
    end = c->bytes[i] + c->lens[i] * mpj_ref_extent(olds[i]) +
          (gaps ? mpj_random_in(m->rng, 0, 16) : 0);
  }
}

/* Of many blocks some would overlap: here none do. Backward or forward, from any of them on. */
static void draw_places_apart(struct maker *m, struct call *c, struct mpj_ref *const olds[])
{
  const MPJ_Count first = mpj_random_in(m->rng, 0, c->count - 1);
  const bool backward = one_in(m->rng, 3), gaps = !one_in(m->rng, 4);
  MPJ_Aint end = mpj_random_in(m->rng, -20, 20);
  MPJ_Count next = mpj_random_in(m->rng, -3, 3);
  for (MPJ_Count k = 0; k < c->count; k++) {
    const MPJ_Count i = (first + (backward ? c->count - k : k)) % c->count;
    c->displs[i] = next;
    c->bytes[i] = end - mpj_ref_true_lb(olds[i]);
    next += c->lens[i] + (gaps ? mpj_random_in(m->rng, 0, 2) : 0);
    if (c->lens[i] > 0) end += (c->lens[i] - 1) * mpj_ref_extent(olds[i]) + true_span(olds[i]);
    if (gaps) end += mpj_random_in(m->rng, 0, 16);
  }
}

static void place_blocks(struct maker *m, struct call *c)
{
  if (c->many && m->options.receivable)
    draw_places_apart(m, c, c->refs);
  else
    draw_places(m, c, c->refs);
}

static void draw_subarray(struct maker *m, struct call *c, const struct mpj_ref *old,
                          MPJ_Count nparts)
{
  MPJ_Count room = copies_left(m, old);
  c->ndims = (int)mpj_random_in(m->rng, 1, MAX_DIMS);
  c->order = one_in(m->rng, 2) ? MPJ_ORDER_C : MPJ_ORDER_FORTRAN;
  int slow = c->order == MPJ_ORDER_C ? 0 : c->ndims - 1;
  if (nparts > 0) room /= nparts;
  for (int d = 0; d < c->ndims; d++) {
    c->sizes[d] = mpj_random_in(m->rng, 1, 5);
    c->subsizes[d] = least(draw_count(m, c->sizes[d]), room);
    if (nparts > 0 && d == slow) {
      c->subsizes[d] = nparts;
      c->sizes[d] = nparts + mpj_random_in(m->rng, 0, 2);
    } else if (c->subsizes[d] > 0) {
      room /= c->subsizes[d];
    }
    c->starts[d] = mpj_random_in(m->rng, 0, c->sizes[d] - c->subsizes[d]);
  }
}

/* Split nparts over the dimensions of the grid; 0 draws a small grid. */
static void draw_grid(struct maker *m, struct call *c, MPJ_Count nparts)
{
  for (int d = 0; d < c->ndims; d++)
    c->psizes[d] = nparts > 0 ? 1 : (int)mpj_random_in(m->rng, 1, 3);
  for (MPJ_Count f = 2; nparts > 1; f++) {
    for (; nparts % f == 0; nparts /= f)
      c->psizes[mpj_random_in(m->rng, 0, c->ndims - 1)] *= (int)f;
  }
}

static void draw_distribution(struct maker *m, struct call *c, const struct mpj_ref *old,
                              MPJ_Count nparts)
{
  MPJ_Count room = copies_left(m, old);
  c->ndims = (int)mpj_random_in(m->rng, 1, MAX_DIMS);
  c->order = one_in(m->rng, 2) ? MPJ_ORDER_C : MPJ_ORDER_FORTRAN;
  draw_grid(m, c, nparts);
  for (int d = 0; d < c->ndims; d++) {
    c->sizes[d] = least(mpj_random_in(m->rng, 1, 3 * c->psizes[d] + 2), most(room, 1));
    room /= c->sizes[d];
    c->distribs[d] = c->psizes[d] == 1 && one_in(m->rng, 2) ? MPJ_DISTRIBUTE_NONE
                     : one_in(m->rng, 2)                    ? MPJ_DISTRIBUTE_BLOCK
                                                            : MPJ_DISTRIBUTE_CYCLIC;
    MPJ_Count even = (c->sizes[d] + c->psizes[d] - 1) / c->psizes[d];
    MPJ_Count low = c->distribs[d] == MPJ_DISTRIBUTE_BLOCK ? even : 1;
    c->dargs[d] =
        one_in(m->rng, 2) ? MPJ_DISTRIBUTE_DFLT_DARG : mpj_random_in(m->rng, low, low + 2);
  }
}

/* Cut general dimensions into shares of their own, some of them empty. */
static void draw_shares(struct maker *m, struct call *c)
{
  for (int d = 0; d < c->ndims; d++) {
    if (one_in(m->rng, 3)) continue;
    MPJ_Count left = c->sizes[d];
    for (int i = 0; i + 1 < c->psizes[d]; i++) {
      c->shares[d][i] = mpj_random_in(m->rng, 0, least(left, 2 * c->sizes[d] / c->psizes[d]));
      left -= c->shares[d][i];
    }
    c->shares[d][c->psizes[d] - 1] = left;
    c->distribs[d] = MPJ_DISTRIBUTE_GENERAL;
    c->blocks[d] = c->shares[d];
  }
}

/* Indexed with one length: that of the first block, cut to the budget. */
static void draw_equal_lengths(struct maker *m, struct call *c, struct mpj_ref *old)
{
  draw_lengths(m, c, c->refs);
  MPJ_Count most_copies = c->many ? 2 : copies_left(m, old) / (c->count > 0 ? c->count : 1);
  c->blocklen = c->count > 0 ? least(c->lens[0], most_copies) : 1;
  for (MPJ_Count i = 0; i < c->count; i++)
    c->lens[i] = c->blocklen;
}

/* Blocks of the first few lengths, of buckets of which some may be alike. */
static void draw_bucket_lengths(struct maker *m, struct call *c)
{
  draw_lengths(m, c, c->refs);
  c->nbuckets = (int)mpj_random_in(m->rng, c->count > 0, MAX_BUCKETS);
  for (int b = 0; b < c->nbuckets; b++)
    c->bucket_lens[b] = b < c->count ? c->lens[b] : mpj_random_in(m->rng, 0, 9);
  for (MPJ_Count i = 0; i < c->count; i++) {
    c->numbers[i] = (int)mpj_random_in(m->rng, 0, least(i, c->nbuckets - 1));
    c->lens[i] = c->bucket_lens[c->numbers[i]];
  }
}

/* The buckets of a struct, one for each of the types, of which blocks have been
 * drawn: block i of c->types[i], which is bucket c->numbers[i]. */
static void draw_struct_buckets(struct call *c, int nbuckets, const struct mpj_random_type types[])
{
  c->nbuckets = nbuckets;
  for (int b = 0; b < nbuckets; b++) {
    c->bucket_types[b] = types[b].type;
    c->bucket_lens[b] = b % 3;
  }
  for (MPJ_Count i = c->count; i-- > 0;)
    c->bucket_lens[c->numbers[i]] = c->lens[i];
  for (MPJ_Count i = 0; i < c->count; i++)
    c->lens[i] = c->bucket_lens[c->numbers[i]];
}

static void draw_slice(struct maker *m, struct call *c, const struct mpj_ref *old)
{
  MPJ_Count elements = mpj_ref_elements(old);
  c->count = mpj_random_in(m->rng, 0, elements);
  c->blocklen = mpj_random_in(m->rng, 0, elements - c->count);
}

static void draw_bounds(struct maker *m, struct call *c, const struct mpj_ref *old)
{
  c->lb = mpj_ref_lb(old) + mpj_random_in(m->rng, -9, 9);
  c->extent = mpj_ref_extent(old) + mpj_random_in(m->rng, -5, 13);
  if (one_in(m->rng, 12)) c->extent = -c->extent;
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
  release_handle(old);
  *out = made;
  return true;
}

static void make(struct maker *m, int depth, MPJ_Count nparts, struct mpj_random_type *out);

/* Which parts the blocks are: of nparts, or of some more than there are blocks. */
static void draw_parts(struct maker *m, struct call *c, MPJ_Count nparts)
{
  const MPJ_Count more = one_in(m->rng, 4) ? 0 : mpj_random_in(m->rng, 0, 9);
  MPJ_Count given = 0;
  if (nparts > 0 && !one_in(m->rng, 4)) c->count = mpj_random_in(m->rng, 0, nparts);
  c->nparts = nparts > 0 ? nparts : c->count + more;
  for (MPJ_Count i = 0; i < c->nparts && given < c->count; i++)
    if (mpj_random_in(m->rng, 1, c->nparts - i) <= c->count - given) c->parts[given++] = i;
}

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
    release_handle(out);
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
  c->count = draw_number(m, c, nparts);
  if (c->kind == SPARSE) draw_parts(m, c, nparts);
  draw_old_types(m, c, nolds, large, olds);
  draw_lengths(m, c, c->refs);
  for (MPJ_Count i = 0; c->kind == SPARSE && i < c->count; i++)
    c->lens[i] = 1;
  if (c->kind == BUCKET_STRUCT) draw_struct_buckets(c, nolds, olds);
  place_blocks(m, c);
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
    release_handle(&olds[k]);
  *out = taken ? made : olds[0];
  return taken;
}

/* Of one old type. */
static void draw_blocks(struct maker *m, struct call *c, struct mpj_ref *old, MPJ_Count nparts)
{
  c->count = draw_number(m, c, nparts);
  for (MPJ_Count i = 0; i < c->count; i++)
    c->refs[i] = old;
  if (c->kind == INDEXED_BLOCK || c->kind == HINDEXED_BLOCK)
    draw_equal_lengths(m, c, old);
  else if (c->kind == BUCKET_INDEX || c->kind == HBUCKET_INDEX)
    draw_bucket_lengths(m, c);
  else
    draw_lengths(m, c, c->refs);
  place_blocks(m, c);
}

static void draw_arguments(struct maker *m, struct call *c, struct mpj_ref *old, MPJ_Count nparts)
{
  switch (c->kind) {
  case CONTIGUOUS:
    c->count = nparts > 0 ? nparts : draw_count(m, copies_left(m, old));
    break;
  case VECTOR:
  case HVECTOR:
    draw_vector(m, c, old, nparts);
    break;
  case INDEXED:
  case HINDEXED:
  case SEGMENT:
  case INDEXED_BLOCK:
  case HINDEXED_BLOCK:
  case BUCKET_INDEX:
  case HBUCKET_INDEX:
    draw_blocks(m, c, old, nparts);
    break;
  case SLICE:
    draw_slice(m, c, old);
    break;
  case SUBARRAY:
    draw_subarray(m, c, old, nparts);
    break;
  case RESIZED:
    draw_bounds(m, c, old);
    break;
  case DARRAY:
    draw_distribution(m, c, old, 0);
    c->count = mpj_random_in(m->rng, 0, mpj_call_grid(c) - 1);
    break;
  case GENERAL:
    draw_distribution(m, c, old, nparts);
    draw_shares(m, c);
    break;
  case DISTRIBUTION:
    draw_distribution(m, c, old, nparts);
    break;
  default:
    break;
  }
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
    draw_arguments(m, c, old.ref, nparts);
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
    release_handle(out);
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

/* The pieces of a type made like another; arrays for as many as it has elements. */
struct pieces {
  MPJ_Count n;
  MPJ_Count *lens;
  MPJ_Aint *displs;
  MPJ_Datatype *types;
  struct mpj_ref **refs;
  MPJ_Aint up, down; /* the free bytes begin here, on either side of 0 */
};

/* How many of the n elements, at most `limit`, are of the first one's basic type. */
static MPJ_Count same_basic(const struct mpj_ref_entry map[], MPJ_Count n, MPJ_Count limit)
{
  MPJ_Count length = 1;
  while (length < n && length < limit && map[length].basic == map[0].basic)
    length++;
  return length;
}

/* A free place for len elements of the basic type, aligned for it. */
static MPJ_Aint place(struct mpj_random *rng, struct pieces *p, int basic, MPJ_Count len)
{
  enum { UNIT = 2 * MPJ_BASIC_ALIGN_MAX };
  MPJ_Aint bytes = (len * mpj_basics[basic].size + UNIT - 1) / UNIT * UNIT;
  MPJ_Aint gap = one_in(rng, 3) ? 0 : mpj_random_in(rng, 1, 3) * UNIT;
  if (one_in(rng, 4)) {
    p->down -= bytes + gap;
    return p->down;
  }
  if (gap == 0) bytes = len * mpj_basics[basic].size;
  MPJ_Aint alignment = mpj_basics[basic].alignment;
  MPJ_Aint displ = (p->up + alignment - 1) / alignment * alignment;
  p->up = displ + bytes + gap;
  return displ;
}

static void cut_pieces(struct mpj_random *rng, const struct mpj_ref_entry map[], MPJ_Count n,
                       struct pieces *p)
{
  for (MPJ_Count e = 0; e < n; e += p->lens[p->n++]) {
    int basic = map[e].basic;
    p->lens[p->n] = same_basic(map + e, n - e, mpj_random_in(rng, 1, 12));
    p->types[p->n] = MPJ_BASIC_(basic);
    p->refs[p->n] = mpj_ref_basic(basic);
    p->displs[p->n] = place(rng, p, basic, p->lens[p->n]);
  }
}

static void free_pieces(struct pieces *p)
{
  for (MPJ_Count i = 0; i < p->n; i++)
    mpj_ref_release(p->refs[i]);
  free(p->refs);
  free(p->types);
  free(p->displs);
  free(p->lens);
}

/* Pieces [first, end), from displacement `origin` on, as a struct: each a block, or some of them
 * together a struct in it, down to `depth` of such. */
static void join_pieces(struct mpj_random *rng, const struct pieces *p, MPJ_Count first,
                        MPJ_Count end, MPJ_Aint origin, int depth, struct mpj_random_type *out)
{
  const size_t room = (size_t)(end - first) + 1;
  MPJ_Count n = 0, *lens = calloc(room, sizeof *lens);
  MPJ_Aint *displs = calloc(room, sizeof *displs);
  MPJ_Datatype *types = calloc(room, sizeof *types);
  struct mpj_ref **refs = calloc(room, sizeof *refs);
  mpj_call_must(lens && displs && types && refs, out, "no memory");
  for (MPJ_Count i = first, m; i < end; i += m, n++) {
    m = depth > 0 && one_in(rng, 4) ? mpj_random_in(rng, 1, least(end - i, MAX_MANY)) : 1;
    struct mpj_random_type some = {p->types[i], p->refs[i], ""};
    if (m > 1) join_pieces(rng, p, i, i + m, p->displs[i], depth - 1, &some);
    lens[n] = m > 1 ? 1 : p->lens[i];
    displs[n] = p->displs[i] - origin;
    types[n] = some.type;
    refs[n] = m > 1 ? some.ref : mpj_ref_retain(some.ref);
  }
  out->ref = mpj_ref_struct(n, lens, displs, refs);
  mpj_call_must(MPJ_Type_create_struct(n, lens, displs, types, &out->type) == MPJ_SUCCESS, out,
                "constructor failed");
  for (MPJ_Count i = 0; i < n; i++) {
    struct mpj_random_type some = {types[i], refs[i], ""};
    release_handle(&some);
  }
  free(refs);
  free(types);
  free(displs);
  free(lens);
}

void mpj_random_type_like(struct mpj_random *rng, const struct mpj_ref *ref,
                          struct mpj_random_type *out)
{
  size_t room = (size_t)mpj_ref_elements(ref) + 1;
  MPJ_Count n = 0;
  struct mpj_ref_entry *map = calloc(room, sizeof *map);
  struct pieces p = {.lens = calloc(room, sizeof *p.lens),
                     .displs = calloc(room, sizeof *p.displs),
                     .types = calloc(room, sizeof *p.types),
                     .refs = calloc(room, sizeof *p.refs)};
  snprintf(out->text, sizeof out->text, "like");
  mpj_call_must(map && p.lens && p.displs && p.types && p.refs, out, "no memory");
  for (MPJ_Count e = 0; e < ref->n; e++)
    if (ref->map[e].basic >= 0) map[n++] = ref->map[e];
  cut_pieces(rng, map, n, &p);
  join_pieces(rng, &p, 0, p.n, 0, one_in(rng, 2) ? 0 : NESTED, out);
  free_pieces(&p);
  free(map);
}
