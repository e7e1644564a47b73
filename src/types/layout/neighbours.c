/* This file tells how pieces that follow one another join. */
#include "types/layout/neighbours.h"

#include "base/checked.h"
#include "types/basic.h"
#include "types/layout/intern.h"

struct mpj_row mpj_row_of_run(const struct mpj_layout *run)
{
  const int basic = run->u.run.basic;
  return (struct mpj_row){mpj_layout_of_basic(basic), mpj_basics[basic].size, run->u.run.count};
}

bool mpj_row_goes_on(struct mpj_row a, MPJ_Aint a_displ, struct mpj_row b, MPJ_Aint b_displ,
                     struct mpj_row *whole)
{
  MPJ_Aint end;
  if (a.unit != b.unit || a.stride != b.stride) return false;
  if (!mpj_muladd_aint(a_displ, a.count, a.stride, &end) || end != b_displ) return false;
  *whole = a;
  return mpj_add_count(a.count, b.count, &whole->count);
}

bool mpj_rows_join(struct mpj_piece a, struct mpj_piece b, struct mpj_row *whole)
{
  MPJ_Aint distance;
  struct mpj_row ra = mpj_row_of(a.layout), rb = mpj_row_of(b.layout);
  if (mpj_row_goes_on(ra, a.displ, rb, b.displ, whole)) return true;
  if (a.layout == b.layout && mpj_sub_aint(b.displ, a.displ, &distance)) {
    *whole = (struct mpj_row){a.layout, distance, 2};
    return true;
  }
  struct mpj_row one = {b.layout, ra.stride, 1};
  if (mpj_row_goes_on(ra, a.displ, one, b.displ, whole)) return true;
  one = (struct mpj_row){a.layout, rb.stride, 1};
  return mpj_row_goes_on(one, a.displ, rb, b.displ, whole);
}
