/* This header declares shorthands of the types layer's unit tests: types made
 * by calls that must succeed, and what their layouts look like. */
#ifndef MPJ_TESTS_TYPES_MADE_H
#define MPJ_TESTS_TYPES_MADE_H

#include "base/assert.h"
#include "types/type.h"

/* The value of a constructor call: must(MPJ_Type_dup(old, &made)). */
#define must(call) ck_assert_msg((call) == MPJ_SUCCESS, "%s: %s", #call, MPJ_Error_detail())

/* The call returns `code`, and the detail contains `text`. */
#define must_fail(call, code, text)                                                                \
  do {                                                                                             \
    int status_ = (call);                                                                          \
    ck_assert_msg(status_ == (code) && strstr(MPJ_Error_detail(), text), "%s: %d, %s", #call,      \
                  status_, MPJ_Error_detail());                                                    \
  } while (0)

static inline const struct mpj_type *object_of(MPJ_Datatype handle)
{
  struct mpj_type *type = NULL;
  must(mpj_type_resolve(handle, "type", &type));
  return type;
}

static inline const struct mpj_layout *layout_of(MPJ_Datatype handle)
{
  const struct mpj_layout *layout = object_of(handle)->map.layout;
  ck_assert(mpj_layout_check(layout));
  return layout;
}

static inline bool same_map(MPJ_Datatype a, MPJ_Datatype b)
{
  int same;
  must(MPJ_Type_match(a, b, NULL, &same));
  return same;
}

static inline bool same_signature(MPJ_Datatype a, MPJ_Datatype b)
{
  int same;
  must(MPJ_Type_match(a, b, &same, NULL));
  return same;
}

static inline MPJ_Aint lb_of(MPJ_Datatype type)
{
  MPJ_Aint lb, extent;
  must(MPJ_Type_get_extent(type, &lb, &extent));
  return lb;
}

static inline MPJ_Aint extent_of(MPJ_Datatype type)
{
  MPJ_Aint lb, extent;
  must(MPJ_Type_get_extent(type, &lb, &extent));
  return extent;
}

static inline MPJ_Count parts_of(MPJ_Datatype type)
{
  MPJ_Count n;
  must(MPJ_Type_parts(type, &n));
  return n;
}

/* Constructors in short; the result is owned by the caller. */
static inline MPJ_Datatype contiguous(MPJ_Count count, MPJ_Datatype old)
{
  MPJ_Datatype made;
  must(MPJ_Type_contiguous(count, old, &made));
  return made;
}

static inline MPJ_Datatype vector(MPJ_Count count, MPJ_Count blocklen, MPJ_Count stride,
                                  MPJ_Datatype old)
{
  MPJ_Datatype made;
  must(MPJ_Type_vector(count, blocklen, stride, old, &made));
  return made;
}

static inline MPJ_Datatype indexed(MPJ_Count count, const MPJ_Count lens[],
                                   const MPJ_Count displs[], MPJ_Datatype old)
{
  MPJ_Datatype made;
  must(MPJ_Type_indexed(count, lens, displs, old, &made));
  return made;
}

static inline MPJ_Datatype resized(MPJ_Datatype old, MPJ_Aint lb, MPJ_Aint extent)
{
  MPJ_Datatype made;
  must(MPJ_Type_create_resized(old, lb, extent, &made));
  return made;
}

static inline void free_types(int n, MPJ_Datatype types[])
{
  for (int i = 0; i < n; i++)
    must(MPJ_Type_free(&types[i]));
}

/* Nothing is left over from a test. */
static inline void nothing_lives(void)
{
  ck_assert_uint_eq(mpj_type_live(), 0);
  ck_assert_uint_eq(mpj_layout_live(), 0);
}

#endif
