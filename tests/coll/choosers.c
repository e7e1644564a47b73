/* This file is a program whose ranks differ in what must not matter for the choice of
 * algorithms: affinity, settings of their own, types and caches. Exit status 0: all chose
 * alike on WORLD and on communicators made of it.
 *
 *   coll_choosers machine FILE   rank 0 alone has a machine's file, FILE, which has rules: all go
 * by them coll_choosers [settings]   with `settings`, rank 1 has another MPJ_COLL_ setting than its
 * launcher, which must be an error */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpj/mpj.h>

#include "coll/comm/context.h"
#include "coll/select/choose.h"
#include "coll/select/select.h"

enum { SAMPLES = 600 };

/* A core of its own, if the rank is odd; fewer of other things. */
static void differ(int rank)
{
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  if (rank % 2) sched_setaffinity(0, sizeof one, &one);
  setenv("MPJ_SCRATCH_BYTES", rank % 2 ? "0" : "1000000", 1);
  setenv("MPJ_SLEEP_US", rank % 3 ? "50" : "5000", 1);
}

/* Operations that fill some ranks' caches more than others'. */
static bool warm(MPJ_Comm comm, int rank)
{
  int in[64] = {0}, out[64], size = 0;
  MPJ_Datatype apart;
  bool well = !MPJ_Comm_size(comm, &size) &&
              !MPJ_Type_vector(16, 1, 1 + rank % 3, MPJ_INT, &apart) && !MPJ_Type_commit(&apart);
  for (int root = 0; root < size && well; root++)
    well = !MPJ_Bcast(in, apart, root, comm);
  for (int i = 0; i < rank && well; i++)
    well = !MPJ_Allreduce(in, MPJ_INT, out, MPJ_INT, MPJ_SUM, MPJ_COMM_SELF);
  return !MPJ_Type_free(&apart) && well;
}

static bool choose(MPJ_Comm handle, int chosen[SAMPLES])
{
  struct mpj_comm *comm = NULL;
  if (mpj_comm_resolve(handle, &comm) != MPJ_SUCCESS) return false;
  for (int i = 0; i < SAMPLES; i++) {
    const struct mpj_agreed c = {.operation = MPJ_OPERATION_BARRIER +
                                              (enum mpj_operation)(i % (MPJ_OPERATIONS - 1)),
                                 .bytes = (MPJ_Count)1 << i / 20,
                                 .cuttable = true};
    struct mpj_selected s;
    mpj_select(&comm->facts, mpj_settings(), c, &s);
    chosen[i] = (int)(s.algorithm - mpj_algorithms) * 65536 + s.radix * 256 + s.segments;
  }
  return true;
}

/* Whether all of comm's ranks choose what this one does. */
static bool chooses_alike(MPJ_Comm comm, int rank)
{
  int mine[SAMPLES], least[SAMPLES], most[SAMPLES];
  MPJ_Datatype samples;
  if (!warm(comm, rank) || !choose(comm, mine)) return false;
  if (MPJ_Type_contiguous(SAMPLES, MPJ_INT, &samples) || MPJ_Type_commit(&samples)) return false;
  const bool well = !MPJ_Allreduce(mine, samples, least, samples, MPJ_MIN, comm) &&
                    !MPJ_Allreduce(mine, samples, most, samples, MPJ_MAX, comm);
  return !MPJ_Type_free(&samples) && well && memcmp(least, most, sizeof least) == 0;
}

static bool check(int rank)
{
  MPJ_Comm half = MPJ_COMM_NULL, again = MPJ_COMM_NULL;
  if (!chooses_alike(MPJ_COMM_WORLD, rank)) return false;
  if (MPJ_Comm_split(MPJ_COMM_WORLD, rank / 2 % 2, -rank, &half)) return false;
  if (MPJ_Comm_dup(half, &again)) return false;
  const bool alike = chooses_alike(half, rank) && chooses_alike(again, rank);
  return !MPJ_Comm_free(&half) && !MPJ_Comm_free(&again) && alike;
}

static bool is_first(void)
{
  const char *rank = getenv("PMI_RANK");
  return rank && !strcmp(rank, "0");
}

int main(int argc, char **argv)
{
  const char *text = getenv("MPJ_RANK"); /* of mpjrun; elsewhere the process tells them apart */
  const int number = text ? atoi(text) : (int)getpid() % 6;
  int rank = -1;
  differ(number);
  const bool machine = argc == 3, settings = argc == 2;
  if (settings && number == 1) setenv("MPJ_COLL_BCAST", "chain", 1);
  if (machine) setenv("MPJ_MACHINE_FILE", is_first() ? argv[2] : "none", 1);
  if (MPJ_Init(&argc, &argv) != MPJ_SUCCESS) {
    fprintf(stderr, "MPJ_Init: %s\n", MPJ_Error_detail());
    return 3;
  }
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  const bool alike = check(rank) && (!machine || mpj_context_current()->world->facts.tuned);
  return MPJ_Finalize() == MPJ_SUCCESS && alike ? EXIT_SUCCESS : EXIT_FAILURE;
}
