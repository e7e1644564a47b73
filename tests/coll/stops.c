/* In this program a rank is stopped or killed at some moment while it sends to others:
 *
 *   coll_stops stop|kill SEED      as one process of a job
 *
 * Meanwhile the others, who send to the same ranks, add up numbers in a communicator without it: that
 * goes on, a hundred times more after the signal. Then who is stopped goes on, and what it sent is
 * whole; or it is dead, and the calls that need it say so. A rank that has seen all this prints
 * "seen RANK". The seed says who it is, and when. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "need.h"

enum { GATHERS = 6, LONGEST_US = 20000, FURTHER = 100, LENGTH = 300 };

static struct {
  int rank, size, victim, after_us;
  bool kills;
  pid_t pid;          /* the victim's */
  _Atomic bool fired; /* by rank 0 */
  int64_t batch, last;
  int64_t *mine, *all; /* of each gather: of 1, 3 and LENGTH numbers in turn */
  MPJ_Datatype one[GATHERS], each[GATHERS];
  MPJ_Request requests[GATHERS + 1];
  int status[GATHERS + 1]; /* -1: it is under way */
} job;

static void *fire(void *unused)
{
  (void)unused;
  usleep((useconds_t)job.after_us);
  kill(job.pid, job.kills ? SIGKILL : SIGSTOP);
  job.fired = true;
  return NULL;
}

static int length_of(int gather)
{
  return gather % 3 == 0 ? 1 : gather % 3 == 1 ? 3 : LENGTH;
}

static int64_t *place(int64_t *numbers, int ranks, int gather)
{
  return numbers + (size_t)gather * (size_t)ranks * LENGTH;
}

static int64_t number(int64_t batch, int rank, int gather)
{
  return batch * 1000000 + rank * 100 + gather;
}

/* A call has returned this: success; or *failed: that the victim is dead, by its name. */
static int hear(int status, bool *failed)
{
  char name[32];
  if (status == MPJ_SUCCESS) return 0;
  snprintf(name, sizeof name, "rank %d", job.victim);
  NEED(job.kills && status == MPJ_ERR_PEER && strstr(MPJ_Error_detail(), name));
  *failed = true;
  return 0;
}

/* A batch: gathers to rank 0, and a broadcast from it that says whether it is the last. */
static int start(bool last, bool *failed)
{
  int line = 0;
  if (job.rank == 0) job.last = last;
  for (int g = 0; g < GATHERS && !line && !*failed; g++) {
    for (int i = 0; i < length_of(g); i++)
      place(job.mine, 1, g)[i] = number(job.batch, job.rank, g);
    line = hear(MPJ_Igather(place(job.mine, 1, g), job.one[g], place(job.all, job.size, g),
                            job.each[g], 0, MPJ_COMM_WORLD, &job.requests[g]), failed);
    job.status[g] = -1;
  }
  job.status[GATHERS] = -1;
  if (line || *failed) return line;
  return hear(MPJ_Ibcast(&job.last, MPJ_INT64, 0, MPJ_COMM_WORLD, &job.requests[GATHERS]), failed);
}

static int check(void)
{
  for (int g = 0; g < GATHERS && job.rank == 0; g++)
    for (int r = 0; r < job.size; r++)
      for (int i = 0; i < length_of(g); i++)
        NEED(place(job.all, job.size, g)[r * length_of(g) + i] == number(job.batch, r, g));
  return 0;
}

/* Whether all of the batch have ended. */
static int test(bool *ended, bool *failed)
{
  *ended = true;
  for (int k = 0; k <= GATHERS; k++) {
    int done = 0;
    if (job.status[k] >= 0) continue;
    job.status[k] = MPJ_Test(&job.requests[k], &done);
    const int line = hear(job.status[k], failed);
    if (line) return line;
    if (job.status[k] == MPJ_SUCCESS && !done) {
      job.status[k] = -1;
      *ended = false;
    }
  }
  return 0;
}

/* Move the batches on, and begin the next one once this has ended. */
static int move_on(bool last, bool *over)
{
  bool ended = true, failed = false;
  int line = test(&ended, &failed);
  if (line) return line;
  *over = failed || (ended && job.last && job.batch >= 0);
  if (!ended || failed) return 0;
  if (job.batch >= 0 && (line = check()) != 0) return line;
  if (*over) return 0;
  job.batch++;
  line = start(last, &failed);
  *over = failed;
  return line;
}

/* The others' sums, until rank 0 has made so many after the signal. */
static int add_up(MPJ_Comm others, bool *over)
{
  int64_t further = 0;
  for (int64_t k = 0; further < FURTHER; k++) {
    const int64_t mine[2] = {k, job.rank == 0 && job.fired ? further + 1 : 0};
    int64_t sum[2];
    MPJ_Datatype two;
    NEED(!MPJ_Type_contiguous(2, MPJ_INT64, &two) && !MPJ_Type_commit(&two));
    NEED(!MPJ_Allreduce(mine, two, sum, two, MPJ_SUM, others));
    NEED(!MPJ_Type_free(&two));
    NEED(sum[0] == k * (job.size - 1));
    further = sum[1];
    if (*over) continue;
    const int line = move_on(false, over);
    if (line) return line;
  }
  return 0;
}

static int play(MPJ_Comm others)
{
  bool over = false;
  pthread_t thread;
  int line = 0;
  if (job.rank == 0) NEED(!pthread_create(&thread, NULL, fire, NULL));
  if (job.rank != job.victim) line = add_up(others, &over);
  if (job.rank == 0) NEED(!pthread_join(thread, NULL));
  if (job.rank == 0 && !job.kills) NEED(!kill(job.pid, SIGCONT));
  while (!over && !line)
    line = move_on(true, &over);
  return line;
}

static int prepare(MPJ_Comm *others)
{
  int64_t pid = getpid(), *pids = calloc((size_t)job.size, sizeof *pids);
  MPJ_Datatype all;
  NEED(pids && !MPJ_Type_contiguous(job.size, MPJ_INT64, &all) && !MPJ_Type_commit(&all));
  NEED(!MPJ_Allgather(&pid, MPJ_INT64, pids, all, MPJ_COMM_WORLD));
  job.pid = (pid_t)pids[job.victim];
  free(pids);
  NEED(!MPJ_Type_free(&all));
  job.mine = calloc((size_t)GATHERS * LENGTH, sizeof *job.mine);
  job.all = calloc((size_t)GATHERS * LENGTH * (size_t)job.size, sizeof *job.all);
  NEED(job.mine && job.all);
  for (int g = 0; g < GATHERS; g++) {
    NEED(!MPJ_Type_contiguous(length_of(g), MPJ_INT64, &job.one[g]) && !MPJ_Type_commit(&job.one[g]));
    NEED(!MPJ_Type_contiguous(job.size, job.one[g], &job.each[g]) && !MPJ_Type_commit(&job.each[g]));
  }
  NEED(!MPJ_Comm_split(MPJ_COMM_WORLD, job.rank == job.victim ? MPJ_UNDEFINED : 0, 0, others));
  NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
  return 0;
}

int main(int argc, char **argv)
{
  MPJ_Comm others;
  NEED(argc == 3 && !MPJ_Init(&argc, &argv));
  NEED(!MPJ_Comm_rank(MPJ_COMM_WORLD, &job.rank) && !MPJ_Comm_size(MPJ_COMM_WORLD, &job.size));
  const unsigned seed = (unsigned)atoi(argv[2]) * 2654435761u;
  job.kills = strcmp(argv[1], "kill") == 0;
  job.victim = 1 + (int)(seed >> 8) % (job.size - 1);
  job.after_us = (int)((seed >> 4) % LONGEST_US);
  job.batch = -1;
  int line = prepare(&others);
  if (!line) line = play(others);
  if (line) return line;
  printf("seen %d\n", job.rank);
  const int status = MPJ_Finalize();
  return job.kills ? 0 : status;
}
