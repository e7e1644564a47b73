/* This file makes the irregular indices, the same ones at every run. */
#include "pattern.h"

#include <stdio.h>
#include <stdlib.h>

uint64_t pack_random(uint64_t *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

static int *array(long n)
{
  int *x = malloc((size_t)n * sizeof *x);
  if (x) return x;
  fprintf(stderr, "no memory for an index of %ld\n", n);
  exit(1);
}

/* Steps of 1 to 2 * mean - 1, where mean is how many places there are for each. */
int *pack_index_rising(long count, long places)
{
  uint64_t state = 88172645463325252u;
  long spread = 2 * (places / count) - 1, at = 0;
  int *index = array(count);
  for (long i = 0; i < count; i++) {
    at += i ? 1 + (long)(pack_random(&state) % (uint64_t)spread) : 0;
    if (at > places - (count - i)) at = places - (count - i);
    index[i] = (int)at;
  }
  return index;
}

/* The first `count` of a random permutation of all places. */
int *pack_index_shuffled(long count, long places)
{
  uint64_t state = 88172645463325252u;
  int *all = array(places);
  for (long i = 0; i < places; i++)
    all[i] = (int)i;
  for (long i = 0; i < count; i++) {
    long j = i + (long)(pack_random(&state) % (uint64_t)(places - i));
    int x = all[i];
    all[i] = all[j];
    all[j] = x;
  }
  int *index = array(count);
  for (long i = 0; i < count; i++)
    index[i] = all[i];
  free(all);
  return index;
}
