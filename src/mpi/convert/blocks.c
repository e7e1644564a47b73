/* This file lists a datatype's outermost blocks, whatever its constructor. */
#include "mpi/convert/blocks.h"

static int reserve(MPJ_Count n, bool children, struct mpi_blocks *b)
{
  *b = (struct mpi_blocks){.n = n};
  b->lengths = mpi_array(n, sizeof *b->lengths);
  b->displs = mpi_array(n, sizeof *b->displs);
  if (children) b->child = mpi_array(n, sizeof *b->child);
  return b->lengths && b->displs && (b->child || !children) ? MPJ_SUCCESS : MPJ_ERR_NO_MEM;
}

/* One block. */
static int one(MPJ_Count length, struct mpi_blocks *b)
{
  const int status = reserve(1, false, b);
  if (status) return status;
  b->lengths[0] = length;
  b->displs[0] = 0;
  return MPJ_SUCCESS;
}

static int regular(MPJ_Count n, MPJ_Count length, MPJ_Aint stride, struct mpi_blocks *b)
{
  const int status = reserve(n, false, b);
  for (MPJ_Count i = 0; !status && i < n; i++) {
    b->lengths[i] = length;
    b->displs[i] = i * stride;
  }
  return status;
}

/* lengths: one for all blocks where `each` is 0, else one for each; displacements in
 * extents where addresses is NULL. */
static int listed(MPJ_Count n, const MPJ_Count lengths[], MPJ_Count each, const MPJ_Count displs[],
                  MPJ_Aint extent, const MPJ_Aint addresses[], struct mpi_blocks *b)
{
  const int status = reserve(n, false, b);
  for (MPJ_Count i = 0; !status && i < n; i++) {
    b->lengths[i] = lengths[each * i];
    b->displs[i] = addresses ? addresses[i] : displs[i] * extent;
  }
  return status;
}

/* lengths may be NULL: one of each. */
static int structured(MPJ_Count n, const MPJ_Count lengths[], const MPJ_Aint addresses[],
                      struct mpi_blocks *b)
{
  const int status = reserve(n, true, b);
  for (MPJ_Count i = 0; !status && i < n; i++) {
    b->lengths[i] = lengths ? lengths[i] : 1;
    b->displs[i] = addresses[i];
    b->child[i] = i;
  }
  return status;
}

/* c: count, nbuckets, bucket_blocklens[], bucket_of_block[], then displs[] in extents
 * where addresses is NULL; `children`: each bucket has its own type. */
static int bucketed(const MPJ_Count c[], MPJ_Aint extent, const MPJ_Aint addresses[], bool children,
                    struct mpi_blocks *b)
{
  const MPJ_Count n = c[0], *lengths = c + 2, *bucket = lengths + c[1], *displs = bucket + n;
  const int status = reserve(n, children, b);
  for (MPJ_Count i = 0; !status && i < n; i++) {
    b->lengths[i] = lengths[bucket[i]];
    b->displs[i] = addresses ? addresses[i] : displs[i] * extent;
    if (children) b->child[i] = bucket[i];
  }
  return status;
}

static MPJ_Count sum(MPJ_Count n, const MPJ_Count numbers[])
{
  MPJ_Count total = 0;
  for (MPJ_Count i = 0; i < n; i++)
    total += numbers[i];
  return total;
}

int mpi_blocks_of(const struct mpi_call *call, struct mpi_blocks *b)
{
  const MPJ_Count *c = call->counts;
  const MPJ_Aint *a = call->addresses;
  MPJ_Aint lb, extent = 0;
  *b = (struct mpi_blocks){0};
  const int status = call->ntypes > 0 ? MPJ_Type_get_extent(call->types[0], &lb, &extent) : 0;
  if (status) return status;
  switch (call->combiner) {
  case MPJ_COMBINER_CONTIGUOUS:
    return one(c[0], b);
  case MPJ_COMBINER_SEGMENT:
    return one(sum(c[0], c + 1), b);
  case MPJ_COMBINER_VECTOR:
    return regular(c[0], c[1], c[2] * extent, b);
  case MPJ_COMBINER_HVECTOR:
    return regular(c[0], c[1], a[0], b);
  case MPJ_COMBINER_INDEXED:
    return listed(c[0], c + 1, 1, c + 1 + c[0], extent, NULL, b);
  case MPJ_COMBINER_HINDEXED:
    return listed(c[0], c + 1, 1, NULL, 0, a, b);
  case MPJ_COMBINER_INDEXED_BLOCK:
    return listed(c[0], c + 1, 0, c + 2, extent, NULL, b);
  case MPJ_COMBINER_HINDEXED_BLOCK:
    return listed(c[0], c + 1, 0, NULL, 0, a, b);
  case MPJ_COMBINER_STRUCT:
    return structured(c[0], c + 1, a, b);
  case MPJ_COMBINER_SPARSE:
    return structured(c[1], NULL, a, b);
  case MPJ_COMBINER_BUCKET_INDEX:
    return bucketed(c, extent, NULL, false, b);
  case MPJ_COMBINER_HBUCKET_INDEX:
    return bucketed(c, 0, a, false, b);
  case MPJ_COMBINER_BUCKET_STRUCT:
    return bucketed(c, 0, a, true, b);
  default:
    return mpi_report(MPJ_ERR_UNSUPPORTED, "a datatype of combiner %d has no blocks",
                      call->combiner);
  }
}

void mpi_blocks_free(struct mpi_blocks *b)
{
  free(b->lengths);
  free(b->displs);
  free(b->child);
  *b = (struct mpi_blocks){0};
}
