/* This file serves ScaLAPACK's redistribution, p?gemr2d, by MPJ's schedules: a library that is
 * loaded before ScaLAPACK's own. Everything else passes.
 *
 * A call is served where the context that both matrices share has all processes of its MPI
 * communicator. The schedule is kept, with the communicator, for the next call with the same
 * descriptors. Whether there is one no rank knows alone: to one outside of both grids unlike calls
 * look alike. Each says which of the communicator's schedules it could take, and all take one that
 * all could. If there is none, the ranks tell each other their descriptors, and make a schedule; if
 * these do not fit, ScaLAPACK is called, and says why.
 *
 * Cost: of a call that has been made before, an allreduce of 8 bytes and the schedule's run; of a
 * new one besides an allgather of 140 bytes a rank, and the making. */
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
enum { SYSTEM_OF_CONTEXT = 10, KEPT = 16 }; /* KEPT: at most 64 */

/* One side of a call as this rank has it: zeros if it is outside its grid. */
struct side {
  int32_t inside, first[2]; /* the section's first row and column, from 1 */
  int32_t descriptor[DESCRIPTOR];
  int32_t grid[2], at[2];
};

/* A call as this rank has it. */
struct call {
  int32_t letter, m, n;
  struct side sides[2];
};

/* The schedules of a communicator, which is what all its ranks have made of it together: place i is
 * the same call on all. */
struct kept {
  uint64_t made; /* the next one's place is this modulo KEPT */
  struct call calls[KEPT];
  MPJ_Schedule schedules[KEPT]; /* owned; or null */
};

static int key = MPJ_KEYVAL_INVALID; /* of a communicator's struct kept */
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

static int end_kept(MPJ_Comm comm, int keyval, void *value, void *extra)
{
  struct kept *kept = value;
  (void)comm, (void)keyval, (void)extra;
  for (int i = 0; i < KEPT; i++)
    if (kept->schedules[i] != MPJ_SCHEDULE_NULL) MPJ_Schedule_free(&kept->schedules[i]);
  free(kept);
  return MPJ_SUCCESS;
}

/* What is kept for a communicator, and gone with it. */
static struct kept *kept_of(MPJ_Comm comm)
{
  void *value = NULL;
  int there = 0;
  if (key == MPJ_KEYVAL_INVALID && MPJ_Comm_create_keyval(NULL, end_kept, &key, NULL))
    fatal("redistributions cannot be kept");
  if (MPJ_Comm_get_attr(comm, key, &value, &there)) fatal("redistributions cannot be found");
  if (there) return value;
  struct kept *kept = calloc(1, sizeof *kept);
  if (!kept || MPJ_Comm_set_attr(comm, key, kept)) fatal("redistributions cannot be kept");
  return kept;
}

/* The place of the schedule that all ranks have for their calls, or -1. */
static int find(MPJ_Comm comm, const struct kept *kept, const struct call *call)
{
  uint64_t mine = 0, common;
  for (int i = 0; i < KEPT; i++)
    if (kept->schedules[i] != MPJ_SCHEDULE_NULL && !memcmp(&kept->calls[i], call, sizeof *call))
      mine |= UINT64_C(1) << i;
  if (MPJ_Allreduce(&mine, MPJ_UINT64, &common, MPJ_UINT64, MPJ_BAND, comm))
    fatal("the ranks could not agree on a redistribution");
  return common ? __builtin_ctzll(common) : -1;
}

/* Whether two ranks in one grid have the same matrix: what is their own apart. */
static bool is_same_matrix(const struct side *a, const struct side *b)
{
  if (memcmp(a->grid, b->grid, sizeof a->grid) != 0) return false;
  for (int i = ROWS; i < LEADING; i++)
    if (a->descriptor[i] != b->descriptor[i]) return false;
  return a->descriptor[0] == 1 && b->descriptor[0] == 1;
}

/* One side's array, by what all ranks have said; false, on all: what they said does not fit.
 * ranks[size] is room. */
static bool make_array(const struct call calls[], int ranks[], int size, int which, int me,
                       MPJ_Comm comm, MPJ_Array *array)
{
  const struct side *grid = NULL, *own = &calls[me].sides[which];
  int n = 0;
  bool fits = true;
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
  return fits;
}

/* Make the schedule of a call that the ranks do not all have: its place, or -1, on all: it cannot
 * be. */
static int make(MPJ_Comm comm, struct kept *kept, const struct call *call)
{
  int size, me;
  MPJ_Comm_size(comm, &size);
  MPJ_Comm_rank(comm, &me);
  struct call *calls = malloc((size_t)size * sizeof *calls);
  int *ranks = malloc((size_t)size * sizeof *ranks);
  const int place = (int)(kept->made++ % KEPT);
  MPJ_Schedule *schedule = &kept->schedules[place];
  MPJ_Datatype one, each;
  MPJ_Array arrays[2] = {MPJ_ARRAY_NULL, MPJ_ARRAY_NULL};
  if (!calls || !ranks || MPJ_Type_contiguous(sizeof *calls, MPJ_BYTE, &one) ||
      MPJ_Type_commit(&one) || MPJ_Type_contiguous(size, one, &each) || MPJ_Type_commit(&each) ||
      MPJ_Allgather(call, one, calls, each, comm))
    fatal("the ranks could not tell each other their matrices");
  MPJ_Type_free(&one);
  MPJ_Type_free(&each);
  bool fits = true;
  for (int i = 0; i < size && fits; i++)
    fits = calls[i].letter == call->letter && calls[i].m == call->m && calls[i].n == call->n;
  for (int which = 0; which < 2 && fits; which++)
    fits = make_array(calls, ranks, size, which, me, comm, &arrays[which]);
  free(calls);
  free(ranks);
  if (*schedule != MPJ_SCHEDULE_NULL) MPJ_Schedule_free(schedule);
  if (fits) {
    MPJ_Range sections[2][2];
    for (int which = 0; which < 2; which++)
      for (int d = 0; d < 2; d++)
        sections[which][d] = (MPJ_Range){call->sides[which].first[d] - 1, d ? call->n : call->m, 1};
    fits = !MPJ_Remap_create(arrays[0], sections[0], arrays[1], sections[1], NULL, schedule);
  }
  for (int which = 0; which < 2; which++)
    if (arrays[which] != MPJ_ARRAY_NULL) MPJ_Array_free(&arrays[which]);
  kept->calls[place] = *call;
  return fits ? place : -1;
}

static void serve(int letter, const char *name, int m, int n, void *a, int ia, int ja, int *desca,
                  void *b, int ib, int jb, int *descb, int context)
{
  MPJ_Comm comm;
  struct kept *kept = NULL;
  int place = -1;
  if (m > 0 && n > 0 && find_comm(context, &comm)) {
    struct call call = {.letter = letter, .m = m, .n = n};
    describe(&call.sides[0], desca, ia, ja);
    describe(&call.sides[1], descb, ib, jb);
    kept = kept_of(comm);
    place = find(comm, kept, &call);
    if (place < 0) place = make(comm, kept, &call);
  }
  if (place >= 0) {
    if (MPJ_Schedule_forward(kept->schedules[place], a, b)) fatal(name);
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
