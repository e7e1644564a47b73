/* This file is MPI's beginning and end: MPJ starts and stops with it. */
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "mpi/comm.h"
#include "mpi/interpose/committed.h"
#include "mpi/interpose/comms.h"
#include "mpi/interpose/complete.h"
#include "mpi/interpose/ops.h"
#include "mpi/interpose/prepare.h"
#include "mpi/interpose/report.h"
#include "mpi/interpose/requests.h"
#include "mpi/interpose/stand_in.h"
#include "mpi/op.h"

static unsigned chosen; /* a bit a collective */
static bool yields, many;

bool collective_chosen(enum collective collective)
{
  return chosen >> collective & 1u;
}

bool threads_many(void)
{
  return many;
}

bool wait_yields(void)
{
  return yields;
}

const char *const collective_names[COLLECTIVES] = {
    [BARRIER] = "barrier",
    [BCAST] = "bcast",
    [GATHER] = "gather",
    [GATHERV] = "gatherv",
    [SCATTER] = "scatter",
    [SCATTERV] = "scatterv",
    [ALLGATHER] = "allgather",
    [ALLGATHERV] = "allgatherv",
    [ALLTOALL] = "alltoall",
    [ALLTOALLV] = "alltoallv",
    [ALLTOALLW] = "alltoallw",
    [REDUCE] = "reduce",
    [ALLREDUCE] = "allreduce",
    [REDUCE_SCATTER] = "reduce_scatter",
    [REDUCE_SCATTER_BLOCK] = "reduce_scatter_block",
    [SCAN] = "scan",
    [EXSCAN] = "exscan",
};

/* `says`: this rank tells of names that are wrong. */
static void choose_one(const char *name, size_t length, bool says)
{
  for (int i = 0; i < COLLECTIVES; i++)
    if (strlen(collective_names[i]) == length && strncmp(collective_names[i], name, length) == 0) {
      chosen |= 1u << i;
      return;
    }
  if (says)
    fprintf(stderr, "mpj: MPJ_INTERPOSE names '%.*s', which is no collective\n", (int)length, name);
}

/* MPJ_INTERPOSE: names with commas between, or `none`; all without it. */
static void choose(const char *list)
{
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  chosen = list ? 0 : (1u << COLLECTIVES) - 1;
  if (list && strcmp(list, "none") == 0) return;
  while (list && *list) {
    const size_t length = strcspn(list, ",");
    if (length > 0) choose_one(list, length, rank == 0);
    list += length + (list[length] == ',');
  }
}

/* The choice must be the same everywhere: what one rank alone leaves out, nobody serves. If one
 * has many threads, all act as if they had. */
static void agree(void)
{
  unsigned mine[2] = {chosen, many ? 0 : 1}, all[2];
  PMPI_Allreduce(mine, all, 2, MPI_UNSIGNED, MPI_BAND, MPI_COMM_WORLD);
  chosen = all[0];
  many = all[1] == 0;
}

/* More ranks on this node than processors that they may use, each perhaps one of its own. */
static bool is_crowded(void)
{
  enum { WORDS = sizeof(cpu_set_t) / sizeof(unsigned long) };
  MPI_Comm node;
  int ranks = 1;
  cpu_set_t mine, all;
  if (PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node))
    return false;
  PMPI_Comm_size(node, &ranks);
  CPU_ZERO(&mine);
  CPU_ZERO(&all);
  sched_getaffinity(0, sizeof mine, &mine);
  PMPI_Allreduce(&mine, &all, WORDS, MPI_UNSIGNED_LONG, MPI_BOR, node);
  PMPI_Comm_free(&node);
  return CPU_COUNT(&all) > 0 && ranks > CPU_COUNT(&all);
}

/* Datatypes of MPI programs are often equivalent, not equal: only sizes are compared. */
static void begin(void)
{
  MPJ_Comm comm;
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  many = level == MPI_THREAD_MULTIPLE;
  setenv("MPJ_SIGNATURES", "bytes", 0);
  choose(getenv("MPJ_INTERPOSE"));
  agree();
  yields = is_crowded();
  requests_begin();
  committed_begin();
  if (MPJ_Comm_from_mpi(MPI_COMM_WORLD, &comm) != MPJ_SUCCESS) {
    fprintf(stderr, "mpj: nothing is served: %s\n", MPJ_Error_detail());
    return;
  }
  MPJ_Comm_from_mpi(MPI_COMM_SELF, &comm);
  comms_begin();
}

int MPI_Init(int *argc, char ***argv)
{
  const int code = PMPI_Init(argc, argv);
  if (code == MPI_SUCCESS) begin();
  return code;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
  const int code = PMPI_Init_thread(argc, argv, required, provided);
  if (code == MPI_SUCCESS) begin();
  return code;
}

enum { PATIENCE_S = 10 };

/* What is under way ends now; but a call that some rank never made cannot. */
static void finish_requests(void)
{
  const double begun = PMPI_Wtime();
  while (requests_under_way() && PMPI_Wtime() < begun + PATIENCE_S)
    wait_a_little();
  if (requests_under_way())
    fprintf(stderr, "mpj: MPI_Finalize was called with collectives under way that other ranks have "
                    "not called\n");
}

int MPI_Finalize(void)
{
  finish_requests();
  stand_in_end();
  report_print();
  ops_release();
  mpi_ops_end();
  requests_end();
  committed_end();
  chosen = 0; /* callbacks of MPI_COMM_SELF's attributes may still call MPI */
  MPJ_Finalize();
  return PMPI_Finalize();
}
