/* This file is the peer Global Arrays: one-sided gather and accumulating scatter by subscripts. */
#include "array_mpi.h"

#include <ga.h>
#include <macdecls.h>
#include <stdlib.h>
#include <string.h>

static enum array_kind kind;
static struct array_data *data;
static int handle, low, high, leading;
static int *subscripts, **lists;

static void begin(int *argc, char ***argv)
{
  mpi_begin(argc, argv);
  GA_Initialize();
  MA_init(C_DBL, 1 << 22, 1 << 22);
}

static void end(void)
{
  GA_Terminate();
  mpi_end();
}

static bool serves(const struct array_case *c)
{
  return c->kind == ARRAY_GATHER || c->kind == ARRAY_SCATTER;
}

/* An array's memory is GA's own. */
static void put(void)
{
  double *own;
  NGA_Access(handle, &low, &high, &own, &leading);
  memcpy(own, data->from, data->from_count * sizeof *own);
  NGA_Release_update(handle, &low, &high);
  GA_Sync();
}

static void create(const struct array_case *c, struct array_data *d)
{
  int size = (int)(10 * c->n), chunk = size / array_peer.size;
  kind = c->kind;
  data = d;
  handle = NGA_Create(C_DBL, 1, &size, "elements", &chunk);
  NGA_Distribution(handle, array_peer.rank, &low, &high);
  subscripts = malloc((d->to_count + 1) * sizeof *subscripts);
  lists = malloc((d->to_count + 1) * sizeof *lists);
  if (!handle || !subscripts || !lists) GA_Error("no memory", 1);
  for (size_t i = 0; i < d->to_count; i++) {
    subscripts[i] = (int)d->wanted[i];
    lists[i] = &subscripts[i];
  }
  put();
}

static void get(void)
{
  double *own;
  NGA_Access(handle, &low, &high, &own, &leading);
  memcpy(data->from, own, data->from_count * sizeof *own);
  NGA_Release(handle, &low, &high);
}

/* What was added is looked at once, as the other peers' is. */
static void run(void)
{
  static int runs;
  double one = 1;
  if (kind == ARRAY_GATHER)
    NGA_Gather(handle, data->to, lists, (int)data->to_count);
  else
    NGA_Scatter_acc(handle, data->to, lists, (int)data->to_count, &one);
  GA_Sync();
  if (kind == ARRAY_SCATTER && runs++ == 0) get();
}

static void destroy(void)
{
  GA_Destroy(handle);
  free(lists);
  free(subscripts);
}

struct array_peer array_peer = {.name = "ga",
                                .begin = begin,
                                .end = end,
                                .serves = serves,
                                .create = create,
                                .run = run,
                                .destroy = destroy,
                                ARRAY_MPI_WORLD};
