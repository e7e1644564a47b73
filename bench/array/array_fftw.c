/* This file is the peer FFTW: the transposition of its parallel transforms. */
#include "array_mpi.h"

#include <fftw3-mpi.h>
#include <stdlib.h>

static fftw_plan plan;

static void begin(int *argc, char ***argv)
{
  mpi_begin(argc, argv);
  fftw_mpi_init();
}

static void end(void)
{
  fftw_mpi_cleanup();
  mpi_end();
}

static bool serves(const struct array_case *c)
{
  return c->kind == ARRAY_TRANSPOSE;
}

/* Measured plans are FFTW's best, and destroy the data. */
static void create(const struct array_case *c, struct array_data *d)
{
  double *kept = malloc((d->from_count + 1) * sizeof *kept);
  if (!kept) abort();
  for (size_t i = 0; i < d->from_count; i++)
    kept[i] = d->from[i];
  plan = fftw_mpi_plan_many_transpose(c->n, c->n, c->width, FFTW_MPI_DEFAULT_BLOCK,
                                      FFTW_MPI_DEFAULT_BLOCK, d->from, d->to, MPI_COMM_WORLD,
                                      FFTW_MEASURE);
  for (size_t i = 0; i < d->from_count; i++)
    d->from[i] = kept[i];
  free(kept);
}

static void run(void)
{
  fftw_execute(plan);
}

static void destroy(void)
{
  fftw_destroy_plan(plan);
}

struct array_peer array_peer = {.name = "fftw",
                                .begin = begin,
                                .end = end,
                                .serves = serves,
                                .create = create,
                                .run = run,
                                .destroy = destroy,
                                ARRAY_MPI_WORLD};
