/* This file tests which predefined operations apply to which basic types, against
 * MPI's table (MPI 4.1, 6.9.2 and 6.9.4), through the public calls. */
#include <mpj/mpj.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/suite.h"

enum group { INTEGER, REAL, LOGICAL, COMPLEX, BYTES, PAIR, STORAGE, GROUPS };

/* The basic types in MPI's groups. Its multi-language types, and the characters that a
 * signature does not tell from the integers that they are, count as integers. */
#define ROW(type, group)                                                                           \
  {                                                                                                \
    type, #type, group                                                                             \
  }
static const struct {
  MPJ_Datatype type;
  const char *name;
  enum group group;
} types[] = {ROW(MPJ_SIGNED_CHAR, INTEGER),
             ROW(MPJ_UNSIGNED_CHAR, INTEGER),
             ROW(MPJ_SHORT, INTEGER),
             ROW(MPJ_UNSIGNED_SHORT, INTEGER),
             ROW(MPJ_INT, INTEGER),
             ROW(MPJ_UNSIGNED, INTEGER),
             ROW(MPJ_LONG, INTEGER),
             ROW(MPJ_UNSIGNED_LONG, INTEGER),
             ROW(MPJ_LONG_LONG, INTEGER),
             ROW(MPJ_UNSIGNED_LONG_LONG, INTEGER),
             ROW(MPJ_INT8, INTEGER),
             ROW(MPJ_INT16, INTEGER),
             ROW(MPJ_INT32, INTEGER),
             ROW(MPJ_INT64, INTEGER),
             ROW(MPJ_UINT8, INTEGER),
             ROW(MPJ_UINT16, INTEGER),
             ROW(MPJ_UINT32, INTEGER),
             ROW(MPJ_UINT64, INTEGER),
             ROW(MPJ_AINT, INTEGER),
             ROW(MPJ_COUNT, INTEGER),
             ROW(MPJ_CHAR, INTEGER),
             ROW(MPJ_WCHAR, INTEGER),
             ROW(MPJ_FLOAT, REAL),
             ROW(MPJ_DOUBLE, REAL),
             ROW(MPJ_LONG_DOUBLE, REAL),
             ROW(MPJ_C_BOOL, LOGICAL),
             ROW(MPJ_C_FLOAT_COMPLEX, COMPLEX),
             ROW(MPJ_C_DOUBLE_COMPLEX, COMPLEX),
             ROW(MPJ_C_LONG_DOUBLE_COMPLEX, COMPLEX),
             ROW(MPJ_BYTE, BYTES),
             ROW(MPJ_PACKED, BYTES),
             ROW(MPJ_FLOAT_INT, PAIR),
             ROW(MPJ_DOUBLE_INT, PAIR),
             ROW(MPJ_LONG_DOUBLE_INT, PAIR),
             ROW(MPJ_LONG_INT, PAIR),
             ROW(MPJ_2INT, PAIR),
             ROW(MPJ_SHORT_INT, PAIR),
             ROW(MPJ_FLOAT16, STORAGE),
             ROW(MPJ_BFLOAT16, STORAGE)};
enum { TYPES = sizeof types / sizeof *types };
_Static_assert(TYPES == 39, "every basic type has a row");

static const struct {
  MPJ_Op op;
  const char *name;
  bool applies[GROUPS]; /* INTEGER, REAL, LOGICAL, COMPLEX, BYTES, PAIR, STORAGE */
} ops[] = {{MPJ_SUM, "MPJ_SUM", {1, 1, 0, 1, 0, 0, 0}},
           {MPJ_PROD, "MPJ_PROD", {1, 1, 0, 1, 0, 0, 0}},
           {MPJ_MIN, "MPJ_MIN", {1, 1, 0, 0, 0, 0, 0}},
           {MPJ_MAX, "MPJ_MAX", {1, 1, 0, 0, 0, 0, 0}},
           {MPJ_LAND, "MPJ_LAND", {1, 0, 1, 0, 0, 0, 0}},
           {MPJ_BAND, "MPJ_BAND", {1, 0, 0, 0, 1, 0, 0}},
           {MPJ_LOR, "MPJ_LOR", {1, 0, 1, 0, 0, 0, 0}},
           {MPJ_BOR, "MPJ_BOR", {1, 0, 0, 0, 1, 0, 0}},
           {MPJ_LXOR, "MPJ_LXOR", {1, 0, 1, 0, 0, 0, 0}},
           {MPJ_BXOR, "MPJ_BXOR", {1, 0, 0, 0, 1, 0, 0}},
           {MPJ_REPLACE, "MPJ_REPLACE", {1, 1, 1, 1, 1, 1, 1}},
           {MPJ_MINLOC, "MPJ_MINLOC", {0, 0, 0, 0, 0, 1, 0}},
           {MPJ_MAXLOC, "MPJ_MAXLOC", {0, 0, 0, 0, 0, 1, 0}}};
enum { OPS = sizeof ops / sizeof *ops };

#define CHECK(fact)                                                                                \
  do {                                                                                             \
    if (!(fact)) {                                                                                 \
      fprintf(stderr, "line %d: not so: %s (%s)\n", __LINE__, #fact, MPJ_Error_detail());          \
      return 1;                                                                                    \
    }                                                                                              \
  } while (0)

/* A type that stands for the same data under another name may be named instead. */
static bool names_alike(const char *detail, MPJ_Datatype type)
{
  for (int t = 0; t < TYPES; t++) {
    int same = 0;
    char text[64];
    MPJ_Type_match(type, types[t].type, &same, NULL);
    snprintf(text, sizeof text, "does not apply to %s,", types[t].name);
    if (same && strstr(detail, text)) return true;
  }
  return false;
}

static int table(void *arg)
{
  (void)arg;
  _Alignas(32) char a[32] = {0}, b[32] = {0};
  for (int o = 0; o < OPS; o++)
    for (int t = 0; t < TYPES; t++) {
      const MPJ_Datatype type = types[t].type;
      const int status = MPJ_Allreduce(a, type, b, type, ops[o].op, MPJ_COMM_WORLD);
      if (ops[o].applies[types[t].group]) {
        CHECK(status == MPJ_SUCCESS);
      } else {
        CHECK(status == MPJ_ERR_OP && strstr(MPJ_Error_detail(), ops[o].name));
        CHECK(names_alike(MPJ_Error_detail(), type));
      }
    }
  return 0;
}

START_TEST(operations_apply_as_in_the_table_of_mpi)
{
  ck_assert_int_eq(MPJ_Run_threads(1, table, NULL), 0);
}
END_TEST

static int rank_of(void)
{
  int rank = -1;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  return rank;
}

struct int_and_double {
  int32_t i;
  double d;
};

/* The ints wrap around as ints, the doubles keep their fractions. */
static int mixed(void *arg)
{
  const struct int_and_double mine = {INT32_MAX, 0.25};
  const MPJ_Count lengths[] = {1, 1};
  const MPJ_Aint displs[] = {0, 8};
  const MPJ_Datatype fields[] = {MPJ_INT32, MPJ_DOUBLE};
  struct int_and_double all = {0};
  MPJ_Datatype type;
  (void)arg;
  CHECK(MPJ_Type_create_struct(2, lengths, displs, fields, &type) == MPJ_SUCCESS);
  CHECK(MPJ_Type_commit(&type) == MPJ_SUCCESS);
  CHECK(MPJ_Allreduce(&mine, type, &all, type, MPJ_SUM, MPJ_COMM_WORLD) == MPJ_SUCCESS);
  CHECK(all.i == INT32_MAX - 2 && all.d == 0.75);
  return MPJ_Type_free(&type);
}

START_TEST(a_struct_of_int_and_double_sums_each_as_its_type)
{
  ck_assert_int_eq(MPJ_Run_threads(3, mixed, NULL), 0);
}
END_TEST

struct double_int {
  double value;
  int index;
};

static int locations(void *arg)
{
  const int me = rank_of();
  const struct double_int mine[2] = {{me % 2 ? -1.5 : 2, me}, {3, 7 - me}};
  struct double_int least[2], most[2];
  MPJ_Datatype two;
  (void)arg;
  CHECK(MPJ_Type_contiguous(2, MPJ_DOUBLE_INT, &two) == MPJ_SUCCESS);
  CHECK(MPJ_Type_commit(&two) == MPJ_SUCCESS);
  CHECK(MPJ_Allreduce(mine, two, least, two, MPJ_MINLOC, MPJ_COMM_WORLD) == MPJ_SUCCESS);
  CHECK(MPJ_Allreduce(mine, two, most, two, MPJ_MAXLOC, MPJ_COMM_WORLD) == MPJ_SUCCESS);
  CHECK(least[0].value == -1.5 && least[0].index == 1);
  CHECK(most[0].value == 2 && most[0].index == 0);
  CHECK(least[1].value == 3 && least[1].index == 4);
  CHECK(most[1].value == 3 && most[1].index == 4);
  return MPJ_Type_free(&two);
}

START_TEST(locations_are_of_the_extreme_with_the_least_index)
{
  ck_assert_int_eq(MPJ_Run_threads(4, locations, NULL), 0);
}
END_TEST

int main(void)
{
  return RUN_SUITE("coll/op_table", operations_apply_as_in_the_table_of_mpi,
                   a_struct_of_int_and_double_sums_each_as_its_type,
                   locations_are_of_the_extreme_with_the_least_index);
}
