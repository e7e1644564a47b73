/* This file makes the dense and the regular layouts, runs and loops, and keeps
 * what other layers attach to a layout. */
#include "types/layout/layout_make.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/status.h"
#include "types/basic.h"
#include "types/layout/intern.h"

int mpj_layout_empty(struct mpj_piece *out)
{
  *out = (struct mpj_piece){mpj_layout_retain(mpj_layout_of_nothing()), 0};
  return MPJ_SUCCESS;
}

static int no_memory(void)
{
  return mpj_error(MPJ_ERR_NO_MEM, "layout of %zu bytes could not be allocated",
                   sizeof(struct mpj_layout));
}

int mpj_layout_run(int basic, MPJ_Count count, struct mpj_piece *out)
{
  if (count == 0) return mpj_layout_empty(out);
  if (count == 1) {
    *out = (struct mpj_piece){mpj_layout_retain(mpj_layout_of_basic(basic)), 0};
    return MPJ_SUCCESS;
  }
  MPJ_Count bytes;
  if (!mpj_mul_count(count, mpj_basics[basic].size, &bytes))
    return mpj_error(MPJ_ERR_OVERFLOW, "packed size overflows: %" PRId64 " elements of %s", count,
                     mpj_basics[basic].name);
  struct mpj_layout *node = mpj_layout_new(MPJ_LAYOUT_RUN);
  if (!node) return no_memory();
  node->depth = 1;
  node->alignment = mpj_basics[basic].alignment;
  node->basics = UINT64_C(1) << basic;
  node->u.run.basic = basic;
  node->u.run.count = count;
  mpj_signature_set_repeat(&node->signature, &mpj_layout_of_basic(basic)->signature, count);
  node->true_ub = bytes;
  mpj_layout_intern(node, 0, out);
  return MPJ_SUCCESS;
}

/* True bounds and packed size of count copies of child. An element count never
 * overflows where the packed size does not: no element is smaller than a byte. */
static int measure_loop(struct mpj_layout *node)
{
  const struct mpj_layout *child = node->u.loop.child;
  MPJ_Count count = node->u.loop.count, bytes;
  MPJ_Aint stride = node->u.loop.stride, last;
  if (!mpj_mul_count(count, child->signature.bytes, &bytes))
    return mpj_error(MPJ_ERR_OVERFLOW,
                     "packed size overflows: %" PRId64 " copies of %" PRId64 " bytes", count,
                     child->signature.bytes);
  if (!mpj_mul_aint(count - 1, stride, &last) ||
      !mpj_add_aint(child->true_lb, last < 0 ? last : 0, &node->true_lb) ||
      !mpj_add_aint(child->true_ub, last > 0 ? last : 0, &node->true_ub))
    return mpj_error(MPJ_ERR_OVERFLOW, "true bounds overflow: %" PRId64 " copies %td bytes apart",
                     count, stride);
  mpj_signature_set_repeat(&node->signature, &child->signature, count);
  node->depth = child->depth + 1;
  node->straight = child->straight;
  node->alignment = child->alignment;
  node->basics = child->basics;
  return MPJ_SUCCESS;
}

static int make_loop(MPJ_Count count, MPJ_Aint stride, struct mpj_layout *child, MPJ_Aint displ,
                     struct mpj_piece *out)
{
  struct mpj_layout *node = mpj_layout_new(MPJ_LAYOUT_LOOP);
  if (!node) return no_memory();
  node->u.loop.child = mpj_layout_retain(child);
  node->u.loop.count = count;
  node->u.loop.stride = stride;
  int status = measure_loop(node);
  if (status) {
    mpj_layout_discard(node);
    return status;
  }
  mpj_layout_intern(node, displ, out);
  return MPJ_SUCCESS;
}

bool mpj_layout_continues(const struct mpj_layout *layout, MPJ_Aint distance)
{
  MPJ_Aint whole;
  if (layout->kind == MPJ_LAYOUT_RUN) return distance == layout->signature.bytes;
  return layout->kind == MPJ_LAYOUT_LOOP &&
         mpj_mul_aint(layout->u.loop.count, layout->u.loop.stride, &whole) && whole == distance;
}

/* One run or loop of count times as many copies as the child, which continues
 * itself after one stride. */
static int extend_child(MPJ_Count count, struct mpj_piece child, struct mpj_piece *out)
{
  const struct mpj_layout *l = child.layout;
  bool run = l->kind == MPJ_LAYOUT_RUN;
  MPJ_Count inner = run ? l->u.run.count : l->u.loop.count, total;
  if (!mpj_mul_count(count, inner, &total))
    return mpj_error(MPJ_ERR_OVERFLOW,
                     "packed size overflows: %" PRId64 " copies of %" PRId64 " bytes", count,
                     l->signature.bytes);
  if (!run) return make_loop(total, l->u.loop.stride, l->u.loop.child, child.displ, out);
  int status = mpj_layout_run(l->u.run.basic, total, out);
  if (!status) out->displ = child.displ;
  return status;
}

int mpj_layout_loop(MPJ_Count count, MPJ_Aint stride, struct mpj_piece child, struct mpj_piece *out)
{
  if (count == 0 || child.layout->kind == MPJ_LAYOUT_EMPTY) return mpj_layout_empty(out);
  if (count == 1) {
    mpj_layout_retain(child.layout);
    *out = child;
    return MPJ_SUCCESS;
  }
  if (mpj_layout_continues(child.layout, stride)) return extend_child(count, child, out);
  return make_loop(count, stride, child.layout, child.displ, out);
}

struct mpj_attachment *mpj_layout_attach(struct mpj_layout *layout, int slot,
                                         struct mpj_attachment *made)
{
  struct mpj_attachment *present = NULL;
  if (mpj_single_threaded() && !mpj_layout_attachment(layout, slot)) {
    atomic_store_explicit(&layout->attachments[slot], made, memory_order_relaxed);
    return made;
  }
  if (atomic_compare_exchange_strong_explicit(&layout->attachments[slot], &present, made,
                                              memory_order_acq_rel, memory_order_acquire))
    return made;
  if (made->destroy) made->destroy(made);
  return present;
}

void *mpj_layout_room(struct mpj_layout *layout)
{
  bool taken = !layout->has_room || atomic_load_explicit(&layout->room_taken, memory_order_relaxed);
  if (taken) return NULL;
  if (mpj_single_threaded())
    atomic_store_explicit(&layout->room_taken, true, memory_order_relaxed);
  else
    taken = atomic_exchange(&layout->room_taken, true);
  return taken ? NULL : (char *)layout + mpj_layout_node_bytes(layout->kind);
}
