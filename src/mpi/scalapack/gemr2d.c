/* This file serves ScaLAPACK's redistribution, p?gemr2d, by MPJ's schedules: a library that is
 * loaded before ScaLAPACK's own. Everything else passes.
 *
 * A call is served where the context that both matrices share has all processes of its MPI
 * communicator. The schedule is kept for the next call with the same descriptors. Whether there is
 * one no rank knows alone, as one outside a grid has no descriptor there: each says which of its
 * schedules it would take, and all take it if that is the same one. Else the ranks tell each other
 * their descriptors, and make a schedule; if these do not fit, ScaLAPACK is called, and says why.
 *
 * Cost: of a call that has been made before, an allreduce of 16 bytes and the schedule's run; of a
 * new one besides an allgather of 144 bytes a rank, and the making. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpj/array.h>
#include <mpj/mpi.h>

/* ScaLAPACK's and BLACS's own, from the library that the program has. */
extern __attribute__((weak)) void Cblacs_get(int context, int what, int *value);
extern __attribute__((weak)) MPI_Comm Cblacs2sys_handle(int handle);
extern __attribute__((weak)) void Cblacs_gridinfo(int context, int *prow, int *pcol, int *row,
                                                  int *col);

enum { CONTEXT = 1, ROWS, COLS, ROW_BLOCK, COL_BLOCK, FIRST_ROW, FIRST_COL, LEADING, DESCRIPTOR };
enum { SYSTEM_OF_CONTEXT = 10, KEPT = 16 };

/* One side of a call as this rank has it: zeros if it is outside its grid. */
struct side {
  int32_t inside, first[2]; /* the section's first row and column, from 1 */
  int32_t descriptor[DESCRIPTOR];
  int32_t grid[2], at[2];
};

/* A call as this rank has it. */
struct call {
  int32_t letter, m, n, context;
  struct side sides[2];
};

struct kept {
  MPJ_Comm comm;
  int64_t number; /* of the communicator's schedules; 0: none */
  struct call call;
  MPJ_Schedule schedule;
};

static struct kept all[KEPT];
static int64_t made;
static long served, passed;

/* MPJ_INTERPOSE_REPORT=1: how many calls were whose. */
static __attribute__((destructor)) void report(void)
{
  const char *wanted = getenv("MPJ_INTERPOSE_REPORT");
  if (wanted && !strcmp(wanted, "1"))
    fprintf(stderr, "mpj: p?gemr2d: %ld calls served, %ld passed to ScaLAPACK\n", served, passed);
}

typedef void gemr2d(int m, int n, void *a, int ia, int ja, int *desca, void *b, int ib, int jb,
                    int *descb, int context);

static MPJ_Datatype element_of(int letter)
{
  return letter == 'i'   ? MPJ_INT
         : letter == 's' ? MPJ_FLOAT
         : letter == 'd' ? MPJ_DOUBLE
         : letter == 'c' ? MPJ_C_FLOAT_COMPLEX
                         : MPJ_C_DOUBLE_COMPLEX;
}

static void fatal(const char *what)
{
  fprintf(stderr, "mpj: %s: %s\n", what, MPJ_Error_detail());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The communicator of the context's processes; false, on all of them: the call is not served. */
static bool find_comm(int context, MPJ_Comm *comm)
{
  int system, prow, pcol, row, col, size, world, begun = 0;
  if (!Cblacs_get || !Cblacs2sys_handle || !Cblacs_gridinfo) return false;
  Cblacs_get(context, SYSTEM_OF_CONTEXT, &system);
  const MPI_Comm mpi = Cblacs2sys_handle(system);
  Cblacs_gridinfo(context, &prow, &pcol, &row, &col);
  PMPI_Comm_size(mpi, &size);
  PMPI_Comm_size(MPI_COMM_WORLD, &world);
  MPJ_Initialized(&begun);
  if (prow * pcol != size || (!begun && size != world)) return false;
  return MPJ_Comm_from_mpi(mpi, comm) == MPJ_SUCCESS;
}

static void describe(struct side *s, const int *descriptor, int row, int col)
{
  memset(s, 0, sizeof *s);
  s->first[0] = row;
  s->first[1] = col;
  if (descriptor[CONTEXT] < 0) return;
  Cblacs_gridinfo(descriptor[CONTEXT], &s->grid[0], &s->grid[1], &s->at[0], &s->at[1]);
  s->inside = s->at[0] >= 0 && s->at[1] >= 0;
  if (s->inside)
    memcpy(s->descriptor, descriptor, sizeof s->descriptor);
  else
    memset(s->grid, 0, sizeof s->grid + sizeof s->at);
}

/* The schedule that all ranks have for their calls, or NULL. */
static struct kept *find(MPJ_Comm comm, const struct call *call)
{
  int64_t mine[2] = {0, 0}, least[2];
  struct kept *found = NULL;
  for (int i = 0; i < KEPT; i++)
    if (all[i].number && all[i].comm == comm && !memcmp(&all[i].call, call, sizeof *call))
      found = &all[i];
  if (found) mine[0] = found->number;
  mine[1] = -mine[0];
  MPJ_Datatype two;
  if (MPJ_Type_contiguous(2, MPJ_INT64, &two) || MPJ_Type_commit(&two) ||
      MPJ_Allreduce(mine, two, least, two, MPJ_MIN, comm) || MPJ_Type_free(&two))
    fatal("the ranks could not agree on a redistribution");
  return least[0] == -least[1] && least[0] > 0 ? found : NULL;
}

/* Whether two ranks in one grid have the same matrix: what is their own apart. */
static bool is_same_matrix(const struct side *a, const struct side *b)
{
  if (memcmp(a->grid, b->grid, sizeof a->grid) != 0) return false;
  for (int i = ROWS; i < LEADING; i++)
    if (a->descriptor[i] != b->descriptor[i]) return false;
  return a->descriptor[0] == 1 && b->descriptor[0] == 1;
}

/* One side's array, by what all ranks have said; false, on all: what they said does not fit. */
static bool make_array(const struct call calls[], int size, int which, int me, MPJ_Comm comm,
                       MPJ_Array *array)
{
  const struct side *grid = NULL, *own = &calls[me].sides[which];
  int *ranks = malloc((size_t)size * sizeof *ranks);
  int n = 0;
  bool fits = ranks != NULL;
  for (int i = 0; i < size && fits; i++) {
    const struct side *s = &calls[i].sides[which];
    fits = !memcmp(s->first, own->first, sizeof s->first);
    if (!s->inside) continue;
    if (!grid) grid = s;
    const int place = s->at[0] * grid->grid[1] + s->at[1];
    fits = fits && is_same_matrix(s, grid) && place < size;
    if (fits) ranks[place] = i;
    n++;
  }
  fits = fits && grid && n == grid->grid[0] * grid->grid[1];
  if (fits) {
    MPJ_Axis axes[2];
    for (int d = 0; d < 2; d++)
      axes[d] = (MPJ_Axis){.size = grid->descriptor[ROWS + d],
                           .darg = grid->descriptor[ROW_BLOCK + d],
                           .distribute = MPJ_DISTRIBUTE_CYCLIC,
                           .grid_dim = d,
                           .first = grid->descriptor[FIRST_ROW + d]};
    MPJ_Count shape[2] = {0, 0}, strides[2];
    MPJ_Array plain = MPJ_ARRAY_NULL;
    const MPJ_Datatype element = element_of(calls[me].letter);
    fits = !MPJ_Array_create_on(2, axes, 2, grid->grid, ranks, MPJ_ORDER_FORTRAN, NULL, element,
                                comm, &plain);
    if (fits) {
      MPJ_Array_local(plain, me, shape, strides);
      MPJ_Array_free(&plain);
      if (own->inside) shape[0] = own->descriptor[LEADING];
      fits = !MPJ_Array_create_on(2, axes, 2, grid->grid, ranks, MPJ_ORDER_FORTRAN,
                                  own->inside ? shape : NULL, element, comm, array);
    }
  }
  free(ranks);
  return fits;
}

/* Make the schedule of a call that the ranks do not all have; NULL, on all: it cannot be. */
static struct kept *make(MPJ_Comm comm, const struct call *call)
{
  int size, me;
  MPJ_Comm_size(comm, &size);
  MPJ_Comm_rank(comm, &me);
  struct call *calls = malloc((size_t)size * sizeof *calls);
  struct kept *k = &all[made % KEPT];
  MPJ_Datatype one, each;
  MPJ_Array arrays[2] = {MPJ_ARRAY_NULL, MPJ_ARRAY_NULL};
  if (!calls || MPJ_Type_contiguous(sizeof *calls, MPJ_BYTE, &one) || MPJ_Type_commit(&one) ||
      MPJ_Type_contiguous(size, one, &each) || MPJ_Type_commit(&each) ||
      MPJ_Allgather(call, one, calls, each, comm))
    fatal("the ranks could not tell each other their matrices");
  MPJ_Type_free(&one);
  MPJ_Type_free(&each);
  bool fits = true;
  for (int i = 0; i < size && fits; i++)
    fits = calls[i].letter == call->letter && calls[i].m == call->m && calls[i].n == call->n;
  for (int which = 0; which < 2 && fits; which++)
    fits = make_array(calls, size, which, me, comm, &arrays[which]);
  free(calls);
  if (k->number) MPJ_Schedule_free(&k->schedule);
  k->number = 0;
  made++;
  if (fits) {
    MPJ_Range sections[2][2];
    for (int which = 0; which < 2; which++)
      for (int d = 0; d < 2; d++)
        sections[which][d] = (MPJ_Range){call->sides[which].first[d] - 1, d ? call->n : call->m, 1};
    fits = !MPJ_Remap_create(arrays[0], sections[0], arrays[1], sections[1], NULL, &k->schedule);
  }
  for (int which = 0; which < 2; which++)
    if (arrays[which] != MPJ_ARRAY_NULL) MPJ_Array_free(&arrays[which]);
  if (!fits) return NULL;
  k->comm = comm;
  k->number = made;
  k->call = *call;
  return k;
}

static void serve(int letter, const char *name, int m, int n, void *a, int ia, int ja, int *desca,
                  void *b, int ib, int jb, int *descb, int context)
{
  MPJ_Comm comm;
  struct kept *k = NULL;
  if (m > 0 && n > 0 && find_comm(context, &comm)) {
    struct call call = {.letter = letter, .m = m, .n = n, .context = context};
    describe(&call.sides[0], desca, ia, ja);
    describe(&call.sides[1], descb, ib, jb);
    k = find(comm, &call);
    if (!k) k = make(comm, &call);
  }
  if (k) {
    if (MPJ_Schedule_forward(k->schedule, a, b)) fatal(name);
    served++;
    return;
  }
  passed++;
  gemr2d *real;
  void *symbol = dlsym(RTLD_NEXT, name);
  _Static_assert(sizeof symbol == sizeof real, "a function's address is an object's");
  memcpy(&real, &symbol, sizeof real);
  if (real) real(m, n, a, ia, ja, desca, b, ib, jb, descb, context);
}

#define SERVE(letter, c_name, fortran_name)                                                        \
  void c_name(int m, int n, void *a, int ia, int ja, int *desca, void *b, int ib, int jb,          \
              int *descb, int context);                                                            \
  void c_name(int m, int n, void *a, int ia, int ja, int *desca, void *b, int ib, int jb,          \
              int *descb, int context)                                                             \
  {                                                                                                \
    serve(letter, #c_name, m, n, a, ia, ja, desca, b, ib, jb, descb, context);                     \
  }                                                                                                \
  void fortran_name(const int *m, const int *n, void *a, const int *ia, const int *ja, int *desca, \
                    void *b, const int *ib, const int *jb, int *descb, const int *context);        \
  void fortran_name(const int *m, const int *n, void *a, const int *ia, const int *ja, int *desca, \
                    void *b, const int *ib, const int *jb, int *descb, const int *context)         \
  {                                                                                                \
    c_name(*m, *n, a, *ia, *ja, desca, b, *ib, *jb, descb, *context);                              \
  }

SERVE('i', Cpigemr2d, pigemr2d_)
SERVE('s', Cpsgemr2d, psgemr2d_)
SERVE('d', Cpdgemr2d, pdgemr2d_)
SERVE('c', Cpcgemr2d, pcgemr2d_)
SERVE('z', Cpzgemr2d, pzgemr2d_)
