/* This header declares how the ends of steps are found in memory, and data is moved from and to
 * them. */
#ifndef MPJ_SRC_COLL_STEPS_ENDS_H
#define MPJ_SRC_COLL_STEPS_ENDS_H

#include <string.h>

#include "coll/comm/comm.h"
#include "coll/plan/plan.h"
#include "coll/run/control.h"

/* What an end's `at` is relative to; and the address of a dense one. */
static inline void *mpj_end_base(const struct mpj_slot *slot, const struct mpj_end *end)
{
  return end->buffer == MPJ_BUFFER_SEND   ? slot->call->sendbuf
         : end->buffer == MPJ_BUFFER_RECV ? slot->call->recvbuf
                                          : slot->temporaries[end->number];
}
static inline char *mpj_end_address(const struct mpj_slot *slot, const struct mpj_end *end)
{
  return (char *)((uintptr_t)mpj_end_base(slot, end) + (uintptr_t)end->at);
}
/* Have its temporary, if it is one. Errors: MPJ_ERR_NO_MEM. */
MPJ_ASIDE int mpj_end_borrow(struct mpj_slot *slot, const struct mpj_end *end);
static inline bool mpj_end_is_there(const struct mpj_slot *slot, const struct mpj_end *end)
{
  return end->buffer != MPJ_BUFFER_TEMP || slot->temporaries[end->number];
}
static inline int mpj_end_have(struct mpj_slot *slot, const struct mpj_end *end)
{
  return mpj_end_is_there(slot, end) ? MPJ_SUCCESS : mpj_end_borrow(slot, end);
}
/* The stretch of `bytes` bytes as a view relative to the base; in a view that is not dense it is
 * the whole. */
struct mpj_view mpj_end_view(const struct mpj_comm *comm, const struct mpj_slot *slot,
                             const struct mpj_end *end, MPJ_Count bytes);
/* A cursor at its beginning; pack or unpack its first bytes. Errors: MPJ_ERR_NO_MEM. */
int mpj_end_cursor(const struct mpj_comm *comm, const struct mpj_slot *slot,
                   const struct mpj_end *end, MPJ_Count bytes, struct mpj_cursor *cursor);
MPJ_ASIDE int mpj_end_pack_pieces(const struct mpj_comm *comm, const struct mpj_slot *slot,
                                  const struct mpj_end *end, void *out, MPJ_Count bytes);
MPJ_ASIDE int mpj_end_unpack_pieces(const struct mpj_comm *comm, const struct mpj_slot *slot,
                                    const struct mpj_end *end, const void *in, MPJ_Count bytes);
/* Most data is of one of these lengths. */
static inline void mpj_copy_bytes(void *to, const void *from, size_t bytes)
{
  if (bytes == 8)
    memcpy(to, from, 8);
  else if (bytes == 4)
    memcpy(to, from, 4);
  else if (bytes > 0)
    memcpy(to, from, bytes);
}
static inline int mpj_end_pack(const struct mpj_comm *comm, const struct mpj_slot *slot,
                               const struct mpj_end *end, void *out, MPJ_Count bytes)
{
  if (!end->dense) return mpj_end_pack_pieces(comm, slot, end, out, bytes);
  mpj_copy_bytes(out, mpj_end_address(slot, end), (size_t)bytes);
  return MPJ_SUCCESS;
}
static inline int mpj_end_unpack(const struct mpj_comm *comm, const struct mpj_slot *slot,
                                 const struct mpj_end *end, const void *in, MPJ_Count bytes)
{
  if (!end->dense) return mpj_end_unpack_pieces(comm, slot, end, in, bytes);
  mpj_copy_bytes(mpj_end_address(slot, end), in, (size_t)bytes);
  return MPJ_SUCCESS;
}

#endif
