/* This file makes the calls that the random generator draws. */
#include "types/random_call.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "types/layout/layout.h"
#include "types/type.h"

void mpj_call_append(struct mpj_random_type *t, const char *format, ...)
{
  size_t used = strlen(t->text);
  va_list args;
  va_start(args, format);
  vsnprintf(t->text + used, sizeof t->text - used, format, args);
  va_end(args);
}

void mpj_call_must(bool ok, const struct mpj_random_type *t, const char *what)
{
  if (ok) return;
  fprintf(stderr, "random type %s: %s (%s)\n", t->text, what, MPJ_Error_detail());
  exit(2);
}

struct call *mpj_call_new(MPJ_Count nparts)
{
  enum { LISTS = 6 + MAX_DIMS };
  const size_t most = nparts > MAX_BLOCKS ? (size_t)nparts : MAX_BLOCKS;
  struct call *c = calloc(1, sizeof *c + most * (LISTS * sizeof(int64_t) + sizeof(int)));
  if (!c) exit(2);
  char *at = (char *)(c + 1);
  c->most = (MPJ_Count)most;
  void *lists[LISTS];
  for (int i = 0; i < LISTS; i++, at += most * sizeof(int64_t))
    lists[i] = at;
  c->lens = lists[0];
  c->displs = lists[1];
  c->bytes = lists[2];
  c->types = lists[3];
  c->refs = lists[4];
  c->parts = lists[5];
  for (int d = 0; d < MAX_DIMS; d++)
    c->shares[d] = lists[6 + d];
  c->numbers = (int *)(void *)at;
  return c;
}

MPJ_Count mpj_call_grid(const struct call *c)
{
  MPJ_Count size = 1;
  for (int d = 0; d < c->ndims; d++)
    size *= c->psizes[d];
  return size;
}

int mpj_call_perform(const struct call *c, MPJ_Datatype old, MPJ_Datatype *out)
{
  switch (c->kind) {
  case CONTIGUOUS:
    return MPJ_Type_contiguous(c->count, old, out);
  case VECTOR:
    return MPJ_Type_vector(c->count, c->blocklen, c->stride, old, out);
  case HVECTOR:
    return MPJ_Type_create_hvector(c->count, c->blocklen, c->stride, old, out);
  case INDEXED:
    return MPJ_Type_indexed(c->count, c->lens, c->displs, old, out);
  case HINDEXED:
    return MPJ_Type_create_hindexed(c->count, c->lens, c->bytes, old, out);
  case STRUCT:
    return MPJ_Type_create_struct(c->count, c->lens, c->bytes, c->types, out);
  case SPARSE:
    return MPJ_Type_create_sparse(c->nparts, c->count, c->parts, c->bytes, c->types, out);
  case INDEXED_BLOCK:
    return MPJ_Type_create_indexed_block(c->count, c->blocklen, c->displs, old, out);
  case HINDEXED_BLOCK:
    return MPJ_Type_create_hindexed_block(c->count, c->blocklen, c->bytes, old, out);
  case SUBARRAY:
    return MPJ_Type_create_subarray(c->ndims, c->sizes, c->subsizes, c->starts, c->order, old, out);
  case RESIZED:
    return MPJ_Type_create_resized(old, c->lb, c->extent, out);
  case DUP:
    return MPJ_Type_dup(old, out);
  case DARRAY:
    return MPJ_Type_create_darray((int)mpj_call_grid(c), (int)c->count, c->ndims, c->sizes,
                                  c->distribs, c->dargs, c->psizes, c->order, old, out);
  case GENERAL:
    return MPJ_Type_create_general_distribution(c->ndims, c->sizes, c->distribs, c->dargs,
                                                c->blocks, c->psizes, c->order, old, out);
  case BUCKET_INDEX:
    return MPJ_Type_create_bucket_index(c->count, c->nbuckets, c->bucket_lens, c->numbers,
                                        c->displs, old, out);
  case HBUCKET_INDEX:
    return MPJ_Type_create_hbucket_index(c->count, c->nbuckets, c->bucket_lens, c->numbers,
                                         c->bytes, old, out);
  case BUCKET_STRUCT:
    return MPJ_Type_create_bucket_struct(c->count, c->nbuckets, c->bucket_lens, c->bucket_types,
                                         c->numbers, c->bytes, out);
  case SEGMENT:
    return MPJ_Type_create_segment(c->count, c->lens, old, out);
  case SLICE:
    return MPJ_Type_create_slice(old, c->count, c->blocklen, out);
  case DISTRIBUTION:
    return MPJ_Type_create_distribution(c->ndims, c->sizes, c->distribs, c->dargs, c->psizes,
                                        c->order, old, out);
  case LOCAL:
    return MPJ_Type_create_local(old, c->count, out);
  case KINDS:
    break;
  }
  return MPJ_ERR_INTERNAL;
}

static struct mpj_ref *expand_darray(const struct call *c, struct mpj_ref *old)
{
  struct mpj_ref *whole = mpj_ref_distribution(c->ndims, c->sizes, c->distribs, c->dargs, NULL,
                                               c->psizes, c->order, old);
  struct mpj_ref *share = mpj_ref_retain(mpj_ref_part(whole, c->count).type);
  mpj_ref_release(whole);
  return share;
}

struct mpj_ref *mpj_call_expand(const struct call *c, struct mpj_ref *old)
{
  MPJ_Aint bytes[c->most], extent = old ? mpj_ref_extent(old) : 0;
  switch (c->kind) {
  case CONTIGUOUS:
    return mpj_ref_contiguous(c->count, old);
  case VECTOR:
    return mpj_ref_hvector(c->count, c->blocklen, c->stride * extent, old);
  case HVECTOR:
    return mpj_ref_hvector(c->count, c->blocklen, c->stride, old);
  case SEGMENT:
    for (MPJ_Count i = 0, start = 0; i < c->count; start += c->lens[i++])
      bytes[i] = start * extent;
    return mpj_ref_hindexed(c->count, c->lens, bytes, old);
  case SLICE:
    return mpj_ref_slice(old, c->count, c->blocklen);
  case INDEXED:
  case INDEXED_BLOCK:
  case BUCKET_INDEX:
    for (MPJ_Count i = 0; i < c->count; i++)
      bytes[i] = c->displs[i] * extent;
    return mpj_ref_hindexed(c->count, c->lens, bytes, old);
  case HINDEXED:
  case HINDEXED_BLOCK:
  case HBUCKET_INDEX:
    return mpj_ref_hindexed(c->count, c->lens, c->bytes, old);
  case STRUCT:
  case BUCKET_STRUCT:
    return mpj_ref_struct(c->count, c->lens, c->bytes, c->refs);
  case SPARSE:
    return mpj_ref_sparse(c->nparts, c->count, c->parts, c->bytes, c->refs);
  case SUBARRAY:
    return mpj_ref_subarray(c->ndims, c->sizes, c->subsizes, c->starts, c->order, old);
  case RESIZED:
    return mpj_ref_resized(old, c->lb, c->extent);
  case DUP:
    return mpj_ref_dup(old);
  case DARRAY:
    return expand_darray(c, old);
  case GENERAL:
  case DISTRIBUTION:
    return mpj_ref_distribution(c->ndims, c->sizes, c->distribs, c->dargs, c->blocks, c->psizes,
                                c->order, old);
  case LOCAL:
    return mpj_ref_local(old, c->count);
  case KINDS:
    break;
  }
  return NULL;
}

void mpj_call_fail_allocations(const struct call *c, MPJ_Datatype old,
                               const struct mpj_random_type *t)
{
  for (long successes = 0;; successes++) {
    long outstanding = mpj_memory_outstanding();
    size_t layouts = mpj_layout_live(), types = mpj_type_live();
    MPJ_Datatype made = MPJ_DATATYPE_NULL;
    mpj_memory_fail_after(successes);
    int status = mpj_call_perform(c, old, &made);
    mpj_memory_fail_after(-1);
    if (status == MPJ_SUCCESS) {
      mpj_call_must(MPJ_Type_free(&made) == MPJ_SUCCESS, t, "cannot be freed");
      return;
    }
    mpj_call_must(status == MPJ_ERR_NO_MEM, t, "failed allocation gives another code");
    mpj_call_must(made == MPJ_DATATYPE_NULL, t, "failed allocation sets newtype");
    mpj_call_must(mpj_memory_outstanding() == outstanding, t, "failed allocation leaks memory");
    mpj_call_must(mpj_layout_live() == layouts && mpj_type_live() == types, t,
                  "failed allocation leaks a layout or a type");
  }
}

static const char *const names[KINDS] = {
    "contiguous",   "vector",        "hvector",       "indexed",       "hindexed",
    "struct",       "sparse",        "bucket_struct", "indexed_block", "hindexed_block",
    "bucket_index", "hbucket_index", "segment",       "slice",         "subarray",
    "resized",      "dup",           "darray",        "general",       "distribution",
    "local"};

static void say_blocks(const struct call *c, struct mpj_random_type *t)
{
  for (MPJ_Count i = 0; i < c->count; i++) {
    if (c->kind == SPARSE)
      mpj_call_append(t, " #%" PRId64 "/%" PRId64 "@%tdB", c->parts[i], c->nparts, c->bytes[i]);
    else if (c->kind == INDEXED || c->kind == INDEXED_BLOCK || c->kind == BUCKET_INDEX)
      mpj_call_append(t, " %" PRId64 "@%" PRId64, c->lens[i], c->displs[i]);
    else
      mpj_call_append(t, " %" PRId64 "@%tdB", c->lens[i], c->bytes[i]);
  }
}

static void say_dimensions(const struct call *c, struct mpj_random_type *t)
{
  for (int d = 0; d < c->ndims; d++) {
    if (c->kind == SUBARRAY)
      mpj_call_append(t, " %" PRId64 "+%" PRId64 "/%" PRId64, c->starts[d], c->subsizes[d],
                      c->sizes[d]);
    else
      mpj_call_append(t, " %" PRId64 "/%d%c%" PRId64, c->sizes[d], c->psizes[d],
                      c->distribs[d] == MPJ_DISTRIBUTE_GENERAL  ? 'g'
                      : c->distribs[d] == MPJ_DISTRIBUTE_BLOCK  ? 'b'
                      : c->distribs[d] == MPJ_DISTRIBUTE_CYCLIC ? 'c'
                                                                : 'n',
                      c->dargs[d]);
  }
  for (int d = 0; d < c->ndims; d++) {
    for (int i = 0; c->blocks[d] && i < c->psizes[d]; i++)
      mpj_call_append(t, "%s%" PRId64, i == 0 ? " " : "+", c->blocks[d][i]);
  }
  mpj_call_append(t, c->order == MPJ_ORDER_C ? " C" : " F");
}

void mpj_call_say(const struct call *c, struct mpj_random_type *t)
{
  mpj_call_append(t, "%s(", names[c->kind]);
  if (c->kind == CONTIGUOUS || c->kind == LOCAL || c->kind == DARRAY)
    mpj_call_append(t, "%" PRId64, c->count);
  if (c->kind == VECTOR || c->kind == HVECTOR)
    mpj_call_append(t, "%" PRId64 " of %" PRId64 " by %td", c->count, c->blocklen, c->stride);
  if (c->kind >= INDEXED && c->kind <= SEGMENT) say_blocks(c, t);
  if (c->kind == SUBARRAY || (c->kind >= DARRAY && c->kind <= DISTRIBUTION)) say_dimensions(c, t);
  if (c->kind == SLICE) mpj_call_append(t, "%" PRId64 " of %" PRId64, c->blocklen, c->count);
  if (c->kind == RESIZED) mpj_call_append(t, "%td %td", c->lb, c->extent);
  mpj_call_append(t, ": ");
}
