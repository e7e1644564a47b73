/* In this program two threads of each of two ranks are the first in new communicators, and are
 * brought into a circle: on rank 0 the thread of A holds what the interposer converts under, on
 * rank 1 that of B, and the other one of each has come to it, too. One of those that wait ends
 * its try, which lets the other one's communicator be converted: within some rounds one is.
 *
 * What it sees and delays are the interposer's own calls: its exchange, by which a communicator's
 * ranks hear whether all may, and its ways to the lock. */
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* What a definition needs to stand before those of libraries. */
#define SEEN_BY_ALL __attribute__((visibility("default")))

/* How long each waits is random: a round may convert none. NOT_YET calls on a communicator come
 * before the first that tries to. */
enum { ROUNDS = 400, NOT_YET = 4 };

static MPI_Comm comms[2];
static int rank, converted[2];                   /* converted: atomic */
static int first_holds, second_came, second_ran; /* atomic, of a round */
static __thread int who = -1; /* 0: the thread that is to hold it, 1: the other one */

static int get(const int *flag)
{
  return __atomic_load_n(flag, __ATOMIC_SEQ_CST);
}

static void set(int *flag, int value)
{
  __atomic_store_n(flag, value, __ATOMIC_SEQ_CST);
}

/* The next definition of a function that this program defines, too. */
static void find(const char *name, void *function)
{
  void *found = dlsym(RTLD_NEXT, name);
  memcpy(function, &found, sizeof found);
}

static int is_of_interposer(const void *address)
{
  Dl_info info;
  return dladdr(address, &info) && strstr(info.dli_fname, "libmpj-interpose");
}

SEEN_BY_ALL
int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
  int (*next)(pthread_mutex_t *, clockid_t, const struct timespec *);
  find("pthread_mutex_clocklock", &next);
  if (who == 1 && is_of_interposer(mutex)) set(&second_came, 1);
  return next(mutex, clock, until);
}

SEEN_BY_ALL
int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
  static int (*next)(pthread_mutex_t *);
  if (!next) find("pthread_mutex_trylock", &next);
  const int failed = next(mutex);
  if (who == 1 && failed && is_of_interposer(mutex)) set(&second_came, 1);
  return failed;
}

SEEN_BY_ALL
int PMPI_Iallreduce(const void *mine, void *all, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                    MPI_Request *request)
{
  int (*next)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request *);
  find("PMPI_Iallreduce", &next);
  const int which = comm == comms[1];
  if (who < 0 || op != MPI_MIN || comm != comms[which])
    return next(mine, all, n, type, op, comm, request);
  const int holds = *(const int *)mine;
  if (who == 0 && holds) set(&first_holds, 1);
  int status = next(mine, all, n, type, op, comm, request), done = 0;
  while (!status && !done) {
    status = PMPI_Test(request, &done, MPI_STATUS_IGNORE);
    sched_yield();
  }
  while (who == 0 && holds && !get(&second_came) && !get(&second_ran))
    sched_yield();
  if (*(const int *)all) set(&converted[which], 1);
  return status;
}

static void *call(void *arg)
{
  who = *(const int *)arg;
  const int one = 1;
  int sum = 0;
  if (who == 1)
    while (!get(&first_holds))
      sched_yield();
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comms[who ^ rank]);
  if (who == 1) set(&second_ran, 1);
  if (sum != 2) printf("a sum is %d, not 2\n", sum);
  return NULL;
}

int main(int argc, char **argv)
{
  const int ids[2] = {0, 1}, one = 1;
  pthread_t threads[2];
  int provided, size, sum, round = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (size != 2) return printf("circle: %d ranks, must be 2\n", size), 1;
  for (int i = 0; i < 2; i++) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (int k = 0; k < NOT_YET; k++)
      MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comms[i]);
  }
  while (!converted[0] && !converted[1] && round < ROUNDS) {
    first_holds = second_came = second_ran = 0;
    for (int i = 0; i < 2; i++)
      pthread_create(&threads[i], NULL, call, (void *)&ids[i]);
    for (int i = 0; i < 2; i++)
      pthread_join(threads[i], NULL);
    round++;
  }
  if (rank == 0)
    printf("%s after %d rounds\n", round < ROUNDS ? "converted" : "none converted", round);
  MPI_Finalize();
  return round == ROUNDS;
}
