/* In this program rank 0 calls MPJ_Finalize without a call for which others wait. There it is
 * blocked in something that it has to finish, and that needs them: every rank hears of it, by a
 * call or by MPJ_Finalize, and two ranks' calls are named. In the last kind nobody forgets a thing.
 *
 *   coll_forgets KIND            as a rank of a job
 *   coll_forgets --threads N KIND */
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "need.h"

enum { KINDS = 11 };

/* The order of the calls of rank 0, rank 1 and the others: i, b, c, d, s begin something on a
 * communicator (d: on another one) and give it up, o is a broadcast on it, w a barrier on WORLD, W
 * one after which the rank is late. */
static const struct kind {
  const char *calls[3];
  const char *said[2]; /* to each rank: what rank 0 is in, unless it is MPJ_Finalize, and what it
                          has forgotten; NULL: any difference */
} kinds[KINDS] = {{{"i", "wi", "wi"}, {"MPJ_Barrier_init on ", "MPJ_Barrier on "}},
                  {{"b", "wb", "wb"}, {"MPJ_Barrier on ", "MPJ_Barrier on "}},
                  {{"s", "ws", "ws"}, {"MPJ_Barrier_init on ", "MPJ_Barrier on "}},
                  {{"c", "wc", "wc"}, {"MPJ_Bcast (root 1) on ", "MPJ_Barrier on "}},
                  {{"b", "bo", "bo"}, {"MPJ_Bcast (root 0) on ", "MPJ_Finalize on rank 0"}},
                  {{"b", "bo", "wbo"}, {NULL, NULL}},
                  {{"b", "ob", "ob"}, {"MPJ_Bcast (root 0) on ", "MPJ_Barrier on rank 0"}},
                  {{"b", "ob", "wob"}, {NULL, NULL}},
                  {{"b", "bo", ""}, {NULL, NULL}},
                  {{"cd", "w", "W"}, {NULL, "MPJ_Barrier on "}},
                  {{"bicw", "wbic", "wbic"}, {NULL, NULL}}};

static int barrier_and_nap(void)
{
  const int status = MPJ_Barrier(MPJ_COMM_WORLD);
  const double until = MPJ_Wtime() + .2;
  while (MPJ_Wtime() < until)
    sched_yield();
  return status;
}

static int call(char what, int *x, MPJ_Comm comm, MPJ_Comm other)
{
  MPJ_Request r;
  int size;
  switch (what) {
  case 'i':
    return MPJ_Barrier_init(comm, &r);
  case 'b':
    return MPJ_Ibarrier(comm, &r) || MPJ_Request_free(&r);
  case 'c':
    return MPJ_Ibcast(x, MPJ_INT, 1, comm, &r) || MPJ_Request_free(&r);
  case 'd':
    return MPJ_Comm_size(other, &size) || MPJ_Ibcast(x, MPJ_INT, size - 1, other, &r) ||
           MPJ_Request_free(&r);
  case 'W':
    return barrier_and_nap();
  case 's':
    return MPJ_Barrier_init(comm, &r) || MPJ_Start(&r) || MPJ_Request_free(&r);
  case 'o':
    return MPJ_Bcast(x, MPJ_INT, 0, comm);
  default:
    return MPJ_Barrier(MPJ_COMM_WORLD);
  }
}

static bool says(const char *sentences, const char *what)
{
  return !what || strstr(sentences, what);
}

static bool is_told(const struct kind *k, const char *sentences)
{
  if (k == &kinds[KINDS - 1]) return sentences[0] == '\0';
  return says(sentences, " is MPJ_") && says(sentences, ", but MPJ_") &&
         (says(sentences, k->said[0]) || says(sentences, "MPJ_Finalize on rank 0")) &&
         says(sentences, k->said[1]);
}

static int rank_main(void *arg)
{
  const int kind = *(const int *)arg;
  const struct kind *k = &kinds[kind];
  const double begun = MPJ_Wtime();
  char said[2][300] = {"", ""}, sentences[640];
  int rank = -1, x = 0, status = MPJ_SUCCESS;
  MPJ_Comm comm, other;
  NEED(!MPJ_Comm_rank(MPJ_COMM_WORLD, &rank) && !MPJ_Comm_dup(MPJ_COMM_WORLD, &comm) &&
       !MPJ_Comm_dup(MPJ_COMM_WORLD, &other));
  for (const char *c = k->calls[rank < 2 ? rank : 2]; *c && status == MPJ_SUCCESS; c++)
    status = call(*c, &x, comm, other);
  if (status != MPJ_SUCCESS) snprintf(said[0], sizeof said[0], "%s", MPJ_Error_detail());
  if (MPJ_Finalize()) snprintf(said[1], sizeof said[1], "%s", MPJ_Error_detail());
  snprintf(sentences, sizeof sentences, "%s%s", said[0], said[1]);
  if (is_told(k, sentences)) return 0;
  fprintf(stderr, "kind %d, rank %d, after %.1f s: %s\n", kind, rank, MPJ_Wtime() - begun,
          sentences);
  return 1;
}

int main(int argc, char **argv)
{
  int kind = argc > 1 ? atoi(argv[argc - 1]) % KINDS : 0;
  if (argc == 4) return MPJ_Run_threads(atoi(argv[2]), rank_main, &kind) != 0;
  return MPJ_Init(&argc, &argv) != MPJ_SUCCESS || rank_main(&kind) != 0;
}
