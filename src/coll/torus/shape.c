/* This file relates ranks of a torus to coordinates. */
#include "coll/torus/shape.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

/* "{4, 2}" behind the text that is there. */
static void add_list(char *text, size_t size, int n, const int values[])
{
  for (int i = 0; i < n; i++) {
    const size_t at = strlen(text);
    snprintf(text + at, size - at, "%s%d", i == 0 ? "{" : ", ", values[i]);
  }
  const size_t at = strlen(text);
  snprintf(text + at, size - at, "}");
}

void mpj_torus_text(const struct mpj_torus *torus, char *text, size_t size)
{
  text[0] = 0;
  add_list(text, size, torus->ndims, torus->dims);
  const size_t at = strlen(text);
  snprintf(text + at, size - at, " with periodic ");
  add_list(text, size, torus->ndims, torus->periodic);
}

int mpj_torus_begin(struct mpj_torus *torus, int ndims, const int dims[], const int periodic[],
                    int size)
{
  memset(torus, 0, sizeof *torus);
  if (ndims < 1 || ndims > MPJ_TORUS_DIMS_MAX)
    return mpj_error(MPJ_ERR_ARG, "ndims is %d, must be 1 to %d", ndims, MPJ_TORUS_DIMS_MAX);
  if (!dims) return mpj_error(MPJ_ERR_ARG, "dims is NULL");
  int64_t product = 1;
  for (int i = 0; i < ndims; i++) {
    if (dims[i] < 1)
      return mpj_error(MPJ_ERR_ARG, "dims[%d] is %d, must be at least 1", i, dims[i]);
    if (product <= INT32_MAX) product *= dims[i]; /* a larger one is wrong whatever follows */
    torus->dims[i] = dims[i];
    torus->periodic[i] = !periodic || periodic[i] != 0;
  }
  torus->ndims = ndims;
  if (product == size) return MPJ_SUCCESS;
  char text[160] = "";
  add_list(text, sizeof text, ndims, dims);
  if (product > INT32_MAX)
    return mpj_error(MPJ_ERR_ARG, "dims is %s, whose product is over 2^31, comm has %d ranks", text,
                     size);
  return mpj_error(MPJ_ERR_ARG, "dims is %s, whose product is %d, comm has %d ranks", text,
                   (int)product, size);
}

struct mpj_torus *mpj_torus_copy(const struct mpj_torus *from)
{
  struct mpj_torus *copy = from ? mpj_alloc(sizeof *copy) : NULL;
  if (copy) *copy = *from;
  return copy;
}

void mpj_torus_coords(const struct mpj_torus *torus, int rank, int coords[])
{
  for (int i = torus->ndims - 1; i >= 0; i--) {
    coords[i] = rank % torus->dims[i];
    rank /= torus->dims[i];
  }
}

int mpj_torus_rank(const struct mpj_torus *torus, const int coords[], int *rank)
{
  int at = 0;
  for (int i = 0; i < torus->ndims; i++) {
    const int n = torus->dims[i];
    if (!torus->periodic[i] && (coords[i] < 0 || coords[i] >= n))
      return mpj_error(MPJ_ERR_ARG,
                       "coords[%d] is %d, dimension %d has places 0 to %d and does not wrap around",
                       i, coords[i], i, n - 1);
    at = at * n + (coords[i] % n + n) % n;
  }
  *rank = at;
  return MPJ_SUCCESS;
}

int64_t mpj_torus_digest(const struct mpj_torus *torus)
{
  uint64_t digest = UINT64_C(0xcbf29ce484222325); /* FNV-1a, a word at a time */
  digest = (digest ^ (uint64_t)torus->ndims) * UINT64_C(0x100000001b3);
  for (int i = 0; i < torus->ndims; i++)
    digest = (digest ^ ((uint64_t)torus->dims[i] << 1 | (uint64_t)torus->periodic[i])) *
             UINT64_C(0x100000001b3);
  return (int64_t)(digest >> 1);
}
