/* This program makes random MPI programs: sequences of collectives of random types on random
 * communicators. Every call is made twice, by its name MPI_... and by PMPI_..., on equal buffers:
 * under the interposer these are MPJ and the MPI library. It prints a digest of all that
 * was received, which is the same with and without.
 *
 *   interposed FIRST N [served]   programs FIRST .. FIRST + N - 1, any number of ranks up to
 *                                 16; under the interposer
 *
 * Exit status 0: all are equal. */
#include "mpi/interposed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 12 };

static uint64_t digest = 1;

void trial_fill(struct trial *t)
{
  const uint64_t salt = (uint64_t)stream_in(t->own, 0, 1 << 30);
  struct stream s = {salt * 2654435761u + (uint64_t)t->rank};
  for (size_t i = 0; i < BUFFER; i += 4) {
    const unsigned a = (unsigned)stream_in(&s, 0, 1 << 30), b = a * 2246822519u + 1;
    memcpy(t->send[0] + i, &a, 4);
    memcpy(t->recv[0] + i, &b, 4);
  }
  memcpy(t->send[1], t->send[0], BUFFER);
  memcpy(t->recv[1], t->recv[0], BUFFER);
}

static void wait_some(MPI_Request requests[2])
{
  int n = 0, left = 2, indices[2];
  MPI_Status statuses[2];
  while (left > 0) {
    MPI_Waitsome(2, requests, &n, indices, statuses);
    left = n == MPI_UNDEFINED ? 0 : left - n;
  }
}

static void test_any(MPI_Request requests[2])
{
  int index, done;
  for (int left = 2; left > 0; left -= done && index != MPI_UNDEFINED)
    MPI_Testany(2, requests, &index, &done, MPI_STATUS_IGNORE);
}

void trial_complete(struct trial *t, MPI_Request requests[2])
{
  int done = 0, index;
  MPI_Status statuses[2];
  switch (stream_in(&t->ways, 0, 5)) {
  case 0:
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    break;
  case 1:
    MPI_Waitall(2, requests, statuses);
    break;
  case 2:
    MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    break;
  case 3:
    wait_some(requests);
    break;
  case 4:
    test_any(requests);
    break;
  default:
    while (!done)
      MPI_Testall(2, requests, &done, statuses);
  }
}

/* A communicator of the program's: of all ranks, some, or in another order. */
static MPI_Comm make_comm(struct stream *all)
{
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Group group;
  int rank, size, dims[1], periods[1] = {0};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  switch (stream_in(all, 0, 5)) {
  case 0:
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &made);
    break;
  case 1:
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 0, rank, &made);
    break;
  case 2:
    dims[0] = size;
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &made);
    break;
  case 3:
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Comm_create_group(MPI_COMM_WORLD, group, 1, &made);
    MPI_Group_free(&group);
    break;
  default:
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
  }
  return made;
}

static int check(const struct trial *t, int seed, int call)
{
  for (int i = 0; i < BUFFER; i++)
    digest = digest * UINT64_C(0x100000001b3) + (unsigned char)t->recv[0][i];
  if (memcmp(t->recv[0], t->recv[1], BUFFER) == 0 && memcmp(t->send[0], t->send[1], BUFFER) == 0)
    return 0;
  int at = 0;
  while (at < BUFFER && t->recv[0][at] == t->recv[1][at])
    at++;
  fprintf(stderr, "program %d, call %d, MPI_%s, form %d: rank %d of %d differs from byte %d on\n",
          seed, call, t->name, t->form, t->rank, t->size, at - MIDDLE);
  return 1;
}

/* The buffers' middles are what the calls are given. */
static int run_call(struct trial *t, int seed, int call)
{
  t->form = stream_in(t->all, 0, 3) % FORMS;
  t->root = stream_in(t->all, 0, t->size - 1);
  trial_fill(t);
  for (int i = 0; i < 2; i++)
    t->send[i] += MIDDLE, t->recv[i] += MIDDLE;
  if (stream_in(t->all, 0, 2) > 0)
    trial_move(t);
  else
    trial_reduce(t);
  for (int i = 0; i < 2; i++)
    t->send[i] -= MIDDLE, t->recv[i] -= MIDDLE;
  if (stream_in(t->all, 0, 9) == 0) MPI_Barrier(t->comm);
  return check(t, seed, call);
}

static int run_program(struct trial *t, int seed)
{
  int rank, failed = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  struct stream all = {(uint64_t)seed * 7919 + 13},
                own = {(uint64_t)seed * 104729 + 7919 * (uint64_t)rank};
  MPI_Comm made = make_comm(&all);
  t->comm = stream_in(&all, 0, 4) == 0 ? MPI_COMM_WORLD : made;
  t->all = &all;
  t->own = &own;
  if (t->comm != MPI_COMM_NULL) {
    MPI_Comm_rank(t->comm, &t->rank);
    MPI_Comm_size(t->comm, &t->size);
    for (int call = 0; call < CALLS && !failed; call++)
      failed = run_call(t, seed, call);
  }
  if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
  return failed;
}

int main(int argc, char **argv)
{
  struct trial t = {0};
  int rank, failed = 0;
  const int first = argc > 2 ? atoi(argv[1]) : 1, n = argc > 2 ? atoi(argv[2]) : 1;
  t.served = argc > 3 && strcmp(argv[3], "served") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 2; i++) {
    t.send[i] = malloc(BUFFER);
    t.recv[i] = malloc(BUFFER);
  }
  for (int seed = first; seed < first + n && !failed; seed++) {
    failed = run_program(&t, seed);
    if (failed) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  uint64_t sum = 0;
  PMPI_Reduce(&digest, &sum, 1, MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d programs: %016llx\n", n, (unsigned long long)sum);
  for (int i = 0; i < 2; i++)
    free(t.send[i]), free(t.recv[i]);
  MPI_Finalize();
  return 0;
}
