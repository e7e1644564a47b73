/* This file keeps lists of patches, and makes a type with a part for each rank of one. */
#include "array/patches.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"

int mpj_patches_add(struct mpj_patches *p, int rank, int64_t key, MPJ_Datatype type)
{
  if (p->n == p->room) {
    const size_t room = p->room == 0 ? 8 : 2 * p->room;
    struct mpj_array_patch *list = mpj_alloc_array(room, sizeof *list);
    if (!list) {
      MPJ_Type_free(&type);
      return mpj_error(MPJ_ERR_NO_MEM, "no memory for %zu patches of an array", room);
    }
    if (p->n > 0) memcpy(list, p->list, p->n * sizeof *list);
    mpj_free(p->list);
    p->list = list;
    p->room = room;
  }
  p->list[p->n++] = (struct mpj_array_patch){.rank = rank, .key = key, .type = type};
  return MPJ_SUCCESS;
}

void mpj_patches_end(struct mpj_patches *p)
{
  for (size_t i = 0; i < p->n; i++)
    MPJ_Type_free(&p->list[i].type);
  mpj_free(p->list);
  *p = (struct mpj_patches){0};
}

static int by_rank(const void *a, const void *b)
{
  const struct mpj_array_patch *x = a, *y = b;
  if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
  return x->key < y->key ? -1 : x->key > y->key;
}

/* What the constructors take: [n] each. */
struct lists {
  MPJ_Count *parts, *ones;
  MPJ_Aint *displs, *of_parts;
  MPJ_Datatype *types, *united; /* united: those of ranks with several patches, to be freed */
  size_t nparts, nunited;
};

/* The next part is of the patches [i, end). */
static int add_part(struct mpj_patches *p, size_t i, size_t end, struct lists *l)
{
  MPJ_Datatype type = p->list[i].type, *several = &l->types[l->nparts];
  MPJ_Aint displ = p->list[i].displ;
  for (size_t k = i; k < end; k++) {
    several[k - i] = p->list[k].type;
    l->displs[k - i] = p->list[k].displ;
  }
  if (end - i > 1) {
    const int status =
        MPJ_Type_create_struct((MPJ_Count)(end - i), l->ones, l->displs, several, &type);
    if (status) return status;
    l->united[l->nunited++] = type;
    displ = 0;
  }
  l->of_parts[l->nparts] = displ;
  l->parts[l->nparts] = p->list[i].rank;
  l->types[l->nparts++] = type;
  return MPJ_SUCCESS;
}

int mpj_patches_finish(struct mpj_patches *p)
{
  int status = MPJ_SUCCESS;
  if (p->n > 1) qsort(p->list, p->n, sizeof *p->list, by_rank);
  for (size_t i = 0; i < p->n && !status; i++) {
    status = MPJ_Type_commit(&p->list[i].type);
    if (!status) status = MPJ_Type_size(p->list[i].type, &p->list[i].bytes);
  }
  return status;
}

static int make(struct mpj_patches *p, int nparts, struct lists *l, MPJ_Datatype *type)
{
  int status = mpj_patches_finish(p);
  for (size_t i = 0; i < p->n; i++)
    l->ones[i] = 1;
  for (size_t i = 0, end; i < p->n && !status; i = end) {
    end = mpj_patches_of(p, i);
    status = add_part(p, i, end, l);
  }
  if (!status)
    status =
        MPJ_Type_create_sparse(nparts, (MPJ_Count)l->nparts, l->parts, l->of_parts, l->types, type);
  while (l->nunited > 0)
    MPJ_Type_free(&l->united[--l->nunited]);
  if (status) return status;
  status = MPJ_Type_commit(type);
  if (status) MPJ_Type_free(type);
  return status;
}

int mpj_patches_type(struct mpj_patches *p, int nparts, MPJ_Datatype *type)
{
  struct lists l = {.parts = mpj_alloc_array(p->n, sizeof *l.parts),
                    .ones = mpj_alloc_array(p->n, sizeof *l.ones),
                    .displs = mpj_alloc_array(p->n, sizeof *l.displs),
                    .of_parts = mpj_alloc_array(p->n, sizeof *l.of_parts),
                    .types = mpj_alloc_array(p->n, sizeof *l.types),
                    .united = mpj_alloc_array(p->n, sizeof *l.united)};
  int status;
  if (l.parts && l.ones && l.displs && l.of_parts && l.types && l.united)
    status = make(p, nparts, &l, type);
  else
    status = mpj_error(MPJ_ERR_NO_MEM, "no memory for %zu patches of an array", p->n);
  mpj_free(l.parts);
  mpj_free(l.ones);
  mpj_free(l.displs);
  mpj_free(l.of_parts);
  mpj_free(l.types);
  mpj_free(l.united);
  return status;
}
