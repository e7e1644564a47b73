/* This file is what each case costs without any exchange, from the rank's own memory: of a halo
 * bare typed copies of what a rank holds and of all its ghosts; of a gather or scatter a plain loop
 * over as many random subscripts, modulo what the rank holds. What arrives is not compared. */
#include "array_mpj_world.h"

enum { MOST = 27 };

static struct array_data *data;
static int n;
static bool in_place;
static enum array_kind kind;
static MPJ_Datatype from[MOST], to[MOST];

static bool serves(const struct array_case *c)
{
  return c->kind >= ARRAY_HALO;
}

static void box(const MPJ_Count sizes[3], const MPJ_Count subsizes[3], const MPJ_Count starts[3],
                MPJ_Datatype *out)
{
  must(MPJ_Type_create_subarray(3, sizes, subsizes, starts, MPJ_ORDER_C, MPJ_DOUBLE, out));
  must(MPJ_Type_commit(out));
}

/* The ghosts in one direction, each -1, 0 or 1, from the other side of the same block. */
static void add(const struct array_case *c, const MPJ_Count local[3], const int direction[3])
{
  MPJ_Count ghosted[3], size[3], source[3], target[3];
  for (int d = 0; d < 3; d++) {
    ghosted[d] = local[d] + 2 * c->width;
    size[d] = direction[d] ? c->width : local[d];
    source[d] = direction[d] < 0 ? local[d] - c->width : 0;
    target[d] = direction[d] < 0 ? 0 : direction[d] > 0 ? local[d] + c->width : c->width;
  }
  for (int d = 0; d < 3 && in_place; d++)
    source[d] += c->width;
  box(in_place ? ghosted : local, size, source, &from[n]);
  box(ghosted, size, target, &to[n++]);
}

static void create(const struct array_case *c, struct array_data *d)
{
  MPJ_Count local[3];
  int grid[3];
  data = d;
  n = 0;
  kind = c->kind;
  for (size_t i = 0; kind >= ARRAY_GATHER && i < d->to_count; i++)
    d->wanted[i] %= (int64_t)d->from_count;
  if (kind >= ARRAY_GATHER) return;
  in_place = c->kind == ARRAY_GHOSTS;
  array_grid(array_peer.size, grid);
  for (int k = 0; k < 3; k++)
    local[k] = c->n / grid[k];
  for (int i = 0; i < MOST; i++) {
    const int direction[3] = {i / 9 - 1, i / 3 % 3 - 1, i % 3 - 1};
    const int faces = (direction[0] != 0) + (direction[1] != 0) + (direction[2] != 0);
    if (faces == 0 && in_place) continue;
    if (faces <= 1 || c->corners) add(c, local, direction);
  }
}

static void loop(void)
{
  const int64_t *wanted = data->wanted;
  if (kind == ARRAY_GATHER)
    for (size_t i = 0; i < data->to_count; i++)
      data->to[i] = data->from[wanted[i]];
  else
    for (size_t i = 0; i < data->to_count; i++)
      data->from[wanted[i]] += data->to[i];
}

static void run(void)
{
  if (kind >= ARRAY_GATHER) loop();
  for (int i = 0; i < n; i++)
    must(MPJ_Copy(in_place ? data->to : data->from, from[i], data->to, to[i]));
}

static void destroy(void)
{
  for (int i = 0; i < n; i++) {
    must(MPJ_Type_free(&from[i]));
    must(MPJ_Type_free(&to[i]));
  }
}

struct array_peer array_peer = {.name = "copies",
                                .serves = serves,
                                .create = create,
                                .run = run,
                                .destroy = destroy,
                                ARRAY_MPJ_WORLD};
