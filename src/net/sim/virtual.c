/* This file keeps account of what virtual buffers hold. */
#include "net/sim/virtual.h"

#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "base/status.h"

enum { PAGE = 4096 };

/* splitmix64, of a place in an origin's data. */
static uint64_t place(int origin, MPJ_Count offset)
{
  uint64_t z = (uint64_t)origin * UINT64_C(0xd1342543de82ef95) +
               (uint64_t)offset * UINT64_C(0x9e3779b97f4a7c15) + UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

/* Of bytes [offset, offset + bytes): digests of neighbours add up to that of both. */
static uint64_t digest(int origin, MPJ_Count offset, MPJ_Count bytes)
{
  return place(origin, offset + bytes) - place(origin, offset);
}

int mpj_sim_virtual_begin(struct mpj_sim_virtual *v, int ranks, MPJ_Count bytes)
{
  const MPJ_Count most = INT64_C(1) << 46;
  *v = (struct mpj_sim_virtual){.ranks = ranks};
  if (bytes > most / ranks - 2 * PAGE)
    return mpj_error(MPJ_ERR_NO_MEM, "%d virtual buffers of %lld bytes are more than 64 TiB", ranks,
                     (long long)bytes);
  v->each =
      ((size_t)bytes / PAGE + 2) * PAGE; /* a shift of up to a page, and at least a byte between */
  v->of = mpj_alloc_array((size_t)ranks, sizeof *v->of);
  void *base = v->of ? mmap(NULL, v->each * (size_t)ranks, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                     : MAP_FAILED;
  if (base != MAP_FAILED) {
    v->base = base;
    return MPJ_SUCCESS;
  }
  mpj_free(v->of);
  v->of = NULL;
  return mpj_error(MPJ_ERR_NO_MEM, "no addresses for %d virtual buffers of %lld bytes", ranks,
                   (long long)bytes);
}

void mpj_sim_virtual_end(struct mpj_sim_virtual *v)
{
  for (int i = 0; v->of && i < v->ranks; i++)
    mpj_sim_extents_end(&v->of[i]);
  mpj_free(v->of);
  if (v->base) munmap(v->base, v->each * (size_t)v->ranks);
  *v = (struct mpj_sim_virtual){0};
}

void mpj_sim_extents_end(struct mpj_sim_extents *e)
{
  mpj_free(e->at);
  *e = (struct mpj_sim_extents){0};
}

/* Room for n. */
static bool reserve(struct mpj_sim_extents *e, int n)
{
  if (n <= e->room) return true;
  const int room = n <= 2 ? n : 2 * n;
  struct mpj_sim_extent *at = mpj_alloc_array((size_t)room, sizeof *at);
  if (!at) return false;
  if (e->n > 0) memcpy(at, e->at, (size_t)e->n * sizeof *at);
  mpj_free(e->at);
  e->at = at;
  e->room = room;
  return true;
}

/* The part [begin, end) of an extent, which holds it: the digest of what is cut off is taken away.
 */
static struct mpj_sim_extent part(const struct mpj_sim_extent *e, MPJ_Count begin, MPJ_Count end)
{
  struct mpj_sim_extent p = *e;
  p.digest -= digest(e->origin, e->offset, begin - e->begin) +
              digest(e->origin, e->offset + (end - e->begin), e->end - end);
  p.offset += begin - e->begin;
  p.begin = begin;
  p.end = end;
  return p;
}

/* One more behind the others: there is room. */
static void append(struct mpj_sim_extents *e, const struct mpj_sim_extent *one)
{
  struct mpj_sim_extent *last = e->n > 0 ? &e->at[e->n - 1] : NULL;
  if (one->begin == one->end) return;
  if (last && last->end == one->begin && last->origin == one->origin &&
      last->offset + (last->end - last->begin) == one->offset) {
    last->end = one->end;
    last->digest += one->digest;
  } else {
    e->at[e->n++] = *one;
  }
}

/* Those of [begin, end), moved by `by`, behind the others of `to`, which has room for all. */
static void append_part(struct mpj_sim_extents *to, const struct mpj_sim_extents *from,
                        MPJ_Count begin, MPJ_Count end, MPJ_Count by)
{
  for (int i = 0; i < from->n; i++) {
    const struct mpj_sim_extent *e = &from->at[i];
    if (e->end <= begin || e->begin >= end) continue;
    struct mpj_sim_extent p =
        part(e, e->begin > begin ? e->begin : begin, e->end < end ? e->end : end);
    p.begin += by;
    p.end += by;
    append(to, &p);
  }
}

/* Whose buffer, and where in it. */
static struct mpj_sim_extents *buffer_at(const struct mpj_sim_virtual *v, const void *address,
                                         MPJ_Count *at)
{
  const size_t all = (size_t)((const char *)address - v->base);
  *at = (MPJ_Count)(all % v->each);
  return &v->of[all / v->each];
}

int mpj_sim_virtual_take(const struct mpj_sim_virtual *v, const void *address, MPJ_Count bytes,
                         struct mpj_sim_extents *taken)
{
  MPJ_Count at;
  const struct mpj_sim_extents *from = buffer_at(v, address, &at);
  *taken = (struct mpj_sim_extents){0};
  if (from->n > 0 && !reserve(taken, from->n))
    return mpj_error(MPJ_ERR_NO_MEM, "no memory for what a transfer carries");
  append_part(taken, from, at, at + bytes, -at);
  return MPJ_SUCCESS;
}

int mpj_sim_virtual_lay(struct mpj_sim_virtual *v, void *address, MPJ_Count bytes,
                        const struct mpj_sim_extents *taken)
{
  MPJ_Count at;
  struct mpj_sim_extents *to = buffer_at(v, address, &at), made = {0};
  if (!reserve(&made, to->n + 1 + taken->n))
    return mpj_error(MPJ_ERR_NO_MEM, "no memory for what a buffer holds");
  append_part(&made, to, 0, at, 0);
  append_part(&made, taken, 0, bytes, at);
  append_part(&made, to, at + bytes, (MPJ_Count)v->each, 0);
  mpj_sim_extents_end(to);
  *to = made;
  return MPJ_SUCCESS;
}

int mpj_sim_virtual_fill(struct mpj_sim_virtual *v, int rank, MPJ_Count shift, MPJ_Count bytes)
{
  struct mpj_sim_extents *e = &v->of[rank];
  e->n = 0;
  if (!reserve(e, 1)) return mpj_error(MPJ_ERR_NO_MEM, "no memory for what a buffer holds");
  append(e, &(struct mpj_sim_extent){shift, shift + bytes, 0, digest(rank, 0, bytes), rank});
  return MPJ_SUCCESS;
}

int mpj_sim_virtual_check(const struct mpj_sim_virtual *v, int rank, MPJ_Count shift,
                          MPJ_Count bytes, int origin)
{
  const struct mpj_sim_extents *e = &v->of[rank];
  const struct mpj_sim_extent *first = e->at;
  if (e->n == 0 || first->begin != shift)
    return mpj_error(MPJ_ERR_INTERNAL,
                     "rank %d's virtual buffer begins with what no transfer put there", rank);
  if (first->origin != origin || first->offset != 0)
    return mpj_error(
        MPJ_ERR_INTERNAL,
        "rank %d's virtual buffer begins with byte %lld of rank %d, not byte 0 of rank %d", rank,
        (long long)first->offset, first->origin, origin);
  if (e->n > 1 || first->end != shift + bytes)
    return mpj_error(MPJ_ERR_INTERNAL,
                     "rank %d's virtual buffer has rank %d's bytes up to %lld of %lld", rank,
                     origin, (long long)(first->end - shift), (long long)bytes);
  if (first->digest != digest(origin, 0, bytes))
    return mpj_error(MPJ_ERR_INTERNAL,
                     "the digest of rank %d's virtual buffer is not that of rank %d's", rank,
                     origin);
  return MPJ_SUCCESS;
}

void mpj_sim_virtual_clear(struct mpj_sim_virtual *v, int rank)
{
  mpj_sim_extents_end(&v->of[rank]);
}
