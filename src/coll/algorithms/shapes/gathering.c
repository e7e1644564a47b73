/* This file lays down the beginning and the end of allgathers. */
#include "coll/algorithms/shapes/gathering.h"

struct mpj_ring_blocks mpj_gathering_begin(struct mpj_flow *flow)
{
  const int me = flow->comm->rank;
  const bool in_place = flow->variant & MPJ_VARIANT_IN_PLACE;
  const struct mpj_ring_blocks room = {mpj_dense_result(flow), true};
  const struct mpj_operand place = mpj_operand_part(MPJ_BUFFER_RECV, me);
  if (!in_place)
    mpj_flow_copy(flow, mpj_operand_whole(MPJ_BUFFER_SEND), mpj_ring_blocks_of(flow, room, me, 1));
  else if (room.whole.buffer != MPJ_BUFFER_RECV)
    mpj_flow_copy(flow, place, mpj_ring_blocks_of(flow, room, me, 1));
  return room;
}

void mpj_gathering_end(struct mpj_flow *flow, struct mpj_ring_blocks room)
{
  const bool in_place = flow->variant & MPJ_VARIANT_IN_PLACE;
  if (room.whole.buffer == MPJ_BUFFER_RECV) return;
  for (int i = 0; i < flow->comm->size; i++)
    if (!in_place || i != flow->comm->rank)
      mpj_flow_copy(flow, mpj_ring_blocks_of(flow, room, i, 1),
                    mpj_operand_part(MPJ_BUFFER_RECV, i));
}
