/* This header declares how the ranks of a communicator find out, when they end it, that they have
 * not called the same operations on it.
 *
 * A rank ends a communicator by MPJ_Comm_free or MPJ_Finalize, and that of a persistent request by
 * MPJ_Request_free as well, once nothing is under way on it. Its record then says
 *   count    the operations that it has started
 *   history  a hash of what they were and their roots, in order
 * The ranks are a tree: rank r's parent is (r - 1) / MPJ_CLOSING_CHILDREN, and messages
 * (MPJ_ARRIVAL_ENDED) go between neighbours:
 *   SUMMARY  of all records on the sender's side: one of them, and one that differs, if one does
 *   verdict  on all records: see enum mpj_ending_kind
 * A rank that has ended, and has the summaries of all neighbours but one, sends that one its own.
 * So the summaries meet in one place, wherever the last rank is, and who has not ended knows of
 * those behind a neighbour that all have. Who has all decides; if two neighbours have sent each
 * other theirs, both know if all agree, and if not the parent decides. A verdict comes from there,
 * or from any rank that cannot go on, and whoever gets the first one sends it to its other
 * neighbours.
 *
 * What a rank does once it has ended is a table of states in spec/collectives.md (The closing
 * comparison).
 * ASK connects the two, if they have not talked before, so that a death is seen; a rank that has
 * ended WORLD, and does not have the communicator, answers NOTHING: it had not joined it.
 * A rank that waits in an operation asks those it needs (watch.c); one that has ended answers.
 *
 * Nobody waits for a verdict but a rank in MPJ_Finalize (leave.c). Handlers only note what has
 * come: mpj_closing_advance sends. */
#ifndef MPJ_SRC_COLL_CLOSING_CLOSING_H
#define MPJ_SRC_COLL_CLOSING_CLOSING_H

#include "coll/comm/comm.h"

enum { MPJ_CLOSING_CHILDREN = 7, MPJ_CLOSING_NEIGHBOURS = 1 + MPJ_CLOSING_CHILDREN };

/* What a message says: `bit` of MPJ_ARRIVAL_ENDED. */
enum mpj_ending_kind {
  MPJ_ENDING_SUMMARY, /* or, as a verdict, that there is none yet */
  MPJ_ENDING_SHOW,    /* this rank's record differs: show it to the rank of the record here */
  MPJ_ENDING_ASK, /* the sender, who has it as `sequence`, waits: say NOTHING if it is not there */
  MPJ_ENDING_AGREE,   /* all have ended it, and no two records differ */
  MPJ_ENDING_DIFFER,  /* all have, and these two records differ; more is not known */
  MPJ_ENDING_NOTHING, /* records cannot be compared: a member is gone, or has left operations */
  MPJ_ENDING_BROKEN   /* the communicator is broken, and why */
};

/* A rank's record. It travels as it is. */
struct mpj_ending {
  uint64_t count, history;
  int32_t rank;    /* -1: there is none */
  uint32_t counts; /* 1: a call failed by bad arguments, which may have been any, so that only the
                      counts are compared; else 0 */
};
static_assert(sizeof(struct mpj_ending) == MPJ_INLINE_MAX, "a message has room for two");

struct mpj_closing {
  struct mpj_comm *next, **link; /* in the context's list of those that are not settled */
  struct mpj_comm *next_news;    /* in that of those of them that have news */
  bool listed, has_news;
  uint8_t operation; /* by which this rank has ended it; MPJ_OPERATION_NONE: it has not */
  uint8_t verdict;   /* enum mpj_ending_kind */
  /* Sets of neighbours: bit 0 is the parent, the children follow. */
  uint8_t heard;    /* their summaries are here */
  uint8_t told;     /* has been sent this rank's */
  uint8_t know;     /* have sent a verdict, or have been sent one, or are gone */
  uint8_t ended_by; /* what those whose records are here have ended it by; if not all by the same,
                       NONE */
  bool decided;     /* this rank has, and waits for what the two show */
  bool showing;     /* this rank shows its operations from next_shown on to show_to */
  int show_to;
  uint64_t next_shown;
  struct mpj_ending one, other; /* the summary of all records that are here; two that differ */
  /* What is known of the ranks behind each neighbour whose summary is here: how many operations
   * they have called before they ended it, and by what, where all say the same; else UINT64_MAX. */
  uint64_t counts[MPJ_CLOSING_NEIGHBOURS], least; /* the least of them, until this rank has ended */
  uint8_t ends[MPJ_CLOSING_NEIGHBOURS];
  struct mpj_cause cause;    /* with a code: how two ranks differ, found after this rank's end */
  struct mpj_ending partner; /* and if the calls are not known, the record of the other one */
  bool reported;             /* the cause has been kept for MPJ_Finalize */
};

/* Behind which neighbour a rank is. */
static inline unsigned mpj_closing_side(const struct mpj_comm *comm, int rank)
{
  while (rank > comm->rank) {
    const int parent = (rank - 1) / MPJ_CLOSING_CHILDREN;
    if (parent == comm->rank) return (unsigned)(rank - parent * MPJ_CLOSING_CHILDREN);
    rank = parent;
  }
  return 0;
}

/* Whether it is known that a rank has ended the communicator without calling operation `sequence`.
 */
static inline bool mpj_closing_lacks(const struct mpj_comm *comm, int rank, uint64_t sequence)
{
  const struct mpj_closing *c = comm->closing;
  return c && sequence >= c->least && rank != comm->rank &&
         sequence >= c->counts[mpj_closing_side(comm, rank)];
}

static inline bool mpj_closing_has_begun(const struct mpj_comm *comm)
{
  return comm->closing && comm->closing->operation != MPJ_OPERATION_NONE;
}

/* Whether this rank knows that all have ended it. */
static inline bool mpj_closing_all_have_ended(const struct mpj_comm *comm)
{
  return comm->closing && (comm->closing->verdict == MPJ_ENDING_AGREE ||
                           comm->closing->verdict == MPJ_ENDING_DIFFER);
}

/* Nothing is left to do, nor to report. */
static inline bool mpj_closing_is_over(const struct mpj_comm *comm)
{
  return !comm->closing || !comm->closing->listed;
}

#endif
