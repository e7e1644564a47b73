/* This file models how three ranks sleep and wake each other. It follows
 * src/net/cells/idle.c: arm, mpj_cells_idle; and src/net/cells/segment.c:
 * mpj_segment_wake, mpj_segment_sleep;
 * src/net/cells/ring.h: mpj_ring_publish; and src/net/cells/fence.c: mpj_fence_everybody.
 *
 * Each rank brings NEWS pieces of news to each of the others, at any time, and
 * ends when it has found all that were for it. News are cells, signals, ended
 * pulls, ends of ranks: whatever is made visible before mpj_segment_wake.
 *
 * Checked: no news is slept through (no invalid end state), though here a sleep
 * has no time limit.
 *
 * Abstractions. The spinning and yielding before a rank sleeps is one free choice.
 * A rank sleeps when it has brought all its news, as who has something to do does
 * not idle. The kernel compares the word and queues the rank in one step. Left out:
 * what has no wake-up (tokens, emptied rings, the window), for which the limit of
 * 10 ms is there. Of memory orders there is the one that matters: news that a rank
 * has stored wait in its processor, while it looks whether the receiver sleeps,
 * until they come out by themselves or the receiver's fence drives them out. All
 * else takes effect at once, in the program's order.
 *
 * RUN: -DNEWS=1
 * MUTANT_...: a mistake that the run must find. */
#define RANKS 3
#ifndef NEWS
#define NEWS 1
#endif
#define FOR_EACH (2 * NEWS) /* pieces of news for each rank */
#define NEXT ((me + 1) % RANKS)
#define PREV ((me + 2) % RANKS)

byte stored[RANKS * RANKS]; /* news from one rank for another, in its store buffer */
byte brought[RANKS];        /* pieces of news for a rank so far, as all see it */
bool sleeping[RANKS];       /* mpj_rank_line.sleeping */
bool waits[RANKS];          /* the futex has it in its queue */

#define STORED(from, to) stored[(from) * RANKS + (to)]
#define COMES_OUT(from, to) \
  brought[to] = brought[to] + STORED(from, to); \
  STORED(from, to) = 0

inline wake(peer) {
  if
  :: sleeping[peer] ->
#ifndef MUTANT_WORD_NOT_CLEARED
    sleeping[peer] = false;
#endif
    waits[peer] = false
  :: else
  fi
}

inline bring(peer) {
#ifdef MUTANT_LOOKED_BEFORE_NEWS
  bool was = sleeping[peer];
  STORED(me, peer)++;
  if
  :: was -> sleeping[peer] = false; waits[peer] = false
  :: else
  fi;
  was = false
#else
  STORED(me, peer)++;
  wake(peer)
#endif
}

/* FUTEX_WAIT: queue if the word still says 1, and wait to be taken out. */
inline futex_wait() {
  atomic {
    if
    :: sleeping[me] -> waits[me] = true
    :: else
    fi
  };
  !waits[me]
}

/* One sleep, from arming to being awake with the word cleared. */
inline sleep() {
  sleeping[me] = true;
#ifndef MUTANT_NO_FENCE_OF_SLEEPER
  d_step { COMES_OUT(NEXT, me); COMES_OUT(PREV, me) };
#endif
#ifndef MUTANT_NOT_POLLED_ONCE_MORE
  if
  :: found < brought[me]
  :: else -> futex_wait()
  fi;
#else
  futex_wait();
#endif
  sleeping[me] = false
}

proctype rank(byte me)
{
  byte found, to_next = NEWS, to_prev = NEWS;
  do
  :: to_next > 0 -> to_next--; bring(NEXT)
  :: to_prev > 0 -> to_prev--; bring(PREV)
  :: found < brought[me] -> found = brought[me]
  :: found < FOR_EACH && to_next == 0 && to_prev == 0 && found == brought[me] -> sleep()
  :: found == FOR_EACH && to_next == 0 && to_prev == 0 -> break
  od
}

/* What every store buffer does sooner or later. */
#define DRAIN(from, to) :: d_step { STORED(from, to) > 0 -> COMES_OUT(from, to) }
proctype memory()
{
end:
  do
  DRAIN(0, 1)
  DRAIN(0, 2)
  DRAIN(1, 0)
  DRAIN(1, 2)
  DRAIN(2, 0)
  DRAIN(2, 1)
  od
}

init { atomic { run rank(0); run rank(1); run rank(2); run memory() } }
