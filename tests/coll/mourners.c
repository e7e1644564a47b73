/* This file is a program of a job in which one process is killed while all of them
 * are in operations on two communicators, one with it and one without it: on the
 * first the others hear of it, on the second life goes on.
 *
 *   coll_mourners VICTIM AFTER_US
 *
 * Each survivor prints "survived <rank> <pid>". */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpj/mpj.h>

enum { INTS = 20000, ROUNDS = 40, PATIENCE_S = 50 };

static int in[INTS], out[INTS], both[INTS];

static void *die_in_time(void *arg)
{
  usleep((useconds_t)atoi(arg));
  raise(SIGKILL);
  return NULL;
}

static int fail(const char *what)
{
  fprintf(stderr, "%s: %s\n", what, MPJ_Error_detail());
  return 1;
}

/* One reduction of long data among the survivors: all there. */
static int live_on(MPJ_Comm rest, MPJ_Datatype ints)
{
  int size;
  memset(out, 0, sizeof out);
  if (MPJ_Comm_size(rest, &size) != MPJ_SUCCESS) return fail("size");
  if (MPJ_Allreduce(in, ints, out, ints, MPJ_SUM, rest) != MPJ_SUCCESS) return fail("rest");
  for (int i = 0; i < INTS; i++)
    if (out[i] != size * i) return fail("wrong data");
  return 0;
}

static int survive(MPJ_Comm all, MPJ_Comm rest, MPJ_Datatype ints, int victim)
{
  char name[32], news[240] = "";
  int status = MPJ_SUCCESS;
  MPJ_Request request;
  MPJ_Comm copy;
  for (int heard = 0, all_heard = 0; !all_heard;) { /* not all do in the same round */
    if (!heard) status = MPJ_Iallreduce(in, ints, both, ints, MPJ_SUM, all, &request);
    if (live_on(rest, ints) != 0) return 1;
    if (!heard && status == MPJ_SUCCESS) status = MPJ_Wait(&request);
    if (!heard && status != MPJ_SUCCESS) snprintf(news, sizeof news, "%s", MPJ_Error_detail());
    heard = status != MPJ_SUCCESS;
    if (MPJ_Allreduce(&heard, MPJ_INT, &all_heard, MPJ_INT, MPJ_MIN, rest) != MPJ_SUCCESS)
      return fail("rest");
  }
  snprintf(name, sizeof name, "rank %d", victim);
  if (status != MPJ_ERR_PEER || !strstr(news, name)) return fail(news);
  for (int i = 0; i < ROUNDS; i++)
    if (live_on(rest, ints) != 0) return 1;
  if (MPJ_Comm_dup(rest, &copy) != MPJ_SUCCESS || live_on(copy, ints) != 0) return fail("dup");
  if (MPJ_Comm_dup(all, &all) != MPJ_ERR_PEER) return fail("a new one with the dead");
  return MPJ_Comm_free(&copy) || MPJ_Comm_free(&all) || MPJ_Comm_free(&rest);
}

int main(int argc, char **argv)
{
  int rank;
  MPJ_Comm all, rest;
  MPJ_Datatype ints;
  pthread_t clock;
  if (argc != 3 || MPJ_Init(&argc, &argv) != MPJ_SUCCESS) return 2;
  const int victim = atoi(argv[1]);
  alarm(PATIENCE_S);
  for (int i = 0; i < INTS; i++)
    in[i] = i;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  MPJ_Type_contiguous(INTS, MPJ_INT, &ints);
  MPJ_Type_commit(&ints);
  if (MPJ_Comm_split(MPJ_COMM_WORLD, 0, -rank, &all) != MPJ_SUCCESS) return fail("split");
  if (MPJ_Comm_split(MPJ_COMM_WORLD, rank == victim, 0, &rest) != MPJ_SUCCESS) return fail("split");
  if (rank == victim) {
    if (pthread_create(&clock, NULL, die_in_time, argv[2]) != 0) return 1;
    while (MPJ_Allreduce(in, ints, both, ints, MPJ_SUM, all) == MPJ_SUCCESS) {
    }
    return fail("the victim");
  }
  int size;
  MPJ_Comm_size(MPJ_COMM_WORLD, &size);
  if (survive(all, rest, ints, size - 1 - victim) != 0) return 1; /* its number in `all` */
  printf("survived %d %d\n", rank, (int)getpid());
  fflush(stdout);
  MPJ_Type_free(&ints);
  return MPJ_Finalize();
}
