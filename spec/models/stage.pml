/* This file models an owner's stage between it and two receivers, who pull data with gaps
 * into layouts with gaps: the owner packs pieces, the receivers unpack them. It follows
 * src/net/shm/stage.c: is_free, find_piece, mpj_shm_stage_send; src/net/shm/serve.c:
 * mpj_shm_on_request, send_piece, step_serve, tell; and src/net/shm/pull.c: ask, is_over,
 * take_staged, mpj_shm_on_fragment, mpj_shm_on_pushed, end_pull.
 *
 * Receiver i pulls ROUNDS_i times FRAGMENTS pieces, in order. At any moment the owner may
 * withdraw what one of them pulls, and poll no more until that receiver has noticed, which may then
 * give up before it has seen all that was sent. One receiver may be killed, or cease to
 * poll. Where no piece is free the owner goes by slots: at once here, after 256 polls in the
 * code.
 *
 * Checked: no piece is written while somebody has still to read it, and who unpacks finds the
 * bytes of its own pull, from the first to the last (assertions); a pull that is neither withdrawn
 * nor killed ends with all its pieces, whatever the other receiver does (no invalid end state);
 * at the end all pieces are free.
 *
 * Abstractions. A ring is a channel of CELLS messages, its slots are TOKENS of them at a time
 * (cells.pml has both in detail). A rank that would poll in vain takes no step. A request finds
 * room at the owner when that has nothing more to do for the pull before. An exposure is open
 * or not (exposure.pml). Left out: malformed messages, and memory orders.
 *
 * RUN: -DPIECES=2 -DCELLS=2 -DFRAGMENTS=2 -DROUNDS_0=2 -DROUNDS_1=1
 * MUTANT_...: a mistake that the run must find. */
#define RECEIVERS 2
#ifndef PIECES
#define PIECES 2
#define CELLS 2
#define FRAGMENTS 2
#define ROUNDS_0 2
#define ROUNDS_1 1
#endif
#define TOKENS 1

mtype = { STAGED, SLOT, GONE };

/* Of the owner's segment. */
bool filled[PIECES];
byte data[PIECES];
chan ring0 = [CELLS] of { mtype, byte, byte, byte }; /* kind, pull, fragment, piece or data */
chan ring1 = [CELLS] of { mtype, byte, byte, byte };
byte asked[RECEIVERS]; /* the pull that a request is under way for, or 0 */
byte slots[RECEIVERS]; /* in flight */

byte open[RECEIVERS]; /* the pull whose exposure is open, or 0 */
bool gone[RECEIVERS]; /* it has left or was killed */
bool dulled[RECEIVERS]; /* it polls no more */
bool killed;
bool withdraws; /* the owner may */
bool asleep; /* the owner, until a receiver that it has let down has noticed */
bool unread[PIECES];  /* of the check only: somebody has still to read it */

#define BYTES_OF(receiver, pull, fragment) (1 + (fragment) + 4 * (pull) + 32 * (receiver))

/* --- the owner --- */

byte stage_of[PIECES], next_piece, piece;
byte pull_of[RECEIVERS], sent[RECEIVERS]; /* what is served: pull, pieces sent so far */
bool serves[RECEIVERS], tells[RECEIVERS];

#ifdef MUTANT_DEAD_HOLD_PIECES
#define IS_FREE(p) (!filled[p])
#else
#define IS_FREE(p) (!filled[p] || gone[stage_of[p]])
#endif
#ifdef MUTANT_PIECE_NOT_CHECKED
#define SOME_FREE true
#define FIRST_FREE next_piece
#else
#define SOME_FREE (IS_FREE(0) || IS_FREE(PIECES - 1))
#define FIRST_FREE (IS_FREE(next_piece) -> next_piece : 1 - next_piece) /* of 2 */
#endif

/* The same for each receiver, by its own ring. */
#define FILL_PIECE(r) \
  assert(!unread[piece]); \
  data[piece] = BYTES_OF(r, pull_of[r], sent[r])

inline send_staged(r, ring) {
  d_step { piece = FIRST_FREE };
#ifndef MUTANT_TOLD_BEFORE_PACKED
  d_step { FILL_PIECE(r) };
#endif
#ifndef MUTANT_FILLED_AFTER_MESSAGE
  filled[piece] = true;
#endif
  d_step { unread[piece] = true; stage_of[piece] = r };
  ring ! STAGED(pull_of[r], sent[r], piece);
#ifdef MUTANT_TOLD_BEFORE_PACKED
  data[piece] = BYTES_OF(r, pull_of[r], sent[r]);
#endif
#ifdef MUTANT_FILLED_AFTER_MESSAGE
  filled[piece] = true;
#endif
  d_step {
    if
    :: gone[r] -> unread[piece] = false
    :: else
    fi;
    next_piece = (piece + 1) % PIECES;
    piece = 0;
    sent[r]++;
    if
    :: sent[r] == FRAGMENTS -> serves[r] = false; sent[r] = 0; pull_of[r] = 0
    :: else
    fi
  }
}

inline send_slot(r, ring) {
  d_step {
    slots[r]++;
    ring ! SLOT(pull_of[r], sent[r], BYTES_OF(r, pull_of[r], sent[r]));
    sent[r]++;
    if
    :: sent[r] == FRAGMENTS -> serves[r] = false; sent[r] = 0; pull_of[r] = 0
    :: else
    fi
  }
}

inline withdraw(r) {
  d_step { open[r] = 0; asleep = !dulled[r] }
}

inline accept(r) {
  d_step { serves[r] = true; pull_of[r] = asked[r]; asked[r] = 0 }
}

/* Of a pull that has been withdrawn. */
inline conclude(r) {
  d_step { serves[r] = false; tells[r] = true; sent[r] = 0 }
}

inline tell(r, ring) {
  d_step { ring ! GONE(pull_of[r], 0, 0); tells[r] = false; pull_of[r] = 0 }
}

inline forget(r) {
  d_step { serves[r] = false; tells[r] = false; sent[r] = 0; pull_of[r] = 0 }
}

#ifdef MUTANT_NO_SLOTS
#define MAY_USE_SLOTS false
#else
#define MAY_USE_SLOTS !SOME_FREE
#endif

#define SERVES(r) (serves[r] && open[r] == pull_of[r])
#define SERVE(r, ring) \
  :: atomic { !asleep && asked[r] != 0 && !serves[r] && !tells[r] -> accept(r) } \
  :: atomic { !asleep && SERVES(r) && !gone[r] && nfull(ring) && SOME_FREE -> \
       skip }; send_staged(r, ring) \
  :: atomic { !asleep && SERVES(r) && !gone[r] && nfull(ring) && MAY_USE_SLOTS && \
       slots[r] < TOKENS -> send_slot(r, ring) } \
  :: atomic { withdraws && SERVES(r) && !gone[r] -> withdraw(r) } \
  :: atomic { !asleep && serves[r] && open[r] != pull_of[r] && !gone[r] -> conclude(r) } \
  :: atomic { !asleep && tells[r] && !gone[r] && nfull(ring) -> tell(r, ring) } \
  :: atomic { !asleep && (serves[r] || tells[r]) && gone[r] -> forget(r) }

/* Nobody will free it. */
#define IS_LOST(p) (filled[p] && !unread[p] && !gone[stage_of[p]])

proctype owner()
{
  if
  :: withdraws = true
  :: skip
  fi;
  do
  SERVE(0, ring0)
  SERVE(1, ring1)
  :: d_step { IS_LOST(0) || IS_LOST(PIECES - 1) -> assert(false) }
  :: atomic { gone[0] && gone[1] && asked[0] == 0 && asked[1] == 0 && !serves[0] && !serves[1] &&
       !tells[0] && !tells[1] -> break }
  od;
  assert(IS_FREE(0) && IS_FREE(PIECES - 1))
}

/* --- a receiver --- */

/* One of them may be killed, or poll no more. */
#define MAY_END (!killed && !dulled[0] && !dulled[1])

inline ask() {
  d_step {
    pull++;
    at = 0;
    waiting = true;
    open[me] = pull;
    asked[me] = pull
  }
}

inline end_pull() {
  d_step { waiting = false; open[me] = 0; asleep = false; at = 0 }
}

#ifdef MUTANT_PULL_NOT_CHECKED
#define EXPECTED (waiting && fragment == at)
#else
#define EXPECTED (waiting && number == pull && fragment == at)
#endif

inline free_piece(p) {
  d_step { unread[p] = false; filled[p] = false }
}

inline take_staged(p) {
#ifdef MUTANT_FREED_BEFORE_READ
  free_piece(p);
#endif
  if
  :: EXPECTED ->
    assert(data[p] == BYTES_OF(me, pull, at));
    if
    :: atomic { MAY_END -> killed = true; goto dead } /* while it reads */
    :: assert(data[p] == BYTES_OF(me, pull, at)) /* the last of it */
    fi;
#ifndef MUTANT_FREED_BEFORE_READ
    free_piece(p);
#endif
    at++
  :: else ->
#ifdef MUTANT_STRAY_NOT_FREED
    unread[p] = false
#else
    free_piece(p)
#endif
  fi;
  end_if_whole()
}

inline take_slot(bytes) {
  d_step {
    slots[me]--;
    if
    :: EXPECTED -> assert(bytes == BYTES_OF(me, pull, at)); at++
    :: else
    fi
  };
  end_if_whole()
}

inline end_if_whole() {
  if
  :: atomic { waiting && at == FRAGMENTS -> end_pull() }
  :: else
  fi
}

inline handle() {
  if
  :: kind == STAGED -> take_staged(what)
  :: kind == SLOT -> take_slot(what)
  :: kind == GONE && waiting && number == pull -> end_pull()
  :: kind == GONE && !(waiting && number == pull)
  fi;
  d_step { kind = 0; number = 0; fragment = 0; what = 0 }
}

/* What a rank had still to read is nobody's any more. */
inline leave() {
  d_step {
    open[me] = 0;
    gone[me] = true;
    asleep = false;
    if
    :: stage_of[0] == me -> unread[0] = false
    :: else
    fi;
    if
    :: stage_of[PIECES - 1] == me -> unread[PIECES - 1] = false
    :: else
    fi
  }
}

#ifdef MUTANT_WITHDRAWAL_NOT_NOTICED
#define IS_OVER false
#else
#define IS_OVER (waiting && open[me] == 0)
#endif

proctype receiver(byte me; byte rounds; chan ring)
{
  byte pull, at, number, fragment, what;
  mtype kind;
  bool waiting;
  do
  :: atomic { !waiting && pull < rounds -> ask() }
  :: atomic { ring ? kind, number, fragment, what -> skip }; handle()
  :: atomic { IS_OVER -> end_pull() }
  :: atomic { !waiting && pull == rounds -> break }
  :: atomic { MAY_END -> killed = true; break }
  :: atomic { MAY_END -> dulled[me] = true; asleep = false; gone[1 - me] -> break }
  od;
dead:
  leave()
}

init {
  atomic { run receiver(0, ROUNDS_0, ring0); run receiver(1, ROUNDS_1, ring1); run owner() };
  (_nr_pr == 1)
}
