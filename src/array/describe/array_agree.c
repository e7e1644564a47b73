/* This file lets the ranks of a communicator agree on how a call that makes something went. */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "array/describe/grid_array.h"
#include "base/config/config.h"
#include "base/entry.h"
#include "base/hot.h"
#include "base/status.h"
#include "coll/calls/collective.h"
#include "types/parts/view.h"
#include "types/type.h"

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

/* What rank 0 says in checking mode, and then a rank that differs from it. */
struct said {
  int64_t n, serial;
  char call[64];
  int64_t values[MPJ_FACTS_MAX];
};

static void say(struct said *mine, int n, const struct mpj_fact facts[])
{
  static atomic_int_fast64_t made;
  memset(mine, 0, sizeof *mine);
  mine->n = n;
  mine->serial = atomic_fetch_add(&made, 1) + 1;
  snprintf(mine->call, sizeof mine->call, "%s", mpj_entered.name ? mpj_entered.name : "");
  for (int i = 0; i < n; i++)
    mine->values[i] = facts[i].value;
}

/* The first of the numbers that differs; -1: the calls do; all: none does. */
static int64_t first_unlike(const struct said *a, const struct said *b)
{
  int64_t i = 0;
  if (strcmp(a->call, b->call) != 0) return -1;
  while (i < MPJ_FACTS_MAX && a->values[i] == b->values[i])
    i++;
  return i;
}

/* `rank` has said `its`, and rank 0 `first`. */
static int tell(const struct said *its, int rank, const struct said *first, int n,
                const struct mpj_fact facts[])
{
  const int64_t at = first_unlike(its, first);
  if (at < 0)
    return mpj_error(MPJ_ERR_ARG, "rank %d has called %s, rank 0 %s", rank, its->call, first->call);
  if (at >= n || at >= its->n || at >= first->n)
    return mpj_error(MPJ_ERR_ARG,
                     "%s is given %" PRId64 " numbers on rank %d, %" PRId64 " on rank 0",
                     first->call, its->n, rank, first->n);
  const int64_t one = its->values[at], other = first->values[at];
  return mpj_error(MPJ_ERR_ARG, "%s is %" PRId64 " on rank %d, %" PRId64 " on rank 0",
                   facts[at].name, one, rank, other);
}

/* A call of several, which a rank that has failed in one before refuses, as the others are in it.
 */
static int take_part(const struct mpj_arguments *a, int status)
{
  const struct mpj_arguments refusal = {
      .operation = a->operation, .root = a->root, .comm = a->comm, .refused = status};
  return mpj_call_blocking(status ? &refusal : a);
}

static int bcast(struct said *said, MPJ_Datatype bytes, int root, MPJ_Comm comm, int status)
{
  const struct mpj_arguments a = {.operation = MPJ_OPERATION_BCAST,
                                  .root = root,
                                  .recvbuf = said,
                                  .recvtype = bytes,
                                  .comm = comm};
  status = take_part(&a, status);
  said->call[sizeof said->call - 1] = '\0';
  return status;
}

/* In checking mode: compare what all say with what rank 0 does. If this rank alone has failed in
 * it, so that others do not know, it is in step with them all the same. */
static MPJ_ASIDE int compare(MPJ_Comm comm, int size, int rank, int n,
                             const struct mpj_fact facts[], MPJ_Count *serial)
{
  MPJ_Datatype bytes = MPJ_DATATYPE_NULL;
  struct said mine, first;
  int64_t unlike, least = size;
  const struct mpj_arguments find_least = {.operation = MPJ_OPERATION_ALLREDUCE,
                                           .root = -1,
                                           .sendbuf = &unlike,
                                           .sendtype = MPJ_INT64,
                                           .recvbuf = &least,
                                           .recvtype = MPJ_INT64,
                                           .op = MPJ_MIN,
                                           .comm = comm};
  say(&mine, n, facts);
  first = mine;
  int status = MPJ_Type_contiguous(sizeof first, MPJ_BYTE, &bytes);
  if (!status) status = MPJ_Type_commit(&bytes);
  status = bcast(&first, bytes, 0, comm, status);
  unlike = mine.n == first.n && first_unlike(&mine, &first) == MPJ_FACTS_MAX ? size : rank;
  status = take_part(&find_least, status);
  if (!status && least < size) { /* all know it, or none does */
    status = bcast(&mine, bytes, (int)least, comm, status);
    if (!status) status = tell(&mine, (int)least, &first, n, facts);
  }
  if (bytes) MPJ_Type_free(&bytes);
  if (!status) *serial = first.serial;
  return status;
}

int mpj_array_agree_new(MPJ_Comm comm, int status, int n, const struct mpj_fact facts[],
                        MPJ_Count *serial)
{
  int size, rank;
  *serial = 0;
  int found = MPJ_Comm_size(comm, &size);
  if (!found) found = MPJ_Comm_rank(comm, &rank);
  if (found || size == 1) return status ? status : found;
  status = agree_on_status(comm, status, size, rank);
  if (status || !mpj_config()->check) return status;
  return agree_on_status(comm, compare(comm, size, rank, n, facts, serial), size, rank);
}

int mpj_array_agree(MPJ_Comm comm, int status, int n, const struct mpj_fact facts[])
{
  MPJ_Count serial;
  return mpj_array_agree_new(comm, status, n, facts, &serial);
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

uint64_t mpj_array_element_digest(const struct mpj_grid_array *a)
{
  struct mpj_type *type;
  if (mpj_type_resolve(a->element, "element", &type)) return 0;
  const struct mpj_view view = mpj_type_view(type);
  const struct mpj_signature signature = mpj_view_signature(&view);
  return mpj_signature_digest(&signature);
}

int mpj_array_facts(const struct mpj_grid_array *a, struct mpj_fact facts[])
{
  MPJ_Count values[MPJ_AXIS_DIGEST], bytes = 0;
  uint64_t places = 0;
  int n = 0;
  MPJ_Type_size(a->element, &bytes);
  const uint64_t signature = mpj_array_element_digest(a);
  for (int i = 0; i < a->grid_ndims; i++)
    places = places * 1000003 + (uint64_t)a->grid[i];
  for (int i = 0; a->ranks && i < a->positions; i++)
    places = places * 1000003 + (uint64_t)a->ranks[i];
  facts[n++] = (struct mpj_fact){"ndims", a->ndims};
  facts[n++] = (struct mpj_fact){"order", a->order};
  facts[n++] = (struct mpj_fact){"the size of element in bytes", bytes};
  facts[n++] = (struct mpj_fact){"the digest of element's signature", (MPJ_Count)(signature >> 1)};
  facts[n++] = (struct mpj_fact){"the digest of grid and ranks", (MPJ_Count)(places >> 1)};
  for (int d = 0; d < a->ndims; d++) {
    mpj_axis_digest(&a->axes[d], values);
    for (int k = 0; k < MPJ_AXIS_DIGEST; k++)
      facts[n++] = (struct mpj_fact){axis_names[k], values[k]};
  }
  return n;
}

int mpj_facts_of_ranges(bool target, int ndims, const MPJ_Range section[], struct mpj_fact facts[])
{
  static const char *const names[2][3] = {
      {"the start of a section", "the count of a section", "the step of a section"},
      {"the start of a to_section", "the count of a to_section", "the step of a to_section"}};
  int n = 0;
  for (int d = 0; section && d < ndims; d++) {
    facts[n++] = (struct mpj_fact){names[target][0], section[d].start};
    facts[n++] = (struct mpj_fact){names[target][1], section[d].count};
    facts[n++] = (struct mpj_fact){names[target][2], section[d].step};
  }
  return n;
}
