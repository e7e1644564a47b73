/* This file models the arrival window of the control structure for three ranks.
 * It follows src/coll/steps/steps.h: mpj_window_is_open; src/coll/steps/step_send.c:
 * mpj_step_run_signal; src/coll/run/engine.c: collect_signals, clear_window, publish_progress,
 * mpj_engine_finish; and src/coll/control/signals.c: mpj_control_signal, mpj_control_done.
 *
 * The ranks go through OPERATIONS operations. In some all ranks signal all, in the
 * others only rank n mod 3 signals, so that it may run ahead: which is which is
 * chosen freely and is the same on all. Up to W operations may be under way on a
 * rank, which works at them in any order and ends each when it has sent its
 * signals and got those it awaits.
 *
 * Checked: the bits that operation n finds in its slot when it ends are those it
 * awaits, set for it; none is set twice or cleared unseen (assertions); whatever
 * arrives is of an operation from `completed` to `completed + W - 1`; everybody
 * ends all operations (no invalid end state).
 *
 * Abstractions. W is 2 here and 32 in the code. `known_done` is looked up each
 * time. What has arrived is looked at when it suffices, not kept in `seen`. Left
 * out: messages, which are subject to the same window; abandoned
 * operations; memory orders.
 *
 * RUN: -DOPERATIONS=4
 * MUTANT_...: a mistake that the run must find. */
#define RANKS 3
#define W 2
#ifndef OPERATIONS
#define OPERATIONS 4
#endif
#define NEXT ((me + 1) % RANKS)
#define PREV ((me + 2) % RANKS)
#define BIT(rank) (1 << (rank))

/* A rank's control window, and for the check the operation that each bit is for. */
typedef window_t {
  byte done;
  byte arrived[W];
  byte meant[W * RANKS];
};
window_t window[RANKS];
bool by_one[OPERATIONS]; /* only rank n mod RANKS signals */

#define SIGNALS(n, rank) (!by_one[n] || (n) % RANKS == (rank))

#ifdef MUTANT_WINDOW_ONE_TOO_LARGE
#define IN_WINDOW(n, peer) ((n) < window[peer].done + W + 1)
#else
#ifdef MUTANT_WINDOW_NOT_CHECKED
#define IN_WINDOW(n, peer) true
#else
#define IN_WINDOW(n, peer) ((n) < window[peer].done + W)
#endif
#endif

#define SLOT(n) ((n) % W)

/* The atomic OR that sets a bit, with what the check notes about it. */
inline signal(n, peer) {
  d_step {
    assert((window[peer].arrived[SLOT(n)] & BIT(me)) == 0);
    assert(n >= window[peer].done && n < window[peer].done + W);
    window[peer].arrived[SLOT(n)] = window[peer].arrived[SLOT(n)] | BIT(me);
    window[peer].meant[SLOT(n) * RANKS + me] = n;
    to_tell[SLOT(n)] = to_tell[SLOT(n)] & ~BIT(peer)
  }
}

#define ARRIVED(n, peer) ((window[me].arrived[SLOT(n)] & BIT(peer)) != 0)
#define MEANT(n, peer) \
  (ARRIVED(n, peer) == SIGNALS(n, peer) && \
   (!ARRIVED(n, peer) || window[me].meant[SLOT(n) * RANKS + peer] == n))

#define AWAITED(n) ((SIGNALS(n, NEXT) -> BIT(NEXT) : 0) + (SIGNALS(n, PREV) -> BIT(PREV) : 0))
#define ENDED(n) \
  (to_tell[SLOT(n)] == 0 && (window[me].arrived[SLOT(n)] & AWAITED(n)) == AWAITED(n))

inline call() {
  d_step {
    to_tell[SLOT(started)] = (SIGNALS(started, me) -> BIT(NEXT) + BIT(PREV) : 0);
    called[SLOT(started)] = true;
    started++
  }
}

inline clear(n) {
#ifndef MUTANT_BITS_NOT_CLEARED
  d_step {
    assert(MEANT(n, NEXT) && MEANT(n, PREV));
    window[me].arrived[SLOT(n)] = 0;
    window[me].meant[SLOT(n) * RANKS + NEXT] = 0;
    window[me].meant[SLOT(n) * RANKS + PREV] = 0
  }
#else
  assert(MEANT(n, NEXT) && MEANT(n, PREV))
#endif
}

/* Raise `completed` over every operation that has ended, and publish it. */
inline publish() {
  d_step {
#ifdef MUTANT_DONE_OVER_A_GAP
    completed++;
#else
    do
    :: completed < started && !called[SLOT(completed)] -> completed++
    :: else -> break
    od
#endif
  };
  window[me].done = completed
}

/* End the operation `ending`. */
inline finish() {
  called[SLOT(ending)] = false;
#ifdef MUTANT_DONE_BEFORE_CLEAR
  publish();
  clear(ending);
#else
  clear(ending);
  publish();
#endif
  ending = 0
}

/* What a rank may do next at operation n, if it has called it. */
#define UNDER_WAY(n) ((n) < started && (n) >= completed && called[SLOT(n)])
#define WORK_AT(n) \
  :: atomic { UNDER_WAY(n) && (to_tell[SLOT(n)] & BIT(NEXT)) && IN_WINDOW(n, NEXT) -> \
       signal(n, NEXT) } \
  :: atomic { UNDER_WAY(n) && (to_tell[SLOT(n)] & BIT(PREV)) && IN_WINDOW(n, PREV) -> \
       signal(n, PREV) } \
  :: d_step { UNDER_WAY(n) && ENDED(n) -> ending = n }; finish()

proctype rank(byte me)
{
  byte started, completed, ending, to_tell[W];
  bool called[W];
  do
  :: atomic { started < OPERATIONS && started < completed + W -> call() }
  WORK_AT(completed)
  WORK_AT(completed + 1)
  :: completed == OPERATIONS -> break
  od
}

init {
  byte i;
  do
  :: i < OPERATIONS -> i++
  :: i < OPERATIONS -> by_one[i] = true; i++
  :: i == OPERATIONS -> break
  od;
  atomic { run rank(0); run rank(1); run rank(2) }
}
