/* This file makes types whose strides, displacements and bounds are near the limits
 * of 64 bits, and compares them with lists of elements in 128 bits: what a
 * constructor makes is right to the byte, and what it refuses is too large. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/suite.h"
#include "types/alike.h"
#include "types/basic.h"
#include "types/encoded/encode.h"
#include "types/random_type.h"
#include "types/walk.h"
#include "types/wanted.h"

__extension__ typedef __int128 wide;

enum { MOST = 600, LOWER = -1, UPPER = -2 };

/* A type map with the bounds that were set as entries of their own. */
struct list {
  int n;
  bool near; /* a number on the way came near the limits */
  struct entry {
    int basic; /* or LOWER or UPPER */
    wide at;
  } all[MOST];
};

static const wide limit = (wide)1 << 63;

static bool is_near(wide value)
{
  return value >= limit / 4 || value <= -limit / 4;
}

static void append(struct list *to, const struct list *old, wide displ)
{
  for (int i = 0; i < old->n; i++) {
    to->all[to->n] = old->all[i];
    to->all[to->n++].at += displ;
    to->near = to->near || is_near(displ) || is_near(old->all[i].at + displ);
  }
  to->near = to->near || old->near;
}

struct bounds {
  wide lb, ub;
};

/* From the entries of these kinds; a basic element has an end of its own. */
static bool span(const struct list *l, bool marks, struct bounds *b)
{
  bool any = false;
  for (int i = 0; i < l->n; i++) {
    const struct entry *e = &l->all[i];
    if ((e->basic < 0) != marks) continue;
    wide end = e->at + (marks ? 0 : mpj_basics[e->basic].size);
    if (!any) *b = (struct bounds){limit * 4, -limit * 4};
    if (e->basic != UPPER && e->at < b->lb) b->lb = e->at;
    if (e->basic != LOWER && end > b->ub) b->ub = end;
    any = true;
  }
  if (!any) *b = (struct bounds){0, 0};
  return any;
}

static struct bounds bounds_of(const struct list *l)
{
  struct bounds b;
  wide alignment = 1;
  if (span(l, true, &b)) return b;
  span(l, false, &b);
  for (int i = 0; i < l->n; i++)
    if (mpj_basics[l->all[i].basic].alignment > alignment)
      alignment = mpj_basics[l->all[i].basic].alignment;
  b.ub += (alignment - (b.ub - b.lb) % alignment) % alignment;
  return b;
}

static wide extent_of_list(const struct list *l)
{
  struct bounds b = bounds_of(l);
  return b.ub - b.lb;
}

static bool fits64(wide value)
{
  return value < limit && value >= -limit;
}

/* Whether all that a type has to say of itself fits 64 bits. */
static bool fits(const struct list *l)
{
  struct bounds set = bounds_of(l), data;
  span(l, false, &data);
  return fits64(set.lb) && fits64(set.ub) && fits64(set.ub - set.lb) && fits64(data.lb) &&
         fits64(data.ub) && fits64(data.ub - data.lb);
}

static bool is_near_anywhere(const struct list *l)
{
  struct bounds b = bounds_of(l);
  return l->near || is_near(b.lb) || is_near(b.ub) || is_near(b.ub - b.lb);
}

/* A number of any size, the largest as often as all others. */
static MPJ_Aint draw(struct mpj_random *rng)
{
  const int bits = (int)mpj_random_in(rng, mpj_random_in(rng, 0, 1) ? 58 : 0, 62);
  const int64_t most = (INT64_C(1) << bits) - 1 + (INT64_C(1) << bits);
  const int64_t value = mpj_random_in(rng, 0, 2) ? mpj_random_in(rng, 0, most / 2) : most;
  return mpj_random_in(rng, 0, 1) ? value : -value;
}

/* `copies` copies of old at displ. */
static void append_block(struct list *to, const struct list *old, wide displ, MPJ_Count copies)
{
  for (MPJ_Count j = 0; j < copies; j++)
    append(to, old, displ + j * extent_of_list(old));
}

/* Blocks of old, some of them of int in a struct, at displacements in bytes. */
static int make_blocks(struct mpj_random *rng, const struct list *old, MPJ_Datatype handle,
                       struct list *made, MPJ_Datatype *out)
{
  const int kind = (int)mpj_random_in(rng, 0, 3), numbers[] = {1, 0, 1};
  const MPJ_Count n = mpj_random_in(rng, 0, 3), bucket_lens[] = {1, 2};
  const MPJ_Datatype types[] = {handle, MPJ_INT, handle}, buckets[] = {MPJ_INT, handle};
  const struct list one = {1, false, {{mpj_basic_of_handle(MPJ_INT), 0}}};
  const bool mixed = kind >= 2, bucketed = kind % 2 == 1;
  MPJ_Count lens[3];
  MPJ_Aint displs[3];
  for (MPJ_Count i = 0; i < n; i++) {
    lens[i] = bucketed ? bucket_lens[numbers[i]] : mpj_random_in(rng, 0, 2);
    displs[i] = draw(rng);
    append_block(made, mixed && i == 1 ? &one : old, displs[i], lens[i]);
  }
  /* A bucket must fit whether or not there is a block of it. */
  made->near = made->near || is_near(extent_of_list(old));
  if (mixed && bucketed)
    return MPJ_Type_create_bucket_struct(n, 2, bucket_lens, buckets, numbers, displs, out);
  if (mixed) return MPJ_Type_create_struct(n, lens, displs, types, out);
  if (bucketed)
    return MPJ_Type_create_hbucket_index(n, 2, bucket_lens, numbers, displs, handle, out);
  return MPJ_Type_create_hindexed(n, lens, displs, handle, out);
}

/* Blocks a stride apart, in bytes or in extents. */
static int make_vector(struct mpj_random *rng, const struct list *old, MPJ_Datatype handle,
                       struct list *made, MPJ_Datatype *out)
{
  const MPJ_Count n = mpj_random_in(rng, 0, 4), len = mpj_random_in(rng, 0, 2);
  const MPJ_Aint stride = draw(rng);
  const bool bytes = mpj_random_in(rng, 0, 1);
  const wide step = bytes ? stride : stride * extent_of_list(old);
  for (MPJ_Count i = 0; i < n; i++)
    append_block(made, old, i * step, len);
  /* The shape of a block must fit whether or not there is one. */
  made->near = made->near || is_near(step) || is_near(4 * step) || is_near(extent_of_list(old));
  return bytes ? MPJ_Type_create_hvector(n, len, stride, handle, out)
               : MPJ_Type_vector(n, len, stride, handle, out);
}

static int make_resized(struct mpj_random *rng, const struct list *old, MPJ_Datatype handle,
                        struct list *made, MPJ_Datatype *out)
{
  const MPJ_Aint lb = draw(rng), extent = draw(rng);
  for (int i = 0; i < old->n; i++)
    if (old->all[i].basic >= 0) made->all[made->n++] = old->all[i];
  made->all[made->n++] = (struct entry){LOWER, lb};
  made->all[made->n++] = (struct entry){UPPER, (wide)lb + extent};
  made->near = old->near;
  return MPJ_Type_create_resized(handle, lb, extent, out);
}

static int make_type(struct mpj_random *rng, const struct list *old, MPJ_Datatype handle,
                     struct list *made, MPJ_Datatype *out)
{
  const int64_t kind = 8 * old->n > MOST ? 0 : mpj_random_in(rng, 0, 4);
  if (kind == 0) return make_resized(rng, old, handle, made, out);
  if (kind == 1) {
    append_block(made, old, 0, 3);
    return MPJ_Type_contiguous(3, handle, out);
  }
  return kind == 2 ? make_vector(rng, old, handle, made, out)
                   : make_blocks(rng, old, handle, made, out);
}

static void compare_elements(MPJ_Datatype type, const struct list *l)
{
  const struct mpj_view view = mpj_type_view(object_of(type));
  MPJ_Count n;
  int e = 0;
  struct mpj_ref_entry *found = mpj_walk(&view, &n);
  for (int i = 0; i < l->n; i++) {
    if (l->all[i].basic < 0) continue;
    ck_assert(e < n && found[e].basic == l->all[i].basic && found[e].displ == l->all[i].at);
    e++;
  }
  ck_assert_int_eq(e, n);
  free(found);
}

static void compare(MPJ_Datatype type, const struct list *l)
{
  const struct bounds expected = bounds_of(l);
  struct bounds data;
  MPJ_Aint lb, extent;
  ck_assert(mpj_type_check(object_of(type)));
  must(MPJ_Type_get_extent(type, &lb, &extent));
  ck_assert(lb == expected.lb && extent == expected.ub - expected.lb);
  must(MPJ_Type_get_true_extent(type, &lb, &extent));
  if (span(l, false, &data)) ck_assert(lb == data.lb && extent == data.ub - data.lb);
  compare_elements(type, l);
}

/* Through bytes and through text. */
static void round_trip(MPJ_Datatype type)
{
  static char text[1 << 16];
  MPJ_Datatype copies[2];
  MPJ_Count bytes, length;
  void *message;
  must(mpj_type_encode(type, &message, &bytes));
  must(MPJ_Type_decode(message, bytes, &copies[0]));
  mpj_free(message);
  must(MPJ_Type_print(type, text, sizeof text, &length));
  ck_assert_int_lt(length, sizeof text);
  must(MPJ_Type_parse(text, &copies[1]));
  must_be_alike(type, copies[0], text, 0);
  must_be_alike(type, copies[1], text, 0);
  free_types(2, copies);
}

/* One type over another, until one is refused. Counts both outcomes. */
static void climb(struct mpj_random *rng, int *made, int *refused)
{
  static struct list lists[2];
  const MPJ_Datatype basics[] = {MPJ_CHAR, MPJ_INT, MPJ_DOUBLE};
  MPJ_Datatype type = basics[mpj_random_in(rng, 0, 2)];
  bool owned = false;
  lists[0] = (struct list){1, false, {{mpj_basic_of_handle(type), 0}}};
  for (int level = 0; level < 4; level++) {
    const struct list *old = &lists[level % 2];
    struct list *next = &lists[1 - level % 2];
    MPJ_Datatype over;
    next->n = 0;
    next->near = false;
    int status = make_type(rng, old, type, next, &over);
    if (status) {
      ck_assert_int_eq(status, MPJ_ERR_OVERFLOW);
      ck_assert_msg(!fits(next) || is_near_anywhere(next), "refused: %s", MPJ_Error_detail());
      ++*refused;
      break;
    }
    ck_assert(fits(next));
    if (owned) must(MPJ_Type_free(&type));
    type = over;
    owned = true;
    compare(type, next);
    round_trip(type);
    ++*made;
  }
  if (owned) must(MPJ_Type_free(&type));
}

START_TEST(types_near_the_limits_are_right_or_refused)
{
  struct mpj_random rng = {91};
  int made = 0, refused = 0;
  for (int n = 0; n < types_wanted; n++)
    climb(&rng, &made, &refused);
  ck_assert_msg(made > types_wanted && refused > types_wanted / 8, "%d made, %d refused", made,
                refused);
  nothing_lives();
}
END_TEST

int main(int argc, char **argv)
{
  read_wanted(argc, argv, 2000);
  return RUN_SUITE("huge", types_near_the_limits_are_right_or_refused);
}
