/* This header declares how a rank finds its own control windows. */
#ifndef MPJ_SRC_COLL_CONTROL_OWN_WINDOWS_H
#define MPJ_SRC_COLL_CONTROL_OWN_WINDOWS_H

#include "coll/control/words.h"

/* This rank's own window, made when it is first asked for. NULL: there is no memory. */
struct mpj_control_window *mpj_control_make_window(struct mpj_control *control, unsigned number);
void mpj_control_end_windows(struct mpj_control *control);
static inline struct mpj_control_window *mpj_control_window(struct mpj_control *control,
                                                            unsigned number)
{
  if (control->common && number == MPJ_WORLD_CONTROL) return mpj_window_at(control->common, number);
  return mpj_control_make_window(control, number);
}

/* This rank's own post of an operation slot, where all share memory. */
static inline struct mpj_post *mpj_control_post_at(struct mpj_control *control, unsigned number,
                                                   unsigned slot)
{
  struct mpj_net *net = control->net;
  return mpj_post_at(mpj_net_common(net, net->rank, mpj_window_extent(number)), number, slot);
}

#endif
