/* This file is a program that redistributes random matrices by ScaLAPACK's pdgemr2d and psgemr2d,
 * and compares every element with what it must be: gemr2d SEED ROUNDS served|alone. `served`: a
 * library of MPJ's is loaded before ScaLAPACK's; then it has begun. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void Cblacs_pinfo(int *me, int *size);
void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int prow, int pcol);
void Cblacs_gridinfo(int context, int *prow, int *pcol, int *row, int *col);
void Cblacs_gridexit(int context);
void Cpdgemr2d(int m, int n, double *a, int ia, int ja, int *desca, double *b, int ib, int jb,
               int *descb, int context);
void psgemr2d_(const int *m, const int *n, float *a, const int *ia, const int *ja, int *desca,
               float *b, const int *ib, const int *jb, int *descb, const int *context);
extern __attribute__((weak)) int MPJ_Initialized(int *flag);

enum { SIZES = 60 };
static unsigned long long state;

/* The same on all ranks. */
static int draw(int low, int high)
{
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return low + (int)((state >> 33) % (unsigned long long)(high - low + 1));
}

struct matrix {
  int m, n, mb, nb, rsrc, csrc, prow, pcol, row, col, context, rows, cols, desc[9];
  double *data;
  float *singles;
};

static int owned(int n, int nb, int at, int src, int of)
{
  int count = 0;
  for (int i = 0; i < n; i++)
    count += (i / nb + src) % of == at;
  return count;
}

/* Where a global index lies, or -1: on another rank. */
static int place(int i, int nb, int at, int src, int of)
{
  if ((i / nb + src) % of != at) return -1;
  return i / nb / of * nb + i % nb;
}

static void make(struct matrix *a, int size)
{
  a->m = draw(1, SIZES);
  a->n = draw(1, SIZES);
  a->mb = draw(1, 9);
  a->nb = draw(1, 9);
  a->prow = draw(1, size);
  a->pcol = draw(1, size / a->prow);
  a->rsrc = draw(0, a->prow - 1);
  a->csrc = draw(0, a->pcol - 1);
  Cblacs_get(0, 0, &a->context);
  Cblacs_gridinit(&a->context, draw(0, 1) ? "Row" : "Col", a->prow, a->pcol);
  int prow, pcol;
  a->row = a->col = -1;
  if (a->context >= 0) Cblacs_gridinfo(a->context, &prow, &pcol, &a->row, &a->col);
  const int pad = draw(0, 3);
  a->rows = a->row < 0 ? 0 : owned(a->m, a->mb, a->row, a->rsrc, a->prow);
  a->cols = a->row < 0 ? 0 : owned(a->n, a->nb, a->col, a->csrc, a->pcol);
  const int lld = (a->rows > 0 ? a->rows : 1) + pad;
  const int desc[9] = {1,  a->row < 0 ? -1 : a->context, a->m, a->n, a->mb, a->nb, a->rsrc, a->csrc,
                       lld};
  memcpy(a->desc, desc, sizeof desc);
  a->data = calloc((size_t)lld * (size_t)a->cols + 1, sizeof *a->data);
  a->singles = calloc((size_t)lld * (size_t)a->cols + 1, sizeof *a->singles);
  if (!a->data || !a->singles) abort();
}

static void end(struct matrix *a)
{
  free(a->data);
  free(a->singles);
  if (a->row >= 0) Cblacs_gridexit(a->context);
}

typedef double value_fn(int i, int j, int round);
static double given(int i, int j, int round)
{
  return 1 + i + 100 * j + 10000 * round;
}

/* Set every element, and those of the section as given; or compare: the number that differ. */
static int each(struct matrix *a, const int section[4], const int from[2], int round, int compare)
{
  int wrong = 0;
  for (int j = 0; j < a->n && a->row >= 0; j++)
    for (int i = 0; i < a->m; i++) {
      const int r = place(i, a->mb, a->row, a->rsrc, a->prow);
      const int c = place(j, a->nb, a->col, a->csrc, a->pcol);
      if (r < 0 || c < 0) continue;
      const int inside = i >= section[0] && i < section[0] + section[2] && j >= section[1] &&
                         j < section[1] + section[3];
      const size_t at = (size_t)c * (size_t)a->desc[8] + (size_t)r;
      const double value =
          inside ? given(i - section[0] + from[0], j - section[1] + from[1], round) : -1;
      if (compare) {
        wrong += a->data[at] != value || a->singles[at] != (float)value;
      } else {
        a->data[at] = value;
        a->singles[at] = (float)value;
      }
    }
  return wrong;
}

static int play(int size, int both)
{
  struct matrix a = {0}, b = {0};
  int wrong = 0;
  make(&a, size);
  make(&b, size);
  const int m = draw(1, a.m < b.m ? a.m : b.m), n = draw(1, a.n < b.n ? a.n : b.n);
  const int ia = draw(0, a.m - m), ja = draw(0, a.n - n);
  const int ib = draw(0, b.m - m), jb = draw(0, b.n - n);
  const int whole[4] = {0, 0, a.m, a.n}, none[4] = {0, 0, 0, 0}, zero[2] = {0, 0};
  const int section[4] = {ib, jb, m, n}, from[2] = {ia, ja};
  const int ia1 = ia + 1, ja1 = ja + 1, ib1 = ib + 1, jb1 = jb + 1;
  for (int round = 0; round < 3; round++) {
    each(&a, whole, zero, round, 0);
    each(&b, none, zero, round, 0);
    Cpdgemr2d(m, n, a.data, ia1, ja1, a.desc, b.data, ib1, jb1, b.desc, both);
    psgemr2d_(&m, &n, a.singles, &ia1, &ja1, a.desc, b.singles, &ib1, &jb1, b.desc, &both);
    wrong += each(&b, section, from, round, 1);
  }
  end(&a);
  end(&b);
  return wrong;
}

int main(int argc, char **argv)
{
  int me, size, both, wrong = 0, begun = 0, all;
  MPI_Init(&argc, &argv);
  Cblacs_pinfo(&me, &size);
  if (argc != 4) return 2;
  state = strtoull(argv[1], NULL, 10);
  Cblacs_get(0, 0, &both);
  Cblacs_gridinit(&both, "Row", 1, size);
  for (int i = 0; i < atoi(argv[2]); i++)
    wrong += play(size, both);
  if (MPJ_Initialized) MPJ_Initialized(&begun);
  if (begun != !strcmp(argv[3], "served")) wrong += 1000000;
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0) printf("%d ranks: %d differ\n", size, all);
  Cblacs_gridexit(both);
  MPI_Finalize();
  return all != 0;
}
