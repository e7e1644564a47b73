/* This file is a program that redistributes matrices by ScaLAPACK's pdgemr2d, served by MPJ, and
 * counts how often a schedule is made: MPJ_Remap_create is this program's own, which calls MPJ's.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpj/array.h>

void Cblacs_pinfo(int *me, int *size);
void Cblacs_get(int context, int what, int *value);
int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int handle);
void Cblacs_gridinit(int *context, const char *order, int prow, int pcol);
void Cblacs_gridinfo(int context, int *prow, int *pcol, int *row, int *col);
void Cblacs_gridexit(int context);
void Cpdgemr2d(int m, int n, double *a, int ia, int ja, int *desca, double *b, int ib, int jb,
               int *descb, int context);

enum { N = 24 };
static int made;

int MPJ_Remap_create(MPJ_Array from, const MPJ_Range section[], MPJ_Array to,
                     const MPJ_Range to_section[], const int axis_of[], MPJ_Schedule *schedule)
{
  static int (*real)(MPJ_Array, const MPJ_Range *, MPJ_Array, const MPJ_Range *, const int *,
                     MPJ_Schedule *);
  void *symbol = dlsym(RTLD_NEXT, "MPJ_Remap_create");
  memcpy(&real, &symbol, sizeof real);
  made++;
  return real(from, section, to, to_section, axis_of, schedule);
}

/* An N x N matrix on the first `extent` processes of a row or a column. */
struct matrix {
  int down, extent, block, at, context, desc[9]; /* at: -1: outside */
  double data[N * N];
};

static void make(struct matrix *a, int handle, int down, int extent, int block)
{
  int prow, pcol, row = -1, col = -1;
  *a = (struct matrix){.down = down, .extent = extent, .block = block, .context = handle};
  Cblacs_gridinit(&a->context, "Row", down ? extent : 1, down ? 1 : extent);
  if (a->context >= 0) Cblacs_gridinfo(a->context, &prow, &pcol, &row, &col);
  a->at = down ? row : col;
  const int desc[9] = {1, a->at < 0 ? -1 : a->context, N, N, block, block, 0, 0, N};
  memcpy(a->desc, desc, sizeof desc);
}

static void end(struct matrix *a)
{
  if (a->at >= 0) Cblacs_gridexit(a->context);
}

/* Set each element, or count those that are wrong. */
static int each(struct matrix *a, int round, int compare)
{
  int wrong = 0;
  for (int j = 0; j < N && a->at >= 0; j++)
    for (int i = 0; i < N; i++) {
      const int k = a->down ? i : j, local = k / a->block / a->extent * a->block + k % a->block;
      if (k / a->block % a->extent != a->at) continue;
      double *place = &a->data[a->down ? j * N + local : local * N + i];
      const double value = 1 + i + 100 * j + 10000 * round;
      if (compare)
        wrong += *place != value;
      else
        *place = value;
    }
  return wrong;
}

static int move(struct matrix *a, struct matrix *b, int context, int round)
{
  each(a, round, 0);
  Cpdgemr2d(N, N, a->data, 1, 1, a->desc, b->data, 1, 1, b->desc, context);
  return each(b, round, 1);
}

static int expect(const char *what, int found, int wanted)
{
  if (found == wanted) return 0;
  fprintf(stderr, "%s: %d, not %d\n", what, found, wanted);
  return 1;
}

/* There and back again on all processes but the last, to which both ways look alike, and between
 * two other matrices, which look like these there. */
static int to_and_fro(int size, int context, int wanted)
{
  struct matrix a, b, c;
  const int before = made;
  int wrong = 0;
  make(&a, Csys2blacs_handle(MPI_COMM_WORLD), 1, size - 1, 3);
  make(&b, Csys2blacs_handle(MPI_COMM_WORLD), 0, size - 1, 5);
  make(&c, Csys2blacs_handle(MPI_COMM_WORLD), 0, size - 1, 2);
  for (int round = 0; round < 8; round++)
    wrong += move(&a, &b, context, round) + move(&b, &a, context, round + 50) +
             move(&a, &c, context, round + 100);
  end(&a);
  end(&b);
  end(&c);
  return wrong + expect("schedules of three redistributions", made - before, wanted);
}

/* Within communicators of half of the processes, whose calls the others do not have. */
static int in_halves(int me, int size)
{
  MPI_Comm half;
  struct matrix a, b;
  const int before = made, upper = me >= size / 2, kinds = upper ? 1 : 3;
  int wrong = 0;
  MPI_Comm_split(MPI_COMM_WORLD, upper, me, &half);
  const int extent = upper ? size - size / 2 : size / 2, handle = Csys2blacs_handle(half);
  for (int kind = 0; kind < kinds; kind++) {
    make(&a, handle, 1, extent, 2 + kind);
    make(&b, handle, 0, extent, 4);
    for (int round = 0; round < 2; round++)
      wrong += move(&a, &b, a.context, round);
    end(&a);
    end(&b);
  }
  Cfree_blacs_system_handle(handle);
  MPI_Comm_free(&half);
  return wrong + expect("schedules of a half", made - before, kinds);
}

/* More than are kept, of which the last are. */
static int many(int size, int context)
{
  struct matrix a, b;
  int wrong = 0, last = 0;
  make(&a, Csys2blacs_handle(MPI_COMM_WORLD), 1, size, 3);
  for (int block = 1; block <= 20; block++) {
    make(&b, Csys2blacs_handle(MPI_COMM_WORLD), 0, size, block);
    wrong += move(&a, &b, context, block);
    last = made;
    wrong += move(&a, &b, context, block + 50);
    end(&b);
  }
  end(&a);
  return wrong + expect("schedules of the last call", made - last, 0);
}

int main(int argc, char **argv)
{
  int me, size, context, wrong, all;
  MPI_Init(&argc, &argv);
  Cblacs_pinfo(&me, &size);
  Cblacs_get(0, 0, &context);
  Cblacs_gridinit(&context, "Row", 1, size);
  wrong = to_and_fro(size, context, 3);
  wrong += in_halves(me, size);
  wrong += to_and_fro(size, context, 0);
  wrong += many(size, context);
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0) printf("%d ranks: %d wrong\n", size, all);
  Cblacs_gridexit(context);
  MPI_Finalize();
  return all != 0;
}
