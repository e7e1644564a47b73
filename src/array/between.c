/* This file makes remaps between arrays over different communicators. All ranks of a communicator
 * that has both arrays' ranks learn both descriptions: the lowest rank that has an array tells the
 * others, and each makes an array of its own of it, over that communicator. */
#include <inttypes.h>
#include <stdio.h>

#include "array/describe/grid_ranks.h"
#include "array/remap.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/status.h"

/* A description as numbers: HEADER of them, what the element is as text being the last; grid[];
 * ranks[] in the common communicator; then of each axis AXIS numbers and its lengths. */
enum {
  NDIMS,
  GRID_NDIMS,
  ORDER,
  PLACES,
  ELEMENT_BYTES,
  ELEMENT_DIGEST,
  ELEMENT_TEXT,
  HEADER = ELEMENT_TEXT + MPJ_ELEMENT_WORDS,
  FORMAT = 1, /* of an axis's */
  AXIS = 9
};
static const char *const header_names[] = {"ndims", "grid_ndims", "order",
                                           "the number of places of the grid"};
static const char *const axis_names[AXIS] = {"size",      "distribute", "darg",
                                             "ghost_low", "ghost_high", "grid_dim",
                                             "first",     "periodic",   "the number of lengths"};

struct numbers {
  MPJ_Count n;
  MPJ_Count *list; /* [n] owned; NULL: they are only counted */
};

static void put(struct numbers *numbers, MPJ_Count value)
{
  if (numbers->list) numbers->list[numbers->n] = value;
  numbers->n++;
}

static void put_axis(struct numbers *numbers, const struct mpj_axis *axis)
{
  const MPJ_Count n = mpj_axis_lengths(axis, NULL);
  put(numbers, axis->size);
  put(numbers, axis->format);
  put(numbers, mpj_axis_darg(axis));
  put(numbers, axis->low);
  put(numbers, axis->high);
  put(numbers, axis->grid_dim < 0 ? 0 : axis->grid_dim);
  put(numbers, axis->first);
  put(numbers, axis->periodic);
  put(numbers, n);
  if (numbers->list) mpj_axis_lengths(axis, numbers->list + numbers->n);
  numbers->n += n;
}

static void put_array(struct numbers *numbers, const struct mpj_grid_array *a, const int ranks[])
{
  put(numbers, a->ndims);
  put(numbers, a->grid_ndims);
  put(numbers, a->order);
  put(numbers, a->positions);
  MPJ_Count bytes = 0;
  MPJ_Type_size(a->element, &bytes);
  put(numbers, bytes);
  put(numbers, (MPJ_Count)(mpj_element_digest(a->element) >> 1));
  MPJ_Count text[MPJ_ELEMENT_WORDS];
  mpj_element_text(a->element, text);
  for (int i = 0; i < MPJ_ELEMENT_WORDS; i++)
    put(numbers, text[i]);
  for (int k = 0; k < a->grid_ndims; k++)
    put(numbers, a->grid[k]);
  for (int i = 0; i < a->positions; i++)
    put(numbers, ranks ? ranks[i] : 0);
  for (int d = 0; d < a->ndims; d++)
    put_axis(numbers, &a->axes[d]);
}

static int no_memory(MPJ_Count n)
{
  return mpj_error(MPJ_ERR_NO_MEM, "no memory for a description of %" PRId64 " numbers", n);
}

/* The ranks at the places of the grid, by their numbers in `both`. */
static int translate(const char *name, const struct mpj_grid_array *a, MPJ_Comm both, int ranks[])
{
  for (int i = 0; i < a->positions; i++)
    ranks[i] = a->ranks ? a->ranks[i] : i;
  int *own = mpj_alloc_array((size_t)a->positions, sizeof *own);
  if (!own) return no_memory(a->positions);
  memcpy(own, ranks, (size_t)a->positions * sizeof *own);
  int status = MPJ_Comm_translate(a->comm, a->positions, own, both, ranks);
  for (int i = 0; i < a->positions && !status; i++)
    if (ranks[i] == MPJ_UNDEFINED)
      status =
          mpj_error(MPJ_ERR_ARG, "rank %d of the communicator of %s is not in both", own[i], name);
  mpj_free(own);
  return status;
}

static int describe(const char *name, const struct mpj_grid_array *a, MPJ_Comm both,
                    struct numbers *numbers)
{
  int *ranks = mpj_alloc_array((size_t)a->positions, sizeof *ranks);
  int status = ranks ? translate(name, a, both, ranks) : no_memory(a->positions);
  *numbers = (struct numbers){0, NULL};
  if (!status) {
    put_array(numbers, a, NULL);
    numbers->list = mpj_alloc_array((size_t)numbers->n, sizeof *numbers->list);
    status = numbers->list ? MPJ_SUCCESS : no_memory(numbers->n);
    numbers->n = 0;
    if (!status) put_array(numbers, a, ranks);
  }
  mpj_free(ranks);
  return status;
}

/* What an element is, as text that need not end. */
enum { TEXT_BYTES = MPJ_ELEMENT_WORDS * sizeof(MPJ_Count) };
static const char *element_of(const struct numbers *numbers)
{
  return (const char *)(numbers->list + ELEMENT_TEXT);
}

/* Number `at` is the first in which the description that this rank has given is not the root's. */
static int differs(const char *name, const struct numbers *own, const struct numbers *its,
                   MPJ_Count at, int rank, int root)
{
  const MPJ_Count *x = own->list, places = HEADER + x[GRID_NDIMS];
  char what[80], texts[2][MPJ_NUMBER_BYTES];
  MPJ_Count axis = 0, begin = places + x[PLACES];
  enum mpj_number_kind kind = at == ORDER ? MPJ_NUMBER_ORDER : MPJ_NUMBER_PLAIN;
  while (at >= begin + AXIS && at >= begin + AXIS + x[begin + AXIS - 1]) {
    begin += AXIS + x[begin + AXIS - 1];
    axis++;
  }
  if (at >= ELEMENT_BYTES && at < HEADER)
    return mpj_error(MPJ_ERR_ARG, "%s: element is %.*s on rank %d, %.*s on rank %d", name,
                     TEXT_BYTES, element_of(own), rank, TEXT_BYTES, element_of(its), root);
  if (at < HEADER)
    snprintf(what, sizeof what, "%s", header_names[at]);
  else if (at < places)
    snprintf(what, sizeof what, "grid[%d]", (int)(at - HEADER));
  else if (at < places + x[PLACES])
    snprintf(what, sizeof what, "the rank at place %d of the grid", (int)(at - places));
  else if (at < begin + AXIS)
    snprintf(what, sizeof what, "%s of axis %d", axis_names[at - begin], (int)axis);
  else
    snprintf(what, sizeof what, "lengths[%" PRId64 "] of axis %d", at - begin - AXIS, (int)axis);
  if (at == begin + FORMAT) kind = MPJ_NUMBER_FORMAT;
  return mpj_error(MPJ_ERR_ARG, "%s: %s is %s on rank %d, %s on rank %d", name, what,
                   mpj_number_text(kind, x[at], texts[0]), rank,
                   mpj_number_text(kind, its->list[at], texts[1]), root);
}

/* The description that this rank has given is the root's; equal elements may be written otherwise.
 * (Numbers that are alike up to one say alike what that one is.) */
static int compare(const char *name, const struct numbers *own, const struct numbers *its, int rank,
                   int root)
{
  for (MPJ_Count at = 0; at < own->n && at < its->n; at++)
    if (own->list[at] != its->list[at] && (at < ELEMENT_TEXT || at >= HEADER))
      return differs(name, own, its, at, rank, root);
  return MPJ_SUCCESS;
}

/* What `root` has described, on all others, of whom who has described it, too, has said the same.
 */
static int share(const char *name, struct numbers *numbers, int root, int rank, MPJ_Comm both)
{
  MPJ_Datatype row = MPJ_DATATYPE_NULL;
  MPJ_Count n = numbers->n;
  const struct numbers own = *numbers;
  int status = MPJ_Bcast(&n, MPJ_INT64, root, both);
  if (status) return status;
  if (rank != root) {
    numbers->n = n;
    numbers->list = n >= HEADER ? mpj_alloc_array((size_t)n, sizeof *numbers->list) : NULL;
    if (!numbers->list) status = no_memory(n);
  }
  if (!status) status = MPJ_Type_contiguous(n, MPJ_INT64, &row);
  if (!status) status = MPJ_Type_commit(&row);
  const int sent = MPJ_Bcast(numbers->list, status ? MPJ_DATATYPE_NULL : row, root, both);
  if (row) MPJ_Type_free(&row);
  if (!status) status = sent;
  if (rank == root) return status;
  if (!status && own.list) status = compare(name, &own, numbers, rank, root);
  mpj_free(own.list);
  return status;
}

static int garbled(void)
{
  return mpj_error(MPJ_ERR_FORMAT, "an array's description has been garbled on its way");
}

static int read_int(MPJ_Count value, int *number)
{
  *number = (int)value;
  return value < INT32_MIN || value > INT32_MAX ? garbled() : MPJ_SUCCESS;
}

/* Set up the axes[ndims] of numbers[n]. */
static int read_axes(const MPJ_Count numbers[], MPJ_Count n, int ndims, MPJ_Axis axes[])
{
  MPJ_Count at = 0;
  int status = MPJ_SUCCESS;
  for (int d = 0; d < ndims && !status; d++) {
    const MPJ_Count *x = numbers + at;
    const bool listed = n - at >= AXIS && x[8] > 0;
    if (n - at < AXIS || x[8] < 0 || x[8] > n - at - AXIS) return garbled();
    axes[d] = (MPJ_Axis){.size = x[0],
                         .darg = x[2],
                         .lengths = listed ? x + AXIS : NULL,
                         .ghost_low = x[3],
                         .ghost_high = x[4],
                         .periodic = x[7] != 0};
    status = read_int(x[FORMAT], &axes[d].distribute);
    if (!status) status = read_int(x[5], &axes[d].grid_dim);
    if (!status) status = read_int(x[6], &axes[d].first);
    at += AXIS + x[8];
  }
  return status;
}

/* The array that the numbers describe, for this rank of `both`; own: as it has it itself, or NULL.
 */
static int make_array(const struct numbers *numbers, const struct mpj_grid_array *own,
                      MPJ_Datatype element, MPJ_Comm both, int size, int rank,
                      struct mpj_grid_array **array)
{
  MPJ_Axis axes[MPJ_ARRAY_DIMS_MAX];
  const MPJ_Count *x = numbers->list;
  const MPJ_Count n = numbers->n, positions = x[PLACES];
  int grid[MPJ_ARRAY_DIMS_MAX], order, status = read_int(x[ORDER], &order);
  if (status) return status;
  if (x[0] < 1 || x[0] > MPJ_ARRAY_DIMS_MAX || x[1] < 0 || x[1] > MPJ_ARRAY_DIMS_MAX ||
      positions < 1 || positions > size || n - HEADER - x[1] < positions)
    return garbled();
  int *ranks = mpj_alloc_array((size_t)positions, sizeof *ranks);
  MPJ_Count product = 1;
  if (!ranks) return no_memory(positions);
  for (int k = 0; k < x[1] && !status; k++) {
    status = read_int(x[HEADER + k], &grid[k]);
    if (!status && (grid[k] < 1 || grid[k] > size)) status = garbled();
    if (!status) product *= grid[k];
    if (!status && product > size) status = garbled();
  }
  if (!status && product != positions) status = garbled();
  for (MPJ_Count i = 0; i < positions && !status; i++)
    status = read_int(x[HEADER + x[1] + i], &ranks[i]);
  const MPJ_Count begin = HEADER + x[1] + positions;
  if (!status) status = read_axes(x + begin, n - begin, (int)x[0], axes);
  if (!status)
    status = mpj_array_describe((int)x[0], axes, (int)x[1], grid, ranks, order,
                                own ? own->padding : NULL, element, size, rank, array);
  if (!status) (*array)->comm = both;
  mpj_free(ranks);
  return status;
}

struct one_end {
  const char *name;
  MPJ_Array handle;
  struct mpj_grid_array *given, *array; /* what this rank has, or NULL; over `both`, owned */
  struct numbers numbers;
  int64_t root;
};

/* Find the handle's array and describe it; tell all ranks the lowest that has it. */
static int find(struct one_end *e, MPJ_Comm both, int size, int rank)
{
  int64_t mine = size;
  int status = MPJ_SUCCESS;
  if (e->handle != MPJ_ARRAY_NULL) {
    status = mpj_array_resolve(e->handle, e->name, &e->given);
    if (!status) status = describe(e->name, e->given, both, &e->numbers);
    mine = rank;
  }
  status = mpj_array_agree(both, status, 0, NULL);
  if (!status) status = MPJ_Allreduce(&mine, MPJ_INT64, &e->root, MPJ_INT64, MPJ_MIN, both);
  if (!status && e->root == size)
    status = mpj_error(MPJ_ERR_ARG, "%s is MPJ_ARRAY_NULL on all ranks", e->name);
  return status;
}

/* A rank at a place of the grid that the others know has given the array. */
static int check_given(const struct one_end *e, int rank)
{
  int coords[MPJ_ARRAY_DIMS_MAX];
  if (e->given || !mpj_array_coords(e->array, rank, coords)) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_ARG,
                   "%s is MPJ_ARRAY_NULL, and this rank has a place in rank %d's array", e->name,
                   (int)e->root);
}

/* All ranks find the same: no rank may have both arrays. */
static int check_elements(const struct one_end ends[2])
{
  const MPJ_Count *from = ends[0].numbers.list, *to = ends[1].numbers.list;
  if (from[ELEMENT_BYTES] == to[ELEMENT_BYTES] && from[ELEMENT_DIGEST] == to[ELEMENT_DIGEST])
    return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_SIGNATURE,
                   "the elements of from_or_null, %.*s, and of to_or_null, %.*s, have unlike "
                   "signatures",
                   TEXT_BYTES, element_of(&ends[0].numbers), TEXT_BYTES,
                   element_of(&ends[1].numbers));
}

static int make_ends(struct one_end ends[2], MPJ_Comm both, int size, int rank)
{
  int status = MPJ_SUCCESS;
  for (int i = 0; i < 2 && !status; i++)
    status = find(&ends[i], both, size, rank);
  for (int i = 0; i < 2 && !status; i++)
    status = mpj_array_agree_alike(
        both, share(ends[i].name, &ends[i].numbers, (int)ends[i].root, rank, both));
  if (!status) status = check_elements(ends);
  MPJ_Datatype bytes = MPJ_DATATYPE_NULL; /* a rank that has neither array moves no element */
  if (!status) status = MPJ_Type_contiguous(ends[0].numbers.list[ELEMENT_BYTES], MPJ_BYTE, &bytes);
  for (int i = 0; i < 2 && !status; i++) {
    const struct mpj_grid_array *own = ends[i].given ? ends[i].given : ends[1 - i].given;
    status = make_array(&ends[i].numbers, ends[i].given, own ? own->element : bytes, both, size,
                        rank, &ends[i].array);
    if (!status) status = check_given(&ends[i], rank);
  }
  if (bytes) MPJ_Type_free(&bytes);
  return status;
}

int MPJ_Remap_create_between(MPJ_Array from_or_null, const MPJ_Range section[],
                             MPJ_Array to_or_null, const MPJ_Range to_section[],
                             const int axis_of[], MPJ_Comm both, MPJ_Schedule *schedule)
{
  MPJ_ENTRY;
  struct one_end ends[2] = {{.name = "from_or_null", .handle = from_or_null},
                            {.name = "to_or_null", .handle = to_or_null}};
  int size, rank;
  int status =
      both == MPJ_COMM_NULL ? mpj_error(MPJ_ERR_COMM, "both is MPJ_COMM_NULL") : MPJ_SUCCESS;
  if (!status) status = MPJ_Comm_size(both, &size);
  if (!status) status = MPJ_Comm_rank(both, &rank);
  if (status) return status;
  status = mpj_array_agree(both, mpj_need(schedule, "schedule"), 0, NULL);
  if (!status) status = make_ends(ends, both, size, rank);
  status = mpj_array_agree(both, status, 0, NULL);
  if (!status)
    status =
        mpj_remap_make(true, ends[0].array, section, ends[1].array, to_section, axis_of, schedule);
  for (int i = 0; i < 2; i++) {
    mpj_free(ends[i].numbers.list);
    mpj_array_release(ends[i].array);
  }
  return status;
}
