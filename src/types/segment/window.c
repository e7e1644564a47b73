/* This file makes an INDEX of some blocks of another, over its sequences. */
#include "base/least.h"
#include "base/memory.h"
#include "base/status.h"
#include "types/layout/intern.h"
#include "types/layout/layout_measure.h"
#include "types/segment/segment.h"
#include "types/sequence/sequence.h"

/* What a scan of the blocks [first, first + n) finds. */
struct scan {
  bool equal;         /* lengths */
  bool progress;      /* displacements */
  MPJ_Aint low, high; /* of the children's origins, from the index's */
};

static void take_block(MPJ_Aint displ, MPJ_Count copies, MPJ_Aint stride, struct scan *s)
{
  MPJ_Aint last = displ + (copies - 1) * stride;
  s->low = displ < s->low ? displ : s->low;
  s->low = last < s->low ? last : s->low;
  s->high = displ > s->high ? displ : s->high;
  s->high = last > s->high ? last : s->high;
}

static struct scan scan_blocks(const struct mpj_layout *index, MPJ_Count first, MPJ_Count n)
{
  struct scan s = {true, true, PTRDIFF_MAX, PTRDIFF_MIN};
  MPJ_Aint displs[MPJ_LAYOUT_FRAME], start, second;
  MPJ_Count copies[MPJ_LAYOUT_FRAME], len, before;
  mpj_layout_index_block(index, first, &start, &len, NULL);
  mpj_layout_index_block(index, first + 1, &second, NULL, NULL);
  for (MPJ_Count i = 0; i < n; i += MPJ_LAYOUT_FRAME) {
    MPJ_Count m = mpj_least(MPJ_LAYOUT_FRAME, n - i);
    mpj_layout_index_blocks(index, first + i, m, displs, copies, &before);
    for (MPJ_Count k = 0; k < m; k++) {
      take_block(displs[k], copies[k], index->u.index.stride, &s);
      s.equal = s.equal && copies[k] == len;
      s.progress =
          s.progress && displs[k] == mpj_wrap_muladd(i + k, mpj_wrap_sub(second, start), start);
    }
  }
  return s;
}

/* By copying the blocks and normalising them: for few, or for regular ones. */
static int copy_blocks(struct mpj_layout *index, MPJ_Count first, MPJ_Count n,
                       struct mpj_piece *out)
{
  MPJ_Count *copies = mpj_alloc((size_t)n * sizeof *copies), before;
  MPJ_Aint *displs = mpj_alloc((size_t)n * sizeof *displs);
  int status;
  if (copies && displs) {
    mpj_layout_index_blocks(index, first, n, displs, copies, &before);
    status = mpj_layout_index(n, copies, 0, displs, index->u.index.stride,
                              (struct mpj_piece){index->u.index.child, 0}, out);
  } else {
    status =
        mpj_error(MPJ_ERR_NO_MEM, "%td blocks of a slice could not be allocated", (ptrdiff_t)n);
  }
  mpj_free(copies);
  mpj_free(displs);
  return status;
}

static int fill_window(struct mpj_layout *node, struct mpj_layout *index, MPJ_Count first,
                       MPJ_Aint start)
{
  MPJ_Count n = node->u.index.nblocks, frame = first / MPJ_LAYOUT_FRAME;
  int status = mpj_sequence_window(index->u.index.displs, first, n, start, &node->u.index.displs);
  if (status || !index->u.index.lens) return status;
  status = mpj_sequence_window(index->u.index.lens, first, n, 0, &node->u.index.lens);
  if (status) return status;
  MPJ_Count before = mpj_sequence_at(index->u.index.starts, frame);
  return mpj_sequence_window(index->u.index.starts, frame, n / MPJ_LAYOUT_FRAME + 1, before,
                             &node->u.index.starts);
}

int mpj_layout_index_window(struct mpj_layout *index, MPJ_Count first, MPJ_Count n,
                            struct mpj_piece *out)
{
  if (n <= MPJ_LAYOUT_FRAME) return copy_blocks(index, first, n, out);
  struct scan scan = scan_blocks(index, first, n);
  MPJ_Aint start;
  bool regular = index->u.index.uniform ? scan.progress : scan.equal;
  if (regular) return copy_blocks(index, first, n, out);
  struct mpj_layout *node = mpj_layout_new(MPJ_LAYOUT_INDEX);
  if (!node) return mpj_error(MPJ_ERR_NO_MEM, "a layout could not be allocated");
  mpj_layout_index_block(index, first, &start, NULL, NULL);
  node->u.index.child = mpj_layout_retain(index->u.index.child);
  node->u.index.stride = index->u.index.stride;
  node->u.index.uniform = index->u.index.uniform;
  node->u.index.nblocks = n;
  int status = fill_window(node, index, first, start);
  if (!status) status = mpj_layout_measure_index(node);
  if (!status)
    status = mpj_layout_bound_index(node, start, node->u.index.child, scan.low, scan.high);
  if (status) {
    mpj_layout_discard(node);
    return status;
  }
  mpj_layout_intern(node, start, out);
  return MPJ_SUCCESS;
}
