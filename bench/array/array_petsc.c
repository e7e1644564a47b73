/* This file is the peer PETSc: DMDA for halos, SF for gather and scatter. */
#include "array_mpi.h"

#include <petscdmda.h>
#include <petscsf.h>
#include <stdlib.h>

static enum array_kind kind;
static struct array_data *data;
static PetscSF sf;
static DM dm;
static Vec global, local;

static void must(PetscErrorCode code)
{
  if (code == 0) return;
  fprintf(stderr, "array_petsc: PETSc's error %d\n", (int)code);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void begin(int *argc, char ***argv)
{
  int one = 1;
  char *none[] = {(*argv)[0], NULL}, **args = none;
  mpi_begin(argc, argv);
  must(PetscInitialize(&one, &args, NULL, NULL));
}

static void end(void)
{
  must(PetscFinalize());
  mpi_end();
}

static bool serves(const struct array_case *c)
{
  return c->kind == ARRAY_HALO || c->kind == ARRAY_GATHER || c->kind == ARRAY_SCATTER;
}

/* PETSc numbers ranks with its first axis fastest, which is the last one here. */
static void create_halo(const struct array_case *c, struct array_data *d)
{
  int grid[3];
  array_grid(array_peer.size, grid);
  must(DMDACreate3d(PETSC_COMM_WORLD, DM_BOUNDARY_PERIODIC, DM_BOUNDARY_PERIODIC,
                    DM_BOUNDARY_PERIODIC, c->corners ? DMDA_STENCIL_BOX : DMDA_STENCIL_STAR,
                    (PetscInt)c->n, (PetscInt)c->n, (PetscInt)c->n, grid[2], grid[1], grid[0], 1,
                    c->width, NULL, NULL, NULL, &dm));
  must(DMSetUp(dm));
  must(VecCreateMPIWithArray(PETSC_COMM_WORLD, 1, (PetscInt)d->from_count, PETSC_DECIDE, d->from,
                             &global));
  must(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, (PetscInt)d->to_count, d->to, &local));
}

static void create_sf(const struct array_case *c, struct array_data *d)
{
  const int64_t each = 10 * c->n / array_peer.size;
  PetscSFNode *remote = malloc((d->to_count + 1) * sizeof *remote);
  if (!remote) abort();
  for (size_t i = 0; i < d->to_count; i++) {
    remote[i].rank = (PetscInt)(d->wanted[i] / each);
    remote[i].index = (PetscInt)(d->wanted[i] % each);
  }
  must(PetscSFCreate(PETSC_COMM_WORLD, &sf));
  must(PetscSFSetGraph(sf, (PetscInt)each, (PetscInt)d->to_count, NULL, PETSC_OWN_POINTER, remote,
                       PETSC_COPY_VALUES));
  must(PetscSFSetUp(sf));
  free(remote);
}

static void create(const struct array_case *c, struct array_data *d)
{
  kind = c->kind;
  data = d;
  if (kind == ARRAY_HALO)
    create_halo(c, d);
  else
    create_sf(c, d);
}

static void run(void)
{
  if (kind == ARRAY_HALO) {
    must(DMGlobalToLocalBegin(dm, global, INSERT_VALUES, local));
    must(DMGlobalToLocalEnd(dm, global, INSERT_VALUES, local));
  } else if (kind == ARRAY_GATHER) {
    must(PetscSFBcastBegin(sf, MPI_DOUBLE, data->from, data->to, MPI_REPLACE));
    must(PetscSFBcastEnd(sf, MPI_DOUBLE, data->from, data->to, MPI_REPLACE));
  } else {
    must(PetscSFReduceBegin(sf, MPI_DOUBLE, data->to, data->from, MPI_SUM));
    must(PetscSFReduceEnd(sf, MPI_DOUBLE, data->to, data->from, MPI_SUM));
  }
}

static void destroy(void)
{
  if (kind != ARRAY_HALO) {
    must(PetscSFDestroy(&sf));
    return;
  }
  must(VecDestroy(&local));
  must(VecDestroy(&global));
  must(DMDestroy(&dm));
}

struct array_peer array_peer = {.name = "petsc",
                                .begin = begin,
                                .end = end,
                                .serves = serves,
                                .create = create,
                                .run = run,
                                .destroy = destroy,
                                ARRAY_MPI_WORLD};
