/* This file makes INDEX layouts: it drops empty blocks, takes the child apart
 * into the smallest unit that repeats inside a block, merges blocks that
 * continue one another, and gives the result its simplest form: nothing, one
 * loop, a loop of equal blocks, an index of equal blocks, or an index of blocks
 * of several lengths. Linear in the number of blocks. */
#include <inttypes.h>

#include "base/checked.h"
#include "base/memory.h"
#include "base/status.h"
#include "types/basic.h"
#include "types/intern.h"
#include "types/layout.h"

/* What a block repeats: `factor` of these make one copy of the child. */
struct unit {
  struct mpj_layout *layout; /* borrowed */
  MPJ_Aint stride;           /* bytes between units of one block */
  MPJ_Count factor;
};

/* The blocks that remain: lens[n] and displs[n], owned. */
struct blocks {
  MPJ_Count n;
  MPJ_Count *lens;
  MPJ_Aint *displs;
  bool equal; /* all lens alike */
};

struct source {
  MPJ_Count nblocks;
  const MPJ_Count *lens; /* NULL: uniform */
  MPJ_Count uniform;
  const MPJ_Aint *displs;
};

static MPJ_Count source_len(const struct source *s, MPJ_Count i)
{
  return s->lens ? s->lens[i] : s->uniform;
}

static bool all_single(const struct source *s)
{
  if (!s->lens) return s->uniform <= 1;
  for (MPJ_Count i = 0; i < s->nblocks; i++)
    if (s->lens[i] > 1) return false;
  return true;
}

/* The unit inside child, if copies of it `stride` apart are one row of units. */
static struct unit take_apart(struct mpj_layout *child, MPJ_Aint stride, bool single)
{
  if (child->kind == MPJ_LAYOUT_RUN && (single || mpj_layout_continues(child, stride))) {
    int basic = child->u.run.basic;
    return (struct unit){mpj_layout_of_basic(basic), mpj_basics[basic].size, child->u.run.count};
  }
  if (child->kind == MPJ_LAYOUT_LOOP && (single || mpj_layout_continues(child, stride)))
    return (struct unit){child->u.loop.child, child->u.loop.stride, child->u.loop.count};
  return (struct unit){child, stride, 1};
}

/* Whether a block at displ goes on where the last one stops. */
static bool continues(const struct blocks *b, MPJ_Aint displ, MPJ_Aint stride)
{
  MPJ_Aint end;
  return b->n > 0 && mpj_muladd_aint(b->displs[b->n - 1], b->lens[b->n - 1], stride, &end) &&
         end == displ;
}

static int too_many_copies(MPJ_Count i, MPJ_Count len)
{
  return mpj_error(MPJ_ERR_OVERFLOW,
                   "packed size overflows at block %" PRId64 " of %" PRId64 " copies", i, len);
}

/* Fill b (whose arrays hold s->nblocks) with the merged blocks, in units. */
static int merge_blocks(const struct source *s, const struct unit *unit, struct blocks *b)
{
  b->n = 0;
  for (MPJ_Count i = 0; i < s->nblocks; i++) {
    MPJ_Count len = source_len(s, i);
    if (len == 0) continue;
    if (!mpj_mul_count(len, unit->factor, &len)) return too_many_copies(i, len);
    if (!continues(b, s->displs[i], unit->stride)) {
      b->lens[b->n] = len;
      b->displs[b->n++] = s->displs[i];
    } else if (!mpj_add_count(b->lens[b->n - 1], len, &b->lens[b->n - 1])) {
      return too_many_copies(i, len);
    }
  }
  b->equal = true;
  for (MPJ_Count i = 1; i < b->n && b->equal; i++)
    b->equal = b->lens[i] == b->lens[0];
  return MPJ_SUCCESS;
}

/* Single copies of a child whose own units did not meet may still stand in rows
 * of the given stride; they are then blocks of children. Worth it only where it
 * halves the blocks, as lengths cost memory that equal blocks do not. */
static int merge(const struct source *s, struct mpj_layout *child, MPJ_Aint stride,
                 struct unit *unit, struct blocks *b)
{
  bool single = all_single(s);
  *unit = take_apart(child, stride, single);
  int status = merge_blocks(s, unit, b);
  MPJ_Count before = b->n;
  bool rows = single && before == s->nblocks && !mpj_layout_continues(child, stride);
  if (status || !rows) return status;
  struct unit whole = {child, stride, 1};
  status = merge_blocks(s, &whole, b);
  if (status) return status;
  if (b->n <= before / 2) {
    *unit = whole;
    return MPJ_SUCCESS;
  }
  return merge_blocks(s, unit, b);
}

static bool is_progression(const struct blocks *b, MPJ_Aint *step)
{
  if (!mpj_sub_aint(b->displs[1], b->displs[0], step)) return false;
  for (MPJ_Count i = 2; i < b->n; i++) {
    MPJ_Aint d;
    if (!mpj_sub_aint(b->displs[i], b->displs[i - 1], &d) || d != *step) return false;
  }
  return true;
}

static int no_memory(MPJ_Count nblocks)
{
  return mpj_error(MPJ_ERR_NO_MEM, "index of %" PRId64 " blocks could not be allocated", nblocks);
}

/* Give node its arrays: displacements from the first block, and unless all
 * blocks are single copies the lengths with their prefix sums. */
static int fill_index(struct mpj_layout *node, const struct blocks *b, bool single)
{
  node->u.index.nblocks = b->n;
  node->u.index.uniform = single ? 1 : 0;
  node->u.index.displs = mpj_alloc_array((size_t)b->n, sizeof(MPJ_Aint));
  if (!node->u.index.displs) return no_memory(b->n);
  for (MPJ_Count i = 0; i < b->n; i++) {
    if (!mpj_sub_aint(b->displs[i], b->displs[0], &node->u.index.displs[i]))
      return mpj_error(MPJ_ERR_OVERFLOW, "true bounds overflow: blocks at %td and %td bytes",
                       b->displs[0], b->displs[i]);
  }
  if (single) return MPJ_SUCCESS;
  node->u.index.blocklens = mpj_alloc_array((size_t)b->n, sizeof(MPJ_Count));
  node->u.index.starts = mpj_alloc_array((size_t)b->n + 1, sizeof(MPJ_Count));
  if (!node->u.index.blocklens || !node->u.index.starts) return no_memory(b->n);
  for (MPJ_Count i = 0; i < b->n; i++) {
    node->u.index.blocklens[i] = b->lens[i];
    if (!mpj_add_count(node->u.index.starts[i], b->lens[i], &node->u.index.starts[i + 1]))
      return too_many_copies(i, b->lens[i]);
  }
  return MPJ_SUCCESS;
}

/* Widen node's true bounds to those of block i. */
static bool cover_block(struct mpj_layout *node, MPJ_Count i)
{
  const struct mpj_layout *child = node->u.index.child;
  MPJ_Count copies;
  MPJ_Aint displ, last, lb, ub;
  mpj_layout_index_block(node, i, &displ, &copies, NULL);
  if (!mpj_mul_aint(copies - 1, node->u.index.stride, &last) ||
      !mpj_add_aint(displ, last < 0 ? last : 0, &lb) || !mpj_add_aint(lb, child->true_lb, &lb) ||
      !mpj_add_aint(displ, last > 0 ? last : 0, &ub) || !mpj_add_aint(ub, child->true_ub, &ub))
    return false;
  if (i == 0 || lb < node->true_lb) node->true_lb = lb;
  if (i == 0 || ub > node->true_ub) node->true_ub = ub;
  return true;
}

static int measure_index(struct mpj_layout *node)
{
  const struct mpj_layout *child = node->u.index.child;
  MPJ_Count copies = mpj_layout_index_copies(node), bytes;
  if (!mpj_mul_count(copies, child->signature.bytes, &bytes))
    return mpj_error(MPJ_ERR_OVERFLOW,
                     "packed size overflows: %" PRId64 " copies of %" PRId64 " bytes", copies,
                     child->signature.bytes);
  for (MPJ_Count i = 0; i < node->u.index.nblocks; i++) {
    if (!cover_block(node, i))
      return mpj_error(MPJ_ERR_OVERFLOW, "true bounds overflow at block %" PRId64 " at %td bytes",
                       i, node->u.index.displs[i]);
  }
  node->signature = mpj_signature_repeat(child->signature, copies);
  node->depth = child->depth + 1;
  return MPJ_SUCCESS;
}

static int make_index(const struct blocks *b, struct mpj_layout *child, MPJ_Aint stride,
                      bool single, struct mpj_piece *out)
{
  struct mpj_layout *node = mpj_layout_new(MPJ_LAYOUT_INDEX);
  if (!node) return no_memory(b->n);
  node->u.index.child = mpj_layout_retain(child);
  node->u.index.stride = stride;
  int status = fill_index(node, b, single);
  if (!status) status = measure_index(node);
  if (status) {
    mpj_layout_discard(node);
    return status;
  }
  mpj_layout_intern(node, b->displs[0], out);
  return MPJ_SUCCESS;
}

/* Equal blocks: the block becomes the child. */
static int make_equal_blocks(const struct blocks *b, const struct unit *unit, struct mpj_piece *out)
{
  struct mpj_piece block;
  int status =
      mpj_layout_loop(b->lens[0], unit->stride, (struct mpj_piece){unit->layout, 0}, &block);
  if (status) return status;
  MPJ_Aint step = 0;
  if (b->n == 1 || is_progression(b, &step)) {
    status = mpj_layout_loop(b->n, step, block, out);
    if (!status) out->displ = b->displs[0];
  } else {
    status = make_index(b, block.layout, 0, true, out);
  }
  mpj_layout_release(block.layout);
  return status;
}

static int make_blocks(const struct blocks *b, const struct unit *unit, struct mpj_piece *out)
{
  if (b->n == 0) return mpj_layout_empty(out);
  if (b->equal) return make_equal_blocks(b, unit, out);
  return make_index(b, unit->layout, unit->stride, false, out);
}

int mpj_layout_index(MPJ_Count nblocks, const MPJ_Count blocklens[], MPJ_Count uniform,
                     const MPJ_Aint displs[], MPJ_Aint stride, struct mpj_piece child,
                     struct mpj_piece *out)
{
  if (nblocks == 0 || child.layout->kind == MPJ_LAYOUT_EMPTY) return mpj_layout_empty(out);
  struct source source = {nblocks, blocklens, uniform, displs};
  struct blocks blocks = {.lens = mpj_alloc_array((size_t)nblocks, sizeof(MPJ_Count)),
                          .displs = mpj_alloc_array((size_t)nblocks, sizeof(MPJ_Aint))};
  struct unit unit;
  struct mpj_piece made;
  int status = blocks.lens && blocks.displs ? MPJ_SUCCESS : no_memory(nblocks);
  if (!status) status = merge(&source, child.layout, stride, &unit, &blocks);
  if (!status) status = make_blocks(&blocks, &unit, &made);
  mpj_free(blocks.lens);
  mpj_free(blocks.displs);
  if (status) return status;
  if (made.layout->kind != MPJ_LAYOUT_EMPTY &&
      !mpj_add_aint(made.displ, child.displ, &made.displ)) {
    mpj_layout_release(made.layout);
    return mpj_error(MPJ_ERR_OVERFLOW, "displacement overflows: %td + %td bytes", displs[0],
                     child.displ);
  }
  *out = made;
  return MPJ_SUCCESS;
}
