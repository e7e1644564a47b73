/* This file makes bucket structs: blocks of a few shapes, each a length and an
 * old type of its own. Where buckets and distances repeat with a period, one period
 * is laid and repeated. */
#include <inttypes.h>
#include <stdio.h>

#include "base/checked.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/status.h"
#include "types/bucket_index/bucket_index.h"
#include "types/bucket_index/bucket_table.h"
#include "types/layout/layout_make.h"
#include "types/layout/long_seq.h"
#include "types/layout/long_seq_make.h"
#include "types/layout/period.h"
#include "types/make/bounds.h"
#include "types/make/build.h"

/* The call, its arguments checked. */
struct call {
  MPJ_Count nblocks;
  const int *numbers;
  const MPJ_Aint *displs;
  int nbuckets;
  struct mpj_bucket *buckets;
};

static int no_memory(MPJ_Count nblocks)
{
  return mpj_error(MPJ_ERR_NO_MEM, "bucket struct of %" PRId64 " blocks could not be allocated",
                   nblocks);
}

static int make_bucket(struct mpj_bucket *bucket, int b, MPJ_Count blocklen, MPJ_Datatype handle)
{
  char name[40];
  struct mpj_type *type;
  snprintf(name, sizeof name, "bucket_types[%d]", b);
  int status = mpj_type_resolve(handle, name, &type);
  if (status) return status;
  struct mpj_type_spec old = mpj_type_spec_of(type);
  status = mpj_build_check_depth(&old, name);
  if (!status) status = mpj_layout_loop(blocklen, mpj_spec_extent(&old), old.map, &bucket->block);
  if (status) return status;
  bucket->old = mpj_spec_retain(&old);
  bucket->blocklen = blocklen;
  return MPJ_SUCCESS;
}

/* Block i, its displacement included. */
static int lay_block(const struct call *c, MPJ_Count i, struct mpj_piece *out)
{
  *out = c->buckets[c->numbers[i]].block;
  if (out->layout->kind == MPJ_LAYOUT_EMPTY || mpj_add_aint(out->displ, c->displs[i], &out->displ))
    return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_OVERFLOW, "displacement overflows: %td + %td bytes", c->displs[i],
                   c->buckets[c->numbers[i]].block.displ);
}

/* The first `nblocks` blocks, as a struct of them is laid. */
static int lay_blocks(const struct call *c, MPJ_Count nblocks, struct mpj_piece *out)
{
  struct mpj_piece *pieces = mpj_alloc_array((size_t)nblocks, sizeof *pieces);
  int status = pieces ? MPJ_SUCCESS : no_memory(nblocks);
  for (MPJ_Count i = 0; i < nblocks && !status; i++)
    status = lay_block(c, i, &pieces[i]);
  if (!status) status = mpj_layout_seq(nblocks, pieces, out);
  mpj_free(pieces);
  return status;
}

/* All blocks; where the layout keeps them one for one, without a list of pieces. */
static int lay_all(const struct call *c, struct mpj_piece *out, struct mpj_buckets_made *made)
{
  struct mpj_piece *shapes = mpj_alloc_array((size_t)c->nbuckets, sizeof *shapes);
  made->row_of = mpj_alloc_array((size_t)c->nbuckets, sizeof *made->row_of);
  if (!shapes || !made->row_of) {
    mpj_free(shapes);
    return no_memory(c->nblocks);
  }
  for (int b = 0; b < c->nbuckets; b++)
    shapes[b] = c->buckets[b].block;
  const struct mpj_mix mix = {c->nblocks, c->numbers, c->displs, c->nbuckets, shapes};
  int status = mpj_long_seq_of_mix(&mix, out, &made->same, made->row_of);
  mpj_free(shapes);
  return status || made->same ? status : lay_blocks(c, c->nblocks, out);
}

/* A period that the number of blocks is a multiple of, or that number. */
static int find_period(const struct call *c, MPJ_Count *period)
{
  MPJ_Count *identity = mpj_alloc((size_t)c->nbuckets * sizeof *identity);
  if (!identity) return no_memory(c->nblocks);
  for (int b = 0; b < c->nbuckets; b++)
    identity[b] = b;
  struct mpj_series displs = mpj_series_of(c->nblocks, c->displs, 1);
  struct mpj_series rows = {
      .n = c->nblocks, .numbers = c->numbers, .table = identity, .rows = c->nbuckets, .scale = 1};
  *period = mpj_period(&displs, &rows);
  mpj_free(identity);
  if (*period == 0 || c->nblocks % *period != 0) *period = c->nblocks;
  return MPJ_SUCCESS;
}

/* Whether the blocks are of one old type: then they are an index, as a struct is. */
static bool one_type(const struct call *c)
{
  for (MPJ_Count i = 1; i < c->nblocks; i++)
    if (!mpj_spec_same(&c->buckets[c->numbers[i]].old, &c->buckets[c->numbers[0]].old))
      return false;
  return c->nblocks > 0;
}

static int lay_index(const struct call *c, struct mpj_piece *out)
{
  MPJ_Count *table = mpj_alloc_array((size_t)c->nbuckets, sizeof *table);
  if (!table) return no_memory(c->nblocks);
  for (int b = 0; b < c->nbuckets; b++)
    table[b] = c->buckets[b].blocklen;
  const struct mpj_type_spec *old = &c->buckets[c->numbers[0]].old;
  struct mpj_series displs = mpj_series_of(c->nblocks, c->displs, 1);
  struct mpj_series lens = {
      .n = c->nblocks, .numbers = c->numbers, .table = table, .rows = c->nbuckets, .scale = 1};
  int status = mpj_layout_blocks(&lens, &displs, mpj_spec_extent(old), old->map, out, NULL);
  mpj_free(table);
  return status;
}

static int lay_map(const struct call *c, struct mpj_piece *out, struct mpj_buckets_made *made)
{
  MPJ_Count period = c->nblocks;
  MPJ_Aint step = 0;
  struct mpj_piece once;
  if (one_type(c)) return lay_index(c, out);
  int status = find_period(c, &period);
  if (status) return status;
  bool whole = period == c->nblocks || !mpj_sub_aint(c->displs[period], c->displs[0], &step);
  if (whole) return lay_all(c, out, made);
  status = lay_blocks(c, period, &once);
  if (status) return status;
  status = mpj_layout_loop(c->nblocks / period, step, once, out);
  mpj_layout_release(once.layout);
  return status;
}

static int add_bounds(const struct call *c, struct mpj_type_spec *spec)
{
  struct mpj_bounds bounds = mpj_bounds_start();
  int status = MPJ_SUCCESS;
  for (MPJ_Count i = 0; i < c->nblocks && !status; i++) {
    const struct mpj_bucket *bucket = &c->buckets[c->numbers[i]];
    status = mpj_bounds_add(&bounds, bucket->blocklen, c->displs[i], &bucket->old);
  }
  return status ? status : mpj_bounds_finish(&bounds, spec);
}

/* Moves the buckets. */
static int create(struct call *c, int combiner, MPJ_Datatype *newtype)
{
  struct mpj_type_spec spec = {.alignment = 1};
  struct mpj_buckets_made made = {.same = false};
  unsigned depth = 0;
  for (int b = 0; b < c->nbuckets; b++)
    depth = c->buckets[b].old.depth > depth ? c->buckets[b].old.depth : depth;
  int status = lay_map(c, &spec.map, &made);
  if (!status) status = add_bounds(c, &spec);
  if (status)
    mpj_buckets_free(c->nbuckets, c->buckets);
  else
    status = mpj_parts_buckets(c->nblocks, c->numbers, c->displs, c->nbuckets, c->buckets,
                               spec.map.layout, &made, &spec.parts);
  mpj_free(made.row_of);
  mpj_spec_made_by(&spec, (enum mpj_combiner)combiner, depth);
  return mpj_build_end(status, &spec, newtype);
}

int MPJ_Type_create_bucket_struct(MPJ_Count nblocks, int nbuckets,
                                  const MPJ_Count bucket_blocklens[],
                                  const MPJ_Datatype bucket_types[], const int bucket_of_block[],
                                  const MPJ_Aint displs[], MPJ_Datatype *newtype)
{
  MPJ_ENTRY;
  struct mpj_type_spec byte;
  int status = mpj_build_begin(nblocks, MPJ_BYTE, newtype, &byte);
  if (!status)
    status = mpj_buckets_check(nblocks, nbuckets, bucket_blocklens, bucket_of_block, displs);
  if (!status && nbuckets > 0) status = mpj_need(bucket_types, "bucket_types");
  if (status) return status;
  return mpj_create_buckets(MPJ_COMBINER_BUCKET_STRUCT, nblocks, nbuckets, bucket_blocklens,
                            bucket_types, bucket_of_block, displs, newtype);
}

int mpj_create_buckets(int combiner, MPJ_Count nblocks, int nbuckets,
                       const MPJ_Count bucket_blocklens[], const MPJ_Datatype bucket_types[],
                       const int bucket_of_block[], const MPJ_Aint displs[], MPJ_Datatype *newtype)
{
  int status = MPJ_SUCCESS;
  struct mpj_bucket *buckets = mpj_alloc_array((size_t)nbuckets, sizeof *buckets);
  if (!buckets) return no_memory(nblocks);
  for (int b = 0; b < nbuckets && !status; b++)
    status = make_bucket(&buckets[b], b, bucket_blocklens[b], bucket_types[b]);
  if (status) {
    mpj_buckets_free(nbuckets, buckets);
    return status;
  }
  struct call call = {nblocks, bucket_of_block, displs, nbuckets, buckets};
  return create(&call, combiner, newtype);
}
