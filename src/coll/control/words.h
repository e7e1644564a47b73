/* This header declares the words of control windows: bits, counts and posts that ranks set and read
 * in each other's windows. Where two ranks have no memory in common, messages say the same
 * (messages.h); posts are for those who have.
 *
 *   signal   one bit of a window of the peer. Works even while the peer is outside the library, and
 *            may overtake messages.
 *   done     how many operations a peer has completed.
 *   meeting  ranks count in at a word of one of them, the home.
 *   post     a message for whoever looks, written once whatever their number. Data may lie on the
 *            rank's published buffer beside it.
 *
 * No call blocks. Peers are ranks of WORLD, never this one, unless it is said. */
#ifndef MPJ_SRC_COLL_CONTROL_WORDS_H
#define MPJ_SRC_COLL_CONTROL_WORDS_H

#include "base/hot.h"
#include "base/map.h"
#include "coll/control/window.h"

/* A rank's windows, and what it knows of those of ranks that it shares no memory with. */
struct mpj_control {
  struct mpj_net *net;    /* borrowed; NULL: a rank alone, that has none */
  unsigned char *common;  /* its own near memory; NULL: it shares none, and has */
  struct mpj_map windows; /* by number: its own windows, where it has no such memory; owned */
  uint32_t end;           /* all numbers of its own windows are lower */
  size_t board_bytes;     /* the same on all ranks */
  /* messages.h */
  struct mpj_map told;          /* by number: struct mpj_told_window; owned */
  struct mpj_told_window *news; /* list of those of which there may be something to tell */
  uint32_t changes;             /* of the ranks, when it was polled (mpj_net_changes) */
  bool lacks_memory; /* a peer cannot be told, or cannot tell, or be seen: nothing may go on */
  bool gives_up;     /* since the last poll it has been found so: */
  void (*give_up)(void *ctx); /* called then, from a poll; or NULL */
  void *ctx;
};

/* Meetings. The ranks of a communicator count in at a word of home's window, one for each operation
 * slot: each adds its `term`, 1 + (number << MPJ_MEET_BITS), where the number says what it has come
 * for. So the low bits count, and the word tells whether all came for the same.
 *   home  any rank
 *   term  what this rank adds; 0: it only looks
 *   all   the word when everybody is there with this rank's number
 * Returns the word with the term, or a word that is not full as long as there is no news of the
 * home. Who makes the word full wakes the others. */
enum { MPJ_MEET_BITS = 20 };
/* How many ranks more than `all` says have counted in: 0: all have; less: some have not; more: some
 * are in a later meeting of the slot, so that nothing follows from the other bits. */
static inline int mpj_meet_beyond(uint64_t word, uint64_t all)
{
  const uint32_t ahead = (uint32_t)(word - all) << (32 - MPJ_MEET_BITS);
  return (int32_t)ahead >> (32 - MPJ_MEET_BITS);
}
/* Count in at a word; returns it. */
static inline uint64_t mpj_control_count_in(struct mpj_control *control, _Atomic uint64_t *met,
                                            uint64_t term, uint64_t all)
{
  const uint64_t now = atomic_fetch_add(met, term) + term;
  if (mpj_meet_beyond(now, all) == 0) mpj_net_wake(control->net, MPJ_NET_EVERYBODY);
  return now;
}

#endif
