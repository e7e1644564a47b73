/* This file tests operations on a rank's own memory: every predefined one on every basic
 * type, in dense and in gapped layouts, and users' own, against single elements. */
#include <mpj/mpj.h>

#include <stdlib.h>
#include <string.h>

#include "base/suite.h"
#include "pack/scalar_ops.h"
#include "types/basic.h"
#include "types/made.h"

enum { N = 150, BYTES = N * 32 * 3 };

static MPJ_Op op_of(int op)
{
  static const MPJ_Op ops[MPJ_REDUCE_OPS] = {
      [MPJ_REDUCE_SUM] = MPJ_SUM,         [MPJ_REDUCE_PROD] = MPJ_PROD,
      [MPJ_REDUCE_MIN] = MPJ_MIN,         [MPJ_REDUCE_MAX] = MPJ_MAX,
      [MPJ_REDUCE_LAND] = MPJ_LAND,       [MPJ_REDUCE_BAND] = MPJ_BAND,
      [MPJ_REDUCE_LOR] = MPJ_LOR,         [MPJ_REDUCE_BOR] = MPJ_BOR,
      [MPJ_REDUCE_LXOR] = MPJ_LXOR,       [MPJ_REDUCE_BXOR] = MPJ_BXOR,
      [MPJ_REDUCE_REPLACE] = MPJ_REPLACE, [MPJ_REDUCE_MINLOC] = MPJ_MINLOC,
      [MPJ_REDUCE_MAXLOC] = MPJ_MAXLOC};
  return ops[op];
}

/* Two buffers of random elements at every `step`th place, the rest a pattern; `type`
 * describes those elements. */
struct play {
  _Alignas(16) char in[BYTES];
  _Alignas(16) char inout[BYTES];
  _Alignas(16) char expected[BYTES];
  char before[BYTES], packed[BYTES];
  MPJ_Count size;
  MPJ_Datatype type;
};

static void begin(struct play *p, struct mpj_random *rng, int op, int basic, int step)
{
  p->size = mpj_basics[basic].size;
  memset(p->in, 0x5a, BYTES);
  memset(p->inout, 0xa5, BYTES);
  for (int i = 0; i < N; i++) {
    scalar_exact_value(rng, (enum mpj_reduce_op)op, basic, p->in + i * step * p->size);
    scalar_exact_value(rng, (enum mpj_reduce_op)op, basic, p->inout + i * step * p->size);
    scalar_settle(basic, p->in + i * step * p->size);
    scalar_settle(basic, p->inout + i * step * p->size);
  }
  memcpy(p->before, p->inout, BYTES);
  memcpy(p->expected, p->inout, BYTES);
  p->type = vector(N, 1, step, MPJ_BASIC_((uintptr_t)basic));
  must(MPJ_Type_commit(&p->type));
}

/* Whether two complex numbers are equal: zeros may differ in sign. */
static bool same_numbers(MPJ_Count size, const char *a, const char *b)
{
  for (MPJ_Count i = 0; i < 2; i++) {
    if (size == sizeof(float[2]) && ((const float *)a)[i] != ((const float *)b)[i]) return false;
    if (size == sizeof(double[2]) && ((const double *)a)[i] != ((const double *)b)[i]) return false;
    if (size == sizeof(long double[2]) &&
        ((const long double *)a)[i] != ((const long double *)b)[i])
      return false;
  }
  return true;
}

/* Whether the elements are those expected, and the rest is as before. */
static bool is_right(struct play *p, int basic, int step)
{
  for (int i = 0; i < N; i++) {
    char *at = p->inout + i * step * p->size, *expected = p->expected + i * step * p->size;
    scalar_settle(basic, at);
    scalar_settle(basic, expected);
    if (mpj_basics[basic].class == MPJ_CLASS_COMPLEX && same_numbers(p->size, at, expected))
      memcpy(at, expected, (size_t)p->size);
  }
  return memcmp(p->inout, p->expected, BYTES) == 0;
}

static void play_one(struct mpj_random *rng, int op, int basic, int step)
{
  static struct play p;
  MPJ_Count position = 3, end = 3 + N * mpj_basics[basic].size;
  begin(&p, rng, op, basic, step);
  if (!scalar_applies((enum mpj_reduce_op)op, basic)) {
    must_fail(MPJ_Reduce_local(p.in, p.inout, p.type, op_of(op)), MPJ_ERR_OP, "does not apply");
    must_fail(MPJ_Unpack_reduce(p.in, BYTES, &position, p.inout, p.type, op_of(op)), MPJ_ERR_OP,
              "does not apply");
    ck_assert(position == 3 && memcmp(p.inout, p.before, BYTES) == 0);
    must(MPJ_Type_free(&p.type));
    return;
  }
  for (int i = 0; i < N; i++)
    scalar_combine((enum mpj_reduce_op)op, basic, p.in + i * step * p.size,
                   p.expected + i * step * p.size);
  must(MPJ_Reduce_local(p.in, p.inout, p.type, op_of(op)));
  ck_assert_msg(is_right(&p, basic, step), "op %d, basic %d, step %d", op, basic, step);
  memcpy(p.inout, p.before, BYTES);
  must(MPJ_Pack(p.in, p.type, p.packed, BYTES, &position));
  position = 3;
  must(MPJ_Unpack_reduce(p.packed, end, &position, p.inout, p.type, op_of(op)));
  ck_assert_msg(position == end && is_right(&p, basic, step), "packed, op %d, basic %d, step %d",
                op, basic, step);
  must(MPJ_Type_free(&p.type));
}

START_TEST(predefined_operations_combine_element_by_element)
{
  struct mpj_random rng = {4711};
  for (int op = 0; op < MPJ_REDUCE_OPS; op++)
    for (int basic = 0; basic < MPJ_BASIC_COUNT; basic++)
      for (int step = 1; step <= 3; step++)
        play_one(&rng, op, basic, step);
}
END_TEST

/* Composition of linear maps x -> a x + b modulo 2^64: it does not commute. */
struct map {
  uint64_t a;
  int32_t tag; /* sums up; there is a gap behind it */
  uint64_t b;
};

static void compose(void *ctx, const void *in, void *inout, MPJ_Count n)
{
  const struct map *x = in;
  struct map *y = inout;
  for (MPJ_Count i = 0; i < n; i++) {
    y[i].b += y[i].a * x[i].b;
    y[i].a *= x[i].a;
    y[i].tag += x[i].tag;
  }
  *(MPJ_Count *)ctx += n;
}

static MPJ_Datatype map_type(void)
{
  const MPJ_Count lens[] = {1, 1, 1};
  const MPJ_Aint displs[] = {offsetof(struct map, a), offsetof(struct map, tag),
                             offsetof(struct map, b)};
  const MPJ_Datatype types[] = {MPJ_UINT64, MPJ_INT32, MPJ_UINT64};
  MPJ_Datatype made;
  must(MPJ_Type_create_struct(3, lens, displs, types, &made));
  must(MPJ_Type_commit(&made));
  return made;
}

START_TEST(users_operations_get_whole_elements)
{
  enum { MANY = 20000 };
  struct map *in = calloc(2 * MANY, sizeof *in), *inout = calloc(2 * MANY, sizeof *inout),
             *wanted = calloc(2 * MANY, sizeof *wanted);
  MPJ_Datatype element = map_type(), type = vector(MANY, 1, 2, element);
  MPJ_Count given = 0, position = 0, size;
  MPJ_Op op;
  ck_assert(in && inout && wanted);
  for (int i = 0; i < 2 * MANY; i++) {
    in[i] = (struct map){(uint64_t)i * 3 + 1, i, (uint64_t)i};
    inout[i] = (struct map){(uint64_t)i + 7, -3 * i, (uint64_t)i * (uint64_t)i};
    wanted[i] = inout[i];
    if (i % 2 == 0) compose(&given, &in[i], &wanted[i], 1);
  }
  must(MPJ_Type_commit(&type));
  must(MPJ_Op_create(compose, &given, element, 0, &op));
  given = 0;
  must(MPJ_Type_size(type, &size));
  char *packed = malloc((size_t)size);
  ck_assert_ptr_nonnull(packed);
  must(MPJ_Pack(in, type, packed, size, &position));
  must(MPJ_Reduce_local(in, inout, type, op));
  ck_assert_int_eq(given, MANY);
  for (int i = 0; i < 2 * MANY; i++)
    ck_assert(inout[i].a == wanted[i].a && inout[i].b == wanted[i].b &&
              inout[i].tag == wanted[i].tag);
  for (int i = 0; i < 2 * MANY; i += 2)
    compose(&given, &in[i], &wanted[i], 1);
  position = 0;
  must(MPJ_Unpack_reduce(packed, size, &position, inout, type, op));
  ck_assert(position == size);
  for (int i = 0; i < 2 * MANY; i++)
    ck_assert(inout[i].a == wanted[i].a && inout[i].b == wanted[i].b &&
              inout[i].tag == wanted[i].tag);
  must_fail(MPJ_Reduce_local(in, inout, MPJ_INT, op), MPJ_ERR_SIGNATURE, "no whole number");
  must(MPJ_Op_free(&op));
  must(MPJ_Type_free(&type));
  must(MPJ_Type_free(&element));
  free(packed);
  free(in);
  free(inout);
  free(wanted);
}
END_TEST

START_TEST(mistakes_are_named)
{
  int a[2] = {1, 2}, b[2] = {3, 4};
  MPJ_Count position = 0;
  MPJ_Datatype fresh = contiguous(2, MPJ_INT), none = contiguous(0, MPJ_INT);
  must(MPJ_Type_commit(&none));
  must_fail(MPJ_Reduce_local(NULL, b, MPJ_INT, MPJ_SUM), MPJ_ERR_ARG, "in is NULL");
  must_fail(MPJ_Reduce_local(a, NULL, MPJ_INT, MPJ_SUM), MPJ_ERR_ARG, "inout is NULL");
  must_fail(MPJ_Reduce_local(MPJ_IN_PLACE, b, MPJ_INT, MPJ_SUM), MPJ_ERR_ARG, "in is MPJ_IN_PLACE");
  must_fail(MPJ_Unpack_reduce(a, 4, &position, MPJ_IN_PLACE, MPJ_INT, MPJ_SUM), MPJ_ERR_ARG,
            "buf is MPJ_IN_PLACE");
  must_fail(MPJ_Reduce_local(a, a, MPJ_INT, MPJ_SUM), MPJ_ERR_ARG, "the same address");
  must_fail(MPJ_Reduce_local(a, b, fresh, MPJ_SUM), MPJ_ERR_TYPE, "not committed");
  must_fail(MPJ_Reduce_local(a, b, MPJ_INT, MPJ_OP_NULL), MPJ_ERR_OP, "op is");
  must_fail(MPJ_Unpack_reduce(a, 3, &position, b, MPJ_INT, MPJ_SUM), MPJ_ERR_TRUNCATE, "3 bytes");
  must_fail(MPJ_Unpack_reduce(a, 4, NULL, b, MPJ_INT, MPJ_SUM), MPJ_ERR_ARG, "position");
  must_fail(MPJ_Unpack_reduce(NULL, 4, &position, b, MPJ_INT, MPJ_SUM), MPJ_ERR_ARG, "packed");
  must_fail(MPJ_Unpack_reduce(a, 4, &position, NULL, MPJ_INT, MPJ_SUM), MPJ_ERR_ARG, "buf is NULL");
  must(MPJ_Reduce_local(NULL, NULL, none, MPJ_SUM));
  must(MPJ_Unpack_reduce(NULL, 0, &position, NULL, none, MPJ_SUM));
  ck_assert(position == 0 && b[0] == 3 && b[1] == 4);
  must(MPJ_Type_free(&fresh));
  must(MPJ_Type_free(&none));
}
END_TEST

int main(void)
{
  return RUN_SUITE("op_local", predefined_operations_combine_element_by_element,
                   users_operations_get_whole_elements, mistakes_are_named);
}
