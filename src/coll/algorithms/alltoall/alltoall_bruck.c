/* This file lays down Bruck's alltoall: what has d ranks to go goes by the digits of d
 * in base k, with all else that goes the same way in that round, as a bundle: its sizes are
 * known only to its two ends.
 *
 * Cost: ceil(log_k p)(k - 1) alpha + n log_k p (k - 1) / k beta, n being one rank's data.
 * Wins for short data and many ranks with cores of their own.
 * Source: J. Bruck et al. 1997. */
#include "base/memory.h"
#include "base/status.h"
#include "coll/plan/build.h"
#include "coll/select/algorithms.h"

struct moves {
  bool in_place;
  struct mpj_operand *at; /* [size] the bundle that has what is d ranks from its end, under the tag
                             d; none: it is where it was */
};

static struct mpj_operand record(struct mpj_operand bundle, int d)
{
  return mpj_operand_records(bundle, d, 1);
}

static void collect(struct mpj_flow *f, const struct moves *m, int d, struct mpj_operand out)
{
  const enum mpj_buffer buffer = m->in_place ? MPJ_BUFFER_RECV : MPJ_BUFFER_SEND;
  const int to = (f->comm->rank + d) % f->comm->size;
  mpj_flow_copy(
      f, m->at[d].buffer != MPJ_BUFFER_NONE ? record(m->at[d], d) : mpj_operand_part(buffer, to),
      record(out, d));
}

/* Let all whose digit at this place is j go that far. */
static void move(struct mpj_flow *f, struct moves *m, int place, int j, unsigned name)
{
  const int p = f->comm->size, me = f->comm->rank, radix = mpj_variant_radix(f->variant);
  const struct mpj_operand out = mpj_flow_bundle(f), came = mpj_flow_bundle(f);
  for (int d = 1; d < p; d++)
    if (d / place % radix == j) collect(f, m, d, out);
  mpj_flow_send(f, (me + j * place) % p, name, out);
  mpj_flow_recv(f, (me - j * place + p) % p, name, came);
  for (int d = 1; d < p; d++)
    if (d / place % radix == j) m->at[d] = came;
}

void mpj_alltoall_bruck(struct mpj_flow *f, int root)
{
  (void)root;
  const int p = f->comm->size, me = f->comm->rank, radix = mpj_variant_radix(f->variant);
  struct moves m = {.in_place = f->variant & MPJ_VARIANT_IN_PLACE,
                    .at = mpj_alloc_array((size_t)p, sizeof *m.at)};
  const unsigned moves = mpj_flow_phase(f, (radix - 1) * mpj_rounds(p, radix));
  int index = 1;
  if (!m.at) mpj_flow_fail(f, mpj_error(MPJ_ERR_NO_MEM, "no memory for %d messages", p));
  for (int d = 0; m.at && d < p; d++)
    m.at[d] = mpj_operand_none();
  for (int place = 1; m.at && place < p; place *= radix)
    for (int j = 1; j < radix && j * place < p; j++)
      move(f, &m, place, j, mpj_name(moves, index++));
  for (int d = 1; m.at && d < p; d++)
    mpj_flow_copy(f, record(m.at[d], d), mpj_operand_part(MPJ_BUFFER_RECV, (me - d + p) % p));
  mpj_free(m.at);
  if (!m.in_place)
    mpj_flow_copy(f, mpj_operand_part(MPJ_BUFFER_SEND, me), mpj_operand_part(MPJ_BUFFER_RECV, me));
}
