/* This file tests the predefined operations: dense kernels of every instruction
 * set against the portable ones, and reductions into layouts against one element
 * after another. */
#include <mpj/mpj.h>

#include <stdlib.h>
#include <string.h>

#include "base/suite.h"
#include "pack/guarded.h"
#include "pack/maps.h"
#include "pack/reduce/reduce_ops.h"
#include "pack/run/address.h"
#include "pack/run/cursor.h"
#include "types/basic.h"
#include "types/random_type.h"
#include "types/type.h"

enum { LONGEST = 70, ELEMENT = 32 };

/* Random bytes that are finite as any real type. */
static void fill_finite(struct mpj_random *rng, char *at, size_t bytes)
{
  fill_randomly(rng, at, bytes);
  for (size_t i = 0; i < bytes; i++)
    at[i] &= 0x3f;
}

START_TEST(dense_kernels_of_all_levels_give_the_same_bits)
{
  struct mpj_random rng = {61};
  char in[LONGEST * ELEMENT + 1], start[sizeof in], plain[sizeof in], wide[sizeof in];
  for (int level = MPJ_CPU_AVX2; level <= (int)mpj_cpu_best(); level++) {
    mpj_reduce_kernel *const *set = mpj_reduce_set_of((enum mpj_cpu_level)level);
    for (int number = 0; number < MPJ_REDUCTIONS; number++) {
      for (MPJ_Count n = 0; n <= LONGEST; n++) {
        fill_finite(&rng, in, sizeof in);
        fill_finite(&rng, start, sizeof start);
        memcpy(plain, start, sizeof start);
        memcpy(wide, start, sizeof start);
        mpj_reduce_plain[number](in + n % 2, plain + n % 2, n);
        set[number](in + n % 2, wide + n % 2, n);
        ck_assert_msg(memcmp(plain, wide, sizeof plain) == 0, "level %d kernel %d n %d", level,
                      number, (int)n);
      }
    }
  }
}
END_TEST

START_TEST(operations_apply_where_they_are_defined)
{
  const struct {
    MPJ_Datatype type;
    enum mpj_reduce_op op;
    bool defined;
  } cases[] = {{MPJ_INT, MPJ_REDUCE_SUM, true},
               {MPJ_DOUBLE, MPJ_REDUCE_BAND, false},
               {MPJ_DOUBLE, MPJ_REDUCE_LOR, false},
               {MPJ_BYTE, MPJ_REDUCE_BXOR, true},
               {MPJ_BYTE, MPJ_REDUCE_SUM, false},
               {MPJ_C_BOOL, MPJ_REDUCE_LAND, true},
               {MPJ_C_BOOL, MPJ_REDUCE_MAX, false},
               {MPJ_C_DOUBLE_COMPLEX, MPJ_REDUCE_PROD, true},
               {MPJ_C_DOUBLE_COMPLEX, MPJ_REDUCE_MIN, false},
               {MPJ_LONG_DOUBLE, MPJ_REDUCE_MIN, true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    mpj_reduce_kernel *kernel =
        mpj_reduce_kernel_of(cases[i].op, mpj_basic_of_handle(cases[i].type));
    ck_assert_int_eq(kernel != NULL, cases[i].defined);
  }
  for (int basic = 0; basic < MPJ_BASIC_COUNT; basic++)
    ck_assert(mpj_reduce_kernel_of(MPJ_REDUCE_REPLACE, basic) != NULL);
}
END_TEST

/* Signed sums wrap around; the extremes of signed and unsigned differ. */
START_TEST(integers_wrap_around_and_know_their_sign)
{
  int32_t in[2] = {INT32_MAX, -1}, inout[2] = {1, 1};
  mpj_reduce_kernel_of(MPJ_REDUCE_SUM, mpj_basic_of_handle(MPJ_INT32))(in, inout, 2);
  ck_assert_int_eq(inout[0], INT32_MIN);
  ck_assert_int_eq(inout[1], 0);
  int32_t least[1] = {1};
  mpj_reduce_kernel_of(MPJ_REDUCE_MIN, mpj_basic_of_handle(MPJ_INT32))(in + 1, least, 1);
  ck_assert_int_eq(least[0], -1);
  uint32_t most[1] = {1};
  mpj_reduce_kernel_of(MPJ_REDUCE_MAX, mpj_basic_of_handle(MPJ_UINT32))(in + 1, most, 1);
  ck_assert(most[0] == UINT32_MAX);
}
END_TEST

/* Element by element, in map order. */
static void reduce_naively(const struct mpj_ref *ref, const char *packed, char *base,
                           enum mpj_reduce_op op)
{
  for (MPJ_Count i = 0; i < ref->n; i++) {
    int basic = ref->map[i].basic;
    if (basic < 0) continue;
    char in[ELEMENT], inout[ELEMENT];
    size_t size = (size_t)mpj_basics[basic].size;
    memcpy(in, packed, size);
    memcpy(inout, mpj_at(base, ref->map[i].displ), size);
    mpj_reduce_kernel_of(op, basic)(in, inout, 1);
    memcpy(mpj_at(base, ref->map[i].displ), inout, size);
    packed += size;
  }
}

/* The whole stream, in two pieces that meet between elements. */
static void reduce_in_two(struct mpj_random *rng, const struct mpj_random_type *t, char *base,
                          const char *packed, enum mpj_reduce_op op, int basic)
{
  struct mpj_type *type;
  struct mpj_cursor c;
  ck_assert_int_eq(mpj_type_resolve(t->type, "type", &type), MPJ_SUCCESS);
  struct mpj_view view = mpj_type_view(type);
  ck_assert_int_eq(mpj_cursor_begin(&c, &view, base), MPJ_SUCCESS);
  MPJ_Count size = mpj_basics[basic].size, elements = c.bytes / size;
  MPJ_Count split = mpj_random_in(rng, 0, elements) * size;
  ck_assert_int_eq(mpj_cursor_reduce(&c, packed, split, op), MPJ_SUCCESS);
  ck_assert_int_eq(c.offset, split);
  ck_assert_int_eq(mpj_cursor_reduce(&c, packed + split, c.bytes - split, op), MPJ_SUCCESS);
  mpj_cursor_end(&c);
}

/* That type alone; -1: any. */
static uint64_t basics_of(int basic)
{
  return basic < 0 ? 0 : UINT64_C(1) << basic;
}

static void check_layout(struct mpj_random *rng, int basic, enum mpj_reduce_op op)
{
  struct mpj_random_type t;
  /* A complex product of products may be no number, whose bits nobody defines. */
  const bool once = mpj_basics[basic].class == MPJ_CLASS_COMPLEX;
  struct mpj_random_options options = {.depth = (int)mpj_random_in(rng, 0, 4),
                                       .max_elements = 300,
                                       .basics = basics_of(basic),
                                       .receivable = mpj_random_in(rng, 0, 3) > 0 || once};
  mpj_random_type_make(rng, &options, &t);
  size_t bytes = (size_t)mpj_ref_bytes(t.ref);
  MPJ_Aint lb = mpj_ref_true_lb(t.ref);
  size_t span = (size_t)(mpj_ref_true_ub(t.ref) - lb);
  struct guarded memory = guarded_make(span, (int)mpj_random_in(rng, 0, 1));
  struct guarded packed = guarded_make(bytes, (int)mpj_random_in(rng, 0, 1));
  char *expected = malloc(span + 1);
  fill_finite(rng, memory.at, span);
  fill_finite(rng, packed.at, bytes);
  memcpy(expected, memory.at, span);
  reduce_naively(t.ref, packed.at, mpj_at(expected, -lb), op);
  reduce_in_two(rng, &t, mpj_at(memory.at, -lb), packed.at, op, basic);
  ck_assert_msg(memcmp(memory.at, expected, span) == 0, "op %d of %s on %s", (int)op,
                mpj_basics[basic].name, t.text);
  free(expected);
  guarded_free(&packed);
  guarded_free(&memory);
  mpj_random_type_free(&t);
}

START_TEST(layouts_of_one_type_are_reduced_element_by_element)
{
  struct mpj_random rng = {62};
  for (int round = 0; round < 12; round++)
    for (int basic = 0; basic < MPJ_BASIC_COUNT; basic++)
      for (int op = 0; op < MPJ_REDUCE_OPS; op++)
        if (mpj_reduce_kernel_of((enum mpj_reduce_op)op, basic))
          check_layout(&rng, basic, (enum mpj_reduce_op)op);
}
END_TEST

/* The same out of another layout of the same signature, of one basic type (its row)
 * or, -1, of any. */
static void check_layouts(struct mpj_random *rng, int basic, enum mpj_reduce_op op)
{
  struct mpj_random_type to, from;
  struct mpj_random_options options = {.depth = (int)mpj_random_in(rng, 0, 4),
                                       .max_elements = 2000,
                                       .basics = basics_of(basic),
                                       .receivable = true};
  mpj_random_type_make(rng, &options, &to);
  mpj_random_type_like(rng, to.ref, &from);
  size_t bytes = (size_t)mpj_ref_bytes(to.ref);
  MPJ_Aint to_lb = mpj_ref_true_lb(to.ref), from_lb = mpj_ref_true_lb(from.ref);
  size_t to_span = (size_t)(mpj_ref_true_ub(to.ref) - to_lb);
  size_t from_span = (size_t)(mpj_ref_true_ub(from.ref) - from_lb);
  struct guarded source = guarded_make(from_span, (int)mpj_random_in(rng, 0, 1));
  struct guarded target = guarded_make(to_span, (int)mpj_random_in(rng, 0, 1));
  char *in = source.at, *inout = target.at, *expected = malloc(to_span + 1);
  char *packed = malloc(bytes + 1);
  fill_finite(rng, in, from_span);
  fill_finite(rng, inout, to_span);
  memcpy(expected, inout, to_span);
  mpj_ref_pack(from.ref, mpj_at(in, -from_lb), packed);
  reduce_naively(to.ref, packed, mpj_at(expected, -to_lb), op);
  struct mpj_type *types[2];
  struct mpj_cursor dst, src;
  ck_assert_int_eq(mpj_type_resolve(to.type, "to", &types[0]), MPJ_SUCCESS);
  ck_assert_int_eq(mpj_type_resolve(from.type, "from", &types[1]), MPJ_SUCCESS);
  struct mpj_view views[2] = {mpj_type_view(types[0]), mpj_type_view(types[1])};
  ck_assert_int_eq(mpj_cursor_begin(&dst, &views[0], mpj_at(inout, -to_lb)), MPJ_SUCCESS);
  ck_assert_int_eq(mpj_cursor_begin(&src, &views[1], mpj_at(in, -from_lb)), MPJ_SUCCESS);
  ck_assert_int_eq(mpj_cursor_reduce_copy(&dst, &src, dst.bytes, op), MPJ_SUCCESS);
  ck_assert_int_eq(mpj_cursor_remaining(&dst) + mpj_cursor_remaining(&src), 0);
  ck_assert_msg(memcmp(inout, expected, to_span) == 0, "%s from %s", to.text, from.text);
  free(packed);
  free(expected);
  guarded_free(&target);
  guarded_free(&source);
  mpj_random_type_free(&from);
  mpj_random_type_free(&to);
}

START_TEST(layouts_are_reduced_into_layouts)
{
  struct mpj_random rng = {63};
  for (int i = 0; i < 600; i++)
    check_layouts(&rng, -1, MPJ_REDUCE_REPLACE);
  for (int basic = 0; basic < MPJ_BASIC_COUNT; basic++)
    for (int op = 0; op < MPJ_REDUCE_OPS; op++)
      if (mpj_reduce_kernel_of((enum mpj_reduce_op)op, basic))
        check_layouts(&rng, basic, (enum mpj_reduce_op)op);
}
END_TEST

/* More than one buffer of unlike elements. */
START_TEST(sums_go_from_layout_to_layout)
{
  struct {
    int64_t a;
    double b;
  } from[300], to[700];
  MPJ_Datatype dense, spread;
  const MPJ_Datatype types[] = {MPJ_INT64, MPJ_DOUBLE};
  MPJ_Datatype pair, wide;
  ck_assert_int_eq(MPJ_Type_create_struct(2, (MPJ_Count[]){1, 1}, (MPJ_Aint[]){0, 8}, types, &pair),
                   MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Type_create_resized(pair, 0, 32, &wide), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Type_contiguous(300, pair, &dense), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Type_contiguous(300, wide, &spread), MPJ_SUCCESS);
  for (int i = 0; i < 700; i++) {
    if (i < 300) from[i].a = i, from[i].b = i / 4.0;
    to[i].a = 1000, to[i].b = 0.5;
  }
  struct mpj_type *objects[2];
  struct mpj_cursor dst, src;
  ck_assert_int_eq(mpj_type_resolve(spread, "spread", &objects[0]), MPJ_SUCCESS);
  ck_assert_int_eq(mpj_type_resolve(dense, "dense", &objects[1]), MPJ_SUCCESS);
  struct mpj_view views[2] = {mpj_type_view(objects[0]), mpj_type_view(objects[1])};
  ck_assert_int_eq(mpj_cursor_begin(&dst, &views[0], to), MPJ_SUCCESS);
  ck_assert_int_eq(mpj_cursor_begin(&src, &views[1], from), MPJ_SUCCESS);
  ck_assert_int_eq(mpj_cursor_reduce_copy(&dst, &src, dst.bytes, MPJ_REDUCE_SUM), MPJ_SUCCESS);
  for (int i = 0; i < 700; i++) {
    bool hit = i % 2 == 0 && i < 600;
    ck_assert_int_eq(to[i].a, 1000 + (hit ? i / 2 : 0));
    ck_assert(to[i].b == 0.5 + (hit ? i / 2 / 4.0 : 0));
  }
  MPJ_Type_free(&spread);
  MPJ_Type_free(&dense);
  MPJ_Type_free(&wide);
  MPJ_Type_free(&pair);
}
END_TEST

/* An int at 0 and a double at 8. */
static void make_mixed(struct mpj_cursor *c, MPJ_Datatype *type, char memory[16])
{
  const MPJ_Datatype types[] = {MPJ_INT, MPJ_DOUBLE};
  struct mpj_type *object;
  ck_assert_int_eq(MPJ_Type_create_struct(2, (MPJ_Count[]){1, 1}, (MPJ_Aint[]){0, 8}, types, type),
                   MPJ_SUCCESS);
  ck_assert_int_eq(mpj_type_resolve(*type, "type", &object), MPJ_SUCCESS);
  struct mpj_view view = mpj_type_view(object);
  ck_assert_int_eq(mpj_cursor_begin(c, &view, memory), MPJ_SUCCESS);
}

START_TEST(mixed_layouts_are_reduced_by_the_type_of_each_element)
{
  struct {
    int a, gap;
    double b;
  } memory = {1, 5, 2.5};
  char packed[12];
  memcpy(packed, &(int){40}, 4);
  memcpy(packed + 4, &(double){0.25}, 8);
  MPJ_Datatype type;
  struct mpj_cursor c;
  make_mixed(&c, &type, (char *)&memory);
  ck_assert_int_eq(mpj_cursor_reduce(&c, packed, 12, MPJ_REDUCE_SUM), MPJ_SUCCESS);
  ck_assert_int_eq(memory.a, 41);
  ck_assert_int_eq(memory.gap, 5);
  ck_assert(memory.b == 2.75);
  mpj_cursor_end(&c);
  MPJ_Type_free(&type);
}
END_TEST

START_TEST(an_operation_that_fits_not_all_types_does_nothing)
{
  struct {
    int a, gap;
    double b;
  } memory = {1, 5, 2.5};
  char packed[12] = {1};
  MPJ_Datatype type;
  struct mpj_cursor c;
  make_mixed(&c, &type, (char *)&memory);
  ck_assert_int_eq(mpj_cursor_reduce(&c, packed, 12, MPJ_REDUCE_BOR), MPJ_ERR_OP);
  ck_assert_int_eq(c.offset, 0);
  ck_assert_int_eq(memory.a, 1);
  mpj_cursor_end(&c);
  MPJ_Type_free(&type);
}
END_TEST

START_TEST(a_refused_reduction_leaves_both_sides_where_they_were)
{
  char memory[16] = {0}, other[16] = {0};
  MPJ_Datatype types[2];
  struct mpj_cursor dst, src;
  make_mixed(&dst, &types[0], memory);
  make_mixed(&src, &types[1], other);
  ck_assert_int_eq(mpj_cursor_reduce_copy(&dst, &src, 12, MPJ_REDUCE_BOR), MPJ_ERR_OP);
  ck_assert_int_eq(dst.offset, 0);
  ck_assert_int_eq(src.offset, 0);
  mpj_cursor_end(&dst);
  mpj_cursor_end(&src);
  MPJ_Type_free(&types[0]);
  MPJ_Type_free(&types[1]);
}
END_TEST

START_TEST(no_element_is_reduced_in_part)
{
  enum { N = 3, SIZE = sizeof(double) };
  double memory[2 * N] = {0};
  const char packed[N * SIZE] = {0};
  MPJ_Datatype type;
  struct mpj_type *object;
  struct mpj_cursor c;
  ck_assert_int_eq(MPJ_Type_vector(N, 1, 2, MPJ_DOUBLE, &type), MPJ_SUCCESS);
  ck_assert_int_eq(mpj_type_resolve(type, "type", &object), MPJ_SUCCESS);
  const struct mpj_view view = mpj_type_view(object);
  ck_assert_int_eq(mpj_cursor_begin(&c, &view, memory), MPJ_SUCCESS);
  for (MPJ_Count from = 0; from < N * SIZE; from++)
    for (MPJ_Count to = from + 1; to <= N * SIZE; to++) {
      const bool whole = from % SIZE == 0 && to % SIZE == 0;
      mpj_cursor_seek(&c, from);
      ck_assert_int_eq(mpj_cursor_reduce(&c, packed, to - from, MPJ_REDUCE_SUM),
                       whole ? MPJ_SUCCESS : MPJ_ERR_ARG);
      ck_assert_int_eq(c.offset, whole ? to : from);
    }
  mpj_cursor_end(&c);
  MPJ_Type_free(&type);
}
END_TEST

int main(void)
{
  return RUN_SUITE(
      "pack/reduce", dense_kernels_of_all_levels_give_the_same_bits,
      operations_apply_where_they_are_defined, integers_wrap_around_and_know_their_sign,
      layouts_of_one_type_are_reduced_element_by_element, layouts_are_reduced_into_layouts,
      sums_go_from_layout_to_layout, mixed_layouts_are_reduced_by_the_type_of_each_element,
      an_operation_that_fits_not_all_types_does_nothing,
      a_refused_reduction_leaves_both_sides_where_they_were, no_element_is_reduced_in_part);
}
