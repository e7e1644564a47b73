/* This file models how the ranks of a communicator compare what they have called when they end
 * it. It follows src/coll/closing/closing_advance.c: mpj_closing_begin, sum_up, decide, spread,
 * mpj_closing_heard; src/coll/closing/closing_show.c: mpj_closing_show_more, mpj_closing_shown;
 * and src/coll/comm/leave.c: wait_for_all.
 *
 * Each of RANKS ranks, a tree in which each has CHILDREN children, calls up to CALLS operations,
 * each A or B, as it likes, on a communicator on which no operation waits for another rank. At any
 * moment it ends it, and it leaves when it is settled. Messages go through rings of CELLS, so a
 * rank may find no room; handlers only note. One rank may be killed; whatever it has sent is then
 * taken in.
 *
 * Checked: every rank leaves (no invalid end state); if nobody is killed, every rank has noted a
 * difference if two ranks called otherwise, and none if all called the same (assertions); of two
 * ranks, what is noted is the first operation in which they differ.
 *
 * Abstractions. A history is the calls themselves, so unequal ones never have one hash. Persistent
 * requests, broken communicators, operations that were left undone and members that never joined
 * are left out: they are verdicts that come from one rank, as a neighbour's death does.
 *
 * RUN: -DRANKS=2 -DCALLS=2 -DCELLS=1 -DCHILDREN=1
 * RUN: -DRANKS=2 -DCALLS=2 -DCELLS=2 -DCHILDREN=1 -DKILLS
 * RUN: -DRANKS=3 -DCALLS=1 -DCELLS=1 -DCHILDREN=2
 * RUN: -DRANKS=3 -DCALLS=1 -DCELLS=1 -DCHILDREN=1 -DKILLS
 * MUTANT_...: a mistake that the run must find. */
#ifndef RANKS
#define RANKS 2
#define CALLS 2
#define CELLS 1
#define CHILDREN 1
#endif
#define NONE 9
#define END 2

mtype = { SUMMARY, SHOW, SHOWN, AGREE, BROKEN, NOTHING };

/* ring[RANKS * to + from]: kind; of SUMMARY two ranks whose records these are, of SHOW one, of
 * SHOWN a number and a call, of BROKEN a number. */
chan ring[RANKS * RANKS] = [CELLS] of { mtype, byte, byte };
#define RING(to, from) ring[RANKS * (to) + (from)]

byte count[RANKS], history[RANKS]; /* call n is bit n of the history */
byte noted[RANKS];                 /* the operation that is noted to differ, or NONE */
bool left[RANKS], gone[RANKS], killed;

#define CALL(rank, n) ((n) < count[rank] -> (history[rank] >> (n)) & 1 : END)
#ifdef MUTANT_ONLY_COUNTS
#define AGREE_OF(a, b) (count[a] == count[b])
#else
#define AGREE_OF(a, b) (count[a] == count[b] && history[a] == history[b])
#endif
#define DIFFER(a, b) (count[a] != count[b] || history[a] != history[b])

/* The first operation in which two ranks differ. */
#define FIRST(a, b) (CALL(a, 0) != CALL(b, 0) -> 0 : (CALL(a, 1) != CALL(b, 1) -> 1 : 2))

/* The tree. */
#define IS_PARENT(a, b) ((b) > 0 && (a) == ((b) - 1) / CHILDREN)
#define NEXT_TO(a, b) ((a) < RANKS && (b) < RANKS && (IS_PARENT(a, b) || IS_PARENT(b, a)))

/* Sets of ranks: bit `other` of each. */
#define BIT(other) (1 << (other))
#define IS(set, other) ((set >> (other)) & 1)
#define ADD(set, other) set = set | BIT(other)
#define IF_NEXT(a, b) (NEXT_TO(a, b) -> BIT(b) : 0)
#define NEIGHBOURS(a) (IF_NEXT(a, 0) | IF_NEXT(a, 1) | IF_NEXT(a, 2))
#define MISSING (NEIGHBOURS(me) & ~heard)

#define ADD_RECORD(x) \
  if \
  :: (x) != NONE && one == NONE -> one = x \
  :: (x) != NONE && one != NONE && other == NONE -> \
    if \
    :: !AGREE_OF(one, x) -> other = x \
    :: else \
    fi \
  :: else \
  fi

#ifdef MUTANT_LAST_IS_NOTED
#define NOTE(n) noted[me] = n
#else
#define NOTE(n) noted[me] = (noted[me] == NONE -> n : noted[me])
#endif

#define ADOPT(v) verdict = (verdict == 0 -> v : verdict)

inline take_in(from) {
  d_step {
    if
    :: kind == SUMMARY -> ADD(heard, from); ADD_RECORD(a); ADD_RECORD(b)
    :: kind == SHOW -> showing = true; show_to = a; next = 0
    :: kind == SHOWN ->
      if
      :: verdict == 0 && b != CALL(me, a) -> NOTE(a)
      :: else
      fi;
      if
      :: b == END -> ADOPT(BROKEN)
      :: else
      fi
    :: kind == BROKEN -> ADD(know, from); NOTE(a); ADOPT(BROKEN)
    :: else -> ADD(know, from); ADOPT(kind)
    fi;
    kind = 0; a = 0; b = 0
  }
}

/* Two neighbours that have each other's summary both find that all agree; else the parent decides. */
#ifdef MUTANT_BOTH_WAIT
#define DECIDES (told == NONE)
#else
#define DECIDES (told == NONE || IS_PARENT(me, told))
#endif

inline decide() {
  d_step {
    if
    :: other == NONE -> verdict = AGREE; know = know | (told == NONE -> 0 : BIT(told))
    :: other == me -> showing = true; show_to = one; next = 0; decided = true
    :: else -> RING(other, me) ! SHOW(one, 0); decided = true
    fi
  }
}

inline send_next() {
  d_step {
    RING(show_to, me) ! SHOWN(next, CALL(me, next));
#ifdef MUTANT_END_NOT_SHOWN
    showing = (next + 1 < count[me]);
#else
    showing = (next < count[me]);
#endif
    next++
  }
}

/* Whoever has gone has sent all that it ever will. */
#ifdef MUTANT_GONE_NOT_SEEN
#define GONE(o) false
#else
#ifdef MUTANT_GONE_BEFORE_ITS_LAST
#define GONE(o) gone[o]
#else
#define GONE(o) (gone[o] && empty(RING(me, o)))
#endif
#endif

#ifdef MUTANT_VERDICT_NOT_SPREAD
#define SETTLED true
#else
#define SETTLED (know == NEIGHBOURS(me))
#endif

#define OTHER(o) ((o) != me && (o) < RANKS)
#define PAIR(o) \
  :: atomic { OTHER(o) && nempty(RING(me, o)) -> RING(me, o) ? kind, a, b; take_in(o) } \
  :: atomic { OTHER(o) && ended && verdict == 0 && told == NONE && MISSING == BIT(o) && \
       nfull(RING(o, me)) -> RING(o, me) ! SUMMARY(one, other); told = o } \
  :: atomic { NEXT_TO(me, o) && ended && verdict != 0 && !IS(know, o) && !gone[o] && \
       nfull(RING(o, me)) -> RING(o, me) ! verdict(noted[me], 0); ADD(know, o) } \
  :: atomic { NEXT_TO(me, o) && ended && !IS(know, o) && GONE(o) -> ADD(know, o); ADOPT(NOTHING) }

proctype rank(byte me)
{
  byte heard, know, told = NONE, one = NONE, other = NONE, show_to, next, a, b;
  mtype kind, verdict;
  bool ended, decided, showing;
  do
  PAIR(0)
  PAIR(1)
#if RANKS > 2
  PAIR(2)
#endif
  :: atomic { !ended -> ended = true; ADD_RECORD(me) }
  :: atomic { ended && verdict == 0 && MISSING == 0 && (other == NONE || DECIDES) && !decided &&
       (other == NONE || other == me || nfull(RING(other, me))) -> decide() }
  :: atomic { showing && verdict == 0 && nfull(RING(show_to, me)) -> send_next() }
  :: atomic { ended && verdict != 0 && SETTLED -> left[me] = true; break }
#ifdef KILLS
  :: atomic { !killed -> killed = true; break }
#endif
  od;
  gone[me] = true
}

#if RANKS == 2
#define SOME_DIFFER DIFFER(0, 1)
#else
#define SOME_DIFFER (DIFFER(0, 1) || DIFFER(0, 2))
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
      assert(noted[i] == NONE || SOME_DIFFER);
      assert(killed || !SOME_DIFFER || noted[i] != NONE);
#if RANKS == 2
      assert(noted[i] == NONE || noted[i] == FIRST(0, 1))
#endif
    }
  }
}
