/* This header declares how the ranks of a communicator find out that they do not call the same
 * operations, and how they say it.
 *
 * Each rank keeps what it called last (struct mpj_called, in coll/run/control.h). Who meets a sign
 * that the ranks are not in step asks the others (watch.c), and each compares what it is asked
 * about with what it called itself as the operation of that number. So two ranks and what each
 * called are known to whoever finds the difference, who tells all (failure.c). */
#ifndef MPJ_SRC_COLL_FAILURE_DIFFERENCE_H
#define MPJ_SRC_COLL_FAILURE_DIFFERENCE_H

#include "coll/comm/comm.h"

/* What a message's sender called as the message's operation. */
struct mpj_called mpj_called_by(const struct mpj_arrival_message *message);
/* A message that says what this rank called as operation `sequence`; `comm` is still to be set. */
struct mpj_arrival_message mpj_called_shown(uint64_t sequence, struct mpj_called called);
/* `source` waits in an operation that this rank has ended: tell it what it was here, if that is
 * known. If it is another one there, it breaks the communicator for all. A full ring is no harm: it
 * asks again. */
void mpj_called_answer(struct mpj_comm *comm, int source, uint32_t sequence,
                       struct mpj_called called);

/* Whether these are calls of one collective with one root. Two inits are: what they exchange tells
 * whether they fit, and the ranks are in step. */
static inline bool mpj_called_alike(struct mpj_called a, struct mpj_called b)
{
  const bool here = a.segments != MPJ_SEGMENTS_ELSEWHERE && b.segments != MPJ_SEGMENTS_ELSEWHERE;
  return here && a.operation == b.operation &&
         (a.operation == MPJ_OPERATION_INIT || a.root == b.root);
}

/* Whether a message of an operation called `a` can be for one called `b`. */
static inline bool mpj_called_fit(struct mpj_called a, struct mpj_called b)
{
  return mpj_called_alike(a, b) &&
         (a.operation == MPJ_OPERATION_INIT || a.algorithm == b.algorithm);
}

/* Whether they are alike but run different algorithms. These are chosen by what all ranks know,
 * signatures among it: so the signatures differ. */
bool mpj_called_with_other_data(struct mpj_called a, struct mpj_called b);

/* Have room for more calls before the n-th one, if there is memory. */
void mpj_called_grow(struct mpj_comm *comm, uint64_t n);

/* Note what this rank has called as operation `sequence`: the last ones by themselves, all in a
 * hash that goes by their order. */
static inline void mpj_called_note(struct mpj_comm *comm, uint64_t sequence,
                                   struct mpj_called called)
{
  const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
  const uint64_t root = called.operation == MPJ_OPERATION_INIT ? 0 : (uint32_t)called.root;
  const uint64_t n = sequence & ((UINT64_C(1) << MPJ_SERIAL_SHIFT) - 1);
  if (n >= comm->called_room && comm->called_room < MPJ_CALLED_KEPT) mpj_called_grow(comm, n);
  if (comm->called_room > 0) comm->called[n & (comm->called_room - 1)] = called;
  comm->history = (comm->history + called.operation + (root << 8)) * odd;
}

/* What this rank called as operation `sequence` (modulo 2^32), which it has begun; false: that is
 * not known any more, or it was a call whose arguments were bad. */
bool mpj_called_before(const struct mpj_comm *comm, uint32_t sequence, struct mpj_called *called);

/* The cause that follows from two ranks' calls of operation `sequence`: its code is MPJ_ERR_COMM,
 * MPJ_ERR_SIGNATURE, or, one of them being MPJ_Finalize, MPJ_ERR_PEER. `culprit` is the second one.
 * Without difference if they do not differ. */
struct mpj_cause mpj_cause_of_calls(const struct mpj_comm *comm, uint32_t sequence, int one,
                                    struct mpj_called called, int other,
                                    struct mpj_called called_there);

/* The same where this rank is the first one and its call is not known yet; then, when it is. */
struct mpj_cause mpj_cause_of_own(const struct mpj_comm *comm, uint32_t sequence, int other,
                                  struct mpj_called called_there);
void mpj_cause_complete(const struct mpj_comm *comm, struct mpj_called called,
                        struct mpj_cause *cause);

/* In messages about failures `bytes` is the rank that failed, and 2^32 times the code. */
static inline void mpj_cause_tell_code(struct mpj_arrival_message *m, int code, int culprit)
{
  m->bytes = ((uint64_t)code << 32 | (uint32_t)culprit) & MPJ_SAID_MOST;
}
static inline int mpj_cause_told_code(const struct mpj_arrival_message *m)
{
  return (int)(m->bytes >> 32);
}
static inline int mpj_cause_told_culprit(const struct mpj_arrival_message *m)
{
  return (int)(uint32_t)m->bytes;
}

/* Let a message say the difference; returns its bytes. What one says. */
unsigned mpj_difference_say(const struct mpj_difference *d, struct mpj_arrival_message *message);
struct mpj_difference mpj_difference_said(const struct mpj_arrival_message *message);

/* Let a message say why; returns its bytes. What one says. */
unsigned mpj_cause_tell(const struct mpj_cause *cause, struct mpj_arrival_message *message);
struct mpj_cause mpj_cause_told(const struct mpj_comm *comm,
                                const struct mpj_arrival_message *message);

static inline bool mpj_cause_has_difference(const struct mpj_cause *cause)
{
  return cause->difference.rank[0] != cause->difference.rank[1];
}

#endif
