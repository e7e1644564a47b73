/* This file compares what two ranks have called. */
#include "coll/failure/difference.h"

#include <string.h>

#include "base/memory.h"

struct mpj_called mpj_called_by(const struct mpj_arrival_message *m)
{
  return (struct mpj_called){m->operation, m->algorithm, m->radix, m->segments, m->root};
}

struct mpj_arrival_message mpj_called_shown(uint64_t sequence, struct mpj_called called)
{
  return (struct mpj_arrival_message){.sequence = (uint32_t)sequence,
                                      .kind = MPJ_ARRIVAL_COMPARE,
                                      .operation = called.operation & 0x1fu,
                                      .algorithm = called.algorithm,
                                      .root = called.root,
                                      .radix = called.radix,
                                      .segments = called.segments};
}

void mpj_called_answer(struct mpj_comm *comm, int source, uint32_t sequence,
                       struct mpj_called called)
{
  struct mpj_arrival_message m = mpj_called_shown(sequence, called);
  m.comm = mpj_comm_id_at(comm, source);
  m.bit = MPJ_COMPARE_ANSWERS;
  (void)mpj_net_short(comm->net, mpj_comm_member(comm, source), MPJ_AM_COLLECTIVE, &m,
                      MPJ_ARRIVAL_HEADER);
}

bool mpj_called_with_other_data(struct mpj_called a, struct mpj_called b)
{
  const bool same = a.algorithm == b.algorithm && a.radix == b.radix && a.segments == b.segments;
  return mpj_called_alike(a, b) && mpj_operation_goes_by_size(a.operation) && !same;
}

void mpj_called_grow(struct mpj_comm *comm, uint64_t n)
{
  enum { FIRST_ROOM = 16 };
  const unsigned before = comm->called_room, room = before ? MPJ_CALLED_KEPT : FIRST_ROOM;
  struct mpj_called *called = mpj_alloc_array(room, sizeof *called);
  if (!called) return; /* less is known */
  for (uint64_t k = n < before ? 0 : n - before; k < n && before > 0; k++)
    called[k % room] = comm->called[k % before];
  mpj_free(comm->called);
  comm->called = called;
  comm->called_room = room;
}

bool mpj_called_before(const struct mpj_comm *comm, uint32_t sequence, struct mpj_called *called)
{
  const uint32_t ago = (uint32_t)comm->started - sequence;
  if (ago == 0 || ago > comm->called_room) return false;
  *called = comm->called[sequence % comm->called_room];
  return called->operation != MPJ_OPERATION_NONE;
}

/* A rank that has called MPJ_Finalize takes part in nothing any more. */
static int code_of(struct mpj_called called, struct mpj_called called_there)
{
  if (called.operation == MPJ_OPERATION_FINALIZE ||
      called_there.operation == MPJ_OPERATION_FINALIZE)
    return MPJ_ERR_PEER;
  return mpj_called_with_other_data(called, called_there) ? MPJ_ERR_SIGNATURE : MPJ_ERR_COMM;
}

struct mpj_cause mpj_cause_of_calls(const struct mpj_comm *comm, uint32_t sequence, int one,
                                    struct mpj_called called, int other,
                                    struct mpj_called called_there)
{
  struct mpj_cause cause = {.code = code_of(called, called_there), .culprit = other};
  if (cause.code != MPJ_ERR_COMM || !mpj_called_alike(called, called_there))
    cause.difference = (struct mpj_difference){.sequence = sequence,
                                               .rank = {one, other},
                                               .called = {called, called_there},
                                               .made_by = mpj_comm_made_by(comm)};
  return cause;
}

struct mpj_cause mpj_cause_of_own(const struct mpj_comm *comm, uint32_t sequence, int other,
                                  struct mpj_called called_there)
{
  const struct mpj_called unknown = {0};
  return (struct mpj_cause){.code = code_of(unknown, called_there),
                            .culprit = other,
                            .difference = {.sequence = sequence,
                                           .rank = {comm->rank, other},
                                           .called = {unknown, called_there},
                                           .made_by = mpj_comm_made_by(comm)}};
}

void mpj_cause_complete(const struct mpj_comm *comm, struct mpj_called called,
                        struct mpj_cause *cause)
{
  const struct mpj_difference d = cause->difference;
  if (!mpj_cause_has_difference(cause) || d.rank[0] != comm->rank ||
      d.called[0].operation != MPJ_OPERATION_NONE)
    return;
  *cause = mpj_cause_of_calls(comm, d.sequence, comm->rank, called, d.rank[1], d.called[1]);
}

unsigned mpj_cause_tell(const struct mpj_cause *cause, struct mpj_arrival_message *m)
{
  mpj_cause_tell_code(m, cause->code, cause->culprit);
  return mpj_cause_has_difference(cause) ? mpj_difference_say(&cause->difference, m)
                                         : MPJ_ARRIVAL_HEADER;
}

unsigned mpj_difference_say(const struct mpj_difference *d, struct mpj_arrival_message *m)
{
  m->digest = d->sequence | (uint64_t)d->made_by << 32;
  memcpy(m->data, d, MPJ_DIFFERENCE_DATA);
  return MPJ_ARRIVAL_HEADER + MPJ_DIFFERENCE_DATA;
}

struct mpj_difference mpj_difference_said(const struct mpj_arrival_message *m)
{
  struct mpj_difference d = {.sequence = (uint32_t)m->digest,
                             .made_by = (uint32_t)(m->digest >> 32)};
  memcpy(&d, m->data, MPJ_DIFFERENCE_DATA);
  return d;
}

struct mpj_cause mpj_cause_told(const struct mpj_comm *comm, const struct mpj_arrival_message *m)
{
  struct mpj_cause cause = {.code = mpj_cause_told_code(m), .culprit = mpj_cause_told_culprit(m)};
  const struct mpj_difference d = mpj_difference_said(m);
  const bool named =
      d.rank[0] >= 0 && d.rank[0] < comm->size && d.rank[1] >= 0 && d.rank[1] < comm->size;
  if (named) cause.difference = d;
  return cause;
}
