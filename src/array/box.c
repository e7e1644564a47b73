/* This file multiplies what axes have in common over the dimensions of an array. The types of the
 * fastest axis are made once for each of its peers, and serve all those of the slower ones. */
#include "array/patches.h"
#include "base/checked.h"
#include "base/memory.h"
#include "base/status.h"

/* inner at every one of these runs, n at least 1. */
static int lay_runs(const struct mpj_side *side, MPJ_Count slope, const struct mpj_run runs[],
                    size_t n, MPJ_Count limit, MPJ_Datatype inner, MPJ_Datatype *type)
{
  MPJ_Count *lens = mpj_alloc_array(n, sizeof *lens);
  MPJ_Aint *displs = mpj_alloc_array(n, sizeof *displs), lb, extent, step = 0;
  MPJ_Datatype copy = MPJ_DATATYPE_NULL;
  int status = MPJ_SUCCESS;
  bool equal = true;
  if (!lens || !displs)
    status = mpj_error(MPJ_ERR_NO_MEM, "no memory for %zu runs of an axis", n);
  else if (!mpj_mul_aint(slope, side->stride, &step))
    status = mpj_error(MPJ_ERR_OVERFLOW, "a section's step exceeds 64 bits");
  if (!status) status = MPJ_Type_get_extent(inner, &lb, &extent);
  for (size_t i = 0; i < n && !status; i++) {
    lens[i] = runs[i].len < limit - runs[i].s ? runs[i].len : limit - runs[i].s;
    displs[i] = side->origin + runs[i].local * side->stride;
    equal = equal && lens[i] == lens[0];
  }
  if (!status && (extent != step || lb != 0) && !(equal && lens[0] == 1)) {
    status = MPJ_Type_create_resized(inner, 0, step, &copy);
    inner = copy;
  }
  if (!status)
    status = equal ? MPJ_Type_create_hindexed_block((MPJ_Count)n, lens[0], displs, inner, type)
                   : MPJ_Type_create_hindexed((MPJ_Count)n, lens, displs, inner, type);
  if (copy) MPJ_Type_free(&copy);
  mpj_free(lens);
  mpj_free(displs);
  return status;
}

/* inner at all that a meeting has of one peer. */
static int lay(const struct mpj_side *side, const struct mpj_intersection *m,
               const struct mpj_common_peer *peer, MPJ_Datatype inner, MPJ_Datatype *type)
{
  MPJ_Datatype parts[2] = {MPJ_DATATYPE_NULL, MPJ_DATATYPE_NULL};
  const MPJ_Count ones[2] = {1, 1};
  const struct mpj_run *runs = &m->runs[peer->first];
  int status = lay_runs(side, m->slope, runs, peer->n, INT64_MAX, inner, type);
  if (status || m->periods == 1) return status;
  const MPJ_Aint stride = m->advance * side->stride, displs[2] = {0, m->periods * stride};
  MPJ_Datatype one = *type;
  status = MPJ_Type_create_hvector(m->periods, 1, stride, one, type);
  MPJ_Type_free(&one);
  if (status || peer->ntail == 0) return status;
  parts[0] = *type;
  status = lay_runs(side, m->slope, runs, peer->ntail, m->rest, inner, &parts[1]);
  if (!status) status = MPJ_Type_create_struct(2, ones, displs, parts, type);
  MPJ_Type_free(&parts[0]);
  if (parts[1]) MPJ_Type_free(&parts[1]);
  return status;
}

struct box {
  int n;
  int64_t key;
  const struct mpj_side *sides;
  struct mpj_intersection *commons; /* [n] */
  mpj_peer_fn *peer;
  void *ctx;
  struct mpj_patches *patches;
};

/* Axes below d are still to be laid around `inner`; coords holds the peers' of the others. */
static int descend(const struct box *b, int d, MPJ_Datatype inner, int coords[])
{
  int status = MPJ_SUCCESS;
  if (d < 0) {
    const int rank = b->peer(b->ctx, coords);
    MPJ_Datatype type;
    if (rank < 0) return MPJ_SUCCESS;
    status = MPJ_Type_share(inner, &type);
    return status ? status : mpj_patches_add(b->patches, rank, b->key, type);
  }
  const struct mpj_intersection *m = &b->commons[d];
  for (size_t i = 0; i < m->npeers && !status; i++) {
    MPJ_Datatype type;
    if (b->sides[d].their_dim >= 0) coords[b->sides[d].their_dim] = m->peers[i].coord;
    status = lay(&b->sides[d], m, &m->peers[i], inner, &type);
    if (status) return status;
    status = descend(b, d - 1, type, coords);
    MPJ_Type_free(&type);
  }
  return status;
}

int mpj_box(int n, const struct mpj_side sides[], MPJ_Datatype element, mpj_peer_fn *peer,
            void *ctx, int64_t key, struct mpj_patches *patches)
{
  struct mpj_intersection *commons = mpj_alloc_array((size_t)n, sizeof *commons);
  const struct box box = {n, key, sides, commons, peer, ctx, patches};
  int coords[MPJ_ARRAY_DIMS_MAX] = {0}, met = 0, status = MPJ_SUCCESS;
  bool empty = false;
  if (!commons) return mpj_error(MPJ_ERR_NO_MEM, "no memory for %d axes", n);
  for (; met < n && !status && !empty; met++) {
    const struct mpj_side *s = &sides[met];
    status =
        mpj_intersect(s->mine, s->coord, &s->section, s->theirs, &s->their_section, &commons[met]);
    empty = !status && commons[met].npeers == 0;
  }
  if (status) met--; /* that one owns nothing */
  if (!status && !empty) status = descend(&box, n - 1, element, coords);
  while (met > 0)
    mpj_intersection_end(&commons[--met]);
  mpj_free(commons);
  return status;
}
