/* This file makes the control windows of a rank that are not in its near memory, and those of
 * a rank that shares none. */
#include "coll/control/own_windows.h"
#include "base/memory.h"

/* One of a rank that shares memory with nobody. */
static struct mpj_control_window *make_alone(struct mpj_control *control, unsigned number)
{
  const size_t bytes =
      number < MPJ_CONTROLS ? sizeof(struct mpj_control_window) : MPJ_SMALL_POSTS_AT;
  struct mpj_map_entry *e = mpj_map_add(&control->windows, number);
  if (e && !e->pointer) e->pointer = mpj_alloc_array(1, bytes + MPJ_CACHE_LINE);
  if (!e || !e->pointer) return NULL;
  return (struct mpj_control_window *)(((uintptr_t)e->pointer + MPJ_CACHE_LINE - 1) &
                                       ~(uintptr_t)(MPJ_CACHE_LINE - 1));
}

struct mpj_control_window *mpj_control_make_window(struct mpj_control *control, unsigned number)
{
  struct mpj_control_window *window = NULL;
  if (!control->common) {
    window = make_alone(control, number);
  } else {
    unsigned char *extent =
        mpj_net_common(control->net, control->net->rank, mpj_window_extent(number));
    if (extent) window = mpj_window_at(extent, number);
  }
  if (window && number >= control->end) control->end = number + 1;
  return window;
}

void mpj_control_end_windows(struct mpj_control *control)
{
  for (struct mpj_map_entry *e = mpj_map_next(&control->windows, NULL); e;
       e = mpj_map_next(&control->windows, e))
    mpj_free(e->pointer);
  mpj_map_end(&control->windows);
}
