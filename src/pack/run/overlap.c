/* This file searches layouts for memory that they describe more than once. */
#include "pack/run/overlap.h"

#include <stdlib.h>

#include "base/least.h"
#include "base/memory.h"
#include "base/status.h"
#include "pack/run/cursor.h"
#include "types/layout/footprint.h"
#include "types/layout/layout_make.h"

/* What is known of a layout. */
struct verdict {
  struct mpj_attachment head;
  struct mpj_overlap overlap;
};

/* The bytes [low, high) from the origin; `low` of a dense block is where it begins. */
struct bounds {
  MPJ_Aint low, high;
};

static int compare(const void *a, const void *b)
{
  const struct bounds *x = a, *y = b;
  return (x->low > y->low) - (x->low < y->low);
}

/* Sort n bounds, none empty, and set *overlap to the first that has bytes of an earlier one. */
static void sort_and_search(struct bounds list[], size_t n, struct mpj_overlap *overlap)
{
  size_t reaching = 0; /* of those before, the one that ends last */
  overlap->found = false;
  qsort(list, n, sizeof *list, compare);
  for (size_t i = 1; i < n && !overlap->found; i++) {
    if (list[i].low < list[reaching].high)
      *overlap = (struct mpj_overlap){true, list[reaching].low, list[i].low};
    if (list[i].high > list[reaching].high) reaching = i;
  }
}

static int allocate(MPJ_Count n, struct bounds **list)
{
  *list = mpj_alloc((size_t)n * sizeof **list);
  if (*list) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_NO_MEM, "no memory to compare %lld blocks", (long long)n);
}

/* Fill list[] with the view's next dense blocks, at most `most`. Returns their number. */
static size_t list_blocks(struct mpj_cursor *c, struct bounds list[], size_t most)
{
  enum { BATCH = 256 };
  struct iovec iov[BATCH];
  size_t n = 0;
  while (n < most && mpj_cursor_remaining(c) > 0) {
    MPJ_Count bytes;
    const size_t room = most - n < BATCH ? most - n : BATCH;
    const size_t got = mpj_cursor_iov(c, iov, room, mpj_cursor_remaining(c), &bytes);
    for (size_t i = 0; i < got; i++, n++) {
      list[n].low = (MPJ_Aint)(intptr_t)iov[i].iov_base;
      list[n].high = list[n].low + (MPJ_Aint)iov[i].iov_len;
    }
  }
  return n;
}

/* Compare the dense blocks of `count` copies of a layout one by one. */
static int search_blocks(struct mpj_layout *layout, MPJ_Count count, MPJ_Aint stride,
                         struct mpj_overlap *overlap)
{
  const struct mpj_view view = {layout, count, stride, 0};
  struct mpj_cursor c;
  MPJ_Count n = 0, bytes;
  struct bounds *list;
  int status = mpj_cursor_begin(&c, &view, NULL);
  if (status != MPJ_SUCCESS) return status;
  n = mpj_cursor_pass(&c, MPJ_OVERLAP_BLOCKS, mpj_cursor_remaining(&c), &bytes);
  mpj_cursor_seek(&c, 0);
  status = allocate(n, &list);
  if (status == MPJ_SUCCESS) {
    sort_and_search(list, list_blocks(&c, list, (size_t)n), overlap);
    mpj_free(list);
  }
  mpj_cursor_end(&c);
  return status;
}

/* A loop in a nest: so many copies, so many bytes apart. */
struct level {
  MPJ_Count count;
  uint64_t distance;
};

static int compare_levels(const void *a, const void *b)
{
  const struct level *x = a, *y = b;
  return (x->distance > y->distance) - (x->distance < y->distance);
}

/* Whether copies of `bytes` bytes in a nest of loops lie apart because, in some order of the
 * loops, each goes by steps no shorter than all that is inside. */
static bool nest_lies_apart(struct level levels[], size_t n, uint64_t bytes)
{
  qsort(levels, n, sizeof *levels, compare_levels);
  for (size_t i = 0; i < n; i++) {
    if (levels[i].distance < bytes) return false;
    if ((uint64_t)(levels[i].count - 1) > (UINT64_MAX - bytes) / levels[i].distance) return false;
    bytes += (uint64_t)(levels[i].count - 1) * levels[i].distance;
  }
  return true;
}

/* `count` copies of a layout, stride bytes apart. */
static int search_copies(struct mpj_layout *layout, MPJ_Count count, MPJ_Aint stride,
                         struct mpj_overlap *overlap)
{
  struct level levels[MPJ_LAYOUT_DEPTH_MAX];
  struct mpj_layout *inner = layout;
  size_t n = 0;
  if (count > 1)
    levels[n++] = (struct level){count, stride < 0 ? -(uint64_t)stride : (uint64_t)stride};
  for (; inner->kind == MPJ_LAYOUT_LOOP && n < MPJ_LAYOUT_DEPTH_MAX; inner = inner->u.loop.child) {
    const MPJ_Aint s = inner->u.loop.stride;
    levels[n++] = (struct level){inner->u.loop.count, s < 0 ? -(uint64_t)s : (uint64_t)s};
  }
  /* The first copy lies at the origin, in each loop. */
  if (nest_lies_apart(levels, n, (uint64_t)inner->true_ub - (uint64_t)inner->true_lb))
    return mpj_layout_overlap(inner, overlap);
  return search_blocks(layout, count, stride, overlap);
}

static void shift(struct mpj_overlap *overlap, MPJ_Aint displ)
{
  if (!overlap->found) return;
  overlap->first += displ;
  overlap->second += displ;
}

/* Put the bounds of the first n blocks in list[], and search the longest one: what another has
 * inside, it has too. */
static int bound_blocks(const struct mpj_layout *layout, MPJ_Count n, struct bounds list[],
                        struct mpj_overlap *overlap)
{
  struct mpj_layout *child = layout->u.index.child;
  MPJ_Aint displs[MPJ_LAYOUT_FRAME], longest_displ = 0;
  MPJ_Count copies[MPJ_LAYOUT_FRAME], start, longest = 0;
  for (MPJ_Count first = 0, len; first < n; first += len) {
    len = mpj_least(n - first, MPJ_LAYOUT_FRAME);
    mpj_layout_index_blocks(layout, first, len, displs, copies, &start);
    for (MPJ_Count i = 0; i < len; i++) {
      const MPJ_Aint last = (copies[i] - 1) * layout->u.index.stride;
      list[first + i].low = displs[i] + child->true_lb + (last < 0 ? last : 0);
      list[first + i].high = displs[i] + child->true_ub + (last > 0 ? last : 0);
      if (copies[i] <= longest) continue;
      longest = copies[i];
      longest_displ = displs[i];
    }
  }
  const int status = search_copies(child, longest, layout->u.index.stride, overlap);
  if (status == MPJ_SUCCESS) shift(overlap, longest_displ);
  return status;
}

/* The same of the first n pieces, each of which is searched. */
static int bound_pieces(const struct mpj_layout *layout, MPJ_Count n, struct bounds list[],
                        struct mpj_overlap *overlap)
{
  for (MPJ_Count i = 0; i < n && !overlap->found; i++) {
    struct mpj_piece piece;
    mpj_layout_seq_piece(layout, i, &piece, NULL);
    list[i].low = piece.displ + piece.layout->true_lb;
    list[i].high = piece.displ + piece.layout->true_ub;
    const int status = mpj_layout_overlap(piece.layout, overlap);
    if (status != MPJ_SUCCESS) return status;
    shift(overlap, piece.displ);
  }
  return MPJ_SUCCESS;
}

/* An INDEX or a SEQ: inside its blocks or pieces, then, if their bounds meet, one by one. */
static int search_items(struct mpj_layout *layout, struct mpj_overlap *overlap)
{
  const bool index = layout->kind == MPJ_LAYOUT_INDEX;
  const MPJ_Count n =
      mpj_least(index ? layout->u.index.nblocks : layout->u.seq.npieces, MPJ_OVERLAP_BLOCKS);
  struct mpj_overlap meeting = {0};
  struct bounds *list;
  int status = allocate(n, &list);
  if (status != MPJ_SUCCESS) return status;
  status = index ? bound_blocks(layout, n, list, overlap) : bound_pieces(layout, n, list, overlap);
  if (status == MPJ_SUCCESS && !overlap->found) sort_and_search(list, (size_t)n, &meeting);
  mpj_free(list);
  return meeting.found ? search_blocks(layout, 1, 0, overlap) : status;
}

static int search(struct mpj_layout *layout, struct mpj_overlap *overlap)
{
  *overlap = (struct mpj_overlap){0};
  return layout->kind == MPJ_LAYOUT_LOOP ? search_copies(layout, 1, 0, overlap)
                                         : search_items(layout, overlap);
}

static void destroy(struct mpj_attachment *self)
{
  mpj_free(self);
}

static void measure(const struct mpj_attachment *self, struct mpj_footprint *f)
{
  mpj_footprint_add(f, self);
}

int mpj_layout_overlap(struct mpj_layout *layout, struct mpj_overlap *overlap)
{
  *overlap = (struct mpj_overlap){0};
  if (layout->kind == MPJ_LAYOUT_EMPTY || layout->kind == MPJ_LAYOUT_RUN) return MPJ_SUCCESS;
  struct mpj_attachment *known = mpj_layout_attachment(layout, MPJ_ATTACH_OVERLAP);
  if (!known) {
    struct verdict *verdict = mpj_alloc_array(1, sizeof *verdict);
    if (!verdict) return mpj_error(MPJ_ERR_NO_MEM, "no memory for a type's overlap");
    const int status = search(layout, &verdict->overlap);
    if (status != MPJ_SUCCESS) {
      mpj_free(verdict);
      return status;
    }
    verdict->head = (struct mpj_attachment){destroy, measure};
    known = mpj_layout_attach(layout, MPJ_ATTACH_OVERLAP, &verdict->head);
  }
  *overlap = ((struct verdict *)known)->overlap;
  return MPJ_SUCCESS;
}
