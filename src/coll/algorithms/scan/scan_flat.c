/* This file lays down the flat prefix reductions: each rank sends to all higher
 * ranks, and combines what comes from the lower ones in rank order.
 *
 * Cost: (p - 1)(alpha + n (beta + gamma)), one message deep. In place the result
 * is written when the input has left. */
#include "coll/algorithms/shapes/chain.h"
#include "coll/plan/schedule_steps.h"
#include "coll/select/algorithms.h"

/* Send the input to all higher ranks; fills steps, returns how many. */
static int send_up(const struct mpj_comm *comm, struct mpj_operand input,
                   struct mpj_schedule_builder *b, int steps[])
{
  int n = 0;
  for (int to = comm->rank + 1; to < comm->size; to++)
    steps[n++] =
        mpj_schedule_send(b, to, mpj_distance_bit(comm->rank, to, comm->size), input, 0, NULL);
  return n;
}

/* Both scans: combine ranks 0 .. high. */
static void lay(const struct mpj_comm *comm, unsigned variant, int high,
                struct mpj_schedule_builder *b)
{
  const bool in_place = variant & MPJ_VARIANT_IN_PLACE;
  const struct mpj_operand input = mpj_operand_whole(in_place ? MPJ_BUFFER_RECV : MPJ_BUFFER_SEND);
  int *steps = mpj_schedule_room(b, comm->size, sizeof *steps);
  if (!steps) return;
  const int nsteps = send_up(comm, input, b, steps);
  const struct mpj_chain chain = {.high = high,
                                  .dst = mpj_operand_whole(MPJ_BUFFER_RECV),
                                  .own = input,
                                  .own_step = -1,
                                  .own_in_dst = in_place,
                                  .like = input,
                                  .nguards = in_place ? nsteps : 0,
                                  .guards = steps};
  if (high >= 0) mpj_chain_lay(comm, b, &chain);
}

int mpj_scan_flat(const struct mpj_comm *comm, int root, unsigned variant,
                  struct mpj_schedule_builder *b)
{
  (void)root;
  lay(comm, variant, comm->rank, b);
  return MPJ_SUCCESS;
}

int mpj_exscan_flat(const struct mpj_comm *comm, int root, unsigned variant,
                    struct mpj_schedule_builder *b)
{
  (void)root;
  lay(comm, variant, comm->rank - 1, b);
  return MPJ_SUCCESS;
}
