/* This program has broadcasts along the lines of a torus choose a protocol for each neighbourhood,
 * and asks who used the FIFO, and whom a late rank delays.
 *
 *   coll_neighbourhood [--ranks LIST] counts:DIMS  one rank does not qualify: exactly its
 *                                                  neighbourhood uses the FIFO
 *   coll_neighbourhood [--ranks LIST] late:DIMS    one rank enters when all that do not wait for it
 *                                                  have reported that they left
 *   coll_neighbourhood [--ranks LIST] disagree:DIMS  the last rank has other dims than the others
 *   coll_neighbourhood [--ranks LIST] unlike:DIMS  the root's data is shorter than the others', or
 *                                                  longer: errors name those, and no answer
 * DIMS "2x2x2" is the torus, MPJ_COLL_BCAST the variant, with segment=50000. Of two ranks that wait
 * for each other neither would end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coll/need.h"
#include "coll/runner.h"

enum { DIMS_MAX = 4, SEGMENT = 50000 };
static int ndims, dims[DIMS_MAX];
static const int sizes[] = {208, 1000, 100000};

static void coords_of(int rank, int c[])
{
  for (int d = ndims - 1; d >= 0; rank /= dims[d--])
    c[d] = rank % dims[d];
}

static int rank_of(const int c[])
{
  int rank = 0;
  for (int d = 0; d < ndims; d++)
    rank = rank * dims[d] + c[d];
  return rank;
}

/* Of root 0. The dimension of a rank's line, its line's head, and who sends to it. */
static int level(int rank)
{
  int c[DIMS_MAX], d = ndims - 1;
  coords_of(rank, c);
  while (d >= 0 && c[d] == 0)
    d--;
  return d;
}

static int head(int rank)
{
  int c[DIMS_MAX];
  coords_of(rank, c);
  c[level(rank)] = 0;
  return rank_of(c);
}

static int parent(int rank)
{
  int c[DIMS_MAX];
  const int d = level(rank), n = dims[d];
  coords_of(rank, c);
  c[d] = c[d] <= n / 2 ? c[d] - 1 : (c[d] + 1) % n;
  return rank_of(c);
}

static bool in_line_of(int rank, int other)
{
  return rank > 0 && other > 0 && level(rank) == level(other) && head(rank) == head(other);
}

static bool by_line(void)
{
  return strstr(getenv("MPJ_COLL_BCAST"), "line") != NULL;
}

/* Whether data reaches the rank only when `late` has come, or it has to stay for it. */
static bool waits_for(int rank, int late)
{
  if (by_line() && rank == head(late)) return true;
  for (; rank > 0; rank = parent(rank))
    if (rank == late || (by_line() && in_line_of(rank, late))) return true;
  return false;
}

static int answer(void *ctx, const void *buf, MPJ_Datatype type)
{
  (void)buf;
  (void)type;
  return *(const int *)ctx;
}

/* Root 0's bytes reach this rank. */
static int bcast(const struct run *run, MPJ_Comm comm, int bytes, int play)
{
  unsigned char *buf = malloc((size_t)bytes);
  MPJ_Datatype type;
  int wrong = 0;
  NEED(buf && !MPJ_Type_contiguous(bytes, MPJ_BYTE, &type) && !MPJ_Type_commit(&type));
  for (int i = 0; i < bytes; i++)
    buf[i] = (unsigned char)(run->rank == 0 ? i * 7 + play : 0);
  NEED(!MPJ_Bcast(buf, type, 0, comm));
  for (int i = 0; i < bytes; i++)
    wrong += buf[i] != (unsigned char)(i * 7 + play);
  NEED(wrong == 0);
  MPJ_Type_free(&type);
  free(buf);
  return 0;
}

/* Messages that this rank sends by the FIFO if `odd` does not qualify. */
static int fifo_edges(const struct run *run, int odd, bool *puts)
{
  int n = 0, sends = 0;
  for (int rank = 1; rank < run->size; rank++) {
    if (parent(rank) != run->rank) continue;
    sends++;
    n += rank == odd || (by_line() && in_line_of(rank, odd));
  }
  *puts = sends > n;
  return n;
}

static int counts(const struct run *run, MPJ_Comm torus)
{
  for (int odd = 0; odd < run->size; odd += 1 + run->size / 11) { /* 0: all qualify */
    int qualifies = run->rank != odd;
    NEED(!MPJ_Comm_set_qualifies(torus, answer, &qualifies));
    for (int k = 0; k < 3; k++) {
      MPJ_Count put[2], fifo[2];
      bool puts;
      const int segments = (sizes[k] - 1) / SEGMENT + 1;
      NEED(!MPJ_Neighbourhood_counts(&put[0], &fifo[0]));
      NEED(!bcast(run, torus, sizes[k], odd + k));
      NEED(!MPJ_Neighbourhood_counts(&put[1], &fifo[1]));
      NEED(fifo[1] - fifo[0] == fifo_edges(run, odd, &puts) * segments);
      NEED((put[1] > put[0]) == puts);
    }
    NEED(!MPJ_Barrier(torus));
  }
  return 0;
}

static int late(const struct run *run, MPJ_Comm torus)
{
  for (int who = 1; who < run->size; who += 1 + run->size / 7)
    for (int k = 0; k < 3; k++) {
      const bool waits = waits_for(run->rank, who);
      MPJ_Comm others;
      NEED(!MPJ_Comm_split(torus, !waits || run->rank == who ? 0 : MPJ_UNDEFINED, 0, &others));
      if (run->rank == who) NEED(!MPJ_Barrier(others)); /* they have left */
      NEED(!bcast(run, torus, sizes[k], who + k));
      if (run->rank != who && !waits) NEED(!MPJ_Barrier(others));
      if (others != MPJ_COMM_NULL) NEED(!MPJ_Comm_free(&others));
    }
  return 0;
}

/* All are told what two ranks gave; then they agree. */
static int disagree(const struct run *run)
{
  const int last = run->size - 1, line[] = {run->size};
  MPJ_Comm torus = MPJ_COMM_NULL;
  char one[64], other[64];
  const int status = MPJ_Comm_create_torus(run->comm, run->rank == last ? 1 : ndims,
                                           run->rank == last ? line : dims, NULL, 0, &torus);
  snprintf(one, sizeof one, "dims is {%d, ", dims[0]);
  snprintf(other, sizeof other, "but {%d} with periodic {1} on rank %d", run->size, last);
  NEED(status == MPJ_ERR_ARG && torus == MPJ_COMM_NULL);
  NEED(strstr(MPJ_Error_detail(), one) && strstr(MPJ_Error_detail(), other));
  NEED(!MPJ_Comm_create_torus(run->comm, ndims, dims, NULL, 0, &torus));
  NEED(!bcast(run, torus, 1000, 1));
  return MPJ_Comm_free(&torus);
}

/* Of the root in other segments than of the others. */
static int unlike(const struct run *run, int roots, int others)
{
  const int ints = run->rank == 0 ? roots : others;
  MPJ_Comm torus;
  MPJ_Datatype type;
  int *buf = calloc((size_t)ints, sizeof *buf);
  NEED(buf && !MPJ_Comm_create_torus(run->comm, ndims, dims, NULL, 0, &torus));
  NEED(!MPJ_Type_contiguous(ints, MPJ_INT, &type) && !MPJ_Type_commit(&type));
  const int status = MPJ_Bcast(buf, type, 0, torus);
  NEED(run->rank == 0 || status != MPJ_SUCCESS);
  if (status != MPJ_SUCCESS)
    NEED(strstr(MPJ_Error_detail(), "signatures of rank") ||
         strstr(MPJ_Error_detail(), " int; type"));
  MPJ_Type_free(&type);
  free(buf);
  MPJ_Comm_free(&torus);
  return 0;
}

static int play(const struct run *run)
{
  MPJ_Comm torus;
  if (run->word[0] == 'd') return disagree(run);
  if (run->word[0] == 'u') {
    const int wrong = unlike(run, 15000, 40000);
    return wrong ? wrong : unlike(run, 40000, 15000);
  }
  NEED(!MPJ_Comm_create_torus(run->comm, ndims, dims, NULL, 0, &torus));
  NEED(!(run->word[0] == 'c' ? counts : late)(run, torus));
  NEED(!MPJ_Comm_free(&torus));
  return 0;
}

int main(int argc, char **argv)
{
  const char *at = strchr(argv[argc - 1], ':');
  while (at && ndims < DIMS_MAX) {
    dims[ndims++] = atoi(at + 1);
    at = strchr(at + 1, 'x');
  }
  return run_main(argc, argv, play);
}
