/* This file lets the ranks of a communicator agree on how a call that makes something went. */
#include <inttypes.h>

#include "array/describe/grid_array.h"
#include "base/config/config.h"
#include "base/status.h"

/* The lowest rank whose status is an error, and that. */
static int agree_on_status(MPJ_Comm comm, int status, int size, int rank)
{
  enum { CODES = 64 };
  char why[512];
  int64_t mine = status ? (int64_t)(size - rank) * CODES + status : 0, worst = 0;
  if (status) mpj_error_keep(why, sizeof why);
  const int sent = MPJ_Allreduce(&mine, MPJ_INT64, &worst, MPJ_INT64, MPJ_MAX, comm);
  if (status) return mpj_error(status, "%s", why);
  if (sent || worst == 0) return sent;
  return mpj_error((int)(worst % CODES), "the call on rank %d failed with %s",
                   size - (int)(worst / CODES), mpj_error_name((int)(worst % CODES)));
}

/* The first of facts[n] that is not rank 0's; n where there is none. */
static int first_unlike(int n, const struct mpj_fact facts[], const int64_t theirs[])
{
  int i = 0;
  if (theirs[0] != n) return 0;
  while (i < n && facts[i].value == theirs[1 + i])
    i++;
  return i;
}

static int compare(MPJ_Comm comm, int size, int rank, int n, const struct mpj_fact facts[])
{
  int64_t theirs[1 + MPJ_FACTS_MAX], unlike[3];
  MPJ_Datatype numbers = MPJ_DATATYPE_NULL, three = MPJ_DATATYPE_NULL;
  theirs[0] = n;
  for (int i = 0; i < n; i++)
    theirs[1 + i] = facts[i].value;
  int status = MPJ_Type_contiguous(1 + MPJ_FACTS_MAX, MPJ_INT64, &numbers);
  if (!status) status = MPJ_Type_contiguous(3, MPJ_INT64, &three);
  if (!status) status = MPJ_Type_commit(&numbers);
  if (!status) status = MPJ_Type_commit(&three);
  if (!status) status = MPJ_Bcast(theirs, numbers, 0, comm);
  if (status) return status;
  const int at = first_unlike(n, facts, theirs);
  int64_t mine = at < n || theirs[0] != n ? rank : size, first;
  status = MPJ_Allreduce(&mine, MPJ_INT64, &first, MPJ_INT64, MPJ_MIN, comm);
  if (!status && first < size) {
    unlike[0] = at;
    unlike[1] = at < n ? facts[at].value : n;
    unlike[2] = theirs[1 + at];
    status = MPJ_Bcast(unlike, three, (int)first, comm);
    if (!status)
      status =
          mpj_error(MPJ_ERR_ARG, "%s is %" PRId64 " on rank %" PRId64 ", %" PRId64 " on rank 0",
                    unlike[0] < n ? facts[unlike[0]].name : "the number of dimensions", unlike[1],
                    first, unlike[2]);
  }
  MPJ_Type_free(&numbers);
  MPJ_Type_free(&three);
  return status;
}

int mpj_array_agree(MPJ_Comm comm, int status, int n, const struct mpj_fact facts[])
{
  int size, rank;
  int found = MPJ_Comm_size(comm, &size);
  if (!found) found = MPJ_Comm_rank(comm, &rank);
  if (found || size == 1) return status ? status : found;
  status = agree_on_status(comm, status, size, rank);
  return status || !mpj_config()->check ? status : compare(comm, size, rank, n, facts);
}

static const char *const axis_names[MPJ_AXIS_DIGEST] = {"the size of an axis",
                                                        "distribute of an axis",
                                                        "the block of an axis",
                                                        "the extent of an axis's grid dimension",
                                                        "grid_dim of an axis",
                                                        "first of an axis",
                                                        "ghost_low of an axis",
                                                        "ghost_high of an axis",
                                                        "periodic of an axis",
                                                        "the number of stretches of an axis",
                                                        "the digest of an axis's lengths"};

int mpj_array_facts(const struct mpj_grid_array *a, struct mpj_fact facts[])
{
  MPJ_Count values[MPJ_AXIS_DIGEST], bytes = 0;
  uint64_t places = 0;
  int n = 0;
  MPJ_Type_size(a->element, &bytes);
  for (int i = 0; i < a->grid_ndims; i++)
    places = places * 1000003 + (uint64_t)a->grid[i];
  for (int i = 0; a->ranks && i < a->positions; i++)
    places = places * 1000003 + (uint64_t)a->ranks[i];
  facts[n++] = (struct mpj_fact){"ndims", a->ndims};
  facts[n++] = (struct mpj_fact){"order", a->order};
  facts[n++] = (struct mpj_fact){"the size of element in bytes", bytes};
  facts[n++] = (struct mpj_fact){"the digest of grid and ranks", (MPJ_Count)(places >> 1)};
  for (int d = 0; d < a->ndims; d++) {
    mpj_axis_digest(&a->axes[d], values);
    for (int k = 0; k < MPJ_AXIS_DIGEST; k++)
      facts[n++] = (struct mpj_fact){axis_names[k], values[k]};
  }
  return n;
}

int mpj_facts_of_ranges(const char *name, int ndims, const MPJ_Range section[],
                        struct mpj_fact facts[])
{
  int n = 0;
  for (int d = 0; section && d < ndims; d++) {
    facts[n++] = (struct mpj_fact){name, section[d].start};
    facts[n++] = (struct mpj_fact){name, section[d].count};
    facts[n++] = (struct mpj_fact){name, section[d].step};
  }
  return n;
}
