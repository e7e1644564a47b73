/* This file draws the arguments of constructor calls: counts, lengths, displacements, arrays and
 * grids, legal ones alone. */
#include "types/random_arguments.h"

#include "types/layout/layout.h"

static MPJ_Count draw_count(struct maker *m, MPJ_Count high)
{
  high = high < 5 ? high : 5;
  if (high < 1 || one_in(m->rng, 25)) return 0;
  return mpj_random_in(m->rng, 1, high);
}

/* `copies` copies of old are within the budget. */
static MPJ_Count copies_left(const struct maker *m, const struct mpj_ref *old)
{
  return m->options.max_elements / (old->n > 0 ? old->n : 1);
}

static void draw_vector(struct maker *m, struct call *c, const struct mpj_ref *old,
                        MPJ_Count nparts)
{
  MPJ_Count room = copies_left(m, old);
  MPJ_Aint extent = mpj_ref_extent(old);
  c->count = nparts > 0 ? nparts : draw_count(m, room);
  c->blocklen = draw_count(m, c->count > 0 ? room / c->count : room);
  c->stride = one_in(m->rng, 3) ? c->blocklen : mpj_random_in(m->rng, -4, 7);
  if (c->kind == HVECTOR)
    c->stride = c->stride * extent + (one_in(m->rng, 2) ? 0 : mpj_random_in(m->rng, -9, 9));
}

/* How many blocks: few; or many, often just below or above what a layout keeps together. */
MPJ_Count mpj_draw_number(struct maker *m, const struct call *c, MPJ_Count nparts)
{
  static const MPJ_Count limits[] = {MPJ_LAYOUT_SEQ_OPEN, MPJ_LAYOUT_FRAME, 2 * MPJ_LAYOUT_FRAME};
  if (nparts > 0) return nparts;
  if (!c->many) return draw_count(m, 5);
  if (!one_in(m->rng, 3)) return mpj_random_in(m->rng, 60, MAX_MANY);
  return limits[mpj_random_in(m->rng, 0, 2)] + mpj_random_in(m->rng, -1, 2);
}

static MPJ_Aint true_span(const struct mpj_ref *ref)
{
  return mpj_ref_true_ub(ref) - mpj_ref_true_lb(ref);
}

/* Most copies of old in a block of many: none of them overlap where that matters. */
static MPJ_Count most_of_many(const struct maker *m, const struct mpj_ref *old)
{
  const bool overlap = m->options.receivable && mpj_ref_extent(old) < true_span(old);
  return overlap || old->n > 4 ? 1 : 2;
}

void mpj_draw_lengths(struct maker *m, struct call *c)
{
  const MPJ_Count room = m->options.max_elements;
  const bool same = one_in(m->rng, 3);
  for (MPJ_Count i = 0; i < c->count; i++) {
    const MPJ_Count each = c->refs[i]->n > 0 ? c->refs[i]->n : 1;
    const MPJ_Count share = c->many ? most_of_many(m, c->refs[i]) : room / (c->count * each);
    c->lens[i] = same && i > 0 ? least(c->lens[0], share) : draw_count(m, share);
  }
}

/* Displacements mostly one after another with gaps: in extents for INDEXED, else in
 * bytes that may be odd; now and then anywhere. */
static void draw_places(struct maker *m, struct call *c)
{
  MPJ_Aint end = mpj_random_in(m->rng, -20, 20);
  MPJ_Count next = mpj_random_in(m->rng, -3, 3);
  const bool gaps = !one_in(m->rng, 4);
  for (MPJ_Count i = 0; i < c->count; i++) {
    c->displs[i] = next;
    c->bytes[i] = end - least(0, mpj_ref_lb(c->refs[i]));
    if (one_in(m->rng, 6)) {
      c->displs[i] = mpj_random_in(m->rng, -8, 8);
      c->bytes[i] = mpj_random_in(m->rng, -80, 80);
    }
    next += c->lens[i] + (gaps ? mpj_random_in(m->rng, 0, 2) : 0);
    end = c->bytes[i] + c->lens[i] * mpj_ref_extent(c->refs[i]) +
          (gaps ? mpj_random_in(m->rng, 0, 16) : 0);
  }
}

/* Of many blocks some would overlap: here none do. Backward or forward, from any of them on. */
static void draw_places_apart(struct maker *m, struct call *c)
{
  const MPJ_Count first = mpj_random_in(m->rng, 0, c->count - 1);
  const bool backward = one_in(m->rng, 3), gaps = !one_in(m->rng, 4);
  MPJ_Aint end = mpj_random_in(m->rng, -20, 20);
  MPJ_Count next = mpj_random_in(m->rng, -3, 3);
  for (MPJ_Count k = 0; k < c->count; k++) {
    const MPJ_Count i = (first + (backward ? c->count - k : k)) % c->count;
    c->displs[i] = next;
    c->bytes[i] = end - mpj_ref_true_lb(c->refs[i]);
    next += c->lens[i] + (gaps ? mpj_random_in(m->rng, 0, 2) : 0);
    if (c->lens[i] > 0)
      end += (c->lens[i] - 1) * mpj_ref_extent(c->refs[i]) + true_span(c->refs[i]);
    if (gaps) end += mpj_random_in(m->rng, 0, 16);
  }
}

void mpj_draw_places(struct maker *m, struct call *c)
{
  if (c->many && m->options.receivable)
    draw_places_apart(m, c);
  else
    draw_places(m, c);
}

static void draw_subarray(struct maker *m, struct call *c, const struct mpj_ref *old,
                          MPJ_Count nparts)
{
  MPJ_Count room = copies_left(m, old);
  c->ndims = (int)mpj_random_in(m->rng, 1, MAX_DIMS);
  c->order = one_in(m->rng, 2) ? MPJ_ORDER_C : MPJ_ORDER_FORTRAN;
  int slow = c->order == MPJ_ORDER_C ? 0 : c->ndims - 1;
  if (nparts > 0) room /= nparts;
  for (int d = 0; d < c->ndims; d++) {
    c->sizes[d] = mpj_random_in(m->rng, 1, 5);
    c->subsizes[d] = least(draw_count(m, c->sizes[d]), room);
    if (nparts > 0 && d == slow) {
      c->subsizes[d] = nparts;
      c->sizes[d] = nparts + mpj_random_in(m->rng, 0, 2);
    } else if (c->subsizes[d] > 0) {
      room /= c->subsizes[d];
    }
    c->starts[d] = mpj_random_in(m->rng, 0, c->sizes[d] - c->subsizes[d]);
  }
}

/* Split nparts over the dimensions of the grid; 0 draws a small grid. */
static void draw_grid(struct maker *m, struct call *c, MPJ_Count nparts)
{
  for (int d = 0; d < c->ndims; d++)
    c->psizes[d] = nparts > 0 ? 1 : (int)mpj_random_in(m->rng, 1, 3);
  for (MPJ_Count f = 2; nparts > 1; f++) {
    for (; nparts % f == 0; nparts /= f)
      c->psizes[mpj_random_in(m->rng, 0, c->ndims - 1)] *= (int)f;
  }
}

static void draw_distribution(struct maker *m, struct call *c, const struct mpj_ref *old,
                              MPJ_Count nparts)
{
  MPJ_Count room = copies_left(m, old);
  c->ndims = (int)mpj_random_in(m->rng, 1, MAX_DIMS);
  c->order = one_in(m->rng, 2) ? MPJ_ORDER_C : MPJ_ORDER_FORTRAN;
  draw_grid(m, c, nparts);
  for (int d = 0; d < c->ndims; d++) {
    c->sizes[d] = least(mpj_random_in(m->rng, 1, 3 * c->psizes[d] + 2), most(room, 1));
    room /= c->sizes[d];
    c->distribs[d] = c->psizes[d] == 1 && one_in(m->rng, 2) ? MPJ_DISTRIBUTE_NONE
                     : one_in(m->rng, 2)                    ? MPJ_DISTRIBUTE_BLOCK
                                                            : MPJ_DISTRIBUTE_CYCLIC;
    MPJ_Count even = (c->sizes[d] + c->psizes[d] - 1) / c->psizes[d];
    MPJ_Count low = c->distribs[d] == MPJ_DISTRIBUTE_BLOCK ? even : 1;
    c->dargs[d] =
        one_in(m->rng, 2) ? MPJ_DISTRIBUTE_DFLT_DARG : mpj_random_in(m->rng, low, low + 2);
  }
}

/* Cut general dimensions into shares of their own, some of them empty. */
static void draw_shares(struct maker *m, struct call *c)
{
  for (int d = 0; d < c->ndims; d++) {
    if (one_in(m->rng, 3)) continue;
    MPJ_Count left = c->sizes[d];
    for (int i = 0; i + 1 < c->psizes[d]; i++) {
      c->shares[d][i] = mpj_random_in(m->rng, 0, least(left, 2 * c->sizes[d] / c->psizes[d]));
      left -= c->shares[d][i];
    }
    c->shares[d][c->psizes[d] - 1] = left;
    c->distribs[d] = MPJ_DISTRIBUTE_GENERAL;
    c->blocks[d] = c->shares[d];
  }
}

/* Indexed with one length: that of the first block, cut to the budget. */
static void draw_equal_lengths(struct maker *m, struct call *c, struct mpj_ref *old)
{
  mpj_draw_lengths(m, c);
  MPJ_Count most_copies = c->many ? 2 : copies_left(m, old) / (c->count > 0 ? c->count : 1);
  c->blocklen = c->count > 0 ? least(c->lens[0], most_copies) : 1;
  for (MPJ_Count i = 0; i < c->count; i++)
    c->lens[i] = c->blocklen;
}

/* Blocks of the first few lengths, of buckets of which some may be alike. */
static void draw_bucket_lengths(struct maker *m, struct call *c)
{
  mpj_draw_lengths(m, c);
  c->nbuckets = (int)mpj_random_in(m->rng, c->count > 0, MAX_BUCKETS);
  for (int b = 0; b < c->nbuckets; b++)
    c->bucket_lens[b] = b < c->count ? c->lens[b] : mpj_random_in(m->rng, 0, 9);
  for (MPJ_Count i = 0; i < c->count; i++) {
    c->numbers[i] = (int)mpj_random_in(m->rng, 0, least(i, c->nbuckets - 1));
    c->lens[i] = c->bucket_lens[c->numbers[i]];
  }
}

/* The buckets of a struct, one for each of the types, of which blocks have been
 * drawn: block i of c->types[i], which is bucket c->numbers[i]. */
void mpj_draw_struct_buckets(struct call *c, int nbuckets, const struct mpj_random_type types[])
{
  c->nbuckets = nbuckets;
  for (int b = 0; b < nbuckets; b++) {
    c->bucket_types[b] = types[b].type;
    c->bucket_lens[b] = b % 3;
  }
  for (MPJ_Count i = c->count; i-- > 0;)
    c->bucket_lens[c->numbers[i]] = c->lens[i];
  for (MPJ_Count i = 0; i < c->count; i++)
    c->lens[i] = c->bucket_lens[c->numbers[i]];
}

static void draw_slice(struct maker *m, struct call *c, const struct mpj_ref *old)
{
  MPJ_Count elements = mpj_ref_elements(old);
  c->count = mpj_random_in(m->rng, 0, elements);
  c->blocklen = mpj_random_in(m->rng, 0, elements - c->count);
}

static void draw_bounds(struct maker *m, struct call *c, const struct mpj_ref *old)
{
  c->lb = mpj_ref_lb(old) + mpj_random_in(m->rng, -9, 9);
  c->extent = mpj_ref_extent(old) + mpj_random_in(m->rng, -5, 13);
  if (one_in(m->rng, 12)) c->extent = -c->extent;
}

/* Which parts the blocks are: of nparts, or of some more than there are blocks. */
void mpj_draw_parts(struct maker *m, struct call *c, MPJ_Count nparts)
{
  const MPJ_Count more = one_in(m->rng, 4) ? 0 : mpj_random_in(m->rng, 0, 9);
  MPJ_Count given = 0;
  if (nparts > 0 && !one_in(m->rng, 4)) c->count = mpj_random_in(m->rng, 0, nparts);
  c->nparts = nparts > 0 ? nparts : c->count + more;
  for (MPJ_Count i = 0; i < c->nparts && given < c->count; i++)
    if (mpj_random_in(m->rng, 1, c->nparts - i) <= c->count - given) c->parts[given++] = i;
}

/* Of one old type. */
static void draw_blocks(struct maker *m, struct call *c, struct mpj_ref *old, MPJ_Count nparts)
{
  c->count = mpj_draw_number(m, c, nparts);
  for (MPJ_Count i = 0; i < c->count; i++)
    c->refs[i] = old;
  if (c->kind == INDEXED_BLOCK || c->kind == HINDEXED_BLOCK)
    draw_equal_lengths(m, c, old);
  else if (c->kind == BUCKET_INDEX || c->kind == HBUCKET_INDEX)
    draw_bucket_lengths(m, c);
  else
    mpj_draw_lengths(m, c);
  mpj_draw_places(m, c);
}

void mpj_draw_arguments(struct maker *m, struct call *c, struct mpj_ref *old, MPJ_Count nparts)
{
  switch (c->kind) {
  case CONTIGUOUS:
    c->count = nparts > 0 ? nparts : draw_count(m, copies_left(m, old));
    break;
  case VECTOR:
  case HVECTOR:
    draw_vector(m, c, old, nparts);
    break;
  case INDEXED:
  case HINDEXED:
  case SEGMENT:
  case INDEXED_BLOCK:
  case HINDEXED_BLOCK:
  case BUCKET_INDEX:
  case HBUCKET_INDEX:
    draw_blocks(m, c, old, nparts);
    break;
  case SLICE:
    draw_slice(m, c, old);
    break;
  case SUBARRAY:
    draw_subarray(m, c, old, nparts);
    break;
  case RESIZED:
    draw_bounds(m, c, old);
    break;
  case DARRAY:
    draw_distribution(m, c, old, 0);
    c->count = mpj_random_in(m->rng, 0, mpj_call_grid(c) - 1);
    break;
  case GENERAL:
    draw_distribution(m, c, old, nparts);
    draw_shares(m, c);
    break;
  case DISTRIBUTION:
    draw_distribution(m, c, old, nparts);
    break;
  default:
    break;
  }
}
