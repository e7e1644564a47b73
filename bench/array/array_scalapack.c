/* This file is the peer ScaLAPACK: its redistribution, pdgemr2d, which keeps nothing between calls.
 */
#include "array_mpi.h"

void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int prow, int pcol);
void Cblacs_gridexit(int context);
void Cpdgemr2d(int m, int n, double *a, int ia, int ja, int *desca, double *b, int ib, int jb,
               int *descb, int context);

static struct array_data *data;
static long size;
static int contexts[2], both, descriptors[2][9];

static bool serves(const struct array_case *c)
{
  return c->kind == ARRAY_REMAP;
}

static void create(const struct array_case *c, struct array_data *d)
{
  data = d;
  size = c->n;
  Cblacs_get(0, 0, &both);
  Cblacs_gridinit(&both, "Row", 1, array_peer.size);
  for (int k = 0; k < 2; k++) {
    const struct array_layout l = array_layout_of(c, k, array_peer.size);
    const long rows = array_share(c->n, l.nb, array_peer.rank / l.pcol, l.prow);
    Cblacs_get(0, 0, &contexts[k]);
    Cblacs_gridinit(&contexts[k], "Row", l.prow, l.pcol);
    const int descriptor[9] = {
        1, contexts[k], (int)c->n, (int)c->n, l.nb, l.nb, 0, 0, rows > 0 ? (int)rows : 1};
    for (int i = 0; i < 9; i++)
      descriptors[k][i] = descriptor[i];
  }
}

static void run(void)
{
  Cpdgemr2d((int)size, (int)size, data->from, 1, 1, descriptors[0], data->to, 1, 1, descriptors[1],
            both);
}

static void destroy(void)
{
  for (int k = 0; k < 2; k++)
    Cblacs_gridexit(contexts[k]);
  Cblacs_gridexit(both);
}

struct array_peer array_peer = {.name = "scalapack",
                                .begin = mpi_begin,
                                .end = mpi_end,
                                .serves = serves,
                                .create = create,
                                .run = run,
                                .destroy = destroy,
                                ARRAY_MPI_WORLD};
