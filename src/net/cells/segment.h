/* This header declares the segment: the memory that the ranks of one machine
 * share, as its creator (a launcher, or MPJ_Run_threads) formats it.
 *
 * For n ranks it holds, each part on a cache line boundary:
 *   header                     what all ranks must agree on
 *   rank lines       [n]       a rank's state, process and wake-up word
 *   near memory      [n]       MPJ_NEAR_BYTES of each rank, for those above (net.h): who looks at
 *                              all ranks meets one page of each, and they follow one another
 *   middle memory    [n]       MPJ_MIDDLE_BYTES of each rank, likewise
 *   common memory    [n]       MPJ_COMMON_BYTES of each rank, likewise
 *   exposures        [n][MPJ_EXPOSURES]   data offered to be pulled
 *   shared blocks    [n][MPJ_SHARED_BLOCKS]  memory that peers may map
 *   cards            [n][2]    what a rank tells the others before it talks to them
 *   pairs            [n][R]    what a receiver tells the sender of one of its R rings
 *   rings            [n][R]    cells to a rank, single producer, single consumer
 *   slots            [n][R][tokens]       early-arrival slots that go with a ring
 *   inboxes          [n]       cells to a rank from anybody, if R < n
 *   waiting          [n][n] bits   who waits for a cell of an inbox
 *   pools            [n][MPJ_POOL_SLOTS]  early-arrival slots for these
 *   streams          [n][MPJ_STREAMS]       between processes: words of a rank's rings of pieces
 *   pieces           [n][MPJ_STREAMS]       the rings, through which it receives long data
 * bytes = mpj_segment_bytes(config). Pages are touched only when used.
 *
 * Nothing in it is an address of another process, except in exposures, where
 * only its owner's id gives the address meaning. Whoever reads what a peer
 * wrote copies it first and checks it then. */
#ifndef MPJ_SRC_NET_CELLS_SEGMENT_H
#define MPJ_SRC_NET_CELLS_SEGMENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/hot.h"
#include "base/machine/measured.h"
#include "net/cells/settings.h"

enum {
  MPJ_CACHE_LINE = 64,
  MPJ_CELL_BODY = 56,  /* bytes of header (and inline payload) in one cell */
  MPJ_RING_CELLS = 64, /* cells from one rank to another; a power of two */
  /* Of memory that a rank has in common with its peers: of extents 0, 1, and all further ones. */
  MPJ_NEAR_BYTES = 4096,
  MPJ_MIDDLE_BYTES = 256 << 10,
  MPJ_COMMON_BYTES = 15 << 20,
  MPJ_EXTENTS_AT_ONCE = 3, /* that are there from the start */
  MPJ_SHARED_BLOCKS = 64,  /* of memory that one rank may share with the others */
  MPJ_EXPOSURES = 256,     /* exposures that one rank may have open */
  MPJ_WAYS_TOLD = 64,
  MPJ_STREAMS = 8,                  /* rings of pieces of one rank */
  MPJ_STREAM_PIECES = 4,            /* of a ring */
  MPJ_STREAM_COUNT = (1 << 30) - 1, /* where counts of pieces wrap around */
  MPJ_STREAM_PIECE_LEAST = 8192,    /* bytes: what one piece may have */
  MPJ_STREAM_PIECE_MOST = 65536,
  MPJ_CARD_BYTES = 4088,
  MPJ_RINGS_MOST = 32,   /* rings of one rank: bits of a word */
  MPJ_INBOX_CELLS = 128, /* a power of two */
  MPJ_INBOX_EACH = 4,    /* of which one sender may have so many */
  MPJ_INBOX_WORDS = MPJ_INBOX_CELLS / 64,
  MPJ_POOL_SLOTS = 64
};

enum mpj_rank_state {
  MPJ_RANK_ABSENT, /* has not attached yet */
  MPJ_RANK_ACTIVE,
  MPJ_RANK_FINALIZED, /* left in good order */
  MPJ_RANK_DEAD       /* exited without finalizing, was killed, or failed */
};

/* One 64-byte cell. P is its place in the sequence of all that its sender has sent to this rank, a
 * 32-bit count; its turn is P + 1 once it is written. In a ring it lies at P mod MPJ_RING_CELLS,
 * where until then an older lap's turn is, or 0. */
struct mpj_cell {
  _Alignas(MPJ_CACHE_LINE) _Atomic uint32_t turn;
  uint8_t handler;
  uint8_t bytes;  /* of body in use */
  uint8_t slot;   /* early-arrival slot that holds the payload: below MPJ_POOL_AT of the ring, from
                     there on of the pool; or MPJ_NO_SLOT */
  uint8_t marked; /* 1: sent by its mark (message.h); else 0 */
  unsigned char body[MPJ_CELL_BODY];
};
enum { MPJ_NO_SLOT = 255, MPJ_POOL_AT = 32 };

/* What a receiver tells the sender of one of its rings, which reads it when it runs out. */
struct mpj_pair {
  _Alignas(MPJ_CACHE_LINE) _Atomic uint32_t consumed; /* P of the next cell that will be taken */
  _Atomic uint32_t returned;                          /* slots given back: a set bit a slot */
  _Atomic uint32_t owner;  /* the sender's rank + 1; 0: nobody's (inbox.h) */
  _Atomic uint32_t wanted; /* not 0: to be given back as soon as it is empty */
};

/* Cells of a rank that anybody may fill (inbox.h). */
struct mpj_inbox {
  _Alignas(MPJ_CACHE_LINE) _Atomic uint64_t full[MPJ_INBOX_WORDS]; /* a set bit a cell to look at */
  _Atomic uint32_t rings;          /* a set bit a ring whose owner has changed */
  _Atomic uint32_t recall;         /* not 0: a ring that this rank owns elsewhere is wanted back */
  _Atomic uint32_t short_of_rings; /* not 0: somebody found none free */
  _Alignas(MPJ_CACHE_LINE) _Atomic uint32_t turn; /* who gets cell 0, plus 1; 0: who comes first */
  /* Of each cell and of each slot of the pool: 0, or 2 * (1 + its producer's rank), and 1 more once
   * it is full; a slot, once it has been taken in. */
  _Alignas(MPJ_CACHE_LINE) _Atomic uint32_t claim[MPJ_INBOX_CELLS];
  _Atomic uint32_t slot[MPJ_POOL_SLOTS];
  struct mpj_cell cell[MPJ_INBOX_CELLS];
};

struct mpj_rank_line {
  _Alignas(MPJ_CACHE_LINE) _Atomic uint32_t state; /* enum mpj_rank_state */
  _Atomic int32_t pid;
  _Atomic int32_t clock; /* core.h; 0: not known */
  _Atomic int32_t
      cause; /* of death: a wait status as waitpid gives it, or a thread rank's return value */
  _Atomic uint32_t sleeping; /* futex word: not 0 while the rank sleeps */
  _Atomic uint32_t blocks;   /* shared blocks from the first on that may be in use */
  /* By kind and size, what it says of the ways in exchanges (mpj_tried_says). */
  _Alignas(MPJ_CACHE_LINE) _Atomic uint8_t ways[MPJ_WAYS_TOLD];
};

/* Data offered to be pulled (net.h). word = generation << 32 | readers << 16 |
 * remaining: generation is odd while the exposure is open; readers counts the
 * ranks that are copying right now, and an owner that withdraws waits for it to
 * be 0; remaining counts the pulls still to come, and at 0 the owner is done. */
struct mpj_exposure {
  _Alignas(MPJ_CACHE_LINE) _Atomic uint64_t word;
  const void *_Atomic owner_data; /* meaningful in the owner's address space only */
  _Atomic uint64_t share;         /* how both sides divide a pull, and what of: share.h */
  _Atomic uint64_t share_to;
  _Atomic int64_t share_bytes;
  _Atomic uint32_t share_chunk;
  _Atomic int32_t share_rank;
  _Atomic int64_t share_row, share_stride;
  /* Where the data lies in the owner, if in rows (pack/run/cursor.h) and not dense; row 0: neither.
   * Of its columns, if unit is not 0: of elements of so many bytes. */
  _Alignas(MPJ_CACHE_LINE) _Atomic uint64_t rows_at;
  _Atomic int64_t row, stride, unit;
};

/* A block of a rank's memory that its peers may map. Written by its owner only:
 * the generation is odd while the rest holds. */
struct mpj_shared_block {
  _Atomic uint32_t generation;
  _Atomic int32_t fd;       /* of a sealed anonymous file, in the owner's process */
  _Atomic uint64_t address; /* where the owner has it */
  _Atomic uint64_t bytes;
};

/* The words of a ring of pieces (net/pull/stream_ring.h): whose it is; what who fills them says,
 * and who empties them. */
struct mpj_stream {
  _Alignas(MPJ_CACHE_LINE) _Atomic uint64_t word;
  _Alignas(MPJ_CACHE_LINE) _Atomic uint64_t filled;
  _Alignas(MPJ_CACHE_LINE) _Atomic uint32_t emptied;
};

/* What a rank publishes while the ranks find each other (boot/launch.h); of the
 * two, exchange e uses card e mod 2. */
struct mpj_card_page {
  _Alignas(MPJ_CACHE_LINE) uint64_t bytes; /* of data in use */
  unsigned char data[MPJ_CARD_BYTES];
};

struct mpj_segment_config {
  int nranks;
  int cores;                            /* that all the ranks together may keep busy */
  long eager_bytes;                     /* size of a slot */
  long tokens;                          /* slots a ring */
  long piece;                           /* bytes of a piece of a stream's ring */
  int rings;                            /* of a rank; as many as ranks: each has one from each */
  uint64_t settings;                    /* digest of the settings on which ranks must agree, */
  uint32_t settings_each[MPJ_SETTINGS]; /* and some bits of each: settings.h */
  bool shared;                          /* between processes (futex words are then shared too) */
  struct mpj_measured_row streams[2];   /* what goes through pieces where each rank has a core; and
                                           where they share cores */
  char rules[MPJ_MEASURED_RULES];       /* what this machine's file says of algorithms */
};

struct mpj_segment {
  _Alignas(MPJ_CACHE_LINE) uint64_t magic;
  uint32_t version;
  int32_t launcher_pid; /* of the process that made it */
  uint64_t bytes;
  struct mpj_segment_config config;
  uint64_t ranks_at, near_at, middle_at, common_at, exposures_at, blocks_at, cards_at, pairs_at,
      rings_at, slots_at, inboxes_at, waiting_at, pools_at, streams_at,
      pieces_at;                                     /* byte offsets */
  _Alignas(MPJ_CACHE_LINE) _Atomic uint32_t changes; /* of any rank's state to FINALIZED or DEAD */
  _Atomic uint64_t fences; /* arrivals at fences of the exchange of cards, since the beginning */
};

/* The configuration for nranks ranks from this process's settings and cores. */
struct mpj_segment_config mpj_segment_config_for(int nranks, bool shared);

/* Size of a segment in bytes; 0 if config is out of range. */
size_t mpj_segment_bytes(const struct mpj_segment_config *config);

/* Lay a segment out in `memory`: zeroed, aligned to a page, mpj_segment_bytes long. */
void mpj_segment_format(struct mpj_segment *segment, const struct mpj_segment_config *config);

/* Whether `bytes` bytes at segment are a segment of this version whose header
 * is consistent with itself. */
bool mpj_segment_valid(const struct mpj_segment *segment, size_t bytes);

/* Parts of a valid segment. Indices are the caller's to check. */
MPJ_HOT struct mpj_rank_line *mpj_segment_rank(struct mpj_segment *s, int rank);
/* Extent 0, 1 or 2 of a rank's common memory. */
MPJ_HOT unsigned char *mpj_segment_common(struct mpj_segment *s, int rank, unsigned extent);
struct mpj_exposure *mpj_segment_exposure(struct mpj_segment *s, int rank, unsigned i);
struct mpj_shared_block *mpj_segment_block(struct mpj_segment *s, int rank, unsigned i);
struct mpj_card_page *mpj_segment_card(struct mpj_segment *s, int rank, unsigned exchange);
struct mpj_pair *mpj_segment_pair(struct mpj_segment *s, int receiver, int ring);
struct mpj_cell *mpj_segment_ring(struct mpj_segment *s, int receiver, int ring);
MPJ_HOT unsigned char *mpj_segment_slot(struct mpj_segment *s, int receiver, int ring,
                                        unsigned slot);
/* NULL where each rank has a ring from each. */
struct mpj_inbox *mpj_segment_inbox(struct mpj_segment *s, int rank);
_Atomic uint64_t *mpj_segment_waiting(struct mpj_segment *s, int rank);
unsigned char *mpj_segment_pool(struct mpj_segment *s, int rank, unsigned slot);

struct mpj_stream *mpj_segment_stream(struct mpj_segment *s, int rank, unsigned i);
unsigned char *mpj_segment_pieces(struct mpj_segment *s, int rank, unsigned i);

/* Take a rank that nobody has taken: ABSENT becomes ACTIVE. False if it is taken. */
bool mpj_segment_claim(struct mpj_segment *s, int rank);

/* Record that a rank left or died, and wake everybody who sleeps. A state never
 * goes back: FINALIZED and DEAD are final (the first one stays). */
void mpj_segment_mark(struct mpj_segment *s, int rank, enum mpj_rank_state state, int cause);

/* Wake `rank` if it sleeps. Call after making news visible and a fence (fence.h). */
MPJ_HOT void mpj_segment_wake(struct mpj_segment *s, int rank);
/* Which of the two passes the full fence between news and sleep (fence.h), the same for all ranks:
 * who goes to sleep, for everybody, where ranks fit the cores and sleep is rare; else each who
 * wakes, since a core must not be interrupted each time that one of its many ranks sleeps. */
static inline bool mpj_segment_sleepers_fence(const struct mpj_segment *s)
{
  return s->config.nranks <= s->config.cores;
}

/* End the sleep of every thread of `rank`, the caller's own. */
void mpj_segment_rouse(struct mpj_segment *s, int rank);

/* Sleep until woken, or `microseconds` have passed. The caller has stored `alarm`, not
 * 0, in its sleeping word, fenced, and looked for news once more; if the word is
 * another one by now it does not sleep. */
void mpj_segment_sleep(struct mpj_segment *s, int rank, uint32_t alarm, long microseconds);

#endif
