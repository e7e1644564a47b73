/* This file holds the layered collectives: dissemination (Hensgen, Finkel, Manber
 * 1988), binomial trees, and Bruck's allgather (Bruck et al. 1997); the choices of
 * MPICH and Open MPI for short data (Thakur, Rabenseifner, Gropp 2005). */
#include "layered/collectives.h"

#include <string.h>

#include "layered/twosided.h"

enum { TAG_BARRIER = 1, TAG_BCAST, TAG_REDUCE, TAG_ALLGATHER };
enum { DOUBLES_MOST = 64, RANKS_MOST = 64 };

void layered_barrier(int rank, int size)
{
  for (int distance = 1; distance < size; distance *= 2) {
    struct twosided_request r;
    char none = 0;
    twosided_post(&r, (rank - distance + size) % size, TAG_BARRIER, &none, 0);
    twosided_send((rank + distance) % size, TAG_BARRIER, &none, 0);
    twosided_wait(&r);
  }
}

void layered_bcast(double *data, int n, int root, int rank, int size)
{
  const int v = (rank - root + size) % size;
  const size_t bytes = (size_t)n * sizeof *data;
  int bit = 1;
  while (bit < size && !(v & bit))
    bit *= 2;
  if (v > 0) {
    struct twosided_request r;
    twosided_post(&r, (v - bit + root) % size, TAG_BCAST, data, bytes);
    twosided_wait(&r);
  }
  for (bit /= 2; bit > 0; bit /= 2)
    if (v + bit < size) twosided_send((v + bit + root) % size, TAG_BCAST, data, bytes);
}

void layered_reduce(const double *from, double *to, int n, int root, int rank, int size)
{
  const int v = (rank - root + size) % size;
  const size_t bytes = (size_t)n * sizeof *from;
  double sum[DOUBLES_MOST], other[DOUBLES_MOST];
  memcpy(sum, from, bytes);
  for (int bit = 1; bit < size; bit *= 2) {
    if (v & bit) {
      twosided_send((v - bit + root) % size, TAG_REDUCE, sum, bytes);
      return;
    }
    if (v + bit >= size) continue;
    struct twosided_request r;
    twosided_post(&r, (v + bit + root) % size, TAG_REDUCE, other, bytes);
    twosided_wait(&r);
    for (int i = 0; i < n; i++)
      sum[i] += other[i];
  }
  memcpy(to, sum, bytes);
}

void layered_allgather(const double *from, double *to, int n, int rank, int size)
{
  static double blocks[RANKS_MOST * DOUBLES_MOST]; /* block k: of rank + k */
  const size_t bytes = (size_t)n * sizeof *from;
  memcpy(blocks, from, bytes);
  for (int have = 1; have < size; have *= 2) {
    const int more = have < size - have ? have : size - have;
    struct twosided_request r;
    twosided_post(&r, (rank + have) % size, TAG_ALLGATHER, blocks + have * n, (size_t)more * bytes);
    twosided_send((rank - have + size) % size, TAG_ALLGATHER, blocks, (size_t)more * bytes);
    twosided_wait(&r);
  }
  for (int k = 0; k < size; k++)
    memcpy(to + (rank + k) % size * n, blocks + k * n, bytes);
}
