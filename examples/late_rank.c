/* late_rank: whom does a rank delay that comes late to a broadcast?
 *
 *   mpjrun -n 8 late_rank [--dims 2x2x2] [--late RANK] [--by MS]
 *   late_rank --threads 64 --dims 4x4x4
 *
 * The ranks are a torus. Rank 0 broadcasts; one rank comes so many milliseconds late. Each rank
 * says how long it was in the call; rank 0 prints them, a plane of the torus after another.
 * MPJ_COLL_BCAST=neighbourhood, _line and _global differ in who waits: by the first one, only the
 * late rank and those whose data goes through it. */
#include <mpj/mpj.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DIMS_MAX = 3, BYTES = 4096 };
static int ndims = 3, dims[DIMS_MAX] = {2, 2, 2}, late = 1, late_ms = 50;

static void sleep_ms(int ms)
{
  const struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
  nanosleep(&t, NULL);
}

static void print_planes(const double ms[])
{
  const int rows = ndims > 1 ? dims[ndims - 2] : 1, columns = dims[ndims - 1];
  const int planes = ndims > 2 ? dims[0] : 1;
  for (int plane = 0, rank = 0; plane < planes; plane++) {
    printf("plane %d\n", plane);
    for (int row = 0; row < rows; row++, printf("\n"))
      for (int column = 0; column < columns; column++, rank++)
        printf(" %8.3f%s", ms[rank], rank == late ? "*" : " ");
  }
}

/* How long this rank was in a broadcast; *wrong: the data is. */
static int broadcast(MPJ_Comm torus, MPJ_Datatype type, int rank, double *ms, int *wrong)
{
  static _Thread_local int data[BYTES / sizeof(int)];
  for (size_t i = 0; i < sizeof data / sizeof *data; i++)
    data[i] = rank == 0 ? (int)i : -1;
  int status = MPJ_Barrier(torus);
  if (rank == late) sleep_ms(late_ms);
  const double begun = MPJ_Wtime();
  if (status == MPJ_SUCCESS) status = MPJ_Bcast(data, type, 0, torus);
  *ms = 1e3 * (MPJ_Wtime() - begun);
  *wrong = 0;
  for (size_t i = 0; i < sizeof data / sizeof *data; i++)
    *wrong |= data[i] != (int)i;
  return status;
}

static int run(void *arg)
{
  int rank, size, wrong = 1, status;
  double ms = 0, *all = NULL;
  MPJ_Count puts = 0, fifo = 0;
  MPJ_Comm torus;
  MPJ_Datatype type, times;
  (void)arg;
  status = MPJ_Comm_create_torus(MPJ_COMM_WORLD, ndims, dims, NULL, 0, &torus);
  if (status != MPJ_SUCCESS) {
    fprintf(stderr, "late_rank: %s\n", MPJ_Error_detail());
    return 2;
  }
  MPJ_Comm_rank(torus, &rank);
  MPJ_Comm_size(torus, &size);
  MPJ_Type_contiguous(BYTES / sizeof(int), MPJ_INT, &type);
  MPJ_Type_contiguous(size, MPJ_DOUBLE, &times);
  MPJ_Type_commit(&type);
  MPJ_Type_commit(&times);
  status = broadcast(torus, type, rank, &ms, &wrong);
  MPJ_Neighbourhood_counts(&puts, &fifo);
  if (rank == 0) all = calloc((size_t)size, sizeof *all);
  if (status == MPJ_SUCCESS) status = MPJ_Gather(&ms, MPJ_DOUBLE, all, times, 0, torus);
  if (status != MPJ_SUCCESS) fprintf(stderr, "late_rank: %s\n", MPJ_Error_detail());
  if (rank == 0 && status == MPJ_SUCCESS) {
    printf("milliseconds in MPJ_Bcast; * came %d ms late\n", late_ms);
    print_planes(all);
    printf("rank 0 has put %lld messages and sent %lld by the FIFO\n", (long long)puts,
           (long long)fifo);
  }
  free(all);
  MPJ_Type_free(&type);
  MPJ_Type_free(&times);
  MPJ_Comm_free(&torus);
  return status != MPJ_SUCCESS || wrong;
}

static int read_dims(const char *text)
{
  for (ndims = 0; ndims < DIMS_MAX; text = strchr(text, 'x') + 1) {
    dims[ndims++] = atoi(text);
    if (!strchr(text, 'x')) return 1;
  }
  return 0;
}

int main(int argc, char **argv)
{
  int threads = 0, good = argc % 2;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], "--dims") == 0)
      good = good && read_dims(argv[i + 1]);
    else if (strcmp(argv[i], "--late") == 0)
      late = atoi(argv[i + 1]);
    else if (strcmp(argv[i], "--by") == 0)
      late_ms = atoi(argv[i + 1]);
    else if (strcmp(argv[i], "--threads") == 0)
      threads = atoi(argv[i + 1]);
    else
      good = 0;
  }
  if (!good || late_ms < 0) {
    fprintf(stderr, "usage: late_rank [--threads N] [--dims AxBxC] [--late RANK] [--by MS]\n");
    return 2;
  }
  if (threads > 0) return MPJ_Run_threads(threads, run, NULL);
  if (MPJ_Init(&argc, &argv) != MPJ_SUCCESS) return 2;
  const int status = run(NULL);
  MPJ_Finalize();
  return status;
}
