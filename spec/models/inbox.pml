/* This file models an inbox of one cell between three senders and the rank that they send to, with
 * one early-arrival slot. It follows src/net/cells/inbox_claim.c: mpj_inbox_claim, has_turn, served,
 * next_waiting, mpj_inbox_publish, take_cell; and src/net/cells/pool.c: mpj_inbox_claim_slot,
 * mpj_inbox_take_slot, mpj_inbox_free_slot.
 *
 * Sender i sends M_i messages. A message tries for the slot; if it is taken, the message is
 * an advertisement, which needs none. One sender may stop for good at any step while it writes, and
 * then be killed or not; of one that was killed the receiver frees what it had claimed, and the
 * others take its turn from it.
 *
 * Checked: each sender's messages are taken once, in order, each with what was written (assertions);
 * from when a sender waits, each other one gets the cell twice at most until it has its own, where
 * none has stopped (assertion); all messages of those who have not stopped are taken, unless the
 * one that has the cell stopped and lives (no invalid end state): in the code it has one of 128.
 *
 * Abstractions. The cell is the one that is given out by turns; the others, for which senders race
 * before, would only help. To lose one's turn by patience is left out: a sender that is stopped
 * with the turn, and without the cell, loses it at once. Left out: malformed cells, memory orders,
 * and sleep (sleep.pml).
 *
 * RUN: -DM0=3 -DM1=1 -DM2=1
 * RUN: -DM0=1 -DM1=1 -DM2=1 -DSTOPS
 * MUTANT_...: a mistake that a run must find. */
#define P 3
#define NOBODY 0

#ifndef M0
#define M0 2
#define M1 1
#define M2 1
#endif
#define MESSAGES(i) ((i) == 0 -> M0 : ((i) == 1 -> M1 : M2))

/* Of the receiver's segment. */
byte claim;            /* 2 * (1 + sender), 1 more: full; 0: free */
byte place, data;      /* in the cell: the message's place in its sequence, and what it says */
byte turn;             /* 1 + who has it */
bool waiting[P];
byte slot;             /* as claim */
byte slot_data;

bool stopped[P], killed[P];
bool one_stops = false;
byte head[P];          /* the receiver's: messages taken of each */
byte ended;            /* senders that have sent all, or are stopped */

/* Of the check only: how often k got the cell since i began to wait; k = 3 i + k. */
byte overtaken[9];

#define CLAIM(i) (2 * ((i) + 1))
#define SAYS(i, n) (1 + (i) * 16 + (n))

inline got_cell(k)
{
  d_step {
    byte i = 0;
    do
    :: i < P ->
      if
      :: i != k && waiting[i] && !one_stops ->
        overtaken[3 * i + k]++;
        assert(overtaken[3 * i + k] <= 2)
      :: else
      fi;
      overtaken[3 * k + i] = 0;
      i++
    :: else -> break
    od;
    i = 0
  }
}

/* next := 1 + the next one who waits behind `from`, in the circle. */
inline next_waiting(from, next)
{
  next = 0;
  if
  :: waiting[(from + 1) % P] -> next = (from + 1) % P + 1
  :: else
  fi;
  if
  :: next == 0 && waiting[(from + 2) % P] -> next = (from + 2) % P + 1
  :: else
  fi;
  if
  :: next == 0 && waiting[from % P] -> next = from % P + 1
  :: else
  fi
}

/* Where a sender may stop for good. */
inline may_stop(i)
{
#ifdef STOPS
  if
  :: d_step { !one_stops -> one_stops = true; stopped[i] = true }; goto stopped_here
  :: true
  fi
#else
  skip
#endif
}

proctype sender(byte me)
{
  byte n = 0, next = 0, seen = 0;
  bool with_slot;
again:
  if
  :: n == MESSAGES(me) -> goto out
  :: else
  fi;
find:
  atomic { /* has_turn: the bit is set before the turn is read */
    waiting[me] = true
  };
  seen = turn;
  if
  :: seen == 0 ->
    atomic {
      if
      :: turn == 0 -> turn = me + 1
      :: else
      fi
    }
  :: seen != 0 && seen != me + 1 ->
    if
    :: killed[seen - 1] || (stopped[seen - 1] && claim != CLAIM(seen - 1)) ->
      waiting[seen - 1] = false;
      next_waiting(seen - 1, next);
      atomic {
        if
        :: turn == seen -> turn = next
        :: else
        fi
      }
    :: else
    fi
  :: else
  fi;
  may_stop(me);
  /* Poll until there may be something to do, so that the search ends. */
end_poll:
  (turn == 0 || (turn == me + 1 && claim == 0) ||
   (turn != me + 1 && turn != 0 && (killed[turn - 1] || stopped[turn - 1])));
#ifdef MUTANT_ANY_TURN
  if
  :: atomic { claim == 0 -> claim = CLAIM(me); got_cell(me) }
  :: else -> goto find
  fi;
#else
  if
  :: atomic { turn == me + 1 && claim == 0 -> claim = CLAIM(me); got_cell(me) }
  :: else -> goto find
  fi;
#endif
  /* served */
#ifndef MUTANT_BIT_STAYS
  waiting[me] = false;
#endif
#ifdef MUTANT_TURN_STAYS
  skip;
#else
  next_waiting(me, next);
  atomic {
    if
    :: turn == me + 1 -> turn = next
    :: else
    fi
  };
#endif
  may_stop(me);
  /* the slot, or an advertisement */
  atomic {
    if
#ifdef MUTANT_SLOT_TAKEN_TWICE
    :: true ->
#else
    :: slot == 0 ->
#endif
      slot = CLAIM(me); with_slot = true
    :: slot != 0 -> with_slot = false
    fi
  };
  if
  :: with_slot -> slot_data = SAYS(me, n)
  :: else
  fi;
  may_stop(me);
  place = n;
  data = SAYS(me, n) + (with_slot -> 64 : 0);
  may_stop(me);
  claim = CLAIM(me) + 1;
  n++;
  goto again;
stopped_here:
#ifdef STOPS
  if
  :: killed[me] = true
  :: true
  fi;
#endif
out:
  ended++
}

/* The receiver, who is never away for ever; and it reaps. */
active proctype receiver()
{
  byte from;
end:
  do
  :: atomic { claim % 2 == 1 -> from = claim / 2 - 1 };
#ifdef MUTANT_LOOKS_AT_CLAIMED
  :: atomic { claim != 0 && claim % 2 == 0 -> from = claim / 2 - 1 };
#endif
    assert(place == head[from]);
    assert(data % 64 == SAYS(from, head[from]));
    if
    :: data / 64 == 1 ->
      assert(slot == CLAIM(from) && slot_data == SAYS(from, head[from]));
      slot = CLAIM(from) + 1;
      head[from]++;
      claim = 0;
      slot = 0
    :: else ->
      head[from]++;
      claim = 0
    fi
#ifndef MUTANT_NO_REAP
  :: atomic { claim != 0 && claim % 2 == 0 && killed[claim / 2 - 1] -> claim = 0 }
#endif
  :: atomic { slot != 0 && slot % 2 == 0 && killed[slot / 2 - 1] && claim != slot + 1 -> slot = 0 }
  od
}

init
{
  atomic {
    run sender(0);
    run sender(1);
    run sender(2)
  };
  /* All end, but where one lives that has stopped with the cell. */
  (ended == P || (claim != 0 && claim % 2 == 0 && stopped[claim / 2 - 1] && !killed[claim / 2 - 1]));
end_done:
  (ended == P);
  (claim % 2 == 0);
  assert(one_stops || (head[0] == M0 && head[1] == M1 && head[2] == M2))
}
