/* This file models how an owner and a receiver divide a long transfer: the receiver takes
 * chunks from the front and pulls them, the owner from the back and pushes. It follows
 * src/net/cells/share.c: mpj_share_reset, mpj_share_begin, mpj_share_take_front, mpj_share_finish,
 * mpj_share_cancel, mpj_share_is_open, mpj_share_take_back, mpj_share_give_back;
 * src/net/shm/choose.c: share; src/net/shm/both.c: share_some, read_chunks, cancel, is_cancelled;
 * src/net/shm/help.c: mpj_shm_help; and src/net/cells/offer.c: mpj_cells_expose,
 * mpj_cells_withdraw.
 *
 * ROUNDS times the owner exposes CHUNKS chunks to two receivers, and waits for their pulls or
 * withdraws, at any moment that it is in the library. Each receiver offers to share, which at most
 * one may; the other reads alone. The owner may help whenever it likes, or never. On either side
 * a copy may fail, and a receiver that fails gives the pull up, and takes its buffer back, only
 * when the owner writes to it no more; the owner may be killed, in the midst of a push too.
 *
 * Checked: each chunk is moved by one side and in place when the pull succeeds; nothing is written to
 * a buffer that has gone back to its user, and nothing read from one that the owner has back
 * (assertions); everybody ends (no invalid end state).
 *
 * Abstractions. Each compare-and-swap loop is one step. The exposure's word is that of
 * exposure.pml: generation, readers, pulls. A push that is under way when its process is killed has
 * ended before anybody sees the death, as the kernel has it. Left out: what goes through the
 * ring when a copy is refused (the pull then fails here), and memory orders.
 *
 * RUN: -DCHUNKS=3 -DROUNDS=2
 * MUTANT_...: a mistake that the run must find. */
#define RECEIVERS 2
#ifndef CHUNKS
#define CHUNKS 3
#define ROUNDS 2
#endif

mtype = { NONE, SETUP, OPEN, OVER };

byte generation, readers, remaining; /* the exposure's word; its generation is odd while open */
byte share_of;                       /* the share's word: generation, */
mtype state = NONE;                  /* state, */
bool busy;
byte back, front;
byte offered_by; /* the offer: whose buffer */

chan ids[RECEIVERS] = [ROUNDS] of { byte };
bool dead; /* the owner, as others see it */

/* Of the check only. */
bool lent[RECEIVERS];                /* the receiver's buffer is the library's */
byte moved[RECEIVERS * CHUNKS];      /* how often each chunk was put in place in this pull */
bool exposed;                        /* the owner's buffer is */

#define MOVED(receiver, chunk) moved[(receiver) * CHUNKS + (chunk)]
#define IS_OF(id) (share_of == (id))
#define HAS_CHUNKS (front < back)

/* --- a receiver --- */

inline begin_read() {
  d_step {
    reads = generation == id && remaining > 0;
    if
    :: reads -> readers++
    :: else
    fi
  }
}

inline end_read(all) {
  d_step {
    if
    :: reads && generation - id <= 1 ->
      readers--;
      if
      :: all && remaining > 0 -> remaining--
      :: else
      fi
    :: else
    fi;
    reads = false
  }
}

/* Who offers counts as a reader: so no later offer of another comes between. */
inline begin_share() {
#ifndef MUTANT_OFFERED_WITHOUT_READING
  begin_read();
  shares = reads;
#else
  shares = true;
#endif
  d_step {
#ifdef MUTANT_SHARED_BY_TWO
    shares = shares && IS_OF(id);
#else
    shares = shares && IS_OF(id) && state == NONE;
#endif
    if
    :: shares -> state = SETUP; busy = false; back = 0; front = 0
    :: else
    fi
  };
#ifdef MUTANT_OPEN_BEFORE_OFFER
  d_step {
    if
    :: shares && IS_OF(id) -> state = OPEN; back = CHUNKS
    :: else -> shares = false
    fi
  };
  if
  :: shares -> offered_by = me
  :: else
  fi;
#else
  if
  :: shares -> offered_by = me
  :: else
  fi;
  d_step {
    if
    :: shares && IS_OF(id) && state == SETUP && back == 0 -> state = OPEN; back = CHUNKS
    :: else -> shares = false
    fi
  };
#endif
  end_read(false)
}

inline take() {
  d_step {
    if
    :: generation == id && remaining > 0 -> remaining--
    :: else
    fi
  }
}

inline copy(chunk) {
  d_step { assert(exposed); MOVED(me, chunk)++ }
}

inline take_front() {
  d_step {
    took = IS_OF(id) && HAS_CHUNKS && (state == OPEN || state == SETUP);
    if
    :: took -> chunk = front; front++
    :: else
    fi
  }
}

inline finish() {
  d_step {
#ifdef MUTANT_FINISHED_WHILE_BUSY
    all = IS_OF(id) && !HAS_CHUNKS;
#else
    all = IS_OF(id) && !busy && !HAS_CHUNKS;
#endif
    if
    :: all -> state = NONE; back = 0; front = 0
    :: else
    fi
  }
}

/* Whether the owner certainly writes nothing more. */
inline cancel() {
  d_step {
#ifdef MUTANT_CANCELLED_WHILE_BUSY
    ended = true;
#else
    ended = !IS_OF(id) || !busy || dead;
#endif
    if
    :: IS_OF(id) && busy -> state = OVER
    :: IS_OF(id) && !busy -> state = NONE; back = 0; front = 0
    :: else
    fi
  }
}

#define ALL_MOVED (MOVED(me, 0) == 1 && MOVED(me, 1) == 1 && MOVED(me, CHUNKS - 1) == 1)

/* The buffer is the user's again. */
inline end_pull(good) {
  d_step {
    assert(!(good) || ALL_MOVED);
    lent[me] = false;
    MOVED(me, 0) = 0;
    MOVED(me, 1) = 0;
    MOVED(me, CHUNKS - 1) = 0
  }
}

inline read_alone() {
  begin_read();
  if
  :: reads -> copy(0); copy(1); copy(CHUNKS - 1); end_read(true); end_pull(true)
  :: !reads -> end_pull(false)
  fi
}

/* One poll's worth after the other. */
inline work_at_share() {
  do
  :: begin_read();
    if
    :: !reads -> goto withdrawn
    :: else
    fi;
    take_front();
    do
    :: took -> copy(chunk); take_front()
    :: took -> failed = true; break /* this one is not in place */
    :: !took -> break
    od;
    if
    :: !failed -> finish()
    :: else -> all = false
    fi;
    end_read(all);
    if
    :: all -> end_pull(true); break
    :: failed -> goto failing
    :: !all && !failed && dead -> end_pull(false); break
    :: !all && !failed && !dead -> (!busy || dead || generation != id) /* no poll in vain */
    fi
  od
}

proctype receiver(byte me)
{
  byte id, chunk, rounds;
  bool shares, reads, took, all, failed, ended;
  do
  :: rounds < ROUNDS ->
    if
    :: ids[me] ? id
    :: dead -> break
    fi;
    lent[me] = true;
    if
    :: begin_share()
    :: skip
    fi;
    if
    :: shares -> work_at_share()
    :: else -> read_alone()
    fi;
    goto next;
withdrawn: /* the owner closed it in the library, where it does not push */
    end_pull(false);
    goto next;
failing:
    do
    :: cancel();
      if
      :: ended -> take(); end_pull(false); break
      :: else -> (!busy || dead || !IS_OF(id))
      fi
    od;
next:
    skip;
    d_step {
      rounds++;
      id = 0; chunk = 0; shares = false; took = false; all = false; failed = false; ended = false
    }
  :: else -> break
  od
}

/* --- the owner --- */

inline expose() {
  d_step { exposed = true; share_of = generation + 1; state = NONE; back = 0; front = 0 };
  d_step { generation++; readers = 0; remaining = RECEIVERS };
  ids[0] ! generation;
  ids[1] ! generation
}

inline take_back() {
  d_step {
#ifdef MUTANT_BACK_MEETS_FRONT
    took = IS_OF(generation) && state == OPEN && !busy && front <= back && back > 0;
#else
    took = IS_OF(generation) && state == OPEN && !busy && HAS_CHUNKS;
#endif
    if
    :: took -> back--; busy = true; chunk = back
    :: else
    fi
  }
}

inline give_back(pushed) {
  d_step {
    busy = false;
#ifndef MUTANT_FAILED_CHUNK_NOT_GIVEN_BACK
    if
    :: !(pushed) -> back++
    :: else
    fi;
#endif
    if
    :: !(pushed) && state == OPEN -> state = SETUP
    :: else
    fi
  }
}

inline push() {
  to = offered_by;
  d_step { assert(lent[to]); MOVED(to, chunk)++ };
  assert(lent[to]) /* the last of it */
}

inline help() {
  take_back();
  if
  :: took ->
    if
    :: push(); give_back(true)
    :: give_back(false)
    :: push(); goto killed
    fi
  :: else
  fi;
  d_step { took = false; chunk = 0; to = 0 }
}

inline close() {
  d_step { generation++; remaining = 0 };
  (readers == 0);
  exposed = false
}

proctype owner()
{
  byte chunk, rounds, to;
  bool took;
  do
  :: rounds < ROUNDS ->
    expose();
    do
    :: state == OPEN && !busy && HAS_CHUNKS -> help()
    :: remaining == 0 && readers == 0 -> break
    :: true -> break /* withdraw */
    od;
    close();
    rounds++
  :: else -> break
  od;
killed:
  dead = true
}

init {
  atomic { run receiver(0); run receiver(1); run owner() };
  (_nr_pr == 1);
  assert(readers == 0 || exposed)
}
