/* This header declares the datatype object: a layout at a displacement, the
 * part table over it, and bounds.
 *
 * Invariant: map.layout and parts are owned and never change after creation;
 * the parts' data in order is the map's data in order. Later only
 * `committed` is written, from 0 to 1, the annex, `shares` and, once, `tag`. */
#ifndef MPJ_SRC_TYPES_TYPE_H
#define MPJ_SRC_TYPES_TYPE_H

#include <stdatomic.h>
#include <stdbool.h>

#include <mpj/datatype.h>

#include "base/chunks.h"
#include "types/layout/layout.h"
#include "types/make/spec.h"
#include "types/parts/parts.h"
#include "types/parts/view.h"

/* The live mark of the handle pool. */
#define MPJ_TYPE_MARK 0x54504a4du

struct mpj_type {
  uint32_t mark;     /* MPJ_TYPE_MARK, or 0 after it was freed */
  atomic_int shares; /* owners of the handle beyond the first */
  int16_t basic;     /* row of mpj_basics, or -1 */
  uint16_t depth;    /* as in spec.h, and combiner */
  atomic_bool committed;
  bool marked; /* bounds were set by resized, subarray, ... (MPI's markers) */
  uint8_t combiner;
  int alignment;           /* strictest of the basic types, bytes; 1 if none */
  atomic_uint tag;         /* mpj_type_tag; 0: it has none yet */
  struct mpj_piece map;    /* the whole type map */
  MPJ_Aint lb, ub;         /* bytes; extent = ub - lb */
  struct mpj_parts *parts; /* shared */
  struct mpj_form *form;   /* shared, or NULL */
  struct mpj_annex *annex; /* name and attributes of the handle; owned, or NULL */
};

/* Resolve a handle: set *out to the live type behind it, or return MPJ_ERR_TYPE
 * with a detail that names `argument` and says what is wrong (null, freed, and
 * for the committed form: not committed). The object is the handle's: it lives
 * until MPJ_Type_free. */
int mpj_type_resolve(MPJ_Datatype handle, const char *argument, struct mpj_type **out);
int mpj_type_resolve_committed(MPJ_Datatype handle, const char *argument, struct mpj_type **out);
/* The same for who only looks at it. */
static inline int mpj_type_committed(MPJ_Datatype handle, const char *argument,
                                     const struct mpj_type **out)
{
  struct mpj_type *type = NULL;
  const int status = mpj_type_resolve_committed(handle, argument, &type);
  if (status == MPJ_SUCCESS) *out = type;
  return status;
}

/* The live type behind a handle, or NULL. */
struct mpj_type *mpj_type_find(MPJ_Datatype handle);

enum { MPJ_TYPE_ALIGNMENT = 16 };

/* Whether a handle, which may be any word, can be looked at as an object. */
static inline bool mpj_type_may_be_object(MPJ_Datatype handle)
{
  return (uintptr_t)handle % MPJ_TYPE_ALIGNMENT == 0 && mpj_chunk_holds((uintptr_t)handle);
}

/* The live type behind a handle, or NULL: it is a basic type's, or there is something to say about
 * it, and mpj_type_resolve knows what. */
static inline struct mpj_type *mpj_type_object(MPJ_Datatype handle)
{
  if (!mpj_type_may_be_object(handle)) return NULL;
  return __atomic_load_n(&handle->mark, __ATOMIC_RELAXED) == MPJ_TYPE_MARK ? handle : NULL;
}

/* The same of a committed one. */
static inline struct mpj_type *mpj_type_quick(MPJ_Datatype handle)
{
  struct mpj_type *type = mpj_type_object(handle);
  return type && atomic_load_explicit(&type->committed, memory_order_acquire) ? type : NULL;
}

/* The whole type as a view (borrows type's layout). */
static inline struct mpj_view mpj_type_view(const struct mpj_type *type)
{
  return (struct mpj_view){type->map.layout, 1, 0, type->map.displ};
}

/* The lowest byte of the type's data, relative to the base; 0 if there is none. */
static inline MPJ_Aint mpj_type_lowest(const struct mpj_type *type)
{
  return type->map.displ + type->map.layout->true_lb;
}

/* Whether the type's data cannot have the base NULL: there is some, and its lowest byte, taken for
 * an absolute address, is in no mapping. The first page never is. */
bool mpj_type_needs_base(const struct mpj_type *type);

/* Set *out to the type's description, which borrows its map, parts and form. Field
 * by field: an object that is built on the stack and then copied is waited for. */
static inline void mpj_type_describe(const struct mpj_type *type, struct mpj_type_spec *out)
{
  out->map = type->map;
  out->parts = type->parts;
  out->form = type->form;
  out->lb = type->lb;
  out->ub = type->ub;
  out->alignment = type->alignment;
  out->marked = type->marked;
  out->combiner = type->combiner & 0x7fu;
  out->depth = type->depth;
}

static inline struct mpj_type_spec mpj_type_spec_of(const struct mpj_type *type)
{
  struct mpj_type_spec spec;
  mpj_type_describe(type, &spec);
  return spec;
}

/* A number that no other type of this process has had or will have, for those who keep what
 * they found out about a type; 0: there are no more. Threads: any. */
uint32_t mpj_type_tag(struct mpj_type *type);
/* The number that it has, or 0: it was not asked for yet. */
static inline uint32_t mpj_type_tag_known(const struct mpj_type *type)
{
  return atomic_load_explicit(&type->tag, memory_order_relaxed);
}

/* Whether the memory of a type, which may have been freed since, is that of a live one with this
 * tag. */
static inline bool mpj_type_has_tag(const struct mpj_type *type, uint32_t tag)
{
  return __atomic_load_n(&type->mark, __ATOMIC_RELAXED) == MPJ_TYPE_MARK &&
         mpj_type_tag_known(type) == tag;
}

/* Part i, 0 <= i < parts->count, as a view. MPJ_ERR_NO_MEM as in parts.h. */
static inline int mpj_type_part_view(const struct mpj_type *type, MPJ_Count i,
                                     struct mpj_view *view)
{
  return type->parts->ops->view(type->parts, i, view);
}

/* For constructors: make a type of this description. Moves what spec owns:
 * on failure (MPJ_ERR_NO_MEM) it has been released. */
int mpj_type_create(const struct mpj_type_spec *spec, MPJ_Datatype *newtype);

/* Give its slot back to the pool: the handle is stale from now on. What it owned is the caller's.
 */
void mpj_type_give(struct mpj_type *type);

/* Whether the invariants hold; for debug builds and tests. */
bool mpj_type_check(const struct mpj_type *type);

/* Bytes of a handle in its pool. */
size_t mpj_type_slot_bytes(void);

/* Handles alive now; for leak checks. */
size_t mpj_type_live(void);

#endif
