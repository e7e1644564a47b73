/* In this program ranks have as many communicators at a time as they are told, and use some of
 * them:
 *
 *   coll_no_limit [--threads N] [lack | unseen] COUNT ROUNDS
 *
 * Each round duplicates WORLD so often, adds up numbers with some of the duplicates, the last ones
 * among them, once more by a persistent request, and frees all.
 *   lack    (ROUNDS 1) the last rank may make no file longer: at some number all ranks are told
 * that there is no memory, and go on with what they have; then it may, and they get the rest unseen
 * rank 0 cannot map what a peer has: it is told that there is no memory when it calls something
 * there, and the others that rank 0 has none */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "need.h"

enum how { ALL_GO, LACK, UNSEEN };

struct orders {
  enum how how;
  int count, rounds;
};

static int add_up(MPJ_Comm comm, int rank, int size, int64_t term)
{
  const int64_t mine = rank + term;
  int64_t sum = 0;
  NEED(!MPJ_Allreduce(&mine, MPJ_INT64, &sum, MPJ_INT64, MPJ_SUM, comm));
  NEED(sum == (int64_t)size * (size - 1) / 2 + size * term);
  return 0;
}

static int add_up_persistently(MPJ_Comm comm, int rank, int size)
{
  int64_t mine = rank + 1, sum = 0;
  MPJ_Request request;
  NEED(!MPJ_Allreduce_init(&mine, MPJ_INT64, &sum, MPJ_INT64, MPJ_SUM, comm, &request));
  for (int i = 0; i < 3; i++, sum = 0) {
    NEED(!MPJ_Start(&request) && !MPJ_Wait(&request));
    NEED(sum == (int64_t)size * (size + 1) / 2);
  }
  NEED(!MPJ_Request_free(&request));
  return 0;
}

/* Some of all, and all of the last. */
static int use(const MPJ_Comm comms[], int count, int rank, int size)
{
  enum { LAST = 20, SOME = 997 };
  for (int k = 0; k < count; k += k < count - LAST && k + SOME < count ? SOME : 1) {
    const int line = add_up(comms[k], rank, size, k);
    if (line != 0) return line;
  }
  return add_up_persistently(comms[count - 1], rank, size);
}

static int may_write(rlim_t bytes)
{
  struct rlimit limit;
  NEED(getrlimit(RLIMIT_FSIZE, &limit) == 0);
  limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
  NEED(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  return 0;
}

/* How many can be had while the last rank can make no file longer: the same on all. */
static int make_few(MPJ_Comm comms[], int count, int rank, int size, int *made)
{
  int status = MPJ_SUCCESS;
  if (rank == size - 1) NEED(!may_write(1));
  for (*made = 0; *made < count; ++*made)
    if ((status = MPJ_Comm_dup(MPJ_COMM_WORLD, &comms[*made])) != MPJ_SUCCESS) break;
  NEED(status == MPJ_ERR_NO_MEM && *made > 17000 && comms[*made] == MPJ_COMM_NULL);
  NEED(!add_up(comms[*made - 1], rank, size, 3) && !add_up(MPJ_COMM_WORLD, rank, size, 4));
  NEED(MPJ_Comm_dup(MPJ_COMM_WORLD, &comms[*made]) == MPJ_ERR_NO_MEM);
  if (rank == size - 1) NEED(!may_write(RLIM_INFINITY));
  return 0;
}

/* Let this process map no more than a little. */
static int map_no_more(void)
{
  enum { LITTLE = 4 << 20 };
  long pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  NEED(f && fscanf(f, "%ld", &pages) == 1);
  fclose(f);
  const rlim_t most = (rlim_t)(pages * sysconf(_SC_PAGESIZE)) + LITTLE;
  NEED(setrlimit(RLIMIT_AS, &(struct rlimit){most, most}) == 0);
  return 0;
}

/* The others may end what rank 0 has sent its part of; then they hear of it, and so on WORLD. */
static int see_nothing(MPJ_Comm last, int rank)
{
  enum { ENOUGH = 40 };
  int64_t mine = rank, sum = 0;
  int status = MPJ_SUCCESS;
  if (rank == 0) NEED(!map_no_more());
  for (int i = 0; i < ENOUGH && status == MPJ_SUCCESS; i++)
    status = MPJ_Allreduce(&mine, MPJ_INT64, &sum, MPJ_INT64, MPJ_SUM, last);
  NEED(status == MPJ_ERR_NO_MEM && strstr(MPJ_Error_detail(), "rank 0"));
  NEED(MPJ_Barrier(MPJ_COMM_WORLD) == MPJ_ERR_NO_MEM && strstr(MPJ_Error_detail(), "rank 0"));
  return 0;
}

static int play_round(const struct orders *o, MPJ_Comm comms[], int rank, int size)
{
  int made = 0;
  if (o->how == LACK) NEED(!make_few(comms, o->count, rank, size, &made));
  for (; made < o->count; made++)
    NEED(!MPJ_Comm_dup(MPJ_COMM_WORLD, &comms[made]));
  if (o->how == UNSEEN) return see_nothing(comms[made - 1], rank);
  NEED(!use(comms, o->count, rank, size));
  for (int k = 0; k < o->count; k++)
    NEED(!MPJ_Comm_free(&comms[k]));
  return 0;
}

static int rank_main(void *arg)
{
  const struct orders *o = arg;
  int rank, size, line = 0;
  NEED(!MPJ_Comm_rank(MPJ_COMM_WORLD, &rank) && !MPJ_Comm_size(MPJ_COMM_WORLD, &size));
  MPJ_Comm *comms = calloc((size_t)o->count, sizeof *comms);
  if (!comms) return 1;
  for (int i = 0; i < o->rounds && line == 0; i++)
    line = play_round(o, comms, rank, size);
  free(comms);
  if (line == 0) NEED(MPJ_Finalize() == MPJ_SUCCESS || o->how == UNSEEN);
  return line;
}

int main(int argc, char **argv)
{
  const bool threads = argc > 2 && strcmp(argv[1], "--threads") == 0;
  const int at = threads ? 3 : 1;
  struct orders o = {.how = ALL_GO};
  if (at < argc && strcmp(argv[at], "lack") == 0) o.how = LACK;
  if (at < argc && strcmp(argv[at], "unseen") == 0) o.how = UNSEEN;
  const int left = at + (o.how != ALL_GO);
  if (left + 2 != argc) return 2;
  o.count = atoi(argv[left]);
  o.rounds = atoi(argv[left + 1]);
  if (threads) return MPJ_Run_threads(atoi(argv[2]), rank_main, &o) != 0;
  return MPJ_Init(&argc, &argv) != MPJ_SUCCESS || rank_main(&o) != 0;
}
