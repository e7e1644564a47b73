/* This file models cells and tokens between three ranks: the rings, the
 * early-arrival slots with their tokens, and the advertisement that takes their
 * place when they run out. It follows src/net/cells/cells_poll.c: free_cell, mpj_cells_send_short,
 * take_token, mpj_cells_send_eager, poll_peer; src/net/cells/ring.h: mpj_ring_publish;
 * src/net/cells/receive.c: deliver, mpj_cells_release; and src/net/cells/offer.c:
 * mpj_cells_poll_exposures.
 *
 * Rank i sends FROM_i messages to the next rank in the circle, each without data,
 * with data in a slot, or advertised; and its handlers read a payload at once or
 * keep it, and pull at once or later, all by free choice. Message number k (from
 * 1) of a ring carries k wherever it has data.
 *
 * Checked: messages come once each and in order, no cell or slot is overwritten
 * before it has been read (assertions); each slot has one holder, so that memory
 * stays what it is (HOLDERS); all ranks end (no invalid end state), with all
 * slots given back.
 *
 * Abstractions. A rank that would poll in vain takes no step, so a system in
 * which all would poll for ever shows as a deadlock. A cell's turn is read together
 * with the cell, which nobody writes then (FILL_CELL checks it). `consumed` is
 * looked at always, not only when the ring seems full, and together with
 * `returned`: both only ever allow more. Left out: lengths, handlers, malformed
 * cells; requests and fragments, which are such messages; sleep (sleep.pml);
 * exposures in detail (exposure.pml), and what to do when none is free but to wait;
 * counters that pass 2^32; and memory orders: each access takes effect at once, in
 * the program's order.
 *
 * RUN: -DCELLS=2 -DTOKENS=2 -DFROM_0=3 -DFROM_1=1 -DFROM_2=1
 * RUN: -DCELLS=1 -DTOKENS=1 -DFROM_0=2 -DFROM_1=2 -DFROM_2=2
 * MUTANT_...: a mistake that one of the runs must find. */
#define RANKS 3
#ifndef CELLS
#define CELLS 2
#endif
#ifndef TOKENS
#define TOKENS 2
#endif
#ifndef FROM_0
#define FROM_0 2
#define FROM_1 2
#define FROM_2 2
#endif
#define BATCH 2 /* CELLS_PER_POLL */
#define ALL ((1 << TOKENS) - 1)

mtype = { SHORT, EAGER, ADVERT };

/* From rank i to the next: the ring, mpj_pair, the slots. */
typedef line_t {
  byte turn[CELLS];
  mtype kind[CELLS];
  byte slot[CELLS];
  byte body[CELLS];
  byte consumed;
  byte returned;
  byte data[TOKENS];
  byte busy; /* of the check only: slots in flight or kept */
  byte read; /* of the check only: cells that have been copied */
};
line_t line[RANKS];

/* The one exposure that a rank may have open: pulls to come, and its data. */
byte pulls[RANKS], offered[RANKS];

#define PREV ((me + 2) % RANKS)
#define OUT line[me]
#define IN line[PREV]
#define AT(position) ((position) % CELLS)

/* What a correct rank may do in one step: see the abstractions above. */
#if defined(MUTANT_RETURNED_NOT_EXCHANGED) || defined(MUTANT_CONSUMED_BEFORE_READ)
#define ONE_STEP
#else
#define ONE_STEP atomic
#endif

#ifdef MUTANT_RING_NOT_LIMITED
#define ROOM true
#else
#define ROOM (tail - OUT.consumed < CELLS)
#endif
#ifdef MUTANT_LAP_NOT_CHECKED
#define READY (IN.turn[AT(head)] != 0)
#else
#define READY (IN.turn[AT(head)] == head + 1)
#endif
#ifdef MUTANT_SEND_WAITS
#define MAY_SEND (tail < sends && (!has_data || tokens != 0 || OUT.returned != 0 || !exposed))
#else
#define MAY_SEND \
  (tail < sends && ROOM && (!has_data || tokens != 0 || OUT.returned != 0 || !exposed))
#endif

/* Each slot of the ring out is with the sender, in flight or kept, or returned. */
#define HOLDERS \
  assert((tokens & OUT.busy) == 0 && (tokens & OUT.returned) == 0 && \
         (OUT.returned & OUT.busy) == 0 && (tokens | OUT.busy | OUT.returned) == ALL)

#define TAKE_SLOT \
  slot = (tokens & 1 -> 0 : 1); \
  tokens = tokens & ~(1 << slot); \
  assert((OUT.busy & (1 << slot)) == 0); \
  OUT.busy = OUT.busy | (1 << slot); \
  kind = EAGER

inline take_token() {
  if
  :: tokens == 0 ->
#ifdef MUTANT_RETURNED_NOT_EXCHANGED
    tokens = OUT.returned;
    d_step { OUT.returned = 0; HOLDERS };
    d_step { TAKE_SLOT }
#else
    d_step { tokens = OUT.returned; OUT.returned = 0; HOLDERS; TAKE_SLOT }
#endif
  :: else -> d_step { TAKE_SLOT }
  fi
}

#define FILL_SLOT OUT.data[slot] = tail + 1
#define FILL_CELL \
  assert(tail - OUT.read < CELLS); \
  OUT.kind[AT(tail)] = kind; \
  OUT.slot[AT(tail)] = slot; \
  OUT.body[AT(tail)] = tail + 1
#define PUBLISH OUT.turn[AT(tail)] = tail + 1
#define OPEN_EXPOSURE \
  exposed = true; \
  offered[me] = tail + 1; \
  pulls[me] = 1; \
  kind = ADVERT

/* How it goes: no data; or data by a token if there is one, else by an advertisement. */
inline choose_way() {
#ifdef MUTANT_SEND_WAITS
  ROOM;
#endif
  if
  :: !has_data -> kind = SHORT
  :: has_data && (tokens != 0 || OUT.returned != 0) -> take_token()
  :: has_data && tokens == 0 && OUT.returned == 0 -> d_step { OPEN_EXPOSURE }
  fi
}

/* What the next message is like, whether or not it can go soon. */
inline choose_message() {
  if
  :: has_data = true
  :: has_data = false
  fi
}

inline send() {
#ifdef MUTANT_PUBLISHED_BEFORE_CELL
  PUBLISH;
#endif
#ifndef MUTANT_PUBLISHED_BEFORE_SLOT
  if
  :: kind == EAGER -> FILL_SLOT
  :: else
  fi;
#endif
  d_step { FILL_CELL };
#ifndef MUTANT_PUBLISHED_BEFORE_CELL
  PUBLISH;
#endif
#ifdef MUTANT_PUBLISHED_BEFORE_SLOT
  if
  :: kind == EAGER -> FILL_SLOT
  :: else
  fi;
#endif
  d_step { tail++; kind = 0; slot = 0; has_data = false };
  if
  :: tail < sends -> choose_message()
  :: else
  fi
}

/* The model forgets data that nobody may read again, to have fewer states. */
#define RETURN_SLOT \
  assert(IN.busy & (1 << slot)); \
  IN.data[slot] = 0; \
  IN.busy = IN.busy & ~(1 << slot); \
  IN.returned = IN.returned | (1 << slot)

/* Read the payload in `slot`, which is that of message `number`, and give it back. */
inline use_slot() {
#ifdef MUTANT_SLOT_RETURNED_BEFORE_READ
  d_step { IN.busy = IN.busy & ~(1 << slot); IN.returned = IN.returned | (1 << slot) };
#endif
  assert(IN.data[slot] == number);
#if !defined(MUTANT_SLOT_RETURNED_BEFORE_READ) && !defined(MUTANT_SLOT_NOT_RETURNED)
  d_step { RETURN_SLOT };
#endif
  d_step { slot = 0; number = 0 }
}

inline pull() {
#ifdef MUTANT_PULL_COUNTED_BEFORE_READ
  pulls[PREV] = 0;
  assert(offered[PREV] == number);
#else
  assert(offered[PREV] == number);
  pulls[PREV] = 0;
#endif
  number = 0
}

inline keep() {
  d_step {
    if
    :: kind == EAGER -> kept[slot] = number
    :: else -> noted = number
    fi;
    slot = 0;
    number = 0
  }
}

inline handle() {
  if
  :: kind == SHORT -> number = 0
  :: kind == EAGER -> use_slot()
  :: kind == ADVERT -> pull()
  :: kind != SHORT -> keep()
  fi;
  kind = 0
}

#define COPY_CELL \
  kind = IN.kind[AT(head)]; \
  slot = IN.slot[AT(head)]; \
  number = IN.body[AT(head)]; \
  IN.kind[AT(head)] = 0; \
  IN.slot[AT(head)] = 0; \
  IN.read++; \
  head++; \
  batch++; \
  assert(number == head)

inline poll_peer() {
  do
  :: ONE_STEP {
      batch < BATCH && READY ->
#ifdef MUTANT_CONSUMED_BEFORE_READ
      IN.consumed = head + 1;
#endif
      d_step { COPY_CELL }
    };
    handle()
  :: batch > 0 -> break
  od;
#ifndef MUTANT_CONSUMED_NOT_STORED
  IN.consumed = head;
#endif
  batch = 0
}

inline release(i) {
  d_step { slot = i; number = kept[i]; kept[i] = 0 };
  use_slot()
}

proctype rank(byte me; byte sends; byte receives)
{
  byte tail, head, noted, kept[TOKENS], slot, number, batch;
  byte tokens = ALL;
  bool exposed, has_data;
  mtype kind;
  choose_message();
  do
  :: ONE_STEP { MAY_SEND -> choose_way() }; send()
  :: READY -> poll_peer()
  :: kept[0] != 0 -> release(0)
#if TOKENS > 1
  :: kept[1] != 0 -> release(1)
#endif
  :: noted != 0 -> d_step { number = noted; noted = 0 }; pull()
  :: exposed && pulls[me] == 0 -> d_step { exposed = false; offered[me] = 0 }
  :: tail == sends && head == receives && !exposed && noted == 0 && kept[0] == 0 &&
     kept[TOKENS - 1] == 0 -> break
  od
}

init {
  atomic {
    run rank(0, FROM_0, FROM_2);
    run rank(1, FROM_1, FROM_0);
    run rank(2, FROM_2, FROM_1)
  };
  (_nr_pr == 1);
  assert(line[0].busy == 0 && line[1].busy == 0 && line[2].busy == 0)
}
