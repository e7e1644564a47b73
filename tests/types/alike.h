/* This header declares what it means that two datatypes are alike in all that
 * can be seen of them: constructor, map, bounds, and parts, with their parts. */
#ifndef MPJ_TESTS_TYPES_ALIKE_H
#define MPJ_TESTS_TYPES_ALIKE_H

#include <inttypes.h>

#include "types/made.h"

static inline bool views_alike(const struct mpj_view *a, const struct mpj_view *b)
{
  return a->layout == b->layout && a->count == b->count && a->displ == b->displ &&
         (a->count < 2 || a->stride == b->stride);
}

/* The part to look at after part i of n: of very many the first and last hundred, some between. */
static inline MPJ_Count next_part(MPJ_Count i, MPJ_Count n)
{
  enum { ENDS = 100, BETWEEN = 10000 };
  if (i < ENDS || i >= n - ENDS) return i + 1;
  const MPJ_Count next = i + 1 + n / BETWEEN;
  return next < n - ENDS ? next : n - ENDS;
}

/* `text` is for messages; parts are compared as types down to `depth`. */
static inline void must_be_alike(MPJ_Datatype a, MPJ_Datatype b, const char *text, int depth)
{
  const struct mpj_type *ta = object_of(a), *tb = object_of(b);
  ck_assert_msg(same_map(a, b), "%s: map", text);
  ck_assert_msg(ta->lb == tb->lb && ta->ub == tb->ub, "%s: bounds", text);
  ck_assert_msg(ta->marked == tb->marked && ta->alignment == tb->alignment, "%s: marks", text);
  ck_assert_msg(ta->combiner == tb->combiner, "%s: combiner %d, %d", text, ta->combiner,
                tb->combiner);
  ck_assert_msg(ta->parts->count == tb->parts->count, "%s: parts", text);
  for (MPJ_Count i = 0, n = ta->parts->count; i < n; i = next_part(i, n)) {
    struct mpj_view va, vb;
    MPJ_Datatype part[2];
    MPJ_Aint displ[2];
    must(mpj_type_part_view(ta, i, &va));
    must(mpj_type_part_view(tb, i, &vb));
    ck_assert_msg(views_alike(&va, &vb), "%s: view of part %" PRId64, text, i);
    if (depth == 0) continue;
    must(MPJ_Type_part(a, i, &displ[0], &part[0]));
    must(MPJ_Type_part(b, i, &displ[1], &part[1]));
    ck_assert_msg(displ[0] == displ[1], "%s: part %" PRId64, text, i);
    must_be_alike(part[0], part[1], text, depth - 1);
    free_types(2, part);
  }
}

#endif
