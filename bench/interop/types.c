/* This file is the worker of `mpj-bench interop types`: what converting an MPI datatype costs,
 * the first time and when it was seen before, beside making and freeing it in MPI. One rank.
 *
 *   {"case": "vector", "timing": "seen", "way": "mpj", "p": 1, "bytes": 0, "us": 0.031}
 *
 * timing  first: a new MPI type each time, converted, and the share freed
 *         seen: the same one again, and the share freed
 * way     mpj: the conversion; beside: making, committing and freeing the MPI type (first)
 *
 *   interop_types_MPI SECONDS     of each result */
#include <mpj/mpi.h>

#include <stdio.h>
#include <stdlib.h>

enum { BLOCKS = 1000, AT_ONCE = 64 };

static int lengths[BLOCKS], places[BLOCKS];
static MPI_Aint addresses[BLOCKS];
static MPI_Datatype members[BLOCKS];

static void fill_lists(void)
{
  unsigned r = 1;
  for (int i = 0, at = 0; i < BLOCKS; i++) {
    r = r * 1664525u + 1013904223u;
    lengths[i] = 1 + (int)(r >> 16) % 4;
    places[i] = at;
    addresses[i] = at * (MPI_Aint)sizeof(double);
    members[i] = i % 2 ? MPI_DOUBLE : MPI_INT64_T;
    at += lengths[i] + 1 + (int)(r >> 24) % 8;
  }
}

static void make_vector(MPI_Datatype *t)
{
  MPI_Type_vector(100, 3, 5, MPI_DOUBLE, t);
}

static void make_indexed(MPI_Datatype *t)
{
  MPI_Type_indexed(10, lengths, places, MPI_DOUBLE, t);
}

static void make_long_indexed(MPI_Datatype *t)
{
  MPI_Type_indexed(BLOCKS, lengths, places, MPI_DOUBLE, t);
}

static void make_struct(MPI_Datatype *t)
{
  MPI_Type_create_struct(10, lengths, addresses, members, t);
}

static void make_subarray(MPI_Datatype *t)
{
  const int sizes[3] = {64, 64, 64}, subsizes[3] = {16, 16, 16}, starts[3] = {8, 0, 16};
  MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_C, MPI_DOUBLE, t);
}

static void make_darray(MPI_Datatype *t)
{
  const int sizes[2] = {1000, 1000}, grid[2] = {2, 2}, dargs[2] = {64, 64};
  const int distribs[2] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_CYCLIC};
  MPI_Type_create_darray(4, 1, 2, sizes, distribs, dargs, grid, MPI_ORDER_C, MPI_DOUBLE, t);
}

static void make_resized_vector(MPI_Datatype *t)
{
  MPI_Datatype vector;
  make_vector(&vector);
  MPI_Type_create_resized(vector, 0, sizeof(double), t);
  MPI_Type_free(&vector);
}

static const struct subject {
  const char *name;
  void (*make)(MPI_Datatype *t);
} subjects[] = {{"vector", make_vector},
                {"indexed-10", make_indexed},
                {"indexed-1000", make_long_indexed},
                {"struct-10", make_struct},
                {"subarray", make_subarray},
                {"darray", make_darray},
                {"resized", make_resized_vector}};

static void say(const char *name, const char *timing, const char *way, double us)
{
  printf("{\"case\": \"%s\", \"timing\": \"%s\", \"way\": \"%s\", \"p\": 1, \"bytes\": 0, "
         "\"us\": %.6g}\n",
         name, timing, way, us);
}

/* Convert and let go of the share. */
static void convert(MPI_Datatype mpi)
{
  MPJ_Datatype type;
  if (MPJ_Type_from_mpi(mpi, &type) || MPJ_Type_free(&type)) {
    fprintf(stderr, "a conversion failed: %s\n", MPJ_Error_detail());
    exit(1);
  }
}

static void time_first(const struct subject *s, double seconds)
{
  double making = 0, converting = 0;
  long n = 0;
  while (making + converting < seconds) {
    MPI_Datatype types[AT_ONCE];
    double start = MPI_Wtime();
    for (int i = 0; i < AT_ONCE; i++) {
      s->make(&types[i]);
      MPI_Type_commit(&types[i]);
    }
    making += MPI_Wtime() - start;
    start = MPI_Wtime();
    for (int i = 0; i < AT_ONCE; i++)
      convert(types[i]);
    converting += MPI_Wtime() - start;
    for (int i = 0; i < AT_ONCE; i++)
      MPI_Type_free(&types[i]);
    n += AT_ONCE;
  }
  say(s->name, "first", "mpj", 1e6 * converting / (double)n);
  say(s->name, "first", "beside", 1e6 * making / (double)n);
}

static void time_seen(const struct subject *s, double seconds)
{
  MPI_Datatype mpi;
  double spent = 0;
  long n = 1000;
  s->make(&mpi);
  MPI_Type_commit(&mpi);
  for (; spent < seconds; n *= 4) {
    const double start = MPI_Wtime();
    for (long i = 0; i < n; i++)
      convert(mpi);
    spent = MPI_Wtime() - start;
    if (spent >= seconds) break;
  }
  MPI_Type_free(&mpi);
  say(s->name, "seen", "mpj", 1e6 * spent / (double)n);
}

int main(int argc, char **argv)
{
  const double seconds = argc > 1 ? atof(argv[1]) : 0.05;
  MPI_Init(NULL, NULL);
  fill_lists();
  for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
    time_first(&subjects[i], seconds);
    time_seen(&subjects[i], seconds);
  }
  MPI_Finalize();
  return 0;
}
