/* This file models a ring of pieces that a receiver lends to the owners of the data that it pulls,
 * one pull after the other. It follows src/net/pull/stream_ring.c; src/net/shm/streamed.c: borrow_ring, ask,
 * flow, wait, look_whether_over; and src/net/shm/serve.c: mpj_shm_on_request, stream_some,
 * is_dropped.
 *
 * The receiver has one ring and pulls once from each of two owners, PIECES_OF pieces each. Whenever
 * a pull has found nothing it may close the ring (the code waits some polls first) and lend it to
 * the other pull; a pull that goes on asks anew, from its place. An owner may fall silent for a
 * while, be killed in the middle of a piece, or withdraw what it offers.
 *
 * Checked: no piece is written that has still to be read, or is read while it is written; a pull
 * gets its own bytes, each once and in order (assertions); a pull whose owner is alive and has not
 * withdrawn ends with all its pieces, the other one ends too, and the ring is free then (no invalid
 * end state).
 *
 * Abstractions. Requests wait in a channel that always has room; a rank that would poll in vain
 * takes no step. Left out: malformed words, and memory orders.
 *
 * RUN: -DPIECES=1 -DPIECES_OF=2
 * RUN: -DPIECES=2 -DPIECES_OF=3
 * MUTANT_...: a mistake that the run must find. */
#ifndef PIECES
#define PIECES 2
#define PIECES_OF 3
#endif
#define NOBODY 9
#define GIVE_UPS 2 /* at most so many times, that the search ends */

/* The ring. */
byte generation, filled, emptied;
bool closed = true, busy;
byte data[PIECES];  /* 1 + owner * 8 + piece of the pull, 0: half written */
bool unread[PIECES];

chan request[2] = [4] of { byte, byte }; /* generation, first piece of the pull */
bool open[2] = true; /* what the owner offers */
bool dead[2];
byte ends; /* pulls that have ended */

#define BYTES(owner, piece) (1 + (owner) * 8 + (piece))
#ifdef MUTANT_ROOM_NOT_CHECKED
#define ROOM true
#else
#define ROOM (filled - emptied < PIECES)
#endif
#ifdef MUTANT_GENERATION_NOT_CHECKED
#define MINE (!closed && !busy)
#elif defined MUTANT_CLAIMED_WHEN_CLOSED
#define MINE (!busy && generation == serves)
#else
#define MINE (!closed && !busy && generation == serves)
#endif

#ifdef MUTANT_RELEASED_WHOSE_EVER
#define RELEASE busy = false
#else
#define RELEASE if :: generation == serves -> busy = false :: else fi
#endif

proctype owner(byte me)
{
  byte serves, piece, slot, came, first;
  bool serving;
  do
  :: atomic { request[me] ? came, first -> serves = came; piece = first; serving = true }
  :: atomic { serving && open[me] && MINE && ROOM && piece < PIECES_OF ->
       busy = true; slot = filled % PIECES };
     do
     :: atomic {
          assert(!unread[slot]);
          data[slot] = 0 };
        if
        :: atomic { me == 0 && !dead[0] -> dead[0] = true; goto out } /* killed midway */
        :: data[slot] = BYTES(me, piece)
        fi;
        atomic { unread[slot] = true; piece++; filled++ };
        if
        :: atomic { piece < PIECES_OF && ROOM && !closed -> slot = filled % PIECES }
        :: atomic { true -> RELEASE; break }
        fi
     od
  :: atomic { serving && (generation != serves || closed) && !busy -> serving = false }
  :: atomic { me == 1 && open[1] && !busy -> open[1] = false } /* withdraws, between its polls */
  :: ends == 2 -> break
  od;
out: skip
}

byte at[2]; /* pieces that have come */
bool over[2];
byte pull = NOBODY, take_slot, gaveup;

inline lend() {
  d_step {
    assert(!unread[0] && !unread[PIECES - 1]);
    generation++;
    filled = 0;
    emptied = 0;
    busy = false;
    closed = false
  };
  request[pull] ! generation, at[pull]
}

inline take_piece() {
  d_step {
    take_slot = emptied % PIECES;
    assert(unread[take_slot] && data[take_slot] == BYTES(pull, at[pull]))
  };
#ifdef MUTANT_EMPTIED_BEFORE_READ
  emptied++;
#endif
  d_step {
    assert(data[take_slot] == BYTES(pull, at[pull]));
    unread[take_slot] = false;
    at[pull]++;
    take_slot = 0
  };
#ifndef MUTANT_EMPTIED_BEFORE_READ
  emptied++
#endif
}

inline end_pull() {
  d_step { over[pull] = true; ends++; pull = NOBODY }
}

/* Closed, and the owner is through with what it had begun. */
#ifdef MUTANT_TAKEN_BACK_WHILE_BUSY
#define IS_MINE closed
#else
#define IS_MINE (closed && (!busy || dead[pull]))
#endif
#define IS_OVER (dead[pull] || !open[pull])

proctype receiver()
{
  do
  :: pull == NOBODY && !over[0] -> pull = 0; lend()
  :: pull == NOBODY && !over[1] -> pull = 1; lend()
  :: pull == NOBODY && over[0] && over[1] -> break
  :: pull != NOBODY && filled != emptied ->
     take_piece();
     if
     :: at[pull] == PIECES_OF -> closed = true; end_pull()
     :: else
     fi
  :: atomic { pull != NOBODY && filled == emptied && IS_OVER && !closed -> closed = true }
  :: atomic { pull != NOBODY && filled == emptied && !IS_OVER && !closed && gaveup < GIVE_UPS ->
       closed = true; gaveup++ }
  :: atomic { pull != NOBODY && filled == emptied && IS_MINE ->
       if
       :: IS_OVER -> end_pull()
       :: else -> pull = (over[1 - pull] -> pull : 1 - pull)
       fi };
     if
     :: pull != NOBODY -> lend()
     :: else
     fi
  od;
  assert(closed)
}

init {
  atomic { run owner(0); run owner(1); run receiver() };
  (_nr_pr == 1)
}
