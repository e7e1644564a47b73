/* This file is the part table of indexed types: blocks of one old type, each
 * with a length and a displacement of its own. It keeps both as given, because
 * the layout drops empty blocks and merges neighbours. */
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "types/build.h"
#include "types/tables.h"

struct indexed {
  struct mpj_parts head;
  struct mpj_type_spec old; /* owned */
  MPJ_Count *blocklens;     /* [count], owned */
  MPJ_Aint *displs;         /* [count], owned, bytes */
};

static int view(const struct mpj_parts *parts, MPJ_Count i, struct mpj_view *out)
{
  const struct indexed *t = (const struct indexed *)parts;
  const struct mpj_piece *map = &t->old.map;
  bool data = t->blocklens[i] > 0 && map->layout->kind != MPJ_LAYOUT_EMPTY;
  *out = (struct mpj_view){map->layout, t->blocklens[i], mpj_spec_extent(&t->old),
                           data ? t->displs[i] + map->displ : 0};
  return MPJ_SUCCESS;
}

static int describe(const struct mpj_parts *parts, MPJ_Count i, MPJ_Aint *origin,
                    struct mpj_type_spec *spec)
{
  const struct indexed *t = (const struct indexed *)parts;
  int status = mpj_spec_contiguous(t->blocklens[i], &t->old, spec);
  if (!status) *origin = t->displs[i];
  return status;
}

static void blocks(const struct mpj_parts *parts, MPJ_Count first, MPJ_Count n, MPJ_Count copies[],
                   MPJ_Aint displs[], const struct mpj_type_spec *olds[])
{
  const struct indexed *t = (const struct indexed *)parts;
  for (MPJ_Count i = 0; i < n; i++) {
    if (copies) copies[i] = t->blocklens[first + i];
    if (displs) displs[i] = t->displs[first + i];
    if (olds) olds[i] = &t->old;
  }
}

static void destroy(struct mpj_parts *parts)
{
  struct indexed *t = (struct indexed *)parts;
  mpj_spec_release(&t->old);
  mpj_free(t->blocklens);
  mpj_free(t->displs);
  mpj_free(t);
}

static const struct mpj_parts_ops indexed_ops = {"indexed", view, describe, blocks, destroy};

int mpj_parts_indexed(MPJ_Count count, const MPJ_Count blocklens[], const MPJ_Aint displs[],
                      const struct mpj_type_spec *old, struct mpj_parts **out)
{
  struct indexed *t = mpj_alloc_array(1, sizeof *t);
  if (!t) goto no_memory;
  t->head.ops = &indexed_ops;
  t->head.count = count;
  atomic_init(&t->head.references, 1);
  t->old = mpj_spec_retain(old);
  t->blocklens = mpj_alloc_array((size_t)count, sizeof *t->blocklens);
  t->displs = mpj_alloc_array((size_t)count, sizeof *t->displs);
  if (!t->blocklens || !t->displs) goto destroy_table;
  if (count > 0) {
    memcpy(t->blocklens, blocklens, (size_t)count * sizeof *blocklens);
    memcpy(t->displs, displs, (size_t)count * sizeof *displs);
  }
  *out = &t->head;
  return MPJ_SUCCESS;
destroy_table:
  destroy(&t->head);
no_memory:
  return mpj_error(MPJ_ERR_NO_MEM, "part table of %" PRId64 " blocks could not be allocated",
                   count);
}
