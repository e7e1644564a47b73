/* This file knows the formats: block, cyclic and block-cyclic, which deal equal blocks in turn, and
 * general blocks and owners by index, which are tables of stretches. */
#include "array/describe/format.h"

#include <inttypes.h>

#include "base/memory.h"
#include "base/status.h"

static int check_sign(int d, const char *name, MPJ_Count value)
{
  if (value >= 0) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_ARG, "axes[%d]: %s is %" PRId64 ", must be at least 0", d, name, value);
}

/* How a coordinate counts among the dealers' turns, and back. */
static MPJ_Count turn_of(const struct mpj_axis *axis, int coord)
{
  return coord >= axis->first ? coord - axis->first : coord - axis->first + axis->procs;
}

static int coord_of(const struct mpj_axis *axis, MPJ_Count turn)
{
  const MPJ_Count coord = turn + axis->first;
  return (int)(coord < axis->procs ? coord : coord - axis->procs);
}

static int begin_block(struct mpj_axis *axis, int d, const MPJ_Axis *given)
{
  const MPJ_Count least = axis->size / axis->procs + (axis->size % axis->procs > 0);
  axis->block = given->darg > 0 ? given->darg : least > 0 ? least : 1;
  if (axis->block < least)
    return mpj_error(MPJ_ERR_ARG,
                     "axes[%d]: darg is %" PRId64 ", %d blocks of which do not cover the size, "
                     "%" PRId64,
                     d, given->darg, axis->procs, axis->size);
  return MPJ_SUCCESS;
}

static int begin_cyclic(struct mpj_axis *axis, int d, const MPJ_Axis *given)
{
  (void)d;
  axis->block = given->darg > 0 ? given->darg : 1;
  return MPJ_SUCCESS;
}

static int make_tables(struct mpj_axis *axis, MPJ_Count ncuts)
{
  const size_t n = (size_t)ncuts;
  axis->ncuts = ncuts;
  axis->starts = mpj_alloc_array(n + 1, sizeof *axis->starts);
  axis->locals = mpj_alloc_array(n, sizeof *axis->locals);
  axis->owners = mpj_alloc_array(n, sizeof *axis->owners);
  axis->of = mpj_alloc_array(n, sizeof *axis->of);
  axis->owned = mpj_alloc_array((size_t)axis->procs + 2, sizeof *axis->owned);
  if (axis->starts && axis->locals && axis->owners && axis->of && axis->owned) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_NO_MEM, "no memory for an axis of %" PRId64 " stretches", ncuts);
}

/* starts and owners are there: count what lies before each stretch on its owner. */
static int finish_tables(struct mpj_axis *axis)
{
  MPJ_Count *held = mpj_alloc_array((size_t)axis->procs, sizeof *held);
  if (!held) return mpj_error(MPJ_ERR_NO_MEM, "no memory for %d coordinates", axis->procs);
  for (MPJ_Count i = 0; i < axis->ncuts; i++) {
    axis->locals[i] = held[axis->owners[i]];
    held[axis->owners[i]] += axis->starts[i + 1] - axis->starts[i];
    axis->owned[axis->owners[i] + 2]++;
  }
  for (int c = 0; c < axis->procs; c++)
    axis->owned[c + 2] += axis->owned[c + 1];
  for (MPJ_Count i = 0; i < axis->ncuts; i++)
    axis->of[axis->owned[axis->owners[i] + 1]++] = i;
  mpj_free(held);
  return MPJ_SUCCESS;
}

static int begin_general(struct mpj_axis *axis, int d, const MPJ_Axis *given)
{
  MPJ_Count at = 0, n = 0;
  for (int turn = 0; turn < axis->procs; turn++) {
    const int coord = coord_of(axis, turn);
    const MPJ_Count length = given->lengths[coord];
    if (length < 0)
      return mpj_error(MPJ_ERR_ARG, "axes[%d]: lengths[%d] is %" PRId64 ", must be at least 0", d,
                       coord, length);
    if (length > axis->size - at)
      return mpj_error(MPJ_ERR_ARG,
                       "axes[%d]: lengths sum up to %" PRId64 " and lengths[%d], %" PRId64
                       ", the size is %" PRId64,
                       d, at, coord, length, axis->size);
    at += length;
    n += length > 0;
  }
  if (at != axis->size)
    return mpj_error(MPJ_ERR_ARG, "axes[%d]: lengths sum up to %" PRId64 ", the size is %" PRId64,
                     d, at, axis->size);
  const int status = make_tables(axis, n);
  if (status) return status;
  n = at = 0;
  for (int turn = 0; turn < axis->procs; turn++) {
    const int coord = coord_of(axis, turn);
    if (given->lengths[coord] == 0) continue;
    axis->owners[n] = coord;
    axis->starts[n++] = at;
    at += given->lengths[coord];
  }
  axis->starts[n] = at;
  return finish_tables(axis);
}

static int begin_indirect(struct mpj_axis *axis, int d, const MPJ_Axis *given)
{
  MPJ_Count n = 0;
  for (MPJ_Count i = 0; i < axis->size; i++) {
    const MPJ_Count owner = given->lengths[i];
    if (owner < 0 || owner >= axis->procs)
      return mpj_error(MPJ_ERR_ARG,
                       "axes[%d]: lengths[%" PRId64 "], the owner of an index, is %" PRId64
                       ", its grid dimension has %d coordinates",
                       d, i, owner, axis->procs);
    n += i == 0 || owner != given->lengths[i - 1];
  }
  const int status = make_tables(axis, n);
  if (status) return status;
  n = 0;
  for (MPJ_Count i = 0; i < axis->size; i++) {
    if (i > 0 && given->lengths[i] == given->lengths[i - 1]) continue;
    axis->owners[n] = (int)given->lengths[i];
    axis->starts[n++] = i;
  }
  axis->starts[n] = axis->size;
  return finish_tables(axis);
}

static const struct {
  int name;
  bool listed; /* by lengths */
  int (*begin)(struct mpj_axis *axis, int d, const MPJ_Axis *given);
} formats[] = {
    {MPJ_DISTRIBUTE_BLOCK, false, begin_block},
    {MPJ_DISTRIBUTE_CYCLIC, false, begin_cyclic},
    {MPJ_DISTRIBUTE_GENERAL, true, begin_general},
    {MPJ_DISTRIBUTE_INDIRECT, true, begin_indirect},
};

static int begin_distributed(struct mpj_axis *axis, int d, const MPJ_Axis *given, int grid_ndims,
                             const int grid[])
{
  enum { FORMATS = sizeof formats / sizeof *formats };
  int f = 0;
  while (f < FORMATS && formats[f].name != given->distribute)
    f++;
  if (f == FORMATS)
    return mpj_error(MPJ_ERR_ARG,
                     "axes[%d]: distribute is %d, which is no format (0, MPJ_DISTRIBUTE_BLOCK, "
                     "_CYCLIC, _GENERAL or _INDIRECT)",
                     d, given->distribute);
  if (given->grid_dim < 0 || given->grid_dim >= grid_ndims)
    return mpj_error(MPJ_ERR_ARG, "axes[%d]: grid_dim is %d, the grid has %d dimensions", d,
                     given->grid_dim, grid_ndims);
  axis->grid_dim = given->grid_dim;
  axis->procs = grid[given->grid_dim];
  axis->first = given->first;
  if (given->first < 0 || given->first >= axis->procs)
    return mpj_error(MPJ_ERR_ARG,
                     "axes[%d]: first is %d, the grid dimension has coordinates 0 to %d", d,
                     given->first, axis->procs - 1);
  if (given->first != 0 && given->distribute == MPJ_DISTRIBUTE_INDIRECT)
    return mpj_error(MPJ_ERR_ARG, "axes[%d]: first is %d, must be 0: lengths say who owns an index",
                     d, given->first);
  if (formats[f].listed && !given->lengths && axis->size > 0)
    return mpj_error(MPJ_ERR_ARG, "axes[%d]: lengths is NULL", d);
  if (formats[f].listed && given->darg > 0)
    return mpj_error(MPJ_ERR_ARG,
                     "axes[%d]: darg is %" PRId64 ", must be 0: lengths say who owns "
                     "an index",
                     d, given->darg);
  const int status = formats[f].begin(axis, d, given);
  if (status) return status;
  if (axis->procs == 1 && axis->ncuts == 0) axis->block = axis->size > 0 ? axis->size : 1;
  for (int c = 0; (axis->low > 0 || axis->high > 0) && c < axis->procs; c++)
    if (mpj_axis_stretches(axis, c) > 1)
      return mpj_error(MPJ_ERR_ARG,
                       "axes[%d] has ghosts, and the share of coordinate %d is %" PRId64
                       " pieces, must be 1",
                       d, c, mpj_axis_stretches(axis, c));
  return MPJ_SUCCESS;
}

/* What has no meaning on an axis that is not distributed has not been given. */
static int check_undistributed(int d, const MPJ_Axis *given)
{
  static const char why[] = "must be 0: the axis is not distributed";
  if (given->first != 0)
    return mpj_error(MPJ_ERR_ARG, "axes[%d]: first is %d, %s", d, given->first, why);
  if (given->darg > 0)
    return mpj_error(MPJ_ERR_ARG, "axes[%d]: darg is %" PRId64 ", %s", d, given->darg, why);
  return MPJ_SUCCESS;
}

int mpj_axis_begin(struct mpj_axis *axis, int d, const MPJ_Axis *given, int grid_ndims,
                   const int grid[])
{
  *axis = (struct mpj_axis){.size = given->size,
                            .block = given->size > 0 ? given->size : 1,
                            .procs = 1,
                            .grid_dim = -1,
                            .periodic = given->periodic != 0,
                            .low = given->ghost_low,
                            .high = given->ghost_high,
                            .format = given->distribute};
  MPJ_Count room;
  if (axis->format == MPJ_DISTRIBUTE_NONE) axis->format = 0;
  int status = check_sign(d, "size", given->size);
  if (!status && given->darg != MPJ_DISTRIBUTE_DFLT_DARG)
    status = check_sign(d, "darg", given->darg);
  if (!status) status = check_sign(d, "ghost_low", axis->low);
  if (!status) status = check_sign(d, "ghost_high", axis->high);
  for (size_t i = 0; i < sizeof given->reserved / sizeof *given->reserved && !status; i++)
    if (given->reserved[i] != 0)
      status = mpj_error(MPJ_ERR_ARG, "axes[%d]: reserved[%zu] is %" PRId64 ", must be 0", d, i,
                         given->reserved[i]);
  if (!status && given->periodic != 0 && given->periodic != 1)
    status = mpj_error(MPJ_ERR_ARG, "axes[%d]: periodic is %d, must be 0 or 1", d, given->periodic);
  if (!status && axis->format == 0) status = check_undistributed(d, given);
  if (status) return status;
  if (__builtin_add_overflow(axis->low, axis->high, &room) ||
      __builtin_add_overflow(room, axis->size, &room))
    return mpj_error(MPJ_ERR_OVERFLOW,
                     "axes[%d]: size %" PRId64 ", ghost_low %" PRId64 " and ghost_high %" PRId64
                     " exceed 64 bits together",
                     d, axis->size, axis->low, axis->high);
  if (axis->format == 0) return MPJ_SUCCESS;
  status = begin_distributed(axis, d, given, grid_ndims, grid);
  if (status) mpj_axis_end(axis);
  return status;
}

void mpj_axis_end(struct mpj_axis *axis)
{
  mpj_free(axis->starts);
  mpj_free(axis->locals);
  mpj_free(axis->owners);
  mpj_free(axis->of);
  mpj_free(axis->owned);
}

/* Whether it is described by lengths. */
static bool is_listed(const struct mpj_axis *axis)
{
  return axis->format == MPJ_DISTRIBUTE_GENERAL || axis->format == MPJ_DISTRIBUTE_INDIRECT;
}

MPJ_Count mpj_axis_darg(const struct mpj_axis *axis)
{
  return axis->format == 0 || is_listed(axis) ? 0 : axis->block;
}

MPJ_Count mpj_axis_lengths(const struct mpj_axis *axis, MPJ_Count out[])
{
  const bool indirect = axis->format == MPJ_DISTRIBUTE_INDIRECT;
  const bool general = axis->format == MPJ_DISTRIBUTE_GENERAL;
  const MPJ_Count n = indirect ? axis->size : general ? axis->procs : 0;
  if (!out) return n;
  memset(out, 0, (size_t)n * sizeof *out);
  for (MPJ_Count i = 0; i < axis->ncuts; i++) {
    if (general) out[axis->owners[i]] = axis->starts[i + 1] - axis->starts[i];
    for (MPJ_Count g = axis->starts[i]; indirect && g < axis->starts[i + 1]; g++)
      out[g] = axis->owners[i];
  }
  return n;
}

static struct mpj_stretch cut(const struct mpj_axis *axis, MPJ_Count i)
{
  return (struct mpj_stretch){axis->starts[i], axis->starts[i + 1], axis->locals[i],
                              axis->owners[i]};
}

/* Block k of those that are dealt, 0 <= k * block < size. */
static struct mpj_stretch dealt(const struct mpj_axis *axis, MPJ_Count k)
{
  const MPJ_Count start = k * axis->block, left = axis->size - start;
  const MPJ_Count round = k < axis->procs ? 0 : k / axis->procs;
  return (struct mpj_stretch){start, start + (left < axis->block ? left : axis->block),
                              round * axis->block, coord_of(axis, k - round * axis->procs)};
}

/* The last i in [low, high) with starts(i) <= g; starts(low) <= g. */
static MPJ_Count find(const struct mpj_axis *axis, const MPJ_Count *through, MPJ_Count low,
                      MPJ_Count high, MPJ_Count g)
{
  while (high - low > 1) {
    const MPJ_Count middle = low + (high - low) / 2;
    if (axis->starts[through ? through[middle] : middle] <= g)
      low = middle;
    else
      high = middle;
  }
  return low;
}

void mpj_axis_at(const struct mpj_axis *axis, MPJ_Count g, struct mpj_stretch *stretch)
{
  *stretch = axis->ncuts > 0 ? cut(axis, find(axis, NULL, 0, axis->ncuts, g))
                             : dealt(axis, g / axis->block);
}

static bool next_cut(const struct mpj_axis *axis, int coord, MPJ_Count g, int direction,
                     struct mpj_stretch *stretch)
{
  const MPJ_Count low = axis->owned[coord], high = axis->owned[coord + 1];
  if (low == high) return false;
  MPJ_Count i = low;
  if (g >= axis->starts[axis->of[low]])
    i = find(axis, axis->of, low, high, g);
  else if (direction < 0)
    return false;
  if (direction > 0 && axis->starts[axis->of[i] + 1] <= g && ++i == high) return false;
  *stretch = cut(axis, axis->of[i]);
  return true;
}

bool mpj_axis_next(const struct mpj_axis *axis, int coord, MPJ_Count g, int direction,
                   struct mpj_stretch *stretch)
{
  if (axis->size == 0 || g < 0 || g >= axis->size) return false;
  if (axis->ncuts > 0) return next_cut(axis, coord, g, direction, stretch);
  MPJ_Count k = g / axis->block;
  const MPJ_Count turn = k % axis->procs, wanted = turn_of(axis, coord);
  if (direction > 0)
    k += wanted >= turn ? wanted - turn : wanted - turn + axis->procs;
  else
    k -= wanted <= turn ? turn - wanted : turn - wanted + axis->procs;
  if (k < 0 || k > (axis->size - 1) / axis->block) return false;
  *stretch = dealt(axis, k);
  return true;
}

MPJ_Count mpj_axis_stretches(const struct mpj_axis *axis, int coord)
{
  if (axis->ncuts > 0) return axis->owned[coord + 1] - axis->owned[coord];
  const MPJ_Count blocks = axis->size == 0 ? 0 : (axis->size - 1) / axis->block + 1;
  return blocks / axis->procs + (turn_of(axis, coord) < blocks % axis->procs);
}

MPJ_Count mpj_axis_held(const struct mpj_axis *axis, int coord)
{
  struct mpj_stretch last;
  if (axis->size == 0 || !mpj_axis_next(axis, coord, axis->size - 1, -1, &last)) return 0;
  return last.local + last.end - last.start;
}

MPJ_Count mpj_axis_held_most(const struct mpj_axis *axis)
{
  MPJ_Count most = 0;
  if (axis->ncuts == 0) return mpj_axis_held(axis, axis->first); /* is dealt to before all others */
  for (int c = 0; c < axis->procs; c++) {
    const MPJ_Count held = mpj_axis_held(axis, c);
    if (held > most) most = held;
  }
  return most;
}

MPJ_Count mpj_axis_global(const struct mpj_axis *axis, int coord, MPJ_Count local)
{
  if (axis->ncuts == 0)
    return (local / axis->block * axis->procs + turn_of(axis, coord)) * axis->block +
           local % axis->block;
  MPJ_Count low = axis->owned[coord], high = axis->owned[coord + 1];
  while (high - low > 1) {
    const MPJ_Count middle = low + (high - low) / 2;
    if (axis->locals[axis->of[middle]] <= local)
      low = middle;
    else
      high = middle;
  }
  return axis->starts[axis->of[low]] + local - axis->locals[axis->of[low]];
}

MPJ_Count mpj_axis_period(const struct mpj_axis *axis, MPJ_Count *advance)
{
  *advance = 1;
  if (axis->ncuts > 0) return 0;
  if (axis->procs == 1) return 1;
  *advance = axis->block;
  return axis->block <= (axis->size - 1) / axis->procs ? axis->block * axis->procs : 0;
}

int mpj_axis_digest(const struct mpj_axis *axis, MPJ_Count out[])
{
  uint64_t hash = 0;
  for (MPJ_Count i = 0; i < axis->ncuts; i++)
    hash = (hash ^ (uint64_t)axis->starts[i] ^ (uint64_t)axis->owners[i] << 40) *
           UINT64_C(0x9e3779b97f4a7c15);
  const MPJ_Count values[MPJ_AXIS_DIGEST] = {axis->size,
                                             axis->format,
                                             is_listed(axis) ? 0 : axis->block,
                                             axis->procs,
                                             axis->grid_dim,
                                             axis->first,
                                             axis->low,
                                             axis->high,
                                             axis->periodic,
                                             (MPJ_Count)(hash >> 1)};
  memcpy(out, values, sizeof values);
  return MPJ_AXIS_DIGEST;
}
