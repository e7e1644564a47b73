/* This file tests every constructor's every bad argument: its code, and a sentence
 * that names the argument and its value; nothing is made, and nothing leaks. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/suite.h"
#include "types/basic.h"
#include "types/made.h"

/* Good arguments, from which each row below differs in one. */
static const MPJ_Count two[] = {2, 3}, wide[] = {8, 9}, origin[] = {0, 1};
static const MPJ_Aint places[] = {0, 64};
static const MPJ_Datatype both[] = {MPJ_INT, MPJ_DOUBLE};
static const int first_last[] = {0, 1}, grid[] = {2, 2};
static const int dealt[] = {MPJ_DISTRIBUTE_BLOCK, MPJ_DISTRIBUTE_CYCLIC};
static const MPJ_Count dargs[] = {MPJ_DISTRIBUTE_DFLT_DARG, MPJ_DISTRIBUTE_DFLT_DARG};
static const int general[] = {MPJ_DISTRIBUTE_GENERAL, MPJ_DISTRIBUTE_BLOCK};
static const MPJ_Count shares[] = {3, 5};
static const MPJ_Count *const general_blocks[] = {shares, NULL};

/* Every constructor of an old type, with good arguments but for the handles. */
struct over_old {
  const char *name, *argument; /* what it calls its old type */
  int (*make)(MPJ_Datatype old, MPJ_Datatype *newtype);
};

#define OVER_OLD(name_, call)                                                                      \
  static int make_##name_(MPJ_Datatype old, MPJ_Datatype *newtype)                                 \
  {                                                                                                \
    return call;                                                                                   \
  }

OVER_OLD(contiguous, MPJ_Type_contiguous(2, old, newtype))
OVER_OLD(vector, MPJ_Type_vector(2, 1, 2, old, newtype))
OVER_OLD(hvector, MPJ_Type_create_hvector(2, 1, 64, old, newtype))
OVER_OLD(indexed, MPJ_Type_indexed(2, two, wide, old, newtype))
OVER_OLD(hindexed, MPJ_Type_create_hindexed(2, two, places, old, newtype))
OVER_OLD(indexed_block, MPJ_Type_create_indexed_block(2, 1, wide, old, newtype))
OVER_OLD(hindexed_block, MPJ_Type_create_hindexed_block(2, 1, places, old, newtype))
OVER_OLD(bucket_index, MPJ_Type_create_bucket_index(2, 2, two, first_last, wide, old, newtype))
OVER_OLD(hbucket_index, MPJ_Type_create_hbucket_index(2, 2, two, first_last, places, old, newtype))
OVER_OLD(segment, MPJ_Type_create_segment(2, two, old, newtype))
OVER_OLD(slice, MPJ_Type_create_slice(old, 0, 1, newtype))
OVER_OLD(subarray, MPJ_Type_create_subarray(2, wide, two, origin, MPJ_ORDER_C, old, newtype))
OVER_OLD(resized, MPJ_Type_create_resized(old, 0, 64, newtype))
OVER_OLD(dup, MPJ_Type_dup(old, newtype))
OVER_OLD(distribution,
         MPJ_Type_create_distribution(2, wide, dealt, dargs, grid, MPJ_ORDER_C, old, newtype))
OVER_OLD(general, MPJ_Type_create_general_distribution(2, wide, general, dargs, general_blocks,
                                                       grid, MPJ_ORDER_C, old, newtype))
OVER_OLD(darray,
         MPJ_Type_create_darray(4, 1, 2, wide, dealt, dargs, grid, MPJ_ORDER_C, old, newtype))
OVER_OLD(local, MPJ_Type_create_local(old, 0, newtype))

static int make_struct(MPJ_Datatype old, MPJ_Datatype *newtype)
{
  const MPJ_Datatype types[] = {MPJ_INT, old};
  return MPJ_Type_create_struct(2, two, places, types, newtype);
}

static int make_bucket_struct(MPJ_Datatype old, MPJ_Datatype *newtype)
{
  const MPJ_Datatype types[] = {MPJ_INT, old};
  return MPJ_Type_create_bucket_struct(2, 2, two, types, first_last, places, newtype);
}

static const struct over_old constructors[] = {
    {"contiguous", "oldtype", make_contiguous},
    {"vector", "oldtype", make_vector},
    {"hvector", "oldtype", make_hvector},
    {"indexed", "oldtype", make_indexed},
    {"hindexed", "oldtype", make_hindexed},
    {"indexed_block", "oldtype", make_indexed_block},
    {"hindexed_block", "oldtype", make_hindexed_block},
    {"bucket_index", "oldtype", make_bucket_index},
    {"hbucket_index", "oldtype", make_hbucket_index},
    {"segment", "oldtype", make_segment},
    {"slice", "oldtype", make_slice},
    {"subarray", "oldtype", make_subarray},
    {"resized", "oldtype", make_resized},
    {"dup", "oldtype", make_dup},
    {"distribution", "oldtype", make_distribution},
    {"general distribution", "oldtype", make_general},
    {"darray", "oldtype", make_darray},
    {"create_local", "distribution", make_local},
    {"struct", "types[1]", make_struct},
    {"bucket_struct", "bucket_types[1]", make_bucket_struct},
};
enum { CONSTRUCTORS = sizeof constructors / sizeof constructors[0] };

static const struct over_old *constructor; /* for messages */

static void expect(int status, int code, const char *name, const char *text)
{
  const char *detail = MPJ_Error_detail();
  ck_assert_msg(status == code && strstr(detail, name) && strstr(detail, text),
                "%s: status %d, \"%s\", should be %d with \"%s\" and \"%s\"", constructor->name,
                status, detail, code, name, text);
}

static void refuse_old(MPJ_Datatype old, const char *text)
{
  MPJ_Datatype made = MPJ_DATATYPE_NULL;
  expect(constructor->make(old, &made), MPJ_ERR_TYPE, constructor->argument, text);
  ck_assert_ptr_eq(made, MPJ_DATATYPE_NULL);
}

START_TEST(every_constructor_recognises_bad_handles)
{
  char freed_value[32];
  MPJ_Datatype freed = contiguous(2, MPJ_INT), stale = freed;
  must(MPJ_Type_free(&freed));
  snprintf(freed_value, sizeof freed_value, "%p", (void *)stale);
  const long outstanding = mpj_memory_outstanding();
  for (int c = 0; c < CONSTRUCTORS; c++) {
    constructor = &constructors[c];
    refuse_old(MPJ_DATATYPE_NULL, "is MPJ_DATATYPE_NULL");
    refuse_old(stale, "which was freed");
    refuse_old(stale, freed_value);
    refuse_old(MPJ_BASIC_(MPJ_BASIC_COUNT), "which is no datatype");
    refuse_old((MPJ_Datatype)(uintptr_t)0x7fff0008, "0x7fff0008, which is no datatype");
  }
  ck_assert_int_eq(mpj_memory_outstanding(), outstanding);
  nothing_lives();
}
END_TEST

START_TEST(every_constructor_wants_a_place_for_its_type)
{
  MPJ_Datatype dist;
  must(MPJ_Type_create_distribution(2, wide, dealt, dargs, grid, MPJ_ORDER_C, MPJ_INT, &dist));
  for (int c = 0; c < CONSTRUCTORS; c++) {
    constructor = &constructors[c];
    MPJ_Datatype old = constructor->make == make_local ? dist : MPJ_INT, made;
    expect(constructor->make(old, NULL), MPJ_ERR_ARG, "newtype", "is NULL");
    must(constructor->make(old, &made)); /* nothing else was wrong */
    must(MPJ_Type_free(&made));
  }
  must(MPJ_Type_free(&dist));
  nothing_lives();
}
END_TEST

START_TEST(handles_that_are_not_committed_are_recognised)
{
  MPJ_Datatype dist;
  must(MPJ_Type_create_distribution(2, wide, dealt, dargs, grid, MPJ_ORDER_C, MPJ_INT, &dist));
  for (int c = 0; c < CONSTRUCTORS; c++) {
    struct mpj_type *object;
    MPJ_Datatype made;
    constructor = &constructors[c];
    if (constructor->make == make_dup) continue; /* committed if the old type is */
    must(constructor->make(constructor->make == make_local ? dist : MPJ_INT, &made));
    expect(mpj_type_resolve_committed(made, "sendtype", &object), MPJ_ERR_TYPE, "sendtype",
           "which is not committed");
    must(MPJ_Type_free(&made));
  }
  must(MPJ_Type_free(&dist));
}
END_TEST

/* The call returns the code with the text; it makes nothing and leaks nothing. */
#define bad(code, text, call)                                                                      \
  do {                                                                                             \
    MPJ_Datatype t = MPJ_DATATYPE_NULL;                                                            \
    const long outstanding_ = mpj_memory_outstanding();                                            \
    must_fail(call, code, text);                                                                   \
    ck_assert_ptr_eq(t, MPJ_DATATYPE_NULL);                                                        \
    ck_assert_int_eq(mpj_memory_outstanding(), outstanding_);                                      \
  } while (0)
#define ARG(text, call) bad(MPJ_ERR_ARG, text, call)
#define OVERFLOW(text, call) bad(MPJ_ERR_OVERFLOW, text, call)

static const MPJ_Count minus[] = {2, -3}, huge[] = {2, INT64_MAX / 2};
static const MPJ_Aint far[] = {0, PTRDIFF_MAX - 8};

START_TEST(regular_constructors_name_bad_arguments)
{
  ARG("count is -2", MPJ_Type_contiguous(-2, MPJ_INT, &t));
  ARG("count is -2", MPJ_Type_vector(-2, 1, 2, MPJ_INT, &t));
  ARG("blocklen is -1", MPJ_Type_vector(2, -1, 2, MPJ_INT, &t));
  ARG("count is -2", MPJ_Type_create_hvector(-2, 1, 64, MPJ_INT, &t));
  ARG("blocklen is -1", MPJ_Type_create_hvector(2, -1, 64, MPJ_INT, &t));
  OVERFLOW("9223372036854775807", MPJ_Type_contiguous(INT64_MAX, MPJ_INT, &t));
  OVERFLOW("stride overflows: 4611686018427387903",
           MPJ_Type_vector(2, 1, INT64_MAX / 2, MPJ_INT, &t));
  OVERFLOW("overflow", MPJ_Type_vector(3, 1, INT64_MAX / 4, MPJ_INT, &t));
  OVERFLOW("9223372036854775807", MPJ_Type_vector(2, INT64_MAX, 1, MPJ_INT, &t));
  OVERFLOW("9223372036854775807 bytes", MPJ_Type_create_hvector(3, 1, PTRDIFF_MAX, MPJ_INT, &t));
  OVERFLOW("lb is 9223372036854775807, extent is 8",
           MPJ_Type_create_resized(MPJ_INT, PTRDIFF_MAX, 8, &t));
}
END_TEST

START_TEST(indexed_constructors_name_bad_arguments)
{
  ARG("count is -2", MPJ_Type_indexed(-2, two, wide, MPJ_INT, &t));
  ARG("blocklens is NULL", MPJ_Type_indexed(2, NULL, wide, MPJ_INT, &t));
  ARG("displs is NULL", MPJ_Type_indexed(2, two, NULL, MPJ_INT, &t));
  ARG("blocklens[1] is -3", MPJ_Type_indexed(2, minus, wide, MPJ_INT, &t));
  OVERFLOW("displs[1] overflows: 4611686018427387903", MPJ_Type_indexed(2, two, huge, MPJ_INT, &t));
  OVERFLOW("4611686018427387905 copies", MPJ_Type_indexed(2, huge, wide, MPJ_INT, &t));
  ARG("count is -2", MPJ_Type_create_hindexed(-2, two, places, MPJ_INT, &t));
  ARG("blocklens is NULL", MPJ_Type_create_hindexed(2, NULL, places, MPJ_INT, &t));
  ARG("displs is NULL", MPJ_Type_create_hindexed(2, two, NULL, MPJ_INT, &t));
  ARG("blocklens[1] is -3", MPJ_Type_create_hindexed(2, minus, places, MPJ_INT, &t));
  OVERFLOW("overflow", MPJ_Type_create_hindexed(2, two, far, MPJ_INT, &t));
  ARG("count is -2", MPJ_Type_create_indexed_block(-2, 1, wide, MPJ_INT, &t));
  ARG("blocklen is -1", MPJ_Type_create_indexed_block(2, -1, wide, MPJ_INT, &t));
  ARG("displs is NULL", MPJ_Type_create_indexed_block(2, 1, NULL, MPJ_INT, &t));
  OVERFLOW("displs[1] overflows: 4611686018427387903",
           MPJ_Type_create_indexed_block(2, 1, huge, MPJ_INT, &t));
  ARG("count is -2", MPJ_Type_create_hindexed_block(-2, 1, places, MPJ_INT, &t));
  ARG("blocklen is -1", MPJ_Type_create_hindexed_block(2, -1, places, MPJ_INT, &t));
  ARG("displs is NULL", MPJ_Type_create_hindexed_block(2, 1, NULL, MPJ_INT, &t));
  OVERFLOW("overflow", MPJ_Type_create_hindexed_block(2, 4, far, MPJ_INT, &t));
}
END_TEST

START_TEST(struct_and_its_kin_name_bad_arguments)
{
  ARG("count is -2", MPJ_Type_create_struct(-2, two, places, both, &t));
  ARG("blocklens is NULL", MPJ_Type_create_struct(2, NULL, places, both, &t));
  ARG("displs is NULL", MPJ_Type_create_struct(2, two, NULL, both, &t));
  ARG("types is NULL", MPJ_Type_create_struct(2, two, places, NULL, &t));
  ARG("blocklens[1] is -3", MPJ_Type_create_struct(2, minus, places, both, &t));
  OVERFLOW("overflow", MPJ_Type_create_struct(2, two, far, both, &t));
  OVERFLOW("4611686018427387903", MPJ_Type_create_struct(2, huge, places, both, &t));
  ARG("count is -2", MPJ_Type_create_segment(-2, two, MPJ_INT, &t));
  ARG("lengths is NULL", MPJ_Type_create_segment(2, NULL, MPJ_INT, &t));
  ARG("lengths[1] is -3", MPJ_Type_create_segment(2, minus, MPJ_INT, &t));
  OVERFLOW("4611686018427387905 copies", MPJ_Type_create_segment(2, huge, MPJ_INT, &t));
  ARG("first is -1 and count is 1, oldtype has 1", MPJ_Type_create_slice(MPJ_INT, -1, 1, &t));
  ARG("first is 0 and count is -1", MPJ_Type_create_slice(MPJ_INT, 0, -1, &t));
  ARG("first is 1 and count is 1", MPJ_Type_create_slice(MPJ_INT, 1, 1, &t));
}
END_TEST

START_TEST(bucket_constructors_name_bad_arguments)
{
  const int beyond[] = {0, 2}, below[] = {-1, 0};
  const MPJ_Count *lens = two;
  ARG("is -2", MPJ_Type_create_bucket_index(-2, 2, lens, first_last, wide, MPJ_INT, &t));
  ARG("nbuckets is -1", MPJ_Type_create_bucket_index(2, -1, lens, first_last, wide, MPJ_INT, &t));
  ARG("bucket_blocklens is NULL",
      MPJ_Type_create_bucket_index(2, 2, NULL, first_last, wide, MPJ_INT, &t));
  ARG("bucket_of_block is NULL", MPJ_Type_create_bucket_index(2, 2, lens, NULL, wide, MPJ_INT, &t));
  ARG("displs is NULL", MPJ_Type_create_bucket_index(2, 2, lens, first_last, NULL, MPJ_INT, &t));
  ARG("bucket_blocklens[1] is -3",
      MPJ_Type_create_bucket_index(2, 2, minus, first_last, wide, MPJ_INT, &t));
  ARG("bucket_of_block[1] is 2",
      MPJ_Type_create_bucket_index(2, 2, lens, beyond, wide, MPJ_INT, &t));
  ARG("bucket_of_block[0] is -1",
      MPJ_Type_create_bucket_index(2, 2, lens, below, wide, MPJ_INT, &t));
  OVERFLOW("displs[1] overflows: 4611686018427387903",
           MPJ_Type_create_bucket_index(2, 2, lens, first_last, huge, MPJ_INT, &t));
  ARG("bucket_of_block[1] is 2",
      MPJ_Type_create_hbucket_index(2, 2, lens, beyond, places, MPJ_INT, &t));
  ARG("nbuckets is -1",
      MPJ_Type_create_hbucket_index(2, -1, lens, first_last, places, MPJ_INT, &t));
  ARG("displs is NULL", MPJ_Type_create_hbucket_index(2, 2, lens, first_last, NULL, MPJ_INT, &t));
  ARG("bucket_blocklens[1] is -3",
      MPJ_Type_create_hbucket_index(2, 2, minus, first_last, places, MPJ_INT, &t));
  ARG("nbuckets is -1", MPJ_Type_create_bucket_struct(2, -1, lens, both, first_last, places, &t));
  ARG("bucket_types is NULL",
      MPJ_Type_create_bucket_struct(2, 2, lens, NULL, first_last, places, &t));
  ARG("bucket_of_block[1] is 2",
      MPJ_Type_create_bucket_struct(2, 2, lens, both, beyond, places, &t));
  ARG("bucket_blocklens[1] is -3",
      MPJ_Type_create_bucket_struct(2, 2, minus, both, first_last, places, &t));
  ARG("displs is NULL", MPJ_Type_create_bucket_struct(2, 2, lens, both, first_last, NULL, &t));
}
END_TEST

START_TEST(array_constructors_name_bad_arguments)
{
  const MPJ_Count flat[] = {8, 0}, late[] = {7, 0}, large[] = {INT64_MAX / 2, INT64_MAX / 2};
  ARG("ndims is 0", MPJ_Type_create_subarray(0, wide, two, origin, MPJ_ORDER_C, MPJ_INT, &t));
  ARG("ndims is 65", MPJ_Type_create_subarray(65, wide, two, origin, MPJ_ORDER_C, MPJ_INT, &t));
  ARG("order is 7", MPJ_Type_create_subarray(2, wide, two, origin, 7, MPJ_INT, &t));
  ARG("sizes is NULL", MPJ_Type_create_subarray(2, NULL, two, origin, MPJ_ORDER_C, MPJ_INT, &t));
  ARG("subsizes is NULL",
      MPJ_Type_create_subarray(2, wide, NULL, origin, MPJ_ORDER_C, MPJ_INT, &t));
  ARG("starts is NULL", MPJ_Type_create_subarray(2, wide, two, NULL, MPJ_ORDER_C, MPJ_INT, &t));
  ARG("sizes[1] is 0", MPJ_Type_create_subarray(2, flat, two, origin, MPJ_ORDER_C, MPJ_INT, &t));
  ARG("subsizes[1] is -3",
      MPJ_Type_create_subarray(2, wide, minus, origin, MPJ_ORDER_C, MPJ_INT, &t));
  ARG("starts[0] is 7", MPJ_Type_create_subarray(2, wide, two, late, MPJ_ORDER_C, MPJ_INT, &t));
  OVERFLOW("extent overflows: 4611686018427387903 slices",
           MPJ_Type_create_subarray(2, large, two, origin, MPJ_ORDER_C, MPJ_INT, &t));
}
END_TEST

/* One row for each of the two constructors of distributions, and for darray. */
#define ALL_GRIDS(code, text, n, sizes, kinds, args, procs, order)                                 \
  do {                                                                                             \
    bad(code, text,                                                                                \
        MPJ_Type_create_distribution(n, sizes, kinds, args, procs, order, MPJ_INT, &t));           \
    bad(code, text,                                                                                \
        MPJ_Type_create_general_distribution(n, sizes, kinds, args, general_blocks, procs, order,  \
                                             MPJ_INT, &t));                                        \
    bad(code, text,                                                                                \
        MPJ_Type_create_darray(4, 0, n, sizes, kinds, args, procs, order, MPJ_INT, &t));           \
  } while (0)

START_TEST(distributions_name_bad_arguments)
{
  const MPJ_Count flat[] = {8, 0}, zero[] = {0, 1}, narrow[] = {3, 1};
  const MPJ_Count large[] = {INT64_MAX / 2, INT64_MAX / 2};
  const int unknown[] = {MPJ_DISTRIBUTE_BLOCK, 77}, empty[] = {2, 0};
  const int none[] = {MPJ_DISTRIBUTE_BLOCK, MPJ_DISTRIBUTE_NONE};
  ALL_GRIDS(MPJ_ERR_ARG, "ndims is -1", -1, wide, dealt, dargs, grid, MPJ_ORDER_C);
  ALL_GRIDS(MPJ_ERR_ARG, "order is 9", 2, wide, dealt, dargs, grid, 9);
  ALL_GRIDS(MPJ_ERR_ARG, "gsizes is NULL", 2, NULL, dealt, dargs, grid, MPJ_ORDER_C);
  ALL_GRIDS(MPJ_ERR_ARG, "distribs is NULL", 2, wide, NULL, dargs, grid, MPJ_ORDER_C);
  ALL_GRIDS(MPJ_ERR_ARG, "dargs is NULL", 2, wide, dealt, NULL, grid, MPJ_ORDER_C);
  ALL_GRIDS(MPJ_ERR_ARG, "psizes is NULL", 2, wide, dealt, dargs, NULL, MPJ_ORDER_C);
  ALL_GRIDS(MPJ_ERR_ARG, "gsizes[1] is 0", 2, flat, dealt, dargs, grid, MPJ_ORDER_C);
  ALL_GRIDS(MPJ_ERR_ARG, "distribs[1] is 77", 2, wide, unknown, dargs, grid, MPJ_ORDER_C);
  ALL_GRIDS(MPJ_ERR_ARG, "psizes[1] is 0", 2, wide, dealt, dargs, empty, MPJ_ORDER_C);
  ALL_GRIDS(MPJ_ERR_ARG, "dargs[0] is 0", 2, wide, dealt, zero, grid, MPJ_ORDER_C);
  ALL_GRIDS(MPJ_ERR_ARG, "dargs[0] is 3: 2 blocks do not cover gsizes[0] 8", 2, wide, dealt, narrow,
            grid, MPJ_ORDER_C);
  ALL_GRIDS(MPJ_ERR_ARG, "psizes[1] is 2, must be 1", 2, wide, none, dargs, grid, MPJ_ORDER_C);
  ALL_GRIDS(MPJ_ERR_OVERFLOW, "4611686018427387903", 2, large, dealt, dargs, grid, MPJ_ORDER_C);
}
END_TEST

START_TEST(grids_and_shares_name_bad_arguments)
{
  const MPJ_Count few[] = {3, 4}, many[] = {3, 6};
  const MPJ_Count *const missing[] = {NULL, NULL}, *const short_sum[] = {few, NULL};
  const MPJ_Count *const long_sum[] = {many, NULL}, *const negative[] = {minus, NULL};
#define GENERAL(text, blocks)                                                                      \
  ARG(text, MPJ_Type_create_general_distribution(2, wide, general, dargs, blocks, grid,            \
                                                 MPJ_ORDER_C, MPJ_INT, &t))
  GENERAL("blocks is NULL", NULL);
  GENERAL("blocks[0] is NULL", missing);
  GENERAL("blocks[0] sum to 7, gsizes[0] is 8", short_sum);
  GENERAL("blocks[0][1] is 6, must be 0 to 5", long_sum);
  GENERAL("blocks[0][1] is -3", negative);
#undef GENERAL
#define DARRAY(text, size, rank)                                                                   \
  ARG(text,                                                                                        \
      MPJ_Type_create_darray(size, rank, 2, wide, dealt, dargs, grid, MPJ_ORDER_C, MPJ_INT, &t))
  DARRAY("size is 5, the grid of psizes has 4", 5, 0);
  DARRAY("rank is 4, must be 0 to 3", 4, 4);
  DARRAY("rank is -1", 4, -1);
#undef DARRAY
  MPJ_Datatype dist;
  must(MPJ_Type_create_distribution(2, wide, dealt, dargs, grid, MPJ_ORDER_C, MPJ_INT, &dist));
  ARG("part is 4, distribution has 4 parts", MPJ_Type_create_local(dist, 4, &t));
  ARG("part is -1", MPJ_Type_create_local(dist, -1, &t));
  bad(MPJ_ERR_TYPE, "not a distribution", MPJ_Type_create_local(MPJ_INT, 0, &t));
  must(MPJ_Type_free(&dist));
}
END_TEST

int main(void)
{
  return RUN_SUITE("errors", every_constructor_recognises_bad_handles,
                   every_constructor_wants_a_place_for_its_type,
                   handles_that_are_not_committed_are_recognised,
                   regular_constructors_name_bad_arguments, indexed_constructors_name_bad_arguments,
                   struct_and_its_kin_name_bad_arguments, bucket_constructors_name_bad_arguments,
                   array_constructors_name_bad_arguments, distributions_name_bad_arguments,
                   grids_and_shares_name_bad_arguments);
}
