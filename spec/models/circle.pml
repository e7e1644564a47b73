/* This file models how ranks find that they wait for each other in a circle, each in another
 * operation. It follows src/coll/failure/circle.c: mpj_circle_ask, is_new, has_come_back,
 * mpj_circle_asked; and mpj_circle_block.
 *
 * Each of RANKS ranks calls a program of its own: CALLS of three operations, in any order. An
 * operation ends when all ranks whose programs have it have begun it; a rank is blocked in each
 * until then. A rank that waits may ask those whom it needs: those who have not begun the
 * operation. A question carries who asks, and its stamp. Who is asked about an operation that it
 * has not begun, and is blocked in another one, asks on those whom it needs there, once for a
 * stamp. The asking rank fails when a second question of this wait comes back that was asked
 * after the first had.
 *
 * Checked: whoever fails waits in an operation that cannot end, whatever the others do
 * (assertion: no false alarm); every rank ends its calls, or one fails (no invalid end state: no
 * circle is missed).
 *
 * Abstractions. Time: a rank asks EARLY times while others may still move, and twice when nobody
 * can; in the code, a question is asked again after seconds. All operations are barriers. When
 * one rank fails all are told, as poison does. Left out: rings that are full, and that of many
 * ranks a few ask at a time. (Here the first question that comes back is proof enough, as nobody
 * who is blocked can go on; that a second one is wanted guards what is left out: operations in
 * which not all meet.)
 *
 * RUN: -DRANKS=2 -DCALLS=3 -DEARLY=1
 * RUN: -DRANKS=2 -DCALLS=2 -DEARLY=3
 * RUN: -DRANKS=3 -DCALLS=2 -DEARLY=0
 * RUN: -DRANKS=3 -DCALLS=2 -DEARLY=1
 * MUTANT_...: a mistake that the run must find. */
#ifndef RANKS
#define RANKS 2
#define CALLS 2
#endif
#define OPERATIONS 3
#ifndef EARLY
#define EARLY 1
#endif
#ifdef MUTANT_NOT_ASKED_AGAIN
#define LATE 1
#else
#define LATE 2
#endif
#define CELLS 8
#define NOTHING 7

chan ring[RANKS] = [CELLS] of { byte, byte, byte }; /* who asks, stamp, operation */

byte members[OPERATIONS];    /* bits: the ranks that call it */
byte begun[OPERATIONS];      /* those that have begun it */
byte program[RANKS * CALLS]; /* what a rank calls, in order */
byte blocked[RANKS];         /* the operation, or NOTHING */
byte ended[RANKS];           /* how many of its calls have ended */
byte possible;               /* bits: operations that can end, whatever the ranks' speed */
bool failed;

#define BIT(n) (1 << (n))
#define ALL_IN(n) (begun[n] == members[n])
#define NEEDS(n, rank) ((members[n] & BIT(rank)) && !(begun[n] & BIT(rank)))
#define NEXT_CALL program[CALLS * me + ended[me]]

inline ask_those_needed(who, mark, where) {
  for (to : 0 .. RANKS - 1) {
    if
    :: to != me && NEEDS(where, to) -> ring[to] ! who, mark, where
    :: else
    fi
  }
  to = 0
}

inline fail() {
  assert(!(possible & BIT(blocked[me])));
  failed = true
}

/* The question has come back to who asked it. */
inline come_back() {
  if
  :: stamp >= first -> came_back++
  :: else
  fi;
  if
  :: came_back >= 2 -> fail()
  :: else -> first = stamp + 1
  fi
}

inline asked() {
  if
  :: blocked[me] == NOTHING
#ifdef MUTANT_ENDED_NOT_LOOKED_AT
  :: blocked[me] == n
#else
  :: blocked[me] != NOTHING && (begun[n] & BIT(me))
#endif
  :: else ->
    if
    :: asker == me -> come_back()
#ifndef MUTANT_NOT_ASKED_ON
    :: asker != me && stamp > passed[asker] ->
#ifdef MUTANT_PASSED_FOR_GOOD
      passed[asker] = 255;
#else
      passed[asker] = stamp;
#endif
      ask_those_needed(asker, stamp, blocked[me])
#endif
    :: else
    fi
  fi;
  asker = 0; stamp = 0; n = 0
}

inline ask() {
  last++;
  ask_those_needed(me, last, blocked[me])
}

#define WAITS (!failed && blocked[me] != NOTHING && !ALL_IN(blocked[me]))

proctype rank(byte me)
{
  byte asker, stamp, n, to, early, late, last, first, came_back, passed[RANKS];
  do
  :: atomic { !failed && blocked[me] == NOTHING && ended[me] < CALLS ->
       blocked[me] = NEXT_CALL;
       begun[NEXT_CALL] = begun[NEXT_CALL] | BIT(me);
       first = last + 1;
       came_back = 0; early = 0; late = 0 }
  :: atomic { !failed && blocked[me] != NOTHING && ALL_IN(blocked[me]) ->
       ended[me]++;
       blocked[me] = NOTHING }
  :: atomic { nempty(ring[me]) -> ring[me] ? asker, stamp, n; asked() }
  :: atomic { WAITS && early < EARLY -> early++; ask() }
  :: atomic { timeout && WAITS && late < LATE -> late++; ask() }
  :: atomic { (failed || ended[me] == CALLS) && empty(ring[me]) -> break }
  od
}

/* Any operations that it has not called yet, in any order. */
inline choose_program(r) {
  for (k : 0 .. CALLS - 1) {
    if
    :: !(members[0] & BIT(r)) -> n = 0
    :: !(members[1] & BIT(r)) -> n = 1
    :: !(members[2] & BIT(r)) -> n = 2
    fi;
    program[CALLS * r + k] = n;
    members[n] = members[n] | BIT(r);
    n = 0
  }
}

/* Whether all members of operation n are at it; then they go on. */
inline try_to_end(n) {
  can = members[n] != 0 && !(possible & BIT(n));
  for (r : 0 .. RANKS - 1) {
    if
    :: (members[n] & BIT(r)) && (ended[r] == CALLS || program[CALLS * r + ended[r]] != n) ->
      can = false
    :: else
    fi
  }
  if
  :: can ->
    possible = possible | BIT(n);
    for (r : 0 .. RANKS - 1) {
      if
      :: members[n] & BIT(r) -> ended[r]++
      :: else
      fi
    }
  :: else
  fi
}

init {
  byte r, k, n;
  bool can;
  atomic {
    for (r : 0 .. RANKS - 1) { choose_program(r) }
    for (k : 0 .. OPERATIONS) {
      for (n : 0 .. OPERATIONS - 1) { try_to_end(n) }
    }
    for (r : 0 .. RANKS - 1) { ended[r] = 0; blocked[r] = NOTHING }
    for (r : 0 .. RANKS - 1) { run rank(r) }
    r = 0; k = 0; n = 0; can = false
  }
}
