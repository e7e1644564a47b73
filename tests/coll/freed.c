/* This program gives all its requests up while they are under way, half of its ranks late, and
 * ends: all of that is as right as if it had waited, also what had to wait for room.
 *
 *   coll_freed [--threads N] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mpj/mpj.h>

enum { OPERATIONS = 40, INTS = 3000 };

struct data {
  int rank, size;
  int mine[OPERATIONS][INTS], all[OPERATIONS][INTS];
  MPJ_Comm comms[2];
  MPJ_Datatype type;
};

static int complain(const struct data *d, const char *what)
{
  fprintf(stderr, "rank %d: %s (%s)\n", d->rank, what, MPJ_Error_detail());
  return 1;
}

static void be_late(const struct data *d)
{
  const struct timespec late = {.tv_nsec = 50000000};
  if (d->rank % 2 == 1) nanosleep(&late, NULL);
}

/* Begin operation k, in one of three forms; half of them go by the communicator that is freed. */
static int begin(struct data *d, int k, MPJ_Request *r)
{
  MPJ_Comm comm = d->comms[k / 3 % 2];
  if (k % 3 == 0) return MPJ_Ibcast(d->all[k], d->type, k % d->size, comm, r);
  if (k % 3 == 1) return MPJ_Iallreduce(d->mine[k], d->type, d->all[k], d->type, MPJ_SUM, comm, r);
  const int status = MPJ_Allreduce_init(d->mine[k], d->type, d->all[k], d->type, MPJ_SUM, comm, r);
  return status == MPJ_SUCCESS ? MPJ_Start(r) : status;
}

static int give_up_all(struct data *d)
{
  for (int k = 0; k < OPERATIONS; k++) {
    MPJ_Request r;
    for (int i = 0; i < INTS; i++) {
      d->mine[k][i] = (d->rank + 1) * k + i;
      d->all[k][i] = d->rank == k % d->size ? k + i : -1;
    }
    if (begin(d, k, &r) != MPJ_SUCCESS || MPJ_Request_free(&r) != MPJ_SUCCESS)
      return complain(d, "an operation could not be begun or given up");
  }
  if (MPJ_Comm_free(&d->comms[1]) != MPJ_SUCCESS) return complain(d, "MPJ_Comm_free failed");
  return 0;
}

static int check(const struct data *d)
{
  const int sum = d->size * (d->size + 1) / 2;
  for (int k = 0; k < OPERATIONS; k++)
    for (int i = 0; i < INTS; i++)
      if (d->all[k][i] != (k % 3 == 0 ? k + i : sum * k + d->size * i))
        return complain(d, "wrong data");
  return 0;
}

static int play(struct data *d)
{
  MPJ_Comm_rank(MPJ_COMM_WORLD, &d->rank);
  MPJ_Comm_size(MPJ_COMM_WORLD, &d->size);
  d->comms[0] = MPJ_COMM_WORLD;
  if (MPJ_Comm_dup(MPJ_COMM_WORLD, &d->comms[1]) != MPJ_SUCCESS ||
      MPJ_Type_contiguous(INTS, MPJ_INT, &d->type) != MPJ_SUCCESS ||
      MPJ_Type_commit(&d->type) != MPJ_SUCCESS)
    return complain(d, "there is no communicator, or no type");
  be_late(d);
  if (give_up_all(d) != 0) return 1;
  MPJ_Type_free(&d->type);
  if (MPJ_Finalize() != MPJ_SUCCESS) return complain(d, "MPJ_Finalize failed");
  return check(d);
}

static int rank_main(void *arg)
{
  struct data *d = calloc(1, sizeof *d);
  (void)arg;
  const int status = d ? play(d) : 1;
  free(d);
  return status;
}

int main(int argc, char **argv)
{
  if (argc == 3 && strcmp(argv[1], "--threads") == 0)
    return MPJ_Run_threads(atoi(argv[2]), rank_main, NULL) != 0;
  return MPJ_Init(&argc, &argv) != MPJ_SUCCESS || rank_main(NULL) != 0;
}
