/* This file makes random arrays, and a model of each by counting. */
#include "array/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair {
  double real;
  int32_t whole;
};

enum { BEHIND = 4 };

MPJ_Datatype element_type(enum element element)
{
  MPJ_Datatype type = MPJ_DATATYPE_NULL, displaced;
  const MPJ_Aint behind = BEHIND;
  const MPJ_Count ones[2] = {1, 1};
  const MPJ_Aint displs[2] = {offsetof(struct pair, whole), offsetof(struct pair, real)};
  const MPJ_Datatype types[2] = {MPJ_INT32, MPJ_DOUBLE};
  switch (element) {
  case ELEMENT_INT64:
    MPJ_Type_dup(MPJ_INT64, &type);
    break;
  case ELEMENT_DOUBLE:
    MPJ_Type_dup(MPJ_DOUBLE, &type);
    break;
  case ELEMENT_STRUCT:
    MPJ_Type_create_struct(2, ones, displs, types, &type);
    break;
  case ELEMENT_BEHIND:
    MPJ_Type_create_hindexed_block(1, 1, &behind, MPJ_INT32, &displaced);
    MPJ_Type_create_resized(displaced, 0, 16, &type);
    MPJ_Type_free(&displaced);
    break;
  default:
    MPJ_Type_create_resized(MPJ_INT32, 0, 12, &type);
  }
  MPJ_Type_commit(&type);
  return type;
}

size_t element_extent(enum element element)
{
  static const size_t extents[ELEMENTS] = {8, 8, sizeof(struct pair), 12, 16};
  return extents[element];
}

enum element element_alike(enum element element, struct mpj_random *rng)
{
  if (element < ELEMENT_GAP) return element;
  return mpj_random_next(rng) % 2 ? ELEMENT_GAP : ELEMENT_BEHIND;
}

void element_set(enum element element, void *at, int64_t value)
{
  const double real = (double)value;
  const int32_t whole = (int32_t)value;
  switch (element) {
  case ELEMENT_INT64:
    memcpy(at, &value, sizeof value);
    break;
  case ELEMENT_DOUBLE:
    memcpy(at, &real, sizeof real);
    break;
  case ELEMENT_STRUCT:
    memcpy((char *)at + offsetof(struct pair, whole), &whole, sizeof whole);
    memcpy((char *)at + offsetof(struct pair, real), &real, sizeof real);
    break;
  case ELEMENT_BEHIND:
    memcpy((char *)at + BEHIND, &whole, sizeof whole);
    break;
  default:
    memcpy(at, &whole, sizeof whole);
  }
}

int64_t element_get(enum element element, const void *at)
{
  int64_t value = 0;
  double real = 0;
  int32_t whole = 0;
  switch (element) {
  case ELEMENT_INT64:
    memcpy(&value, at, sizeof value);
    return value;
  case ELEMENT_DOUBLE:
    memcpy(&real, at, sizeof real);
    return (int64_t)real;
  case ELEMENT_STRUCT:
    memcpy(&whole, (const char *)at + offsetof(struct pair, whole), sizeof whole);
    memcpy(&real, (const char *)at + offsetof(struct pair, real), sizeof real);
    return real == (double)whole ? whole : INT64_MIN;
  case ELEMENT_BEHIND:
    memcpy(&whole, (const char *)at + BEHIND, sizeof whole);
    return whole;
  default:
    memcpy(&whole, at, sizeof whole);
    return whole;
  }
}

static int below(struct mpj_random *rng, int n)
{
  return (int)(mpj_random_next(rng) % (uint64_t)n);
}

static void random_grid(struct model *m, struct mpj_random *rng)
{
  int left = m->size;
  m->grid_ndims = 1 + below(rng, MODEL_GRID < m->ndims + 1 ? MODEL_GRID : m->ndims + 1);
  for (int k = 0; k < m->grid_ndims; k++) {
    m->grid[k] = 1 + below(rng, left < 5 || below(rng, 4) == 0 ? left : 5);
    left /= m->grid[k];
  }
  for (int r = 0; r < m->size; r++)
    m->places[r] = r;
  m->ranks = NULL;
  if (below(rng, 2)) return;
  for (int r = m->size - 1; r > 0; r--) {
    const int other = below(rng, r + 1), place = m->places[r];
    m->places[r] = m->places[other];
    m->places[other] = place;
  }
  m->ranks = m->places;
}

/* Deal the indices of axis d one by one. */
static void deal(struct model *m, int d)
{
  const MPJ_Axis *axis = &m->axes[d];
  const int procs = axis->distribute ? m->grid[axis->grid_dim] : 1;
  const MPJ_Count size = axis->size;
  MPJ_Count block = size > 0 ? size : 1, in_block = 0;
  int coord = axis->distribute ? axis->first : 0;
  if (axis->distribute == MPJ_DISTRIBUTE_BLOCK) block = (size + procs - 1) / procs;
  if (axis->distribute == MPJ_DISTRIBUTE_CYCLIC) block = 1;
  if (axis->darg > 0 && axis->distribute) block = axis->darg;
  memset(m->held[d], 0, sizeof m->held[d]);
  for (MPJ_Count g = 0; g < size; g++) {
    if (axis->distribute == MPJ_DISTRIBUTE_INDIRECT) {
      coord = (int)axis->lengths[g];
    } else if (axis->distribute == MPJ_DISTRIBUTE_GENERAL) {
      for (; in_block == axis->lengths[coord]; in_block = 0)
        coord = (coord + 1) % procs;
    } else if (in_block == block) {
      coord = (coord + 1) % procs;
      in_block = 0;
    }
    in_block++;
    m->owner[d][g] = coord;
    m->local[d][g] = m->held[d][coord]++;
  }
}

static void random_axis(struct model *m, struct mpj_random *rng, int d, bool used[],
                        const struct wanted *wanted)
{
  static const int formats[] = {MPJ_DISTRIBUTE_BLOCK, MPJ_DISTRIBUTE_GENERAL, MPJ_DISTRIBUTE_CYCLIC,
                                MPJ_DISTRIBUTE_INDIRECT};
  static const int most[] = {0, 300, 40, 12, 7, 5};
  MPJ_Axis *axis = &m->axes[d];
  const bool one_piece = wanted->ghosts;
  *axis = (MPJ_Axis){.size = below(rng, 12) == 0 ? below(rng, 2) : 1 + below(rng, most[m->ndims])};
  axis->periodic = below(rng, 2);
  if (one_piece && below(rng, 3) > 0) {
    axis->ghost_low = below(rng, 4);
    axis->ghost_high = below(rng, 4);
  }
  const int k = below(rng, m->grid_ndims);
  if (used[k] || below(rng, 6) == 0) return;
  used[k] = true;
  axis->grid_dim = k;
  axis->distribute = formats[below(rng, one_piece ? 2 : 4)];
  axis->first = below(rng, m->grid[k]);
  if (axis->distribute == MPJ_DISTRIBUTE_INDIRECT) axis->first = 0;
  if (axis->distribute == MPJ_DISTRIBUTE_GENERAL || axis->distribute == MPJ_DISTRIBUTE_INDIRECT)
    axis->lengths = m->lengths[d];
  if (axis->distribute == MPJ_DISTRIBUTE_CYCLIC && below(rng, 4) > 0)
    axis->darg = 1 + below(rng, 9);
  if (axis->distribute == MPJ_DISTRIBUTE_BLOCK && below(rng, 2))
    axis->darg = (axis->size + m->grid[k] - 1) / m->grid[k] + 1 + below(rng, 3);
  if (axis->distribute == MPJ_DISTRIBUTE_GENERAL) {
    memset(m->lengths[d], 0, sizeof m->lengths[d]);
    for (MPJ_Count left = axis->size; left > 0; left--)
      m->lengths[d][below(rng, m->grid[k])]++;
  }
  if (axis->distribute == MPJ_DISTRIBUTE_INDIRECT) {
    const int runs = 1 + below(rng, 4);
    for (MPJ_Count g = 0; g < axis->size; g++)
      m->lengths[d][g] =
          g > 0 && below(rng, runs) > 0 ? m->lengths[d][g - 1] : below(rng, m->grid[k]);
  }
}

bool model_coords(const struct model *m, int rank, int coords[])
{
  int positions = 1, place = -1;
  for (int k = 0; k < m->grid_ndims; k++)
    positions *= m->grid[k];
  for (int i = 0; i < positions; i++)
    if ((m->ranks ? m->ranks[i] : i) == rank) place = i;
  for (int k = m->grid_ndims - 1; place >= 0 && k >= 0; k--) {
    coords[k] = place % m->grid[k];
    place /= m->grid[k];
  }
  return place >= 0;
}

static void random_shape(struct model *m, struct mpj_random *rng)
{
  MPJ_Count stride = 1;
  m->padded = below(rng, 2);
  m->inside = model_coords(m, m->rank, m->coords);
  for (int i = 0; i < m->ndims; i++) {
    const int d = m->order == MPJ_ORDER_C ? m->ndims - 1 - i : i;
    const MPJ_Axis *axis = &m->axes[d];
    const int coord = axis->distribute && m->inside ? m->coords[axis->grid_dim] : 0;
    const int more = below(rng, 3); /* the same number of draws on all ranks */
    m->shape[d] = m->held[d][coord] + axis->ghost_low + axis->ghost_high + (m->padded ? more : 0);
    m->strides[d] = stride;
    stride *= m->shape[d];
  }
}

/* What the library says of it is what the model says. */
static int compare(const struct model *m)
{
  MPJ_Count shape[MODEL_DIMS], strides[MODEL_DIMS], index[MODEL_DIMS], back[MODEL_DIMS], offset;
  MPJ_Range ranges[MODEL_SIZE];
  int owner, coords[MODEL_GRID];
  MPJ_Array_local(m->array, m->rank, shape, strides);
  if (MPJ_Array_coords(m->array, m->rank, coords) != 0) return 9;
  for (int k = 0; k < m->grid_ndims; k++)
    if (coords[k] != (m->inside ? m->coords[k] : MPJ_UNDEFINED)) return 9;
  for (int d = 0; d < m->ndims; d++) {
    MPJ_Count n, sum = 0;
    if (m->inside && (shape[d] != m->shape[d] || strides[d] != m->strides[d])) return 1;
    if (!m->inside && shape[d] != 0) return 1;
    MPJ_Array_ranges(m->array, m->rank, d, MODEL_SIZE, ranges, &n);
    for (MPJ_Count i = 0; i < n; i++)
      for (MPJ_Count k = 0; k < ranges[i].count; k++, sum++) {
        const MPJ_Count g = ranges[i].start + k;
        const int coord = m->axes[d].distribute ? m->coords[m->axes[d].grid_dim] : 0;
        if (m->owner[d][g] != coord || m->local[d][g] != sum) return 2;
      }
    if (m->inside && sum != m->held[d][m->axes[d].distribute ? m->coords[m->axes[d].grid_dim] : 0])
      return 3;
  }
  for (MPJ_Count i = 0; i < model_total(m); i++) {
    model_index(m, i, index);
    if (MPJ_Array_owner(m->array, index, &owner, &offset) != 0) return 4;
    if (!model_holds(m, owner, index)) return 5;
    if (owner != m->rank) continue;
    if (offset != model_offset(m, index)) return 6;
    if (MPJ_Array_global(m->array, owner, offset, back) != 0) return 7;
    if (memcmp(back, index, (size_t)m->ndims * sizeof *index) != 0) return 8;
  }
  return 0;
}

void model_draw(struct model *m, struct mpj_random *rng, int size, int rank,
                const struct wanted *wanted)
{
  bool used[MODEL_GRID] = {false};
  m->rank = rank;
  m->size = size;
  m->array = MPJ_ARRAY_NULL;
  m->ndims = wanted->ndims;
  m->element = wanted->element;
  m->order = below(rng, 2) ? MPJ_ORDER_C : MPJ_ORDER_FORTRAN;
  random_grid(m, rng);
  for (int d = 0; d < m->ndims; d++) {
    random_axis(m, rng, d, used, wanted);
    deal(m, d);
  }
  random_shape(m, rng);
}

int model_make(struct model *m, struct mpj_random *rng, MPJ_Comm comm, const struct wanted *wanted)
{
  int size, rank;
  MPJ_Comm_size(comm, &size);
  MPJ_Comm_rank(comm, &rank);
  model_draw(m, rng, size, rank, wanted);
  return model_create(m, comm);
}

int model_create(struct model *m, MPJ_Comm comm)
{
  MPJ_Datatype type = element_type(m->element);
  const int status =
      MPJ_Array_create_on(m->ndims, m->axes, m->grid_ndims, m->grid, m->ranks, m->order,
                          m->padded ? m->shape : NULL, type, comm, &m->array);
  MPJ_Type_free(&type);
  if (status) {
    fprintf(stderr, "rank %d: %s\n", m->rank, MPJ_Error_detail());
    return 1;
  }
  const int differs = compare(m);
  if (differs) fprintf(stderr, "rank %d: the array is not as modelled (%d)\n", m->rank, differs);
  return differs;
}

void model_free(struct model *m)
{
  if (m->array != MPJ_ARRAY_NULL) MPJ_Array_free(&m->array);
}

bool model_holds(const struct model *m, int rank, const MPJ_Count index[])
{
  int coords[MODEL_GRID];
  if (!model_coords(m, rank, coords)) return false;
  for (int d = 0; d < m->ndims; d++)
    if (m->axes[d].distribute && coords[m->axes[d].grid_dim] != m->owner[d][index[d]]) return false;
  return true;
}

MPJ_Count model_offset(const struct model *m, const MPJ_Count index[])
{
  MPJ_Count offset = 0;
  for (int d = 0; d < m->ndims; d++)
    offset += (m->axes[d].ghost_low + m->local[d][index[d]]) * m->strides[d];
  return offset;
}

MPJ_Count model_room(const struct model *m)
{
  MPJ_Count n = m->inside;
  for (int d = 0; d < m->ndims; d++)
    n *= m->shape[d];
  return n;
}

MPJ_Count model_total(const struct model *m)
{
  MPJ_Count n = 1;
  for (int d = 0; d < m->ndims; d++)
    n *= m->axes[d].size;
  return n;
}

MPJ_Count model_number(const struct model *m, const MPJ_Count index[])
{
  MPJ_Count n = 0;
  for (int d = 0; d < m->ndims; d++)
    n = n * m->axes[d].size + index[d];
  return n;
}

void model_index(const struct model *m, MPJ_Count number, MPJ_Count index[])
{
  for (int d = m->ndims - 1; d >= 0; d--) {
    index[d] = number % m->axes[d].size;
    number /= m->axes[d].size;
  }
}

int model_copies(const struct model *m)
{
  int copies = 1;
  for (int k = 0; k < m->grid_ndims; k++) {
    bool used = false;
    for (int d = 0; d < m->ndims; d++)
      used = used || (m->axes[d].distribute && m->axes[d].grid_dim == k);
    if (!used) copies *= m->grid[k];
  }
  return copies;
}

int model_highest(const struct model *m, const MPJ_Count index[])
{
  int rank = m->size - 1;
  while (!model_holds(m, rank, index))
    rank--;
  return rank;
}

char *model_buffer(const struct model *m, int64_t fill)
{
  const size_t extent = element_extent(m->element), n = (size_t)model_room(m);
  char *buffer = malloc(n * extent + 1);
  memset(buffer, 0x5a, n * extent + 1);
  for (size_t i = 0; i < n; i++)
    element_set(m->element, buffer + i * extent, fill);
  return buffer;
}
