/* This header declares how pieces of a sequence stand to their neighbours. For the
 * layout_seq.c, layout_check.c and long_seq*.c files. */
#ifndef MPJ_SRC_TYPES_LAYOUT_NEIGHBOURS_H
#define MPJ_SRC_TYPES_LAYOUT_NEIGHBOURS_H

#include "types/layout/layout.h"

/* A piece seen as a row of count units, stride bytes apart. */
struct mpj_row {
  struct mpj_layout *unit; /* borrowed */
  MPJ_Aint stride;
  MPJ_Count count;
};

struct mpj_row mpj_row_of_run(const struct mpj_layout *run);

static inline struct mpj_row mpj_row_of(struct mpj_layout *layout)
{
  if (layout->kind == MPJ_LAYOUT_RUN) return mpj_row_of_run(layout);
  if (layout->kind == MPJ_LAYOUT_LOOP)
    return (struct mpj_row){layout->u.loop.child, layout->u.loop.stride, layout->u.loop.count};
  return (struct mpj_row){layout, 0, 1};
}

/* Whether a, then b, is one run or one loop; then *whole is the row of both. */
bool mpj_rows_join(struct mpj_piece a, struct mpj_piece b, struct mpj_row *whole);

/* Whether b at its displacement goes on a's row; then *whole is the row of both. */
bool mpj_row_goes_on(struct mpj_row a, MPJ_Aint a_displ, struct mpj_row b, MPJ_Aint b_displ,
                     struct mpj_row *whole);

#endif
