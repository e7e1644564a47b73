/* This program lets 8 threads be the first to use communicators of their own, all at once, for 400
 * collectives each: under the interposer most are served soon, and all sums are right.
 *
 *   firsts [N]   for N */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 8 };

static MPI_Comm comms[THREADS];
static int wrong[THREADS], size, calls = 400;

static void *sum_up(void *arg)
{
  const int k = *(const int *)arg;
  for (int i = 0; i < calls; i++) {
    int all = 0;
    MPI_Allreduce(&i, &all, 1, MPI_INT, MPI_SUM, comms[k]);
    wrong[k] += all != size * i;
  }
  return NULL;
}

int main(int argc, char **argv)
{
  pthread_t threads[THREADS];
  int provided, ids[THREADS], bad = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 1) calls = atoi(argv[1]);
  for (int i = 0; i < THREADS; i++)
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  for (int i = 0; i < THREADS; i++) {
    ids[i] = i;
    pthread_create(&threads[i], NULL, sum_up, &ids[i]);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    bad += wrong[i];
    MPI_Comm_free(&comms[i]);
  }
  if (bad > 0) printf("%d sums are wrong\n", bad);
  MPI_Finalize();
  return bad > 0;
}
