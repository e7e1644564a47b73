/* This file makes a type of one part a rank out of what each rank gives.
 *
 *   1. Allgather of length, hash and status of each rank's encoded part
 *   2. Allgather, or Gather to the root, of the messages; of equal ones only the
 *      first rank's travels, and none if a status is an error
 *   3. decode each once, build the type; agree that all went well
 *
 * All ranks go through 1 to 3 whatever happens, so that they stay in step: one that
 * has no memory for a step calls it without types, which the others hear of. Only where
 * checking mode has found some rank in another call does none go on after 1.
 *
 * Cost: 24 bytes a rank, the distinct messages once, an Allreduce of 8 bytes.
 * Equal means equal in length and in a 64-bit hash. */
#include "coll/calls/gathered.h"
#include "coll/comm/context.h"

#include <string.h>

#include "base/checked.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/status.h"
#include "coll/calls/checks.h"
#include "coll/check/check.h"
#include "coll/comm/agree.h"
#include "coll/threads/hold.h"
#include "types/encoded/encode.h"

struct digest {
  int64_t bytes;
  uint64_t hash;
  int64_t status;
};

struct gathering {
  struct mpj_comm *comm;
  int root; /* or MPJ_ALL */
  const void *message;
  MPJ_Count bytes;
  struct digest *digests; /* [p] */
  int *bucket_of;         /* [p] number of its distinct message */
  int *owners;            /* [nbuckets] the first rank that has it; room for p */
  MPJ_Count *lengths;     /* [p] bytes that travel from each rank */
  unsigned char *all;     /* the messages, one after another */
  MPJ_Datatype *types;    /* [nbuckets]; room for p */
  int nbuckets;
  bool all_well; /* every rank had a part */
};

static bool is_wanted_here(const struct gathering *g)
{
  return g->root == MPJ_ALL || g->root == g->comm->rank;
}

static uint64_t hash_of(const unsigned char *at, MPJ_Count n) /* FNV-1a */
{
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (MPJ_Count i = 0; i < n; i++)
    hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
  return hash;
}

static int begin(struct gathering *g)
{
  const size_t p = (size_t)g->comm->size;
  g->digests = mpj_alloc_array(p, sizeof *g->digests);
  g->bucket_of = mpj_alloc_array(p, sizeof *g->bucket_of);
  g->owners = mpj_alloc_array(p, sizeof *g->owners);
  g->lengths = mpj_alloc_array(p, sizeof *g->lengths);
  g->types = mpj_alloc_array(p, sizeof *g->types);
  if (g->digests && g->bucket_of && g->owners && g->lengths && g->types) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_NO_MEM, "no memory for the digests of %zu parts", p);
}

static void end(struct gathering *g)
{
  for (int b = 0; g->types && b < g->nbuckets; b++)
    if (g->types[b] != MPJ_DATATYPE_NULL) MPJ_Type_free(&g->types[b]);
  mpj_free(g->digests);
  mpj_free(g->bucket_of);
  mpj_free(g->owners);
  mpj_free(g->lengths);
  mpj_free(g->types);
  mpj_free(g->all);
}

/* A committed type of p parts of lengths[i] (NULL: n each) bytes. */
static int bytes_type(int p, const MPJ_Count lengths[], MPJ_Count n, MPJ_Datatype *type)
{
  MPJ_Datatype one = MPJ_DATATYPE_NULL;
  int status = MPJ_SUCCESS;
  if (lengths) {
    status = MPJ_Type_create_segment(p, lengths, MPJ_BYTE, type);
  } else {
    status = MPJ_Type_contiguous(n, MPJ_BYTE, &one);
    if (status == MPJ_SUCCESS) status = MPJ_Type_contiguous(p, one, type);
    if (one != MPJ_DATATYPE_NULL) MPJ_Type_free(&one);
  }
  return status == MPJ_SUCCESS ? MPJ_Type_commit(type) : status;
}

/* A rank that has failed gives null types: its call fails, as the others hear. */
static int exchange(struct gathering *g, int root, const void *from, MPJ_Datatype mine, void *to,
                    MPJ_Datatype each)
{
  const bool all = root == MPJ_ALL;
  const struct mpj_arguments a = {.operation = all ? MPJ_OPERATION_ALLGATHER : MPJ_OPERATION_GATHER,
                                  .root = all ? MPJ_PART_OF_TYPE_CREATE_GATHERED : root,
                                  .sendbuf = from,
                                  .sendtype = mine,
                                  .recvbuf = to,
                                  .recvtype = each,
                                  .comm = mpj_comm_handle(g->comm)};
  return mpj_call_blocking(&a);
}

static void drop(MPJ_Datatype *type)
{
  if (*type != MPJ_DATATYPE_NULL) MPJ_Type_free(type);
}

/* Step 1. status: of this rank's part; memory: whether there is room for the digests. */
static int gather_digests(struct gathering *g, int status, int memory)
{
  const struct digest mine = {g->bytes, hash_of(g->message, g->bytes), status};
  MPJ_Datatype one = MPJ_DATATYPE_NULL, each = MPJ_DATATYPE_NULL;
  if (memory == MPJ_SUCCESS) memory = bytes_type(1, NULL, sizeof mine, &one);
  if (memory == MPJ_SUCCESS) memory = bytes_type(g->comm->size, NULL, sizeof mine, &each);
  const int heard = exchange(g, MPJ_ALL, &mine, one, g->digests, each);
  drop(&one);
  drop(&each);
  return memory != MPJ_SUCCESS ? memory : heard;
}

/* Number the distinct messages; the first rank that has one sends it. */
static int sort_out(struct gathering *g)
{
  MPJ_Count total = 0;
  g->all_well = true;
  for (int i = 0; i < g->comm->size; i++)
    if (g->digests[i].status != MPJ_SUCCESS) g->all_well = false;
  for (int i = 0; i < g->comm->size && g->all_well; i++) {
    const struct digest *d = &g->digests[i];
    int b = 0;
    while (b < g->nbuckets && memcmp(&g->digests[g->owners[b]], d, sizeof *d) != 0)
      b++;
    g->bucket_of[i] = b;
    if (b < g->nbuckets) continue;
    g->owners[g->nbuckets++] = i;
    g->lengths[i] = d->bytes;
    if (d->bytes < 0 || !mpj_add_count(total, d->bytes, &total))
      return mpj_error(MPJ_ERR_FORMAT, "rank %d's part has %lld bytes", i, (long long)d->bytes);
  }
  if (!is_wanted_here(g)) return MPJ_SUCCESS;
  g->all = mpj_alloc((size_t)total + 1);
  if (g->all) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_NO_MEM, "no memory for %lld bytes of encoded types", (long long)total);
}

/* Step 2. status: how this rank has fared in step 1. */
static int gather_messages(struct gathering *g, int status)
{
  MPJ_Datatype mine = MPJ_DATATYPE_NULL, each = MPJ_DATATYPE_NULL;
  if (status == MPJ_SUCCESS) status = sort_out(g);
  if (status == MPJ_SUCCESS) status = bytes_type(1, NULL, g->lengths[g->comm->rank], &mine);
  if (status == MPJ_SUCCESS && is_wanted_here(g))
    status = bytes_type(g->comm->size, g->lengths, 0, &each);
  const int heard = exchange(g, g->root, g->message, mine, g->all, each);
  drop(&mine);
  drop(&each);
  return status != MPJ_SUCCESS ? status : heard;
}

static int decode(struct gathering *g)
{
  MPJ_Count at = 0;
  for (int b = 0; b < g->nbuckets; b++) {
    const int rank = g->owners[b];
    const int status = MPJ_Type_decode(g->all + at, g->lengths[rank], &g->types[b]);
    if (status != MPJ_SUCCESS) return mpj_error_context(status, "the part of rank %d", rank);
    at += g->lengths[rank];
  }
  return MPJ_SUCCESS;
}

/* How a type is copies of another, one extent apart: *count of *old, borrowed from
 * *owned, which the caller frees. False if it is not, or an extent is negative. */
static bool is_run(MPJ_Datatype type, MPJ_Count *count, MPJ_Datatype *owned)
{
  MPJ_Count ncounts, naddresses, ntypes;
  MPJ_Aint lb, extent;
  int combiner;
  if (MPJ_Type_get_envelope(type, &ncounts, &naddresses, &ntypes, &combiner)) return false;
  *count = 1;
  *owned = type;
  if (combiner == MPJ_COMBINER_CONTIGUOUS &&
      MPJ_Type_get_contents(type, ncounts, naddresses, ntypes, count, NULL, owned))
    return false;
  return !MPJ_Type_get_extent(*owned, &lb, &extent) && extent >= 0;
}

/* Whether two types were built by equal calls. */
static bool is_same(MPJ_Datatype a, MPJ_Datatype b)
{
  void *one = NULL, *other = NULL;
  MPJ_Count bytes = 0, other_bytes = 0;
  const bool same = !mpj_type_encode(a, &one, &bytes) &&
                    !mpj_type_encode(b, &other, &other_bytes) && bytes == other_bytes &&
                    memcmp(one, other, (size_t)bytes) == 0;
  mpj_free(one);
  mpj_free(other);
  return same;
}

static void drop_old(MPJ_Datatype type, MPJ_Datatype old)
{
  if (old != type) MPJ_Type_free(&old); /* a basic type's handle stays, whatever this says */
}

/* Whether all parts are copies of one type; sets *old (the caller's by drop_old from
 * types[0]) and the number of copies of each bucket. */
static bool all_are_runs(const struct gathering *g, MPJ_Count counts[], MPJ_Datatype *old)
{
  if (!is_run(g->types[0], &counts[0], old)) return false;
  bool same = true;
  for (int b = 1; b < g->nbuckets && same; b++) {
    MPJ_Datatype other;
    same = is_run(g->types[b], &counts[b], &other);
    if (!same) break;
    same = is_same(*old, other);
    drop_old(g->types[b], other);
  }
  if (!same) drop_old(g->types[0], *old);
  return same;
}

/* Parts of one type in different numbers are segments. Uses lengths anew. */
static int build_segments(struct gathering *g, const MPJ_Count counts[], MPJ_Datatype old,
                          MPJ_Datatype *newtype)
{
  for (int i = 0; i < g->comm->size; i++)
    g->lengths[i] = counts[g->bucket_of[i]];
  return MPJ_Type_create_segment(g->comm->size, g->lengths, old, newtype);
}

static int build_buckets(struct gathering *g, MPJ_Count ones[], MPJ_Aint displs[],
                         MPJ_Datatype *newtype)
{
  MPJ_Aint at = 0, lb, extent;
  for (int b = 0; b < g->nbuckets; b++)
    ones[b] = 1;
  for (int i = 0; i < g->comm->size; i++) {
    displs[i] = at;
    const int status = MPJ_Type_get_extent(g->types[g->bucket_of[i]], &lb, &extent);
    if (status != MPJ_SUCCESS) return status;
    if (!mpj_add_aint(at, extent, &at))
      return mpj_error(MPJ_ERR_OVERFLOW, "the extents of parts 0 to %d exceed 64 bits", i);
  }
  return MPJ_Type_create_bucket_struct(g->comm->size, g->nbuckets, ones, g->types, g->bucket_of,
                                       displs, newtype);
}

static int build(struct gathering *g, MPJ_Datatype *newtype)
{
  if (g->nbuckets == 1) return MPJ_Type_contiguous(g->comm->size, g->types[0], newtype);
  const size_t p = (size_t)g->comm->size;
  MPJ_Count *counts = mpj_alloc_array(p, sizeof *counts);
  MPJ_Aint *displs = mpj_alloc_array(p, sizeof *displs);
  MPJ_Datatype old;
  int status;
  if (!counts || !displs) {
    status = mpj_error(MPJ_ERR_NO_MEM, "no memory for the displacements of %zu parts", p);
  } else if (all_are_runs(g, counts, &old)) {
    status = build_segments(g, counts, old, newtype);
    drop_old(g->types[0], old);
  } else {
    status = build_buckets(g, counts, displs, newtype);
  }
  mpj_free(displs);
  mpj_free(counts);
  return status;
}

int mpj_gather_types(struct mpj_comm *comm, int root_or_all, int status, const void *message,
                     MPJ_Count bytes, MPJ_Datatype *newtype)
{
  struct gathering g = {.comm = comm, .root = root_or_all, .message = message, .bytes = bytes};
  MPJ_Datatype made = MPJ_DATATYPE_NULL;
  char why[240];
  mpj_error_keep(why, sizeof why);
  int heard = gather_digests(&g, status, begin(&g));
  const bool refused = mpj_check_refused(comm->checker); /* some are in another call */
  if (!refused) heard = gather_messages(&g, heard);
  if (status != MPJ_SUCCESS)
    status = mpj_error(status, "%s", why);
  else
    status = heard;
  if (status == MPJ_SUCCESS && g.all_well && is_wanted_here(&g)) status = decode(&g);
  if (status == MPJ_SUCCESS && g.all_well && is_wanted_here(&g)) status = build(&g, &made);
  if (!refused) status = mpj_agree(comm, MPJ_PART_OF_TYPE_CREATE_GATHERED, status);
  if (status == MPJ_SUCCESS)
    *newtype = made;
  else
    drop(&made);
  end(&g);
  return status;
}

static int check_arguments(const struct mpj_comm *comm, int root_or_all, MPJ_Datatype *newtype)
{
  if (!newtype) return mpj_error(MPJ_ERR_ARG, "newtype is NULL");
  return root_or_all == MPJ_ALL ? MPJ_SUCCESS : mpj_check_root(comm, root_or_all);
}

int MPJ_Type_create_gathered(MPJ_Datatype part, int root_or_all, MPJ_Comm handle,
                             MPJ_Datatype *newtype)
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_comm *comm = NULL;
  struct mpj_type *type = NULL;
  void *message = NULL;
  MPJ_Count bytes = 0;
  int status = mpj_comm_resolve(handle, &comm);
  if (status != MPJ_SUCCESS) return status;
  status = check_arguments(comm, root_or_all, newtype);
  if (status == MPJ_SUCCESS) status = mpj_type_resolve(part, "part", &type);
  if (status == MPJ_SUCCESS) status = mpj_type_encode(part, &message, &bytes);
  status = mpj_gather_types(comm, root_or_all, status, message, bytes, newtype);
  mpj_free(message);
  return status;
}
