/* This file numbers the different layouts of a list of pieces. */
#include "types/layout/shapes.h"

#include <string.h>

#include "base/memory.h"

/* Room that a table begins with. */
enum { FIRST = 64, FIRST_MOST = 4096 };

struct mpj_shapes *mpj_shapes_new(MPJ_Count n, struct mpj_layout *const layouts[])
{
  const size_t bytes = sizeof(struct mpj_shapes) + (size_t)n * sizeof *layouts;
  struct mpj_shapes *shapes = mpj_alloc(bytes);
  if (!shapes) return NULL;
  atomic_init(&shapes->references, 1);
  shapes->n = n;
  for (MPJ_Count i = 0; i < n; i++)
    shapes->all[i] = mpj_layout_retain(layouts[i]);
  return shapes;
}

struct mpj_shapes *mpj_shapes_retain(struct mpj_shapes *shapes)
{
  if (shapes) mpj_refcount_up(&shapes->references);
  return shapes;
}

/* The layouts met so far, and a hash table of 1 + their numbers; 0: free.
 * Invariant: room > 2 * n, a power of two. */
struct met {
  MPJ_Count n, room;
  struct mpj_layout **layouts; /* [room / 2], borrowed layouts */
  MPJ_Count *slots;            /* [room] */
};

/* The slot that the layout has, or would have. */
static MPJ_Count *slot_of(const struct met *met, const struct mpj_layout *layout)
{
  uint64_t hash = layout->id * UINT64_C(0x9e3779b97f4a7c15);
  for (uint64_t at = hash >> 32;; at++) {
    MPJ_Count *slot = &met->slots[at & ((uint64_t)met->room - 1)];
    if (*slot == 0 || met->layouts[*slot - 1] == layout) return slot;
  }
}

static void free_met(struct met *met)
{
  mpj_free(met->layouts);
  mpj_free(met->slots);
}

static bool grow(struct met *met, MPJ_Count first)
{
  const MPJ_Count room = met->room > 0 ? 4 * met->room : first;
  struct met larger = {met->n, room, mpj_alloc_array((size_t)room / 2, sizeof *met->layouts),
                       mpj_alloc_array((size_t)room, sizeof *met->slots)};
  if (!larger.layouts || !larger.slots) {
    free_met(&larger);
    return false;
  }
  if (met->n > 0) memcpy(larger.layouts, met->layouts, (size_t)met->n * sizeof *met->layouts);
  for (MPJ_Count i = 0; i < met->n; i++)
    *slot_of(&larger, larger.layouts[i]) = i + 1;
  free_met(met);
  *met = larger;
  return true;
}

struct mpj_shapes *mpj_shapes_of_pieces(MPJ_Count n, const struct mpj_piece pieces[],
                                        MPJ_Count rows[])
{
  struct met met = {0, 0, NULL, NULL};
  struct mpj_shapes *shapes = NULL;
  MPJ_Count first = FIRST;
  while (first < 2 * n + 2 && first < FIRST_MOST)
    first *= 2;
  for (MPJ_Count i = 0; i < n; i++) {
    struct mpj_layout *layout = pieces[i].layout;
    if (2 * met.n + 2 > met.room && !grow(&met, first)) goto done;
    MPJ_Count *slot = slot_of(&met, layout);
    if (*slot == 0) {
      met.layouts[met.n] = layout;
      *slot = ++met.n;
    }
    rows[i] = *slot - 1;
  }
  shapes = mpj_shapes_new(met.n, met.layouts);
done:
  free_met(&met);
  return shapes;
}
