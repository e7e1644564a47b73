/* This file makes structs: blocks of unlike types. */
#include <inttypes.h>
#include <stdio.h>

#include "base/checked.h"
#include "base/entry.h"
#include "base/hot.h"
#include "base/memory.h"
#include "base/status.h"
#include "types/basic.h"
#include "types/bucket_index/bucket_index.h"
#include "types/layout/layout_make.h"
#include "types/make/bounds.h"
#include "types/make/build.h"
#include "types/make/indexed.h"
#include "types/parts/tables.h"

enum { FEW = 16, AHEAD = 8 };

static int no_memory(MPJ_Count count)
{
  return mpj_error(MPJ_ERR_NO_MEM, "struct of %" PRId64 " blocks could not be allocated", count);
}

static int check_arrays(MPJ_Count count, const MPJ_Count blocklens[], const MPJ_Aint displs[],
                        const MPJ_Datatype types[])
{
  if (count == 0) return MPJ_SUCCESS;
  int status = mpj_need(blocklens, "blocklens");
  if (!status) status = mpj_need(displs, "displs");
  if (!status) status = mpj_need(types, "types");
  return status ? status : mpj_check_blocklens(count, blocklens);
}

/* What is wrong with types[i]. */
static MPJ_ASIDE int complain(const MPJ_Datatype types[], MPJ_Count i)
{
  char name[40];
  struct mpj_type *type;
  snprintf(name, sizeof name, "types[%" PRId64 "]", i);
  int status = mpj_type_resolve(types[i], name, &type);
  if (status) return status;
  const struct mpj_type_spec spec = mpj_type_spec_of(type);
  return mpj_build_check_depth(&spec, name);
}

static int resolve_type(const MPJ_Datatype types[], MPJ_Count i, struct mpj_type_spec *spec)
{
  const struct mpj_type *type = mpj_type_object(types[i]);
  if (!type) type = mpj_type_find(types[i]);
  if (!type || type->depth >= MPJ_DEPTH_MAX) return complain(types, i);
  mpj_type_describe(type, spec);
  return MPJ_SUCCESS;
}

/* Block i, whose item->old is described: that retained, item->block made, *piece the same, not
 * owned. On failure neither. Each is put together before it is stored: a word that is written and
 * then read as part of a larger one is waited for. */
static inline int make_item(struct mpj_struct_item *item, MPJ_Count blocklen, MPJ_Aint displ,
                            struct mpj_piece *piece)
{
  const struct mpj_type_spec *old = &item->old;
  struct mpj_piece block = old->map;
  MPJ_Aint at = block.displ;
  int status = MPJ_SUCCESS;
  if (blocklen != 1) {
    status = mpj_layout_loop(blocklen, mpj_spec_extent(old), old->map, &block);
    if (status) return status;
    at = block.displ;
  }
  mpj_spec_hold(old);
  if (block.layout->kind != MPJ_LAYOUT_EMPTY && !mpj_add_aint(block.displ, displ, &at))
    status =
        mpj_error(MPJ_ERR_OVERFLOW, "displacement overflows: %td + %td bytes", displ, block.displ);
  item->block.layout = piece->layout = block.layout;
  item->block.displ = piece->displ = at;
  item->blocklen = blocklen;
  item->displ = displ;
  if (status) mpj_struct_item_clear(item);
  return status;
}

/* What is found out of the items one by one. */
struct summary {
  MPJ_Count made;
  unsigned depth; /* of the deepest type */
  struct mpj_bounds bounds;
};

/* The items, and their blocks in a row. */
static int make_items(MPJ_Count count, const MPJ_Count blocklens[], const MPJ_Aint displs[],
                      const MPJ_Datatype types[], struct mpj_struct_item items[],
                      struct mpj_piece pieces[], struct summary *sum)
{
  int status = MPJ_SUCCESS;
  for (MPJ_Count i = 0; i < count && !status; i++) {
    const struct mpj_type_spec *old = &items[i].old;
    if (i + AHEAD < count) __builtin_prefetch(types[i + AHEAD]); /* whatever it is */
    status = resolve_type(types, i, &items[i].old);
    if (!status) status = make_item(&items[i], blocklens[i], displs[i], &pieces[i]);
    if (status) return status;
    sum->made++;
    if (old->depth > sum->depth) sum->depth = old->depth;
    status = mpj_bounds_add(&sum->bounds, blocklens[i], displs[i], old);
  }
  return status;
}

static int create_of_items(MPJ_Count count, const MPJ_Count blocklens[], const MPJ_Aint displs[],
                           const MPJ_Datatype types[], MPJ_Datatype *newtype)
{
  struct mpj_type_spec spec = {.alignment = 1};
  struct summary sum = {.made = 0, .bounds = mpj_bounds_start()};
  MPJ_Count bytes;
  struct mpj_struct_item *items = NULL;
  struct mpj_piece few[FEW], *pieces = few;
  if (mpj_mul_count(count, sizeof *items, &bytes)) items = mpj_alloc((size_t)bytes);
  if (items && count > FEW) pieces = mpj_alloc((size_t)count * sizeof *pieces);
  if (!items || !pieces) {
    mpj_free(items);
    return no_memory(count);
  }
  int status = make_items(count, blocklens, displs, types, items, pieces, &sum);
  if (!status) status = mpj_layout_seq(count, pieces, &spec.map);
  if (pieces != few) mpj_free(pieces);
  mpj_spec_made_by(&spec, MPJ_COMBINER_STRUCT, sum.depth);
  if (!status) status = mpj_bounds_finish(&sum.bounds, &spec);
  if (status)
    mpj_struct_items_free(sum.made, items);
  else
    status = mpj_parts_struct(count, items, &spec.parts);
  return mpj_build_end(status, &spec, newtype);
}

/* Whether all types are the first one, *old, under whatever handles. */
static bool all_one_type(MPJ_Count count, const MPJ_Datatype types[],
                         const struct mpj_type_spec *old)
{
  for (MPJ_Count i = 1; i < count; i++) {
    struct mpj_type_spec other;
    if (types[i] == types[0]) continue;
    if (mpj_basic_of_handle(types[0]) >= 0 && mpj_basic_of_handle(types[i]) >= 0) return false;
    if (resolve_type(types, i, &other) || !mpj_spec_same(&other, old)) return false;
  }
  return true;
}

/* The kinds of block, each a length and a type, and a hash table of 1 + their numbers; 0:
 * free. */
enum { MANY = 64, KINDS = 32, SLOTS = 128 };
struct kinds {
  int n;
  MPJ_Count lens[KINDS];
  MPJ_Datatype types[KINDS];
  signed char slots[SLOTS];
};

/* The number of a kind, made now if it is a new one; -1 if there are too many. */
static int number_of(struct kinds *kinds, MPJ_Count len, MPJ_Datatype type)
{
  const uint64_t hash =
      ((uint64_t)(uintptr_t)type + (uint64_t)len * 31) * UINT64_C(0x9e3779b97f4a7c15);
  unsigned slot = (unsigned)(hash >> 57);
  for (int k; (k = kinds->slots[slot] - 1) >= 0; slot = (slot + 1) % SLOTS)
    if (kinds->lens[k] == len && kinds->types[k] == type) return k;
  if (kinds->n == KINDS) return -1;
  kinds->lens[kinds->n] = len;
  kinds->types[kinds->n] = type;
  kinds->slots[slot] = (signed char)++kinds->n;
  return kinds->n - 1;
}

/* Many blocks of few kinds are buckets: set *made, and make the type of them. */
static int create_of_kinds(MPJ_Count count, const MPJ_Count blocklens[], const MPJ_Aint displs[],
                           const MPJ_Datatype types[], bool *made, MPJ_Datatype *newtype)
{
  struct kinds kinds = {.n = 0};
  int *numbers, status = MPJ_SUCCESS;
  *made = false;
  if (count <= MANY) return MPJ_SUCCESS;
  numbers = mpj_alloc_array((size_t)count, sizeof *numbers);
  if (!numbers) return no_memory(count);
  for (MPJ_Count i = 0; i < count && !status; i++) {
    const int before = kinds.n;
    struct mpj_type_spec old;
    numbers[i] = number_of(&kinds, blocklens[i], types[i]);
    if (numbers[i] < 0) goto release;
    if (kinds.n > before) status = resolve_type(types, i, &old);
  }
  *made = true;
  if (!status)
    status = mpj_create_buckets(MPJ_COMBINER_STRUCT, count, kinds.n, kinds.lens, kinds.types,
                                numbers, displs, newtype);
release:
  mpj_free(numbers);
  return status;
}

int MPJ_Type_create_struct(MPJ_Count count, const MPJ_Count blocklens[], const MPJ_Aint displs[],
                           const MPJ_Datatype types[], MPJ_Datatype *newtype)
{
  MPJ_ENTRY;
  struct mpj_type_spec old;
  int status = mpj_build_begin(count, MPJ_BYTE, newtype, &old);
  if (!status) status = check_arrays(count, blocklens, displs, types);
  if (status) return status;
  if (count > 0) status = resolve_type(types, 0, &old);
  if (status) return status;
  if (count > 0 && all_one_type(count, types, &old)) {
    struct mpj_series lens = mpj_series_of(count, blocklens, 1);
    return mpj_create_indexed(MPJ_COMBINER_STRUCT, &lens, displs, 1, &old, NULL, newtype);
  }
  bool made;
  status = create_of_kinds(count, blocklens, displs, types, &made, newtype);
  if (status || made) return status;
  return create_of_items(count, blocklens, displs, types, newtype);
}
