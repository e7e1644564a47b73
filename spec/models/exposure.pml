/* This file models the word of an exposure between its owner and two readers. It
 * follows src/net/cells/exposure.c: mpj_exposure_open, mpj_exposure_is_finished,
 * mpj_exposure_close, mpj_exposure_begin_read, mpj_exposure_end_read,
 * mpj_exposure_take; and src/net/cells/offer.c: mpj_cells_expose,
 * mpj_cells_withdraw, mpj_cells_poll_exposures.
 *
 * ROUNDS times the owner exposes its buffer to a pull by each reader and sends
 * both the id, and then either waits for the pulls or withdraws at any moment. A
 * reader, when it gets to it, pulls in one or two reads, or declines; an id may
 * reach it rounds later. One reader may be killed in the middle of a read; the
 * owner gives up waiting for that one alone.
 *
 * Checked: whoever reads finds the data of its id from the first byte to the last
 * (assertions); `sent` comes after all pulls; the readers in the word are those who
 * read; everybody ends (no invalid end state).
 *
 * Abstractions. Each compare-and-swap loop is one step: it either changes the word
 * from what it read or starts over. The data is one byte, read twice. Left out:
 * other exposures, generations that pass 2^32, the division of a pull between both
 * sides (share.h), and memory orders.
 *
 * RUN: -DROUNDS=3
 * MUTANT_...: a mistake that the run must find. */
#ifndef ROUNDS
#define ROUNDS 3
#endif
#define READERS 2
#define OPEN(g) ((g) % 2 == 1)

byte generation, readers, remaining; /* the word */
byte data;                           /* the owner's buffer: the generation it is exposed as */
chan ids[READERS] = [ROUNDS] of { byte };
bool killed; /* a reader has been killed */
byte lost;   /* readers in the word that were killed */
byte pulled; /* of the check only: pulls and declines of the open exposure */

#ifdef MUTANT_GENERATION_NOT_CHECKED
#define IS_OPEN (OPEN(generation) && remaining > 0)
#else
#define IS_OPEN (generation == id && OPEN(id) && remaining > 0)
#endif

inline begin_read() {
#ifdef MUTANT_CHECKED_BEFORE_COUNTED
  begun = IS_OPEN;
  d_step {
#else
  d_step {
    begun = IS_OPEN;
#endif
    if
    :: begun -> readers++
    :: else
    fi
  }
}

inline end_read(all) {
  d_step {
    if
    :: generation - id <= 1 ->
      assert(readers > 0);
      readers--;
      if
      :: all && remaining > 0 -> remaining--; pulled++
      :: else
      fi
    :: else
    fi;
    begun = false
  }
}

inline take() {
  d_step {
    if
    :: generation == id && remaining > 0 ->
#ifndef MUTANT_DECLINE_NOT_COUNTED
      remaining--; pulled++
#endif
    :: else
    fi
  }
}

inline read(all) {
  begin_read();
  if
  :: begun ->
    assert(data == id);
    if
    :: atomic { !killed -> killed = true; lost++; goto dead }
    :: assert(data == id); end_read(all)
    fi
  :: else
  fi
}

proctype reader(byte me)
{
  byte id, rounds;
  bool begun;
  do
  :: rounds < ROUNDS ->
    ids[me] ? id;
    if
    :: take()
    :: read(true)
    :: read(false); read(true)
    fi;
    d_step { rounds++; id = 0 }
  :: else -> break
  od;
dead:
  skip
}

#ifdef MUTANT_WITHDRAWN_WITHOUT_WAITING
#define NOBODY_READS true
#else
#define NOBODY_READS (readers == lost)
#endif
#ifdef MUTANT_FINISHED_AT_FIRST_PULL
#define FINISHED (remaining < READERS && readers == 0)
#else
#define FINISHED (remaining == 0 && readers == 0)
#endif

/* Opening anew forgets readers that were killed. */
inline expose() {
  d_step { data = generation + 1; pulled = 0 };
  d_step { generation++; readers = 0; lost = 0; remaining = READERS };
  ids[0] ! generation;
  ids[1] ! generation
}

inline close() {
  d_step {
    generation++;
#ifdef MUTANT_CLOSE_FORGETS_READERS
    readers = 0;
#endif
    remaining = 0
  }
}

inline withdraw() {
  close();
  NOBODY_READS
}

/* Who waits hears of a death, and then withdraws. */
inline wait_for_pulls() {
  if
  :: FINISHED -> assert(pulled == READERS); close()
  :: killed -> withdraw()
  fi
}

proctype owner()
{
  byte rounds;
  do
  :: rounds < ROUNDS ->
    expose();
    if
    :: skip -> wait_for_pulls() /* once chosen, it must end */
    :: withdraw()
    fi;
    d_step { data = 0; rounds++ } /* the buffer is the caller's again */
  :: else -> break
  od
}

init {
  atomic { run reader(0); run reader(1); run owner() };
  (_nr_pr == 1);
  assert(readers == lost)
}
