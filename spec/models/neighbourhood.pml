/* This file models the broadcast along one line of four ranks whose protocol is agreed on:
 * src/coll/algorithms/bcast/bcast_neighbourhood.c, with the steps that it lays down, the give-up of
 * src/coll/steps/verdict.c, and what arrival.c and early.c do with late answers.
 *
 * Data goes 0 -> 1 -> 2 and 0 -> 3, in SEGMENTS segments. Whether the buffers of 1 to 3 qualify is
 * chosen freely, and so is when ranks enter, but that LATE enters when all that do not wait for it
 * have left.
 *   EDGE  a rank answers who sends to it; a sender that has done all else may give up an answer
 *   LINE  answers go up the tree 1 -> 0, 3 -> 2 -> 0, the verdict comes down again
 *
 * Checked: a put meets a rank that is there and qualifies, and by LINE only where all do, the FIFO
 * only where one does not or, by EDGE, may have been given up; each segment comes once and in
 * order; the reception counter is zero when a rank leaves (assertions); all ranks leave (no invalid
 * end state). Since LATE waits for them, the others do not wait for it.
 *
 * Abstractions: one line; the limit of one segment under way; memory, which is there.
 *
 * RUN: -DEDGE -DLATE=1
 * RUN: -DEDGE -DLATE=2
 * RUN: -DEDGE -DLATE=3
 * RUN: -DLINE -DLATE=0
 * MUTANT_...: a mistake that the run must find. */
#define N 4
#define SEGMENTS 2

mtype = { ANSWER, VERDICT, PUT, FIFO };
chan to[N] = [12] of { mtype, byte, bit };
bool entered[N], left[N], qualifies[N], gave_up[N]; /* gave_up: on that receiver */

#define ALL_QUALIFY (qualifies[1] && qualifies[2] && qualifies[3])
#define SENDER(r) ((r) == 2 -> 1 : 0)
/* Who waits for LATE: it, and by EDGE what lies behind it. */
#define WAITS(r) ((r) == LATE || (LATE == 1 && (r) == 2))
#define MAY_ENTER(r) \
  ((r) != LATE || LATE == 0 || \
   ((left[0] || WAITS(0)) && (left[1] || WAITS(1)) && (left[2] || WAITS(2)) && (left[3] || WAITS(3))))

/* One segment for a receiver, by the verdict. */
inline give(r, by) {
  if
  :: by ->
    atomic {
      assert(entered[r] && qualifies[r]);
#ifdef LINE
      assert(ALL_QUALIFY);
#endif
      to[r]!PUT(me, 0)
    }
  :: else ->
    atomic {
#ifdef LINE
      assert(!ALL_QUALIFY);
#else
      assert(!qualifies[r] || gave_up[r]);
#endif
      to[r]!FIFO(me, 0)
    }
  fi
}

/* Whom a rank sends to: FIRST, and 3. */
#define FIRST (me == 0 -> 1 : 2)
#define HAS_FIRST (me < 2)
#define HAS_SECOND (me == 0)

#ifdef LINE
#define HEARD (me == 0 || answers == 9) /* 9: the verdict has come */
#else
#define HEARD true
#endif

proctype rank(byte me) {
  byte here = (me == 0 -> SEGMENTS : 0); /* segments */
  byte sent1 = 0, sent2 = 0, counter = SEGMENTS - here;
  bool known1 = !(HAS_FIRST), known2 = !(HAS_SECOND), for1 = false, for2 = false;
  byte from, answers = 0;
  bit value;
  bool verdict = (me == 0 || qualifies[me]), told = false;

  MAY_ENTER(me);
  entered[me] = true;
#ifdef EDGE
  if
  :: me > 0 -> to[SENDER(me)]!ANSWER(me, qualifies[me])
  :: else
  fi;
#endif
  do
  :: to[me]?ANSWER(from, value) ->
#ifdef EDGE
    if
    :: from == FIRST && !known1 -> known1 = true; for1 = value
    :: from == 3 && me == 0 && !known2 -> known2 = true; for2 = value
    :: else -> assert(gave_up[from]) /* it is late */
    fi
#else
#ifdef MUTANT_FORGETS_AN_ANSWER
    if
    :: from == 3
    :: else -> verdict = verdict && value
    fi;
#else
    verdict = verdict && value;
#endif
    answers++
#endif
#ifdef LINE
  :: !told && me > 0 && answers == (me == 2 -> 1 : 0) ->
    to[(me == 3 -> 2 : 0)]!ANSWER(me, verdict);
    told = true
  :: !told && me == 0 && answers == 2 ->
    to[1]!VERDICT(me, verdict);
    to[2]!VERDICT(me, verdict);
    told = true;
    known1 = true; known2 = true; for1 = verdict; for2 = verdict
  :: to[me]?VERDICT(from, value) ->
    if
    :: me == 2 -> to[3]!VERDICT(me, value)
    :: else
    fi;
    known1 = true; for1 = value;
    answers = 9
#ifdef MUTANT_SENDS_BEFORE_THE_ANSWERS
  :: me == 0 && !known1 -> known1 = true; for1 = true
#endif
#endif
  :: to[me]?PUT(from, value) ->
    assert(from == SENDER(me) && counter > 0);
    here++; counter--
  :: to[me]?FIFO(from, value) ->
    assert(from == SENDER(me) && counter > 0);
    here++; counter--
  :: HAS_FIRST && known1 && sent1 < here ->
    give(FIRST, for1);
    sent1++
  :: HAS_SECOND && known2 && sent2 < here ->
    give(3, for2);
    sent2++
#ifdef EDGE
#ifndef MUTANT_NEVER_GIVES_UP
  :: HAS_FIRST && !known1 && here == SEGMENTS && (known2 -> sent2 == here || !HAS_SECOND : true) ->
    gave_up[FIRST] = true;
#ifdef MUTANT_PUTS_WITHOUT_AN_ANSWER
    for1 = true;
#endif
    known1 = true
  :: HAS_SECOND && !known2 && here == SEGMENTS && (known1 -> sent1 == here : true) ->
    gave_up[3] = true;
    known2 = true
#endif
#endif
  :: here == SEGMENTS && known1 && known2 && (!(HAS_FIRST) || sent1 == here) &&
     (!(HAS_SECOND) || sent2 == here) && HEARD -> break
  od;
  assert(counter == 0);
  left[me] = true;
end_late:
  do
  :: to[me]?ANSWER(from, value) ->
#ifdef EDGE
    assert(gave_up[from])
#else
    assert(false)
#endif
  od
}

init {
  byte i = 1;
  do
  :: i < N -> if :: qualifies[i] = true :: true fi; i++
  :: else -> break
  od;
  atomic { run rank(0); run rank(1); run rank(2); run rank(3) }
  left[0] && left[1] && left[2] && left[3]
}
