/* This file keeps datatype objects: the permanent ones of the basic types, and
 * a pool of the others, in which a stale handle is recognised. */
#include "types/type.h"

#include <pthread.h>

#include "base/machine/pages.h"
#include "base/pool.h"
#include "base/status.h"
#include "types/basic.h"
#include "types/layout/intern.h"
#include "types/parts/tables.h"
#include "types/sparse/sparse.h"

static struct mpj_pool pool = MPJ_POOL_INITIALIZER(MPJ_TYPE_MARK, struct mpj_type);

static struct mpj_type basics[MPJ_BASIC_COUNT];
static pthread_once_t basics_once = PTHREAD_ONCE_INIT;

static void make_basics(void)
{
  for (int b = 0; b < MPJ_BASIC_COUNT; b++) {
    basics[b].mark = pool.mark;
    basics[b].basic = (int16_t)b;
    atomic_init(&basics[b].committed, true);
    basics[b].alignment = mpj_basics[b].alignment;
    basics[b].map = (struct mpj_piece){mpj_layout_of_basic(b), 0};
    basics[b].ub = mpj_basics[b].size;
    basics[b].parts = mpj_parts_of_basic(b);
  }
}

struct mpj_type *mpj_type_find(MPJ_Datatype handle)
{
  int basic = mpj_basic_of_handle(handle);
  if (basic >= 0) {
    pthread_once(&basics_once, make_basics);
    return &basics[basic];
  }
  return mpj_pool_is_live(&pool, handle) ? handle : NULL;
}

int mpj_type_resolve(MPJ_Datatype handle, const char *argument, struct mpj_type **out)
{
  struct mpj_type *found = mpj_type_find(handle);
  if (found) {
    *out = found;
    return MPJ_SUCCESS;
  }
  if (handle == MPJ_DATATYPE_NULL)
    return mpj_error(MPJ_ERR_TYPE, "%s is MPJ_DATATYPE_NULL", argument);
  if (!mpj_pool_has(&pool, handle))
    return mpj_error(MPJ_ERR_TYPE, "%s is %p, which is no datatype", argument, (void *)handle);
  return mpj_error(MPJ_ERR_TYPE, "%s is %p, which was freed", argument, (void *)handle);
}

int mpj_type_resolve_committed(MPJ_Datatype handle, const char *argument, struct mpj_type **out)
{
  struct mpj_type *type;
  int status = mpj_type_resolve(handle, argument, &type);
  if (status) return status;
  if (!atomic_load_explicit(&type->committed, memory_order_acquire))
    return mpj_error(MPJ_ERR_TYPE, "%s is %p, which is not committed", argument, (void *)handle);
  *out = type;
  return MPJ_SUCCESS;
}

/* Numbers are never reused: when they have run out nobody gets one any more. */
uint32_t mpj_type_tag(struct mpj_type *type)
{
  static atomic_uint last;
  unsigned tag = atomic_load_explicit(&type->tag, memory_order_relaxed), next;
  if (tag != 0) return tag;
  next = atomic_load_explicit(&last, memory_order_relaxed);
  do
    if (next == UINT32_MAX) return 0;
  while (!atomic_compare_exchange_weak_explicit(&last, &next, next + 1, memory_order_relaxed,
                                                memory_order_relaxed));
  if (!atomic_compare_exchange_strong_explicit(&type->tag, &tag, next + 1, memory_order_relaxed,
                                               memory_order_relaxed))
    return tag; /* another thread was faster */
  return next + 1;
}

int mpj_type_create(const struct mpj_type_spec *spec, MPJ_Datatype *newtype)
{
  struct mpj_type *type = mpj_pool_take(&pool);
  if (!type) {
    struct mpj_type_spec unused = *spec;
    mpj_spec_release(&unused);
    return mpj_error(MPJ_ERR_NO_MEM, "datatype of %zu bytes could not be allocated",
                     sizeof(struct mpj_type));
  }
  type->basic = -1;
  atomic_init(&type->shares, 0);
  atomic_init(&type->committed, false);
  atomic_init(&type->tag, 0);
  type->marked = spec->marked;
  type->alignment = spec->alignment;
  type->map = spec->map;
  type->lb = spec->lb;
  type->ub = spec->ub;
  type->parts = spec->parts;
  type->form = spec->form;
  type->combiner = (uint8_t)spec->combiner;
  type->depth = (uint16_t)spec->depth;
  *newtype = type;
  return MPJ_SUCCESS;
}

void mpj_type_give(struct mpj_type *type)
{
  mpj_pool_give(&pool, type);
}

/* Whether the parts hold as much data as the map, and the same. */
static bool parts_make_map(const struct mpj_type *type)
{
  struct mpj_signature all = mpj_signature_empty;
  const struct mpj_sparse *sparse = mpj_sparse_of(type->parts);
  const MPJ_Count n = sparse ? sparse->given.n : type->parts->count;
  for (MPJ_Count k = 0; k < n; k++) {
    struct mpj_view view;
    const MPJ_Count i = sparse ? mpj_sequence_at(sparse->given.numbers, k) : k;
    if (mpj_type_part_view(type, i, &view)) return false;
    all = mpj_signature_join(all, mpj_view_signature(&view));
  }
  return mpj_signature_equal(&all, &type->map.layout->signature);
}

/* From here on lie the data and heap of programs that are loaded at random addresses: what is there
 * is an absolute address, and the kernel need not be asked. */
static const MPJ_Aint HIGH = (MPJ_Aint)1 << 32;

bool mpj_type_needs_base(const struct mpj_type *type)
{
  const MPJ_Aint lowest = mpj_type_lowest(type);
  if (type->map.layout->signature.bytes == 0 || lowest >= HIGH) return false;
  return lowest <= 0 || !mpj_page_is_mapped((uintptr_t)lowest);
}

bool mpj_type_check(const struct mpj_type *type)
{
  const struct mpj_layout *layout = type->map.layout;
  if (type->mark != pool.mark || type->alignment < 1) return false;
  if (layout->kind == MPJ_LAYOUT_EMPTY && type->map.displ != 0) return false;
  if (!type->marked && type->lb != type->map.displ + layout->true_lb) return false;
  if (!type->marked && (type->ub - type->lb) % type->alignment != 0) return false;
  return mpj_layout_check(layout) && parts_make_map(type);
}

size_t mpj_type_slot_bytes(void)
{
  return pool.object_size;
}

size_t mpj_type_live(void)
{
  return mpj_pool_live(&pool);
}
