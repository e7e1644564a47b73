/* This file lets neighbours in the tree of a communicator's closing exchange summaries. */
#include "coll/closing/closing_tree.h"

#include <string.h>

#include "coll/failure/difference.h"

int mpj_closing_neighbour(const struct mpj_comm *comm, unsigned i)
{
  const int64_t child = (int64_t)comm->rank * MPJ_CLOSING_CHILDREN + i;
  if (i == 0) return comm->rank == 0 ? -1 : (comm->rank - 1) / MPJ_CLOSING_CHILDREN;
  return child < comm->size ? (int)child : -1;
}

unsigned mpj_closing_neighbours(const struct mpj_comm *comm)
{
  unsigned set = 0;
  for (unsigned i = 0; i < MPJ_CLOSING_NEIGHBOURS; i++)
    if (mpj_closing_neighbour(comm, i) >= 0) set |= 1u << i;
  return set;
}

unsigned mpj_closing_set_of(const struct mpj_comm *comm, int rank)
{
  for (unsigned i = 0; i < MPJ_CLOSING_NEIGHBOURS; i++)
    if (mpj_closing_neighbour(comm, i) == rank) return 1u << i;
  return 0;
}

struct mpj_ending mpj_ending_own(const struct mpj_comm *comm)
{
  return (struct mpj_ending){comm->started, comm->history, comm->rank, comm->unsure};
}

bool mpj_ending_agree(const struct mpj_ending *a, const struct mpj_ending *b)
{
  return a->count == b->count && (a->counts || b->counts || a->history == b->history);
}

/* One whose history is known stands for those whose is not. */
void mpj_ending_add(struct mpj_closing *c, const struct mpj_ending *record)
{
  if (record->rank < 0) return;
  if (c->one.rank < 0 || (c->one.counts && mpj_ending_agree(&c->one, record)))
    c->one = *record;
  else if (c->other.rank < 0 && !mpj_ending_agree(&c->one, record))
    c->other = *record;
}

/* A message says how many operations, and as its root the serial before these. */
static const uint64_t OPERATIONS = (UINT64_C(1) << MPJ_SERIAL_SHIFT) - 1;
static_assert((int)MPJ_SERIAL_SHIFT <= (int)MPJ_SAID_BITS, "a record says how many operations");

bool mpj_ending_send(const struct mpj_comm *comm, int rank, enum mpj_ending_kind kind)
{
  const struct mpj_closing *c = comm->closing;
  const struct mpj_ending *one = &c->one;
  struct mpj_arrival_message m = {.comm = mpj_comm_id_at(comm, rank),
                                  .sequence =
                                      kind == MPJ_ENDING_ASK ? comm->id : (uint32_t)one->rank,
                                  .kind = MPJ_ARRIVAL_ENDED,
                                  .operation = c->operation & 0x1fu,
                                  .algorithm = one->counts != 0,
                                  .radix = c->ended_by,
                                  .bit = kind,
                                  .root = (int32_t)(one->count >> MPJ_SERIAL_SHIFT),
                                  .bytes = one->count & OPERATIONS,
                                  .digest = one->history};
  unsigned bytes = sizeof m;
  memcpy(m.data, &c->other, sizeof c->other);
  if (kind == MPJ_ENDING_BROKEN) bytes = mpj_cause_tell(&comm->broken, &m);
  return mpj_net_short(comm->net, mpj_comm_member(comm, rank), MPJ_AM_COLLECTIVE, &m, bytes) ==
         MPJ_SUCCESS;
}

static void check(const struct mpj_comm *comm, struct mpj_ending *e)
{
  if (e->rank >= comm->size) e->rank = -1;
}

void mpj_ending_said(const struct mpj_comm *comm, const struct mpj_arrival_message *m,
                     struct mpj_ending *one, struct mpj_ending *other)
{
  *one = (struct mpj_ending){.count = (uint64_t)(uint32_t)m->root << MPJ_SERIAL_SHIFT |
                                      (m->bytes & OPERATIONS),
                             .history = m->digest,
                             .rank = (int32_t)m->sequence,
                             .counts = m->algorithm};
  memcpy(other, m->data, sizeof *other);
  check(comm, one);
  check(comm, other);
}
