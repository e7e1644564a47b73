/* This header declares how the ranks of a communicator find out, when they end it, that they have
 * not called the same operations on it.
 *
 * A rank ends a communicator by MPJ_Comm_free or MPJ_Finalize, and that of a persistent request by
 * MPJ_Request_free as well, once nothing is under way on it. It then sends each other member a
 * record (MPJ_ARRIVAL_ENDED):
 *   count    the operations that it has started
 *   history  a hash of what they were and their roots, in order
 * or, if the communicator is broken, why.
 * Two members whose records differ show each other what they called last, an operation a message
 * (MPJ_ARRIVAL_COMPARE), and behind these their end. Each compares that with its own calls: the
 * first that differs is what both report. Of a persistent request the counts say all.
 *
 * The state of a pair of members, at one of them:
 *   state     event                                                        next
 *   OPEN      it has ended, and its record is sent; the other's is here:
 *               they agree, or one of them says that nothing can be said   SETTLED
 *               the counts of a persistent request differ                  SETTLED, differ
 *               else they differ                                           SHOWING
 *   OPEN      it has ended; the other, who waits in an operation, asks
 *             about it, and it was another one here                        SHOWING, from it on
 *   SHOWING   all is shown, and the other's end has been shown             SETTLED
 *   OPEN      the other has ended WORLD, its last, and this one never:
 *             it had not joined it                                         SETTLED
 *   any       the other is gone; the communicator is broken                SETTLED
 *
 * Ranks that share memory count in at one word when they end WORLD, each by a number that its
 * record gives. If the word is what equal records make of it, all pairs are settled, and no record
 * has been sent; if it is not, or somebody is gone, or does not come for a while, records are sent
 * as above (closing_count.c).
 *
 * WORLD's record is sent to a member after all others. Nobody waits for a pair to be settled but a
 * rank in MPJ_Finalize (leave.c). Handlers only note what has come: mpj_closing_advance sends. */
#ifndef MPJ_SRC_COLL_CLOSING_CLOSING_H
#define MPJ_SRC_COLL_CLOSING_CLOSING_H

#include "coll/comm/comm.h"

/* What is known of how one member has ended the communicator. */
struct mpj_ending {
  bool heard;        /* its record is here: what follows */
  uint8_t operation; /* by which it has ended it */
  uint8_t says;      /* enum mpj_ending_says */
  uint64_t count, history;
  bool told;     /* it has been sent this rank's record */
  bool showing;  /* it is shown this rank's operations from `next` on */
  bool seen_end; /* it has shown its own to the end */
  bool settled;  /* nothing more is to be sent, or awaited */
  uint64_t next;
};

/* The record of a rank whose call failed by bad arguments, which may have been any: only counts are
 * compared; of one that has left operations undone: nothing is; nor of one to which the
 * communicator is broken: its record says why, as others may not have heard it yet. */
enum mpj_ending_says { MPJ_ENDING_ALL, MPJ_ENDING_COUNT, MPJ_ENDING_NOTHING, MPJ_ENDING_BROKEN };

struct mpj_closing {
  struct mpj_comm *next, **link; /* in the context's list of those that are not settled */
  bool listed;
  struct mpj_comm *next_news; /* in that of those of them that have news */
  bool has_news;
  uint8_t operation; /* by which this rank has ended it; MPJ_OPERATION_NONE: it has not */
  uint8_t says;
  uint64_t least;         /* of the counts in the records that are here */
  int open;               /* pairs that are not settled */
  bool counted;           /* this rank has counted in */
  bool by_messages;       /* records have to be sent */
  int present;            /* ranks before this one have begun */
  double since;           /* when all had, or were last found not to have */
  struct mpj_cause cause; /* with a code: how two ranks differ, found after this rank's end */
  bool told;              /* the cause has been reported */
  struct mpj_ending *of;  /* [size] owned; NULL: nothing has been heard, nor sent */
};

/* What is known of a member. */
static inline const struct mpj_ending *mpj_closing_pair(const struct mpj_closing *c, int rank)
{
  static const struct mpj_ending unknown;
  return c->of ? &c->of[rank] : &unknown;
}

/* Count in at WORLD's end, and look who has: the records agree; or they may yet; or they have to be
 * sent. */
enum mpj_count { MPJ_COUNT_AGREES, MPJ_COUNT_WAITS, MPJ_COUNT_FAILS };
enum mpj_count mpj_closing_count(struct mpj_comm *comm);

/* Whether the member has ended the communicator without calling operation `sequence`. */
static inline bool mpj_closing_lacks(const struct mpj_comm *comm, int rank, uint64_t sequence)
{
  const struct mpj_closing *c = comm->closing;
  return c && c->of && c->of[rank].heard && c->of[rank].says != MPJ_ENDING_BROKEN &&
         sequence >= c->of[rank].count;
}

static inline bool mpj_closing_has_begun(const struct mpj_comm *comm)
{
  return comm->closing && comm->closing->operation != MPJ_OPERATION_NONE;
}

/* Nothing is left to do, nor to report. */
static inline bool mpj_closing_is_over(const struct mpj_comm *comm)
{
  return !comm->closing || !comm->closing->listed;
}

#endif
