/* This file drops empty blocks, takes the child apart into the smallest unit that
 * repeats inside a block, and merges blocks that continue one another. Where
 * nothing is dropped or merged, nothing is copied. */
#include "types/layout/blocks.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "base/status.h"
#include "types/basic.h"
#include "types/layout/intern.h"
#include "types/sequence/widths.h"

enum { CHUNK = 128, FEW = 64, WIDE_PAYS = 16, FEW_NOTES = 16 };

struct source {
  const struct mpj_series *lens, *displs;
};

/* The block that is being put together. */
struct open {
  MPJ_Count len;  /* units; 0: none yet */
  MPJ_Aint displ; /* where it starts */
  MPJ_Aint end;   /* where its next unit would be, */
  bool has_end;   /* if that fits 64 bits */
};

/* The unit inside child, if copies of it `stride` apart are one row of units. */
static struct mpj_unit take_apart(struct mpj_layout *child, MPJ_Aint stride, bool single)
{
  if (child->kind == MPJ_LAYOUT_RUN && (single || mpj_layout_continues(child, stride))) {
    int basic = child->u.run.basic;
    return (struct mpj_unit){mpj_layout_of_basic(basic), mpj_basics[basic].size,
                             child->u.run.count};
  }
  if (child->kind == MPJ_LAYOUT_LOOP && (single || mpj_layout_continues(child, stride)))
    return (struct mpj_unit){child->u.loop.child, child->u.loop.stride, child->u.loop.count};
  return (struct mpj_unit){child, stride, 1};
}

static int too_many_copies(MPJ_Count i, MPJ_Count len)
{
  return mpj_error(MPJ_ERR_OVERFLOW,
                   "packed size overflows at block %" PRId64 " of %" PRId64 " copies", i, len);
}

/* Put a block of len units at displ after the open one: 1 if it starts anew, 0 if
 * it goes on, -1 if the length overflows. */
static int put(struct open *open, MPJ_Count len, MPJ_Aint displ, MPJ_Aint stride)
{
  bool anew = open->len == 0 || !open->has_end || open->end != displ;
  if (anew) {
    open->len = len;
    open->displ = displ;
  } else if (!mpj_add_count(open->len, len, &open->len)) {
    return -1;
  }
  open->has_end = mpj_muladd_aint(displ, len, stride, &open->end);
  return anew;
}

/* The patches while they are few enough. */
struct notes {
  struct mpj_patch *patches; /* [limit] */
  MPJ_Count n, limit;        /* n > limit: too many, none kept */
};

/* Note that block `at`, the open one, ends with the caller's block `source`,
 * unless that follows from what was noted before. */
static void note_patch(const struct open *open, MPJ_Count at, MPJ_Count source, struct notes *notes)
{
  struct mpj_patch *last = notes->n > 0 ? &notes->patches[notes->n - 1] : NULL;
  MPJ_Count expected = last ? last->source + at - last->at : at;
  if (last && last->at == at) {
    last->source = source;
    last->len = open->len;
  } else if (source != expected) {
    if (notes->n++ < notes->limit)
      notes->patches[notes->n - 1] = (struct mpj_patch){at, source, open->len, open->displ};
  }
}

/* Widen the span to the open block's units. */
static void cover(const struct open *open, MPJ_Aint stride, struct mpj_blocks *into)
{
  MPJ_Aint last = mpj_wrap_sub(open->end, stride);
  MPJ_Aint low = last < open->displ ? last : open->displ;
  MPJ_Aint high = last < open->displ ? open->displ : last;
  into->low = low < into->low ? low : into->low;
  into->high = high > into->high ? high : into->high;
  into->has_span &= open->has_end;
}

/* Whether these m <= CHUNK blocks neither are empty, nor continue one another or `end`, and
 * are so far from the limits that nothing overflows; if so, *low and *high are
 * widened to their units' displacements. */
static inline MPJ_WIDE_BODY bool quiet_body(const MPJ_Count lens[], const MPJ_Aint displs[],
                                            MPJ_Count m, MPJ_Count step, MPJ_Aint stride,
                                            MPJ_Aint end, MPJ_Aint *low, MPJ_Aint *high)
{
  MPJ_Aint least = displs[0], most = displs[0], next[CHUNK];
  uint64_t far = 0, longest = 0;
  int64_t loud = displs[0] == end;            /* of the width of what is compared */
  if (step > 0 && (step & (step - 1)) == 0) { /* a shift is a product that all vectors have */
    const int shift = __builtin_ctzll((uint64_t)step);
    for (MPJ_Count k = 0; k < m; k++)
      next[k] = (MPJ_Aint)(((uint64_t)lens[k] << shift) + (uint64_t)displs[k]);
  } else {
    for (MPJ_Count k = 0; k < m; k++)
      next[k] = mpj_wrap_muladd(lens[k], step, displs[k]);
  }
  for (MPJ_Count k = 0; k + 1 < m; k++)
    loud |= next[k] == displs[k + 1] ? -1 : 0;
  for (MPJ_Count k = 0; k < m; k++) {
    MPJ_Aint last = mpj_wrap_sub(next[k], stride);
    far |= (uint64_t)(displs[k] ^ (displs[k] >> 63));
    longest |= (uint64_t)lens[k];
    loud |= lens[k] == 0 ? -1 : 0;
    least = displs[k] < least ? displs[k] : least;
    most = displs[k] > most ? displs[k] : most;
    least = last < least ? last : least;
    most = last > most ? last : most;
  }
  if (loud || far >> 61 || longest >> 30) return false;
  *low = least < *low ? least : *low;
  *high = most > *high ? most : *high;
  return true;
}

MPJ_IN_WIDTHS(bool, quiet,
              (const MPJ_Count lens[], const MPJ_Aint displs[], MPJ_Count m, MPJ_Count step,
               MPJ_Aint stride, MPJ_Aint end, MPJ_Aint *low, MPJ_Aint *high),
              (lens, displs, m, step, stride, end, low, high))

/* Put m quiet blocks at once; false, and nothing done, if they are not. */
static bool put_quiet(const MPJ_Count lens[], const MPJ_Aint displs[], MPJ_Count first, MPJ_Count m,
                      const struct mpj_unit *unit, struct open *open, const struct notes *notes,
                      struct mpj_blocks *into)
{
  const MPJ_Count most = INT64_C(1) << 30;
  if (into->merged_lens || notes->n > notes->limit) return false;
  const struct mpj_patch *last = notes->n > 0 ? &notes->patches[notes->n - 1] : NULL;
  MPJ_Count expected = last ? last->source + into->n - last->at : into->n;
  if (expected != first) return false;
  if (open->len > 0 && !open->has_end) return false;
  if (unit->factor >= most || unit->stride >= most || unit->stride <= -most) return false;
  MPJ_Count step = unit->factor * unit->stride;
  if (step >= most || step <= -most) return false;
  MPJ_Aint end = open->len > 0 ? open->end : mpj_wrap_sub(displs[0], 1);
  MPJ_Aint *low = &into->low, *high = &into->high;
  const bool calm = m >= WIDE_PAYS
                        ? quiet(lens, displs, m, step, unit->stride, end, low, high)
                        : quiet_body(lens, displs, m, step, unit->stride, end, low, high);
  if (!calm) return false;
  into->n += m;
  open->len = lens[m - 1] * unit->factor;
  open->displ = displs[m - 1];
  open->end = displs[m - 1] + lens[m - 1] * step;
  open->has_end = true;
  return true;
}

/* Put m blocks, first among them block `first`, noting patches, or storing what
 * they merge to if `into` has arrays. */
static int put_chunk(const MPJ_Count lens[], const MPJ_Aint displs[], MPJ_Count first, MPJ_Count m,
                     const struct mpj_unit *unit, struct open *open, struct notes *notes,
                     struct mpj_blocks *into)
{
  for (MPJ_Count k = 0; k < m; k++) {
    MPJ_Count len = lens[k];
    if (len == 0) continue;
    if (!mpj_mul_count(len, unit->factor, &len)) return too_many_copies(first + k, lens[k]);
    int anew = put(open, len, displs[k], unit->stride);
    if (anew < 0) return too_many_copies(first + k, lens[k]);
    into->n += anew;
    cover(open, unit->stride, into);
    if (notes->n <= notes->limit) note_patch(open, into->n - 1, first + k, notes);
    if (!into->merged_lens) continue;
    into->merged_lens[into->n - 1] = open->len;
    if (anew) into->merged_displs[into->n - 1] = displs[k];
  }
  return MPJ_SUCCESS;
}

/* Set into->n to the number of blocks left, and their span; fill its arrays if
 * there are. */
static int merge(const struct source *s, const struct mpj_unit *unit, struct notes *notes,
                 struct mpj_blocks *into)
{
  MPJ_Count lens[CHUNK], displs[CHUNK];
  struct open open = {0, 0, 0, false};
  into->n = notes->n = 0;
  into->has_span = true;
  into->low = PTRDIFF_MAX;
  into->high = PTRDIFF_MIN;
  for (MPJ_Count i = 0; i < s->lens->n; i += CHUNK) {
    MPJ_Count m = s->lens->n - i < CHUNK ? s->lens->n - i : CHUNK;
    mpj_series_read(s->lens, i, m, lens);
    mpj_series_read(s->displs, i, m, displs);
    if (put_quiet(lens, displs, i, m, unit, &open, notes, into)) continue;
    int status = put_chunk(lens, displs, i, m, unit, &open, notes, into);
    if (status) return status;
  }
  return MPJ_SUCCESS;
}

static bool all_single(const struct mpj_series *lens)
{
  for (MPJ_Count i = 0; i < lens->n; i++)
    if (mpj_series_at(lens, i) > 1) return false;
  return true;
}

/* Single copies of a child whose own units did not meet may still stand in rows
 * of the given stride; they are then blocks of children. Worth it only where it
 * halves the blocks, as lengths cost memory that equal blocks do not. */
static int choose_unit(const struct source *s, struct mpj_layout *child, MPJ_Aint stride,
                       struct mpj_unit *unit, struct notes *notes, struct mpj_blocks *out)
{
  bool single = all_single(s->lens);
  *unit = take_apart(child, stride, single);
  int status = merge(s, unit, notes, out);
  MPJ_Count before = out->n;
  bool rows = single && before == s->lens->n && !mpj_layout_continues(child, stride);
  if (status || !rows) return status;
  struct mpj_unit whole = {child, stride, 1};
  struct mpj_blocks merged = *out;
  status = merge(s, &whole, notes, &merged);
  if (status || merged.n > before / 2) return status;
  *unit = whole;
  *out = merged;
  return status;
}

static int copy_merged(const struct source *s, const struct mpj_unit *unit, struct mpj_blocks *out)
{
  MPJ_Count n = out->n;
  struct notes none = {NULL, 0, -1};
  out->merged_lens = mpj_alloc((size_t)n * sizeof(MPJ_Count));
  out->merged_displs = mpj_alloc((size_t)n * sizeof(MPJ_Aint));
  if (!out->merged_lens || !out->merged_displs)
    return mpj_error(MPJ_ERR_NO_MEM, "index of %" PRId64 " blocks could not be allocated", n);
  merge(s, unit, &none, out); /* succeeded before */
  out->lens = mpj_series_of(n, out->merged_lens, 1);
  out->displs = mpj_series_of(n, out->merged_displs, 1);
  return MPJ_SUCCESS;
}

/* The caller's arrays with the patches. */
static bool take_patches(const struct source *s, const struct notes *notes, struct mpj_blocks *out)
{
  out->patches = mpj_alloc((size_t)(notes->n + 1) * sizeof *out->patches);
  if (!out->patches) return false;
  if (notes->n > 0) memcpy(out->patches, notes->patches, (size_t)notes->n * sizeof *out->patches);
  out->npatches = notes->n;
  out->lens.patches = out->displs.patches = out->patches;
  out->lens.npatches = out->displs.npatches = out->npatches;
  out->lens.n = out->displs.n = out->n;
  out->displs.of_displs = 1;
  const struct mpj_patch *last = notes->n > 0 ? &notes->patches[notes->n - 1] : NULL;
  MPJ_Count used = last ? last->source + out->n - last->at : out->n; /* and the rest is empty */
  if (used < s->lens->n)
    out->patches[out->npatches++] = (struct mpj_patch){out->n, s->lens->n - 1, 0, 0};
  return true;
}

static int no_patches(MPJ_Count n)
{
  return mpj_error(MPJ_ERR_NO_MEM, "%" PRId64 " patches could not be allocated", n);
}

int mpj_blocks_merge(const struct mpj_series *lens, const struct mpj_series *displs,
                     struct mpj_layout *child, MPJ_Aint stride, struct mpj_unit *unit,
                     struct mpj_blocks *out)
{
  struct source source = {lens, displs};
  struct mpj_patch few_notes[FEW_NOTES];
  struct notes notes = {.patches = few_notes, .limit = lens->n / FEW};
  *out = (struct mpj_blocks){.lens = *lens, .displs = *displs};
  if (notes.limit > FEW_NOTES)
    notes.patches = mpj_alloc((size_t)notes.limit * sizeof *notes.patches);
  if (!notes.patches) return no_patches(notes.limit);
  int status = choose_unit(&source, child, stride, unit, &notes, out);
  bool few = lens->n - out->n <= notes.limit && notes.n <= notes.limit;
  if (!status && !few) status = copy_merged(&source, unit, out);
  if (!status && few) out->lens.scale *= unit->factor; /* products checked by merge */
  if (!status && few && out->n < lens->n && !take_patches(&source, &notes, out))
    status = no_patches(notes.n + 1);
  if (notes.patches != few_notes) mpj_free(notes.patches);
  if (status) mpj_blocks_release(out);
  return status;
}

void mpj_blocks_release(struct mpj_blocks *blocks)
{
  mpj_free(blocks->merged_lens);
  mpj_free(blocks->merged_displs);
  mpj_free(blocks->patches);
}

bool mpj_blocks_equal(const struct mpj_blocks *b)
{
  MPJ_Count lens[CHUNK], first = mpj_series_at(&b->lens, 0);
  uint64_t different = 0;
  if (!b->lens.values && !b->lens.numbers) return b->lens.npatches == 0;
  for (MPJ_Count i = 0; i < b->n && !different; i += CHUNK) {
    MPJ_Count m = b->n - i < CHUNK ? b->n - i : CHUNK;
    mpj_series_read(&b->lens, i, m, lens);
    for (MPJ_Count k = 0; k < m; k++)
      different |= (uint64_t)(lens[k] ^ first);
  }
  return !different;
}

/* As the steps add up to what fits 64 bits, they may wrap on the way. */
bool mpj_blocks_progress(const struct mpj_blocks *b, MPJ_Aint *step)
{
  MPJ_Aint displs[CHUNK], first = mpj_series_at(&b->displs, 0), whole;
  uint64_t different = 0;
  if (!mpj_sub_aint(mpj_series_at(&b->displs, 1), first, step)) return false;
  if (!mpj_muladd_aint(first, b->n - 1, *step, &whole)) return false;
  for (MPJ_Count i = 0; i < b->n && !different; i += CHUNK) {
    MPJ_Count m = b->n - i < CHUNK ? b->n - i : CHUNK;
    mpj_series_read(&b->displs, i, m, displs);
    for (MPJ_Count k = 0; k < m; k++)
      different |= (uint64_t)(displs[k] ^ mpj_wrap_muladd(i + k, *step, first));
  }
  return !different;
}
