/* This file models how the ranks of a communicator compare what they have called when they end
 * it. It follows src/coll/closing/closing_advance.c: mpj_closing_begin, advance_pair, compare, show_more,
 * mpj_closing_heard, mpj_closing_shown; and wait_for_all of src/coll/comm/leave.c.
 *
 * Each of RANKS ranks calls up to CALLS operations, each A or B, as it likes, on a communicator
 * on which no operation waits for another rank. At any moment it ends it, sends its record to
 * each other one, and leaves when all pairs are settled. Messages go through rings of CELLS, so
 * a rank may find no room; handlers only note. One rank may be killed; whatever it has sent is
 * then taken in.
 *
 * Checked: every rank leaves (no invalid end state); of two ranks that both leave, both have
 * noted a difference if they called otherwise, and neither if all called the same (assertions);
 * what is noted is the first operation in which that rank and another one differ.
 *
 * Abstractions. A history is the calls themselves, so unequal ones never have one hash. WORLD's
 * order, persistent requests, broken communicators and members that never joined are left out.
 *
 * RUN: -DRANKS=2 -DCALLS=2 -DCELLS=1
 * RUN: -DRANKS=2 -DCALLS=2 -DCELLS=2 -DKILLS
 * RUN: -DRANKS=3 -DCALLS=1 -DCELLS=2
 * MUTANT_...: a mistake that the run must find. */
#ifndef RANKS
#define RANKS 2
#define CALLS 2
#define CELLS 1
#endif
#define NONE 9
#define END 2

mtype = { ENDED, COMPARE };

/* ring[RANKS * to + from]: kind, number, call; of a record its count and history. */
chan ring[RANKS * RANKS] = [CELLS] of { mtype, byte, byte };
#define RING(to, from) ring[RANKS * (to) + (from)]

byte count[RANKS], history[RANKS]; /* call n is bit n of the history */
byte noted[RANKS];                 /* the operation that is noted to differ, or NONE */
bool left[RANKS], gone[RANKS], killed;

#define CALL(rank, n) ((n) < count[rank] -> (history[rank] >> (n)) & 1 : END)
#define AGREE(a, b) (count[a] == count[b] && history[a] == history[b])

/* The first operation in which two ranks differ. */
#define FIRST(a, b) (CALL(a, 0) != CALL(b, 0) -> 0 : (CALL(a, 1) != CALL(b, 1) -> 1 : 2))

/* What a rank knows of a pair: bit `other` of each. */
#define IS(set, other) ((set >> (other)) & 1)
#define ADD(set, other) set = set | (1 << (other))

/* Of what one member has shown, the first that differs: it comes in order. */
#ifdef MUTANT_LAST_IS_NOTED
#define NOTE(n) noted[me] = n
#else
#define NOTE(n) noted[me] = (noted[me] == NONE -> n : noted[me])
#endif

inline take_in(from) {
  d_step {
    if
    :: kind == ENDED ->
      ADD(heard, from);
#ifdef MUTANT_ONLY_COUNTS
      if
      :: number == count[me] -> ADD(agrees, from)
#else
      if
      :: number == count[me] && what == history[me] -> ADD(agrees, from)
#endif
      :: else
      fi
    :: kind == COMPARE ->
      if
      :: what != CALL(me, number) && !IS(seen_end, from) -> NOTE(number)
      :: else
      fi;
      if
      :: what == END -> ADD(seen_end, from)
      :: else
      fi
    fi;
    kind = 0; number = 0; what = 0
  }
}

/* Settle, or begin to show. */
inline look(other) {
  d_step {
    if
    :: IS(agrees, other) -> ADD(settled, other)
    :: else -> ADD(showing, other); next[other] = 0
    fi
  }
}

#ifdef MUTANT_ROOM_NOT_AWAITED
#define ROOM(other) true
#define LOST(other) full(RING(other, me))
#else
#define ROOM(other) nfull(RING(other, me))
#define LOST(other) false
#endif

inline send_next(other) {
  d_step {
    if
    :: LOST(other)
    :: else -> RING(other, me) ! COMPARE(next[other], CALL(me, next[other]))
    fi;
    next[other]++
  }
}

#ifdef MUTANT_SETTLED_BEFORE_SEEN
#define SEEN(other) true
#else
#define SEEN(other) IS(seen_end, other)
#endif
#ifdef MUTANT_SETTLED_BEFORE_SHOWN
#define SHOWN(other) true
#else
#define SHOWN(other) (next[other] > count[me])
#endif

/* Whoever has gone has sent all that it ever will: it is settled with once that is taken in. */
#ifdef MUTANT_GONE_NOT_SETTLED
#define GONE(other) false
#else
#define GONE(other) (gone[other] && empty(RING(me, other)))
#endif

#define OTHER(other) ((other) != me && (other) < RANKS)
#define PAIR(o) \
  :: atomic { OTHER(o) && nempty(RING(me, o)) -> RING(me, o) ? kind, number, what; take_in(o) } \
  :: atomic { OTHER(o) && ended && !IS(told, o) && !gone[o] && nfull(RING(o, me)) -> \
       RING(o, me) ! ENDED(count[me], history[me]); ADD(told, o) } \
  :: atomic { OTHER(o) && IS(told, o) && IS(heard, o) && !IS(settled, o) && !IS(showing, o) -> \
       look(o) } \
  :: atomic { OTHER(o) && IS(showing, o) && next[o] <= count[me] && !gone[o] && ROOM(o) -> \
       send_next(o) } \
  :: atomic { OTHER(o) && IS(showing, o) && !IS(settled, o) && SHOWN(o) && SEEN(o) -> \
       ADD(settled, o) } \
  :: atomic { OTHER(o) && ended && !IS(settled, o) && GONE(o) -> ADD(settled, o) }

#define ALL ((1 << RANKS) - 1 - (1 << me))

proctype rank(byte me)
{
  byte heard, agrees, told, showing, seen_end, settled, next[RANKS], number, what;
  mtype kind;
  bool ended;
  do
  PAIR(0)
  PAIR(1)
#if RANKS > 2
  PAIR(2)
#endif
  :: atomic { !ended -> ended = true }
  :: atomic { ended && settled == ALL -> left[me] = true; break }
#ifdef KILLS
  :: atomic { !killed -> killed = true; break }
#endif
  od;
  gone[me] = true
}

/* Of the ranks that have left in good order, none having been killed: whether two differ. */
#define DIFFER(a, b) (!AGREE(a, b))
#if RANKS == 2
#define SOME_DIFFER(a) DIFFER(0, 1)
#define FIRST_OF(a) FIRST(0, 1)
#else
#define OTHER_1(a) (((a) + 1) % 3)
#define OTHER_2(a) (((a) + 2) % 3)
#define SOME_DIFFER(a) (DIFFER(a, OTHER_1(a)) || DIFFER(a, OTHER_2(a)))
#endif

init {
  byte i;
  atomic {
    for (i : 0 .. RANKS - 1) {
      noted[i] = NONE;
      do
      :: count[i] < CALLS -> count[i]++
      :: count[i] < CALLS -> history[i] = history[i] | (1 << count[i]); count[i]++
      :: break
      od
    }
    for (i : 0 .. RANKS - 1) {
      run rank(i)
    }
  }
  (_nr_pr == 1);
  d_step {
    for (i : 0 .. RANKS - 1) {
      assert(killed || left[i]);
      assert(noted[i] == NONE || SOME_DIFFER(i));
      assert(killed || !SOME_DIFFER(i) || noted[i] != NONE);
#if RANKS == 2
      assert(noted[i] == NONE || noted[i] == FIRST_OF(i))
#endif
    }
  }
}
