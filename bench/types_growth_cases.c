/* This file lists the constructors whose growth is measured. */
#include <stdlib.h>

#include "types_growth.h"
#include "types_measure.h"

enum { BUCKETS = 4 };
static const MPJ_Count bucket_lens[BUCKETS] = {1, 10, 100, 1000};
static const MPJ_Datatype bucket_types[BUCKETS] = {MPJ_INT, MPJ_DOUBLE, MPJ_CHAR, MPJ_FLOAT};
static const int block_kind[1] = {MPJ_DISTRIBUTE_BLOCK};
static const MPJ_Count default_darg[1] = {MPJ_DISTRIBUTE_DFLT_DARG};

static void *array(MPJ_Count n, size_t size)
{
  void *p = malloc((size_t)n * size);
  if (!p) exit(1);
  return p;
}

void growth_draw(struct growth_input *in, MPJ_Count most)
{
  static const MPJ_Datatype kinds[3] = {MPJ_INT, MPJ_DOUBLE, MPJ_CHAR};
  in->most = most;
  in->lens = array(most, sizeof *in->lens);
  in->displs = array(most, sizeof *in->displs);
  in->bytes = array(most, sizeof *in->bytes);
  in->runs = array(most, sizeof *in->runs);
  in->numbers = array(most, sizeof *in->numbers);
  in->types = array(most, sizeof(MPJ_Datatype));
  MPJ_Count at = 0;
  for (MPJ_Count i = 0; i < most; i++) {
    in->lens[i] = 1 + types_random(8);
    at += types_random(4096);
    in->displs[i] = at;
    at += 1001;
    in->bytes[i] = 8 * in->displs[i];
    in->runs[i] = 1 + i / 64 % 8;
    in->numbers[i] = (int)types_random(BUCKETS);
    in->types[i] = kinds[types_random(3)];
  }
}

static int make_contiguous(const struct growth_input *in, MPJ_Count n, MPJ_Datatype *type)
{
  (void)in;
  return MPJ_Type_contiguous(n, MPJ_DOUBLE, type);
}

static int make_vector(const struct growth_input *in, MPJ_Count n, MPJ_Datatype *type)
{
  (void)in;
  return MPJ_Type_vector(n, 2, 5, MPJ_DOUBLE, type);
}

static int make_hvector(const struct growth_input *in, MPJ_Count n, MPJ_Datatype *type)
{
  (void)in;
  return MPJ_Type_create_hvector(n, 2, 40, MPJ_DOUBLE, type);
}

static int make_indexed(const struct growth_input *in, MPJ_Count n, MPJ_Datatype *type)
{
  return MPJ_Type_indexed(n, in->lens, in->displs, MPJ_DOUBLE, type);
}

static int make_hindexed(const struct growth_input *in, MPJ_Count n, MPJ_Datatype *type)
{
  return MPJ_Type_create_hindexed(n, in->lens, in->bytes, MPJ_DOUBLE, type);
}

static int make_indexed_block(const struct growth_input *in, MPJ_Count n, MPJ_Datatype *type)
{
  return MPJ_Type_create_indexed_block(n, 3, in->displs, MPJ_DOUBLE, type);
}

static int make_hindexed_block(const struct growth_input *in, MPJ_Count n, MPJ_Datatype *type)
{
  return MPJ_Type_create_hindexed_block(n, 3, in->bytes, MPJ_DOUBLE, type);
}

static int make_struct(const struct growth_input *in, MPJ_Count n, MPJ_Datatype *type)
{
  return MPJ_Type_create_struct(n, in->lens, in->bytes, in->types, type);
}

static int make_bucket_index(const struct growth_input *in, MPJ_Count n, MPJ_Datatype *type)
{
  return MPJ_Type_create_bucket_index(n, BUCKETS, bucket_lens, in->numbers, in->displs, MPJ_DOUBLE,
                                      type);
}

static int make_hbucket_index(const struct growth_input *in, MPJ_Count n, MPJ_Datatype *type)
{
  return MPJ_Type_create_hbucket_index(n, BUCKETS, bucket_lens, in->numbers, in->bytes, MPJ_DOUBLE,
                                       type);
}

static int make_bucket_struct(const struct growth_input *in, MPJ_Count n, MPJ_Datatype *type)
{
  return MPJ_Type_create_bucket_struct(n, BUCKETS, bucket_lens, bucket_types, in->numbers,
                                       in->bytes, type);
}

static int make_segment(const struct growth_input *in, MPJ_Count n, MPJ_Datatype *type)
{
  return MPJ_Type_create_segment(n, in->lens, MPJ_DOUBLE, type);
}

static int make_slice(const struct growth_input *in, MPJ_Count n, MPJ_Datatype *type)
{
  return MPJ_Type_create_slice(in->old, n / 4, 2 * n, type);
}

static int make_subarray(const struct growth_input *in, MPJ_Count n, MPJ_Datatype *type)
{
  const MPJ_Count sizes[2] = {n + 3, n + 5}, subsizes[2] = {n, n}, starts[2] = {1, 2};
  (void)in;
  return MPJ_Type_create_subarray(2, sizes, subsizes, starts, MPJ_ORDER_C, MPJ_DOUBLE, type);
}

static int make_distribution(const struct growth_input *in, MPJ_Count n, MPJ_Datatype *type)
{
  const MPJ_Count sizes[1] = {10 * n + 3};
  const int grid[1] = {(int)n};
  (void)in;
  return MPJ_Type_create_distribution(1, sizes, block_kind, default_darg, grid, MPJ_ORDER_C,
                                      MPJ_DOUBLE, type);
}

static int make_general(const struct growth_input *in, MPJ_Count n, MPJ_Datatype *type)
{
  static const int kind[1] = {MPJ_DISTRIBUTE_GENERAL};
  const MPJ_Count *const blocks[1] = {in->runs};
  const int grid[1] = {(int)n};
  MPJ_Count size = 0;
  for (MPJ_Count i = 0; i < n; i++)
    size += in->runs[i];
  return MPJ_Type_create_general_distribution(1, &size, kind, default_darg, blocks, grid,
                                              MPJ_ORDER_C, MPJ_DOUBLE, type);
}

static int make_darray(const struct growth_input *in, MPJ_Count n, MPJ_Datatype *type)
{
  const MPJ_Count sizes[1] = {10 * n + 3};
  const int grid[1] = {(int)n};
  (void)in;
  return MPJ_Type_create_darray((int)n, (int)n / 2, 1, sizes, block_kind, default_darg, grid,
                                MPJ_ORDER_C, MPJ_DOUBLE, type);
}

static int make_local(const struct growth_input *in, MPJ_Count n, MPJ_Datatype *type)
{
  return MPJ_Type_create_local(in->dist, n / 2, type);
}

static int make_dup(const struct growth_input *in, MPJ_Count n, MPJ_Datatype *type)
{
  (void)n;
  return MPJ_Type_dup(in->old, type);
}

static int make_resized(const struct growth_input *in, MPJ_Count n, MPJ_Datatype *type)
{
  (void)n;
  return MPJ_Type_create_resized(in->old, -8, 64, type);
}

/* Bytes of the caller's arrays, a block. */
enum { ONE = sizeof(MPJ_Count), TWO = 2 * sizeof(MPJ_Count) };

const struct growth_case growth_cases[] = {
    {"contiguous", make_contiguous, 0},
    {"vector", make_vector, 0},
    {"hvector", make_hvector, 0},
    {"subarray", make_subarray, 0},
    {"distribution", make_distribution, 0},
    {"darray", make_darray, 0},
    {"create_local", make_local, 0},
    {"dup", make_dup, 0},
    {"resized", make_resized, 0},
    {"slice", make_slice, 0},
    {"indexed", make_indexed, TWO},
    {"hindexed", make_hindexed, TWO},
    {"indexed_block", make_indexed_block, ONE},
    {"hindexed_block", make_hindexed_block, ONE},
    {"bucket_index", make_bucket_index, ONE + sizeof(int)},
    {"hbucket_index", make_hbucket_index, ONE + sizeof(int)},
    {"bucket_struct", make_bucket_struct, ONE + sizeof(int)},
    {"segment", make_segment, ONE},
    {"general distribution", make_general, ONE},
    {"struct", make_struct, TWO + sizeof(MPJ_Datatype)},
};
const int growth_ncases = sizeof growth_cases / sizeof growth_cases[0];
