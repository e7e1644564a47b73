/* This program does what a rank does with itself alone, whatever algorithm is asked for.
 * Its exit status is 0 if all is well. To be run with MPJ_COLL_<OPERATION> set. */
#include <stdio.h>
#include <string.h>

#include "coll/need.h"

#define SELF MPJ_COMM_SELF

enum { N = 24, ROUNDS = 20, SLOTS = 16 };

static int vector(MPJ_Count stride, MPJ_Datatype *made)
{
  NEED(MPJ_Type_create_hvector(N, 1, stride, MPJ_INT, made) == MPJ_SUCCESS);
  NEED(MPJ_Type_commit(made) == MPJ_SUCCESS);
  return 0;
}

static void fill(int *data, int n)
{
  for (int i = 0; i < n; i++)
    data[i] = 1000 + 7 * i;
}

/* The result lies over the input in another layout: element i, read at i, is written at
 * first + i * step. */
static int scattered_over_itself(int first, int step)
{
  int data[3 * N], was[3 * N];
  MPJ_Datatype dense, part, out;
  if (vector((MPJ_Count)sizeof(int), &dense) || vector(step * (MPJ_Count)sizeof(int), &out))
    return 1;
  MPJ_Aint displ = first * (MPJ_Aint)sizeof(int);
  MPJ_Count one = 1;
  MPJ_Datatype moved;
  NEED(MPJ_Type_contiguous(1, dense, &part) == MPJ_SUCCESS);
  NEED(MPJ_Type_commit(&part) == MPJ_SUCCESS);
  NEED(MPJ_Type_create_hindexed(1, &one, &displ, out, &moved) == MPJ_SUCCESS);
  NEED(MPJ_Type_commit(&moved) == MPJ_SUCCESS);
  fill(data, 3 * N);
  memcpy(was, data, sizeof data);
  for (int i = 0; i < N; i++)
    was[first + i * step] = data[i];
  NEED(MPJ_Reduce_scatter(MPJ_IN_PLACE, part, data, moved, MPJ_SUM, SELF) == MPJ_SUCCESS);
  NEED(memcmp(data, was, sizeof data) == 0);
  MPJ_Type_free(&moved);
  MPJ_Type_free(&part);
  MPJ_Type_free(&out);
  MPJ_Type_free(&dense);
  return 0;
}

/* Reductions in place leave the data as it is: there is nothing to do. */
static int reduced_in_place(MPJ_Datatype whole, const int *other)
{
  int data[2 * N], was[2 * N];
  fill(data, 2 * N);
  memcpy(was, data, sizeof data);
  NEED(MPJ_Reduce(MPJ_IN_PLACE, whole, data, whole, MPJ_SUM, 0, SELF) == MPJ_SUCCESS);
  NEED(MPJ_Allreduce(MPJ_IN_PLACE, whole, data, whole, MPJ_SUM, SELF) == MPJ_SUCCESS);
  NEED(MPJ_Scan(MPJ_IN_PLACE, whole, data, whole, MPJ_SUM, SELF) == MPJ_SUCCESS);
  NEED(MPJ_Exscan(MPJ_IN_PLACE, whole, data, whole, MPJ_SUM, SELF) == MPJ_SUCCESS);
  NEED(memcmp(data, was, sizeof data) == 0);
  NEED(MPJ_Allreduce(other, whole, data, whole, MPJ_SUM, SELF) == MPJ_SUCCESS);
  NEED(MPJ_Scan(other, whole, data, whole, MPJ_SUM, SELF) == MPJ_SUCCESS);
  NEED(MPJ_Reduce(other, whole, data, whole, MPJ_SUM, 0, SELF) == MPJ_SUCCESS);
  NEED(data[0] == other[0] && data[1] == was[1] && data[2 * N - 2] == other[2 * N - 2]);
  return 0;
}

/* Requests: first those with something to do, then those with nothing, in the same slots. */
static int begun_in_used_slots(void)
{
  const MPJ_Datatype one = MPJ_INT;
  MPJ_Request requests[SLOTS];
  int data[2 * N], was[2 * N], copies[SLOTS];
  fill(data, 2 * N);
  memcpy(was, data, sizeof data);
  for (int i = 0; i < SLOTS; i++)
    NEED(MPJ_Igather(data, MPJ_INT, &copies[i], MPJ_INT, 0, SELF, &requests[i]) == MPJ_SUCCESS);
  NEED(MPJ_Waitall(SLOTS, requests) == MPJ_SUCCESS);
  for (int i = 0; i < SLOTS; i++)
    NEED(copies[i] == data[0]);
  for (int i = 0; i < SLOTS; i++)
    NEED((i % 2 ? MPJ_Iallreduce(MPJ_IN_PLACE, one, data, one, MPJ_SUM, SELF, &requests[i])
                : MPJ_Ireduce(MPJ_IN_PLACE, one, data, one, MPJ_SUM, 0, SELF, &requests[i])) ==
         MPJ_SUCCESS);
  NEED(MPJ_Waitall(SLOTS, requests) == MPJ_SUCCESS);
  NEED(memcmp(data, was, sizeof data) == 0);
  return 0;
}

int main(int argc, char **argv)
{
  int other[2 * N], failed = 0;
  MPJ_Datatype spread = MPJ_DATATYPE_NULL;
  if (MPJ_Init(&argc, &argv) != MPJ_SUCCESS || vector(2 * sizeof(int), &spread)) return 1;
  for (int i = 0; i < 2 * N; i++)
    other[i] = -i;
  for (int k = 0; k < ROUNDS && !failed; k++)
    failed = reduced_in_place(spread, other) || begun_in_used_slots() ||
             scattered_over_itself(1, 1) || scattered_over_itself(0, 2) ||
             scattered_over_itself(N - 1, -1);
  MPJ_Type_free(&spread);
  return MPJ_Finalize() != MPJ_SUCCESS || failed;
}
