/* This file says which movers can carry a pull (shm.h has them), by what both layouts are and by
 * who else wants the cores. The first one that is asked finds both places. */
#include <assert.h>

#include "net/cells/share.h"
#include "net/shm/blocks.h"
#include "net/shm/state.h"

/* Offer the work as a reader: else an offer that was held up could come when the owner has taken
 * the exposure back, and be taken for that of who pulls what it exposes next. */
static bool offer_to_share(struct mpj_exposure *e, uint32_t generation,
                           const struct mpj_share_offer *offer)
{
  if (!mpj_exposure_begin_read(e, generation)) return false;
  const bool begun = mpj_share_begin(e, generation, offer);
  mpj_exposure_end_read(e, generation, false);
  return begun;
}

/* Bytes from which the owner is to push while this side pulls. Where ranks share cores it does so
 * in its turn, which comes the later the more they are, and others have the cores until then;
 * unless all wait for this one, which alone has data to pull. */
static MPJ_Count both_least(const struct mpj_shm *shm, const struct mpj_pull *p)
{
  const struct mpj_cells *c = &shm->cells;
  if (c->share_least != MPJ_SHARE_LEAST_CROWDED || p->how.taker_busy) return c->share_least;
  const int sharers = (c->nranks - 1) / c->segment->config.cores + 1;
  return (MPJ_Count)MPJ_SHARE_LEAST_CROWDED / 2 * sharers;
}

/* Let the owner push while this side pulls, where that pays. */
static bool share(struct mpj_shm *shm, struct mpj_pull *p)
{
  const MPJ_Count bytes = mpj_cursor_remaining(p->dst);
  if (bytes < both_least(shm, p)) return false;
  p->chunk = mpj_share_chunk(bytes);
  if (p->chunk == 0) return false;
  const struct mpj_share_offer offer = {.to = p->to.address,
                                        .row = p->to.rows.row,
                                        .stride = p->to.rows.stride,
                                        .bytes = bytes,
                                        .chunk = p->chunk,
                                        .rank = shm->cells.rank};
  return offer_to_share(mpj_shm_exposure(shm, p), mpj_exposure_generation(p->remote.id), &offer);
}

/* Bytes of a row of the source from which this side reads it: the owner lists its rows for less,
 * but where it has several receivers, who share cores, they are sooner through side by side. */
static MPJ_Count row_least(const struct mpj_shm *shm)
{
  const bool fit = shm->cells.share_least == MPJ_SHARE_LEAST;
  return fit || mpj_cells_gives(&shm->cells) ? MPJ_SHM_ROW_READ : MPJ_ROW_LEAST_EXPOSED;
}

/* Where the source's bytes lie, if that can be said: dense, or in rows. */
static struct mpj_place place_of_source(struct mpj_shm *shm, const struct mpj_pull *p)
{
  struct mpj_place place = {p->remote.address, {0, 0}};
  if (place.address != 0) return place;
  if (!mpj_exposure_rows(mpj_shm_exposure(shm, p), &place.address, &place.rows) ||
      place.rows.row < row_least(shm))
    place.address = 0;
  return place;
}

/* The same of what is still to come here; rows only from the first one on. */
static struct mpj_place place_of_rest(const struct mpj_shm *shm, const struct mpj_cursor *dst)
{
  struct mpj_place place = {0, {0, 0}};
  const uint64_t address = (uint64_t)(uintptr_t)dst->origin + (uint64_t)dst->offset;
  if (!mpj_cursor_rows(dst, &place.rows)) return place;
  const MPJ_Count least = mpj_shm_is_shared(shm, address) ? MPJ_SHM_ROW_SHARED : MPJ_ROW_LEAST;
  if (place.rows.row == 0 || (place.rows.row >= least && dst->offset == 0)) place.address = address;
  return place;
}

/* Whether the owner is to write what it alone knows the places of: into one stretch, and into rows
 * of a shared block, always; into other rows where both cores are busy, so that the receiver has
 * nothing to do with it. With two cores for it, packing here and unpacking there overlap. */
static bool is_to_be_written(const struct mpj_shm *shm, const struct mpj_pull *p)
{
  if (p->to.address == 0 || p->dst->offset != 0) return false;
  if (p->to.rows.row == 0 || mpj_shm_is_shared(shm, p->to.address)) return true;
  const bool busy = mpj_cells_gives(&shm->cells) || shm->cells.share_least != MPJ_SHARE_LEAST;
  return busy && p->to.rows.row >= MPJ_SHM_ROW_WRITTEN;
}

/* Whether this side reads columns by itself: where the owner does not copy them straight into a
 * shared block, and has no better to do than this side, which is but one of several receivers. */
static bool reads_columns(struct mpj_shm *shm, struct mpj_pull *p)
{
  if (p->first != 0 || (p->to.address != 0 && mpj_shm_is_shared(shm, p->to.address))) return false;
  if (shm->pulls.active > 0 && !mpj_cells_gives(&shm->cells)) return false;
  return mpj_exposure_columns(mpj_shm_exposure(shm, p), p->dst->bytes, &p->from.address,
                              &p->columns) &&
         mpj_cursor_takes_columns(p->dst, &p->columns);
}

/* Whether the source lies in a block that this process maps, or can map. */
static bool is_mapped(struct mpj_shm *shm, const struct mpj_pull *p)
{
  const MPJ_Count row = p->from.rows.row;
  return p->from.address != 0 &&
         mpj_shm_mapped(shm, p->source, p->from.address,
                        row > 0 ? row : mpj_cursor_remaining(p->dst)) != NULL;
}

/* What this side reads at once goes as if it were combined: it comes by way of its caches. */
static unsigned kind_of(const struct mpj_pull *p)
{
  return (p->from.address == 0 ? MPJ_PULL_GAPS : 0) |
         (p->how.take || p->how.read_next ? MPJ_PULL_COMBINED : 0);
}

/* Whether pieces, if it goes so, are likely to be better written past the caches. */
static bool goes_past(const struct mpj_shm *shm, const struct mpj_pull *p)
{
  return mpj_measured_has(shm->streams.past, kind_of(p), mpj_cursor_remaining(p->dst));
}

/* Whether the data is in few enough stretches that one side moves them alone. */
static bool is_in_rows(struct mpj_shm *shm, const struct mpj_pull *p)
{
  struct mpj_place place = p->from;
  return place.address != 0 ||
         mpj_exposure_rows(mpj_shm_exposure(shm, p), &place.address, &place.rows);
}

/* Whether pieces were faster, when the machine was measured, than what would carry the pull
 * without them. That was one way: where this side gives as well, each core would move all bytes
 * twice, and what one side can move by a call is left to it. mpj-bench coll, Zen 4, p = 2, back to
 * back, pieces and straight: Allreduce 32 KiB 9.2 and 6.8 us, 1 MiB 167 and 135; redistribute_512
 * 114 and 80, but transpose_512, of single numbers, 254 and 365. */
static bool is_faster_by_pieces(struct mpj_shm *shm, const struct mpj_pull *p)
{
  if (mpj_cells_gives(&shm->cells) && goes_past(shm, p) && is_in_rows(shm, p)) return false;
  return mpj_measured_has(shm->streams.streams, kind_of(p), mpj_cursor_remaining(p->dst));
}

/* Where it is not tried: whether the owner had better not write. It has to read from here itself,
 * so that both cores are busy and what is whose would change from call to call; or this side reads
 * at once what comes, and would fetch it from the other core's cache; or the owner is late, having
 * its own part to copy, and next time fetches from here what it has pushed. mpj-bench coll,
 * Sapphire Rapids, p = 2, back to back, shared and alone: Allgather 64 KiB 15.5 and 11.6 us, 1 MiB
 * 300 and 237; Reduce 64 KiB 15.2 and 9.2, 256 KiB 41 and 29, 1 MiB 170 and 194. Scatter,
 * dependent: 64 KiB 11.4 and 7.8, 256 KiB 29 and 21, 512 KiB 57 and 47, 1 MiB 134 and 142; p = 4,
 * 256 KiB 94 and 76, 512 KiB 179 and 172. */
static bool is_better_alone(const struct mpj_shm *shm, const struct mpj_pull *p, MPJ_Count bytes)
{
  enum { ALONE_MOST = 512 << 10 };
  if (mpj_cells_gives(&shm->cells)) return true;
  return (p->how.read_next && bytes < ALONE_MOST) || (p->how.giver_busy && bytes <= ALONE_MOST);
}

/* The ways that can carry the pull: a bit each. */
static unsigned possible(struct mpj_shm *shm, struct mpj_pull *p, bool mapped)
{
  static const unsigned pieces = 1u << MPJ_TRY_CACHED | 1u << MPJ_TRY_PAST,
                        alone = 1u << MPJ_TRY_ALONE, both = 1u << MPJ_TRY_BOTH;
  if (!shm->single_copy) return pieces;
  if (p->from.address != 0) {
    const bool large = mpj_cursor_remaining(p->dst) >= both_least(shm, p);
    return (mapped ? 0 : pieces) | alone | (p->to.address != 0 && large ? both : 0);
  }
  if (mpj_shm_can_columns(&shm->pulls, p)) return alone;
  if (!is_to_be_written(shm, p)) return pieces;
  return mpj_shm_is_shared(shm, p->to.address) ? alone : pieces | alone;
}

/* What the machine's file says, or what is likely without one. */
static enum mpj_try likely(struct mpj_shm *shm, const struct mpj_pull *p, unsigned can)
{
  const bool pieces = (can >> MPJ_TRY_CACHED & 1) != 0, alone = (can >> MPJ_TRY_ALONE & 1) != 0;
  if (!alone || (pieces && is_faster_by_pieces(shm, p)))
    return goes_past(shm, p) ? MPJ_TRY_PAST : MPJ_TRY_CACHED;
  const bool both =
      can >> MPJ_TRY_BOTH & 1 && !is_better_alone(shm, p, mpj_cursor_remaining(p->dst));
  return both ? MPJ_TRY_BOTH : MPJ_TRY_ALONE;
}

/* Tell the higher ranks, who exchange data with this one, what this one says; what decides: that,
 * or what a lower source says. */
static unsigned said_of(struct mpj_shm *shm, const struct mpj_pull *p, unsigned kind,
                        MPJ_Count bytes)
{
  static_assert((int)MPJ_WAYS_TOLD >= MPJ_PULL_KINDS * MPJ_TRIED_SIZES, "one of each");
  const unsigned i = kind % MPJ_PULL_KINDS * MPJ_TRIED_SIZES + mpj_tried_size(bytes);
  _Atomic uint8_t *own = &mpj_segment_rank(shm->cells.segment, shm->cells.rank)->ways[i];
  const uint8_t says = mpj_tried_says(p->tried);
  if (atomic_load_explicit(own, memory_order_relaxed) != says)
    atomic_store_explicit(own, says, memory_order_relaxed);
  if (p->source > shm->cells.rank) return says;
  return atomic_load_explicit(&mpj_segment_rank(shm->cells.segment, p->source)->ways[i],
                              memory_order_relaxed);
}

/* What the times of a pull are kept by (net/pull/tried.h). */
static unsigned tried_kind(const struct mpj_pull *p)
{
  const unsigned pattern = p->how.both_ways ? 2 : mpj_pull_takes_turns(p) ? 1 : 0;
  return kind_of(p) | pattern * MPJ_PULL_KINDS;
}

/* Choose a way, and note in the pull which it is. One whose source was late goes on as it can. */
static void choose_way(struct mpj_shm *shm, struct mpj_pull *p)
{
  const bool mapped = shm->single_copy && is_mapped(shm, p);
  const unsigned can = possible(shm, p, mapped), tries = can & shm->tries;
  const unsigned kind = tried_kind(p);
  const MPJ_Count bytes = mpj_cursor_remaining(p->dst);
  p->way = likely(shm, p, can);
  p->tried = NULL;
  if ((tries & (tries - 1)) == 0 || mapped || bytes > MPJ_TRIED_MOST) return;
  p->tried = mpj_tried_at(&shm->tried, kind, bytes);
  p->way = mpj_tried_likely(&shm->tried, kind, bytes, tries, p->way);
  const unsigned said = p->how.both_ways ? said_of(shm, p, kind, bytes) : 0;
  p->way = mpj_tried_choose(p->tried, tries, p->way, said, p->how.turn);
  p->begun = mpj_clock_ns();
  if (mpj_pull_takes_turns(p)) mpj_tried_begin(p->tried, p->way, bytes, p->how.turn, p->begun);
}

/* Through the caches, or past them. Where nothing else can be, the mover that is asked last takes
 * it. */
bool mpj_shm_can_pieces(struct mpj_pulls *t, struct mpj_pull *p)
{
  struct mpj_shm *shm = mpj_shm_of(t);
  if (p->late) return false;
  p->from = shm->single_copy ? place_of_source(shm, p) : (struct mpj_place){0};
  p->to = place_of_rest(shm, p->dst);
  choose_way(shm, p);
  return shm->single_copy && (p->way == MPJ_TRY_CACHED || p->way == MPJ_TRY_PAST);
}

bool mpj_shm_can_both(struct mpj_pulls *t, struct mpj_pull *p)
{
  struct mpj_shm *shm = mpj_shm_of(t);
  return !p->late && p->way == MPJ_TRY_BOTH && p->columns.unit == 0 && p->from.address != 0 &&
         p->to.address != 0 && share(shm, p);
}

bool mpj_shm_can_read(struct mpj_pulls *t, struct mpj_pull *p)
{
  (void)t;
  return p->columns.unit == 0 && p->from.address != 0;
}

bool mpj_shm_can_columns(struct mpj_pulls *t, struct mpj_pull *p)
{
  struct mpj_shm *shm = mpj_shm_of(t);
  if (!p->late && shm->single_copy && reads_columns(shm, p)) return true;
  p->columns.unit = 0;
  p->from.address = 0;
  return false;
}

bool mpj_shm_can_write(struct mpj_pulls *t, struct mpj_pull *p)
{
  return !p->late && mpj_shm_of(t)->single_copy && is_to_be_written(mpj_shm_of(t), p);
}
