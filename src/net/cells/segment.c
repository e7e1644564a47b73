/* This file implements the segment's layout in memory, rank states, and sleep
 * and wake-up. */
#include "net/cells/segment.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/config/config.h"
#include "base/machine/topology.h"
#include "base/machine/topology_load.h"
#include "base/memory.h"
#include "net/cells/settings.h"

static const uint64_t segment_magic = UINT64_C(0x3130746753504a4d); /* "MJPSgt01" as bytes */
enum { SEGMENT_VERSION = 16, SEGMENT_PAGE = 4096 };

static int rings_for(int nranks)
{
  const int most = (int)mpj_config()->rings;
  return nranks < most ? nranks : most;
}

/* The wanted number of slots a ring, halved until those of all rings fit SLOTS_MOST bytes. */
static long fitting_tokens(int nranks, long eager_bytes, long wanted)
{
  static const int64_t SLOTS_MOST = INT64_C(1) << 32;
  long tokens = wanted;
  while (tokens > 1 && (int64_t)nranks * rings_for(nranks) * tokens * eager_bytes > SLOTS_MOST)
    tokens /= 2;
  return tokens;
}

/* Bytes of a piece for these caches: a ring is a quarter of a core's second-level cache. Both ends
 * of a ring work in it, beside what they read and write. Unknown: as for 1 MiB. */
static long piece_for(int64_t l2_bytes)
{
  enum { RINGS = 4, USUAL = 1 << 20 };
  const int64_t bytes = (l2_bytes > 0 ? l2_bytes : USUAL) / RINGS / MPJ_STREAM_PIECES;
  long piece = MPJ_STREAM_PIECE_LEAST;
  while (piece < MPJ_STREAM_PIECE_MOST && piece * 2 <= bytes)
    piece *= 2;
  return piece;
}

struct mpj_segment_config mpj_segment_config_for(int nranks, bool shared)
{
  const struct mpj_config *c = mpj_config();
  struct mpj_segment_config config = {.nranks = nranks,
                                      .cores = mpj_usable_cores(),
                                      .eager_bytes = c->eager_bytes,
                                      .tokens =
                                          fitting_tokens(nranks, c->eager_bytes, c->eager_tokens),
                                      .piece = piece_for(mpj_l2_bytes()),
                                      .rings = rings_for(nranks),
                                      .settings = mpj_settings_digest(),
                                      .shared = shared};
  mpj_settings_each(config.settings_each);
  return config;
}

static uint64_t page_up(uint64_t bytes)
{
  return (bytes + SEGMENT_PAGE - 1) / SEGMENT_PAGE * SEGMENT_PAGE;
}

static bool config_in_range(const struct mpj_segment_config *c)
{
  return c->nranks >= 1 && c->cores >= 1 && c->rings >= 0 && c->rings <= c->nranks &&
         c->rings <= MPJ_RINGS_MOST && c->eager_bytes >= 64 && c->eager_bytes <= 65536 &&
         c->tokens >= 1 && c->tokens <= 32 && c->piece >= MPJ_STREAM_PIECE_LEAST &&
         c->piece <= MPJ_STREAM_PIECE_MOST && c->piece % SEGMENT_PAGE == 0;
}

/* Bytes of one slot: cache lines, so that neighbours do not share one. */
static uint64_t slot_bytes(const struct mpj_segment_config *c)
{
  return ((uint64_t)c->eager_bytes + MPJ_CACHE_LINE - 1) / MPJ_CACHE_LINE * MPJ_CACHE_LINE;
}

/* Of one rank: lines, so that ranks do not share one. */
static uint64_t waiting_words(const struct mpj_segment_config *c)
{
  enum { WORDS = MPJ_CACHE_LINE / sizeof(uint64_t), BITS = 8 * MPJ_CACHE_LINE };
  return ((uint64_t)c->nranks + BITS - 1) / BITS * WORDS;
}

/* Where each rank has no ring from each, a sender fills the same slot of many receivers, and a
 * receiver empties many slots of its own. So that both find theirs in few page tables, slots lie in
 * squares of SQUARE slots of SQUARE receivers. */
enum { SQUARE = 16 };

static bool is_wide(const struct mpj_segment_config *c)
{
  return c->rings < c->nranks;
}

static uint64_t squares(uint64_t n)
{
  return (n + SQUARE - 1) / SQUARE;
}

/* Room for so many slots of each receiver, counted in slots; and where one of them is. */
static uint64_t slots_of_all(const struct mpj_segment_config *c, uint64_t slots)
{
  const uint64_t n = (uint64_t)c->nranks;
  return is_wide(c) ? squares(slots) * squares(n) * SQUARE * SQUARE : slots * n;
}

static uint64_t place_in_squares(const struct mpj_segment_config *c, int receiver, uint64_t slot)
{
  const uint64_t r = (uint64_t)receiver;
  const uint64_t square = slot / SQUARE * squares((uint64_t)c->nranks) + r / SQUARE;
  return (square * SQUARE + slot % SQUARE) * SQUARE + r % SQUARE;
}

static void place(struct mpj_segment *s, const struct mpj_segment_config *c)
{
  const uint64_t n = (uint64_t)c->nranks;
  s->config = *c;
  s->ranks_at = page_up(sizeof *s);
  s->near_at = page_up(s->ranks_at + n * sizeof(struct mpj_rank_line));
  s->middle_at = s->near_at + n * MPJ_NEAR_BYTES;
  s->common_at = s->middle_at + n * MPJ_MIDDLE_BYTES;
  s->exposures_at = page_up(s->common_at + n * MPJ_COMMON_BYTES);
  s->blocks_at = page_up(s->exposures_at + n * MPJ_EXPOSURES * sizeof(struct mpj_exposure));
  s->cards_at = page_up(s->blocks_at + n * MPJ_SHARED_BLOCKS * sizeof(struct mpj_shared_block));
  s->pairs_at = page_up(s->cards_at + n * 2 * sizeof(struct mpj_card_page));
  const uint64_t rings = n * (uint64_t)c->rings, inboxes = is_wide(c) ? n : 0;
  const uint64_t pools = is_wide(c) ? slots_of_all(c, MPJ_POOL_SLOTS) : 0;
  s->rings_at = page_up(s->pairs_at + rings * sizeof(struct mpj_pair));
  s->slots_at = page_up(s->rings_at + rings * MPJ_RING_CELLS * sizeof(struct mpj_cell));
  s->inboxes_at = page_up(s->slots_at + slots_of_all(c, (uint64_t)c->rings * (uint64_t)c->tokens) *
                                            slot_bytes(c));
  s->waiting_at = page_up(s->inboxes_at + inboxes * sizeof(struct mpj_inbox));
  s->pools_at = page_up(s->waiting_at + inboxes * waiting_words(c) * sizeof(uint64_t));
  const uint64_t streams = c->shared ? n * MPJ_STREAMS : 0;
  s->streams_at = page_up(s->pools_at + pools * slot_bytes(c));
  s->pieces_at = page_up(s->streams_at + streams * sizeof(struct mpj_stream));
  s->bytes = page_up(s->pieces_at + streams * MPJ_STREAM_PIECES * (uint64_t)c->piece);
}

size_t mpj_segment_bytes(const struct mpj_segment_config *config)
{
  struct mpj_segment s = {0};
  if (!config_in_range(config)) return 0;
  place(&s, config);
  return (size_t)s.bytes;
}

void mpj_segment_format(struct mpj_segment *segment, const struct mpj_segment_config *config)
{
  place(segment, config);
  segment->magic = segment_magic;
  segment->version = SEGMENT_VERSION;
  segment->launcher_pid = (int32_t)getpid();
}

bool mpj_segment_valid(const struct mpj_segment *segment, size_t bytes)
{
  struct mpj_segment expected = {0};
  if (bytes < sizeof *segment) return false;
  if (segment->magic != segment_magic || segment->version != SEGMENT_VERSION) return false;
  const struct mpj_segment_config config = segment->config;
  if (!config_in_range(&config)) return false;
  place(&expected, &config);
  return segment->bytes == expected.bytes && bytes >= expected.bytes &&
         segment->ranks_at == expected.ranks_at && segment->near_at == expected.near_at &&
         segment->middle_at == expected.middle_at && segment->common_at == expected.common_at &&
         segment->exposures_at == expected.exposures_at &&
         segment->blocks_at == expected.blocks_at && segment->cards_at == expected.cards_at &&
         segment->pairs_at == expected.pairs_at && segment->rings_at == expected.rings_at &&
         segment->slots_at == expected.slots_at && segment->inboxes_at == expected.inboxes_at &&
         segment->waiting_at == expected.waiting_at && segment->pools_at == expected.pools_at &&
         segment->streams_at == expected.streams_at && segment->pieces_at == expected.pieces_at;
}

static void *at(struct mpj_segment *s, uint64_t offset)
{
  return (unsigned char *)s + offset;
}

static size_t ring_index(const struct mpj_segment *s, int receiver, int ring)
{
  return (size_t)receiver * (size_t)s->config.rings + (size_t)ring;
}

struct mpj_rank_line *mpj_segment_rank(struct mpj_segment *s, int rank)
{
  return (struct mpj_rank_line *)at(s, s->ranks_at) + rank;
}

unsigned char *mpj_segment_common(struct mpj_segment *s, int rank, unsigned extent)
{
  unsigned char *segment = (unsigned char *)s;
  if (extent == 0) return segment + s->near_at + (size_t)rank * MPJ_NEAR_BYTES;
  if (extent == 1) return segment + s->middle_at + (size_t)rank * MPJ_MIDDLE_BYTES;
  return segment + s->common_at + (size_t)rank * MPJ_COMMON_BYTES;
}

struct mpj_exposure *mpj_segment_exposure(struct mpj_segment *s, int rank, unsigned i)
{
  return (struct mpj_exposure *)at(s, s->exposures_at) + (size_t)rank * MPJ_EXPOSURES + i;
}

struct mpj_shared_block *mpj_segment_block(struct mpj_segment *s, int rank, unsigned i)
{
  return (struct mpj_shared_block *)at(s, s->blocks_at) + (size_t)rank * MPJ_SHARED_BLOCKS + i;
}

struct mpj_card_page *mpj_segment_card(struct mpj_segment *s, int rank, unsigned exchange)
{
  return (struct mpj_card_page *)at(s, s->cards_at) + (size_t)rank * 2 + exchange % 2;
}

struct mpj_pair *mpj_segment_pair(struct mpj_segment *s, int receiver, int ring)
{
  return (struct mpj_pair *)at(s, s->pairs_at) + ring_index(s, receiver, ring);
}

struct mpj_cell *mpj_segment_ring(struct mpj_segment *s, int receiver, int ring)
{
  return (struct mpj_cell *)at(s, s->rings_at) + ring_index(s, receiver, ring) * MPJ_RING_CELLS;
}

unsigned char *mpj_segment_slot(struct mpj_segment *s, int receiver, int ring, unsigned slot)
{
  const struct mpj_segment_config *c = &s->config;
  uint64_t index = ring_index(s, receiver, ring) * (uint64_t)c->tokens + slot;
  if (is_wide(c)) /* the first slots of all rings before the second ones, which are used less */
    index = place_in_squares(c, receiver, (uint64_t)slot * (uint64_t)c->rings + (uint64_t)ring);
  return (unsigned char *)s + s->slots_at + index * slot_bytes(c);
}

struct mpj_inbox *mpj_segment_inbox(struct mpj_segment *s, int rank)
{
  return is_wide(&s->config) ? (struct mpj_inbox *)at(s, s->inboxes_at) + rank : NULL;
}

_Atomic uint64_t *mpj_segment_waiting(struct mpj_segment *s, int rank)
{
  return (_Atomic uint64_t *)at(s, s->waiting_at) + (size_t)rank * waiting_words(&s->config);
}

unsigned char *mpj_segment_pool(struct mpj_segment *s, int rank, unsigned slot)
{
  return (unsigned char *)s + s->pools_at +
         place_in_squares(&s->config, rank, slot) * slot_bytes(&s->config);
}

static size_t stream_index(int rank, unsigned i)
{
  return (size_t)rank * MPJ_STREAMS + i;
}

struct mpj_stream *mpj_segment_stream(struct mpj_segment *s, int rank, unsigned i)
{
  return (struct mpj_stream *)at(s, s->streams_at) + stream_index(rank, i);
}

unsigned char *mpj_segment_pieces(struct mpj_segment *s, int rank, unsigned i)
{
  const size_t ring = MPJ_STREAM_PIECES * (size_t)s->config.piece;
  return (unsigned char *)s + s->pieces_at + stream_index(rank, i) * ring;
}

static long futex(struct mpj_segment *s, _Atomic uint32_t *word, int operation, uint32_t value,
                  const struct timespec *timeout)
{
  if (!s->config.shared) operation |= FUTEX_PRIVATE_FLAG;
  return syscall(SYS_futex, word, operation, value, timeout, NULL, 0);
}

void mpj_segment_wake(struct mpj_segment *s, int rank)
{
  _Atomic uint32_t *sleeping = &mpj_segment_rank(s, rank)->sleeping;
  if (!mpj_segment_sleepers_fence(s)) atomic_thread_fence(memory_order_seq_cst);
  if (atomic_load(sleeping) == 0) return;
  atomic_store_explicit(sleeping, 0, memory_order_release);
  futex(s, sleeping, FUTEX_WAKE, INT_MAX, NULL);
}

void mpj_segment_rouse(struct mpj_segment *s, int rank)
{
  _Atomic uint32_t *sleeping = &mpj_segment_rank(s, rank)->sleeping;
  atomic_store(sleeping, 0);
  futex(s, sleeping, FUTEX_WAKE, INT_MAX, NULL);
}

void mpj_segment_sleep(struct mpj_segment *s, int rank, uint32_t alarm, long microseconds)
{
  const struct timespec timeout = {microseconds / 1000000, microseconds % 1000000 * 1000};
  _Atomic uint32_t *sleeping = &mpj_segment_rank(s, rank)->sleeping;
  futex(s, sleeping, FUTEX_WAIT, alarm, &timeout);
}

bool mpj_segment_claim(struct mpj_segment *s, int rank)
{
  uint32_t absent = MPJ_RANK_ABSENT;
  return atomic_compare_exchange_strong(&mpj_segment_rank(s, rank)->state, &absent,
                                        MPJ_RANK_ACTIVE);
}

void mpj_segment_mark(struct mpj_segment *s, int rank, enum mpj_rank_state state, int cause)
{
  struct mpj_rank_line *line = mpj_segment_rank(s, rank);
  uint32_t now = atomic_load(&line->state);
  if (state >= MPJ_RANK_FINALIZED && now < MPJ_RANK_FINALIZED)
    atomic_store_explicit(&line->cause, cause, memory_order_relaxed);
  do {
    if (now >= MPJ_RANK_FINALIZED) return;
  } while (!atomic_compare_exchange_weak(&line->state, &now, state));
  if (state < MPJ_RANK_FINALIZED) return;
  atomic_fetch_add(&s->changes, 1);
  for (int i = 0; i < s->config.nranks; i++)
    mpj_segment_wake(s, i);
}
