/* This file sorts what a rank wants and finds what is wanted repeatedly, in the memory in which it
 * is noted: of a word for each want, and as much again. */
#include "array/wants.h"

#include <inttypes.h>

#include "base/memory.h"
#include "base/status.h"

#define INLINE static inline __attribute__((always_inline))

static int no_memory(size_t n)
{
  return mpj_error(MPJ_ERR_NO_MEM, "no memory for %zu subscripts", n);
}

static int bits_of(uint64_t most)
{
  return most == 0 ? 1 : 64 - __builtin_clzll(most);
}

MPJ_Count mpj_wants_furthest(MPJ_Count highest)
{
  const int bits = 64 - bits_of((uint64_t)highest);
  return bits > 62 ? INT64_MAX : (INT64_C(1) << bits) - 1;
}

int mpj_wants_begin(struct mpj_wants *w, size_t n, MPJ_Count highest, MPJ_Count furthest)
{
  *w = (struct mpj_wants){.n = n};
  w->offset_bits = bits_of((uint64_t)furthest);
  w->bits = w->offset_bits + bits_of((uint64_t)highest);
  if (w->bits > 64)
    return mpj_error(MPJ_ERR_OVERFLOW,
                     "ranks to %" PRId64 " and offsets to %" PRId64 " exceed 64 bits together",
                     highest, furthest);
  w->number_bits = bits_of(n);
  w->narrow = w->bits + w->number_bits <= 64;
  const size_t width = w->narrow ? sizeof(uint64_t) : sizeof(struct mpj_keyed);
  w->items = mpj_alloc_work(n, width);
  w->room = mpj_alloc_work(n, width);
  return w->items && w->room ? MPJ_SUCCESS : no_memory(n);
}

void mpj_wants_end(struct mpj_wants *w)
{
  mpj_free(w->items);
  mpj_free(w->room);
}

INLINE uint64_t key_at(const struct mpj_wants *w, bool narrow, size_t i)
{
  return narrow ? ((const uint64_t *)w->items)[i] >> w->number_bits
                : ((const struct mpj_keyed *)w->items)[i].key;
}

INLINE MPJ_Count wanted_at(const struct mpj_wants *w, bool narrow, size_t i)
{
  const uint64_t mask = (UINT64_C(1) << w->number_bits) - 1;
  return narrow ? (MPJ_Count)(((const uint64_t *)w->items)[i] & mask)
                : ((const struct mpj_keyed *)w->items)[i].i;
}

/* How many there are of what is listed below. */
struct found {
  size_t peers, elements, repeated, places;
};

INLINE struct found count_wanted(const struct mpj_wants *w, bool narrow)
{
  struct found f = {1, 1, 0, 0};
  if (w->n == 0) return (struct found){0};
  size_t again = 0; /* places of the element beyond the first */
  uint64_t before = key_at(w, narrow, 0);
  for (size_t i = 1; i < w->n; i++) {
    const uint64_t key = key_at(w, narrow, i);
    const bool same = key == before;
    f.elements += !same;
    f.peers += key >> w->offset_bits != before >> w->offset_bits;
    f.repeated += same && again == 0;
    again = same ? again + 1 : 0;
    before = key;
  }
  f.places = w->n - f.elements + f.repeated;
  return f;
}

static void add_peer(struct mpj_requests_of *wanted, int rank, MPJ_Count *offsets)
{
  wanted->peers[wanted->npeers++] = (struct mpj_asked){rank, 0, offsets};
}

/* An element's first place takes the memory of a want that has been read: u <= i. */
INLINE void list(const struct mpj_wants *w, bool narrow, const MPJ_Count places[],
                 struct mpj_requests_of *wanted, struct mpj_spread *repeated)
{
  const uint64_t mask = (UINT64_C(1) << w->offset_bits) - 1;
  MPJ_Count *firsts = w->items, *offsets = w->room;
  MPJ_Count more = 0, at = 0;
  size_t u = 0, last = SIZE_MAX; /* the last one that is repeated */
  uint64_t before = 0;
  for (size_t i = 0; i < w->n; i++) {
    const uint64_t key = key_at(w, narrow, i);
    const MPJ_Count number = wanted_at(w, narrow, i), place = places ? places[number] : number;
    if (i > 0 && key == before) {
      if (last != u - 1) {
        last = u - 1;
        repeated->elements[more++] =
            (struct mpj_repeated){.first = at, .n = 1, .number = (MPJ_Count)last};
        repeated->places[at++] = firsts[last];
      }
      repeated->places[at++] = place;
      repeated->elements[more - 1].n++;
      continue;
    }
    if (i == 0 || key >> w->offset_bits != before >> w->offset_bits)
      add_peer(wanted, (int)(key >> w->offset_bits), offsets + u);
    before = key;
    wanted->peers[wanted->npeers - 1].n++;
    offsets[u] = (MPJ_Count)(key & mask);
    firsts[u++] = place;
  }
}

int mpj_wants_unique(struct mpj_wants *w, const MPJ_Count places[], struct mpj_requests_of *wanted,
                     MPJ_Count **firsts, size_t *nunique, struct mpj_spread *repeated)
{
  const int low = w->narrow ? w->number_bits : 0;
  mpj_radix_sort(&w->items, &w->room, w->n, w->narrow ? sizeof(uint64_t) : sizeof(struct mpj_keyed),
                 low, low + w->bits);
  const struct found f = w->narrow ? count_wanted(w, true) : count_wanted(w, false);
  *wanted = (struct mpj_requests_of){.peers = mpj_alloc_array(f.peers, sizeof *wanted->peers),
                                     .offsets = w->room};
  int status = wanted->peers ? MPJ_SUCCESS : no_memory(f.peers);
  if (!status) status = mpj_spread_new(repeated, (MPJ_Count)f.repeated, (MPJ_Count)f.places);
  if (status) return status;
  if (w->narrow)
    list(w, true, places, wanted, repeated);
  else
    list(w, false, places, wanted, repeated);
  *firsts = w->items;
  *nunique = f.elements;
  return MPJ_SUCCESS;
}
