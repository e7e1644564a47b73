/* This file is MPI's beginning and end: MPJ starts and stops with it. */
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "mpi/convert/comm.h"
#include "mpi/convert/op.h"
#include "mpi/interpose/arguments/ops.h"
#include "mpi/interpose/arguments/prepare.h"
#include "mpi/interpose/begin.h"
#include "mpi/interpose/begun.h"
#include "mpi/interpose/call_run.h"
#include "mpi/interpose/first_sends.h"
#include "mpi/interpose/progress_helper.h"
#include "mpi/interpose/report.h"
#include "mpi/interpose/requests.h"
#include "mpi/interpose/waiting.h"

enum { ALL = (1u << COLLECTIVES) - 1 };

static unsigned chosen = ALL; /* a bit a collective; none is after the end */
static char why_not[512];     /* MPJ could not start */

bool collective_chosen(enum collective collective)
{
  return chosen >> collective & 1u;
}

/* Its bit. `says`: this rank tells of names that are wrong. */
static unsigned choose_one(const char *name, size_t length, bool says)
{
  for (int i = 0; i < COLLECTIVES; i++)
    if (strlen(collective_names[i]) == length && strncmp(collective_names[i], name, length) == 0)
      return 1u << i;
  if (says)
    fprintf(stderr, "mpj: MPJ_INTERPOSE names '%.*s', which is no collective\n", (int)length, name);
  return 0;
}

/* MPJ_INTERPOSE: names with commas between, or `none`; all without it. */
static unsigned choose(const char *list)
{
  int rank = 0;
  unsigned named = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (!list || !*list) return ALL;
  if (strcmp(list, "none") == 0) return 0;
  while (*list) {
    const size_t length = strcspn(list, ",");
    if (length > 0) named |= choose_one(list, length, rank == 0);
    list += length + (list[length] == ',');
  }
  return named;
}

/* More ranks on this node than processors that they may use, each perhaps one of its own. */
static bool is_crowded(MPI_Comm world)
{
  enum { WORDS = sizeof(cpu_set_t) / sizeof(unsigned long) };
  MPI_Comm node;
  int ranks = 1;
  cpu_set_t mine, all;
  if (PMPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node)) return false;
  PMPI_Comm_size(node, &ranks);
  CPU_ZERO(&mine);
  CPU_ZERO(&all);
  sched_getaffinity(0, sizeof mine, &mine);
  PMPI_Allreduce(&mine, &all, WORDS, MPI_UNSIGNED_LONG, MPI_BOR, node);
  PMPI_Comm_free(&node);
  return CPU_COUNT(&all) > 0 && ranks > CPU_COUNT(&all);
}

/* The choice must be the same everywhere: what one rank alone leaves out, nobody serves. If one
 * has many threads, all act as if they had. */
static void agree(MPI_Comm world)
{
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  unsigned mine[2] = {choose(getenv("MPJ_INTERPOSE")), level == MPI_THREAD_MULTIPLE ? 0 : 1},
           all[2];
  PMPI_Allreduce(mine, all, 2, MPI_UNSIGNED, MPI_BAND, world);
  chosen = all[0];
  wait_how(is_crowded(world), all[1] == 0);
}

/* Datatypes of MPI programs are often equivalent, not equal, and what is received may be shorter
 * than its room: only that it fits is compared. Errors go to MPI's error handlers, and some are
 * but answers: that MPI's operation is wrong. */
static void start_mpj(MPI_Comm world)
{
  MPJ_Comm comm;
  setenv("MPJ_SIGNATURES", "fit", 0);
  if (strcmp(getenv("MPJ_SIGNATURES"), "fit") == 0) interposer_now(INTERPOSER_FITS);
  setenv("MPJ_ERRORS", "return", 1);
  if (mpi_begin_among(world) != MPJ_SUCCESS ||
      MPJ_Comm_from_mpi(MPI_COMM_WORLD, &comm) != MPJ_SUCCESS) {
    snprintf(why_not, sizeof why_not, "%s", MPJ_Error_detail());
    fprintf(stderr, "mpj: nothing is served: %s\n", why_not);
    return;
  }
  MPJ_Comm_from_mpi(MPI_COMM_SELF, &comm);
  interposer_now(INTERPOSER_SERVES);
}

static void end(void);

/* MPI_Finalize begins with it, whichever of its names was called. */
static int end_with_mpi(MPI_Comm self, int keyval, void *value, void *extra_state)
{
  (void)self, (void)keyval, (void)value, (void)extra_state;
  end();
  return MPI_SUCCESS;
}

static void watch_for_the_end(void)
{
  int keyval;
  if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_with_mpi, &keyval, NULL)) return;
  PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL);
  PMPI_Comm_free_keyval(&keyval); /* goes on for the attribute */
}

/* All processes of MPI_COMM_WORLD call it together; `world` has them in its order. */
static void begin(MPI_Comm world)
{
  agree(world);
  requests_begin();
  if (chosen != 0) {
    start_mpj(world);
    first_sends_begin(world);
  }
  watch_for_the_end(); /* the last attribute is the first to go: before MPJ ends */
  interposer_now(INTERPOSER_BEGUN);
}

int MPI_Init(int *argc, char ***argv)
{
  const int code = PMPI_Init(argc, argv);
  if (code == MPI_SUCCESS) begin(MPI_COMM_WORLD);
  return code;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
  const int code = PMPI_Init_thread(argc, argv, required, provided);
  if (code == MPI_SUCCESS) begin(MPI_COMM_WORLD);
  return code;
}

/* --- a program that began MPI by another name, such as PMPI_Init --- */

/* Whether all processes are in this blocking call on `comm`, and not one of their threads in
 * another such call. */
static bool calls_all(MPI_Comm comm)
{
  int level = MPI_THREAD_SINGLE, result = MPI_UNEQUAL;
  if (comm == MPI_COMM_WORLD) return true;
  PMPI_Query_thread(&level);
  if (level == MPI_THREAD_MULTIPLE || comm == MPI_COMM_NULL) return false;
  int between = 0;
  PMPI_Comm_test_inter(comm, &between);
  if (!between) PMPI_Comm_compare(comm, MPI_COMM_WORLD, &result);
  return result != MPI_UNEQUAL;
}

/* Its nonblocking collectives on MPI_COMM_WORLD may be in any order with this call: what is
 * agreed on goes by a communicator of its own, made without a collective on that one. */
void interposer_begin_late(MPI_Comm comm)
{
  MPI_Group group;
  MPI_Comm world = MPI_COMM_NULL;
  if (mpi_usable() != MPJ_SUCCESS || !calls_all(comm)) return;
  PMPI_Comm_group(MPI_COMM_WORLD, &group);
  if (PMPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &world) == MPI_SUCCESS) {
    interposer_now(INTERPOSER_LATE);
    begin(world);
    PMPI_Comm_free(&world);
  }
  PMPI_Group_free(&group);
}

/* --- the end --- */

enum { PATIENCE_S = 10 };

/* What is under way ends now; but a call that some rank never made cannot. */
static void finish_requests(void)
{
  const double until = PMPI_Wtime() + PATIENCE_S;
  while (requests_under_way() && PMPI_Wtime() < until)
    wait_a_little();
  if (requests_under_way())
    fprintf(stderr, "mpj: MPI_Finalize was called with collectives under way that other ranks have "
                    "not called\n");
}

static bool ended_unlike; /* ranks have called other collectives, or one has died */

/* Before any rank waits in MPI: who is in one collective more than this rank hears of it by MPJ. */
static void end_mpj(void)
{
  if (!interposer_serves() || MPJ_Finalize() == MPJ_SUCCESS) return;
  ended_unlike = true;
  fprintf(stderr, "mpj: MPI_Finalize: %s\n", MPJ_Error_detail());
}

static void end(void)
{
  static bool begun_to;
  if (interposer_is_child()) return;
  if (__atomic_exchange_n(&begun_to, true, __ATOMIC_ACQ_REL)) return;
  finish_requests();
  progress_helper_end();
  ops_release();
  mpi_ops_end();
  requests_end();
  chosen = 0; /* callbacks of MPI_COMM_SELF's attributes may still call MPI */
  end_mpj();
  report_print(why_not);
  first_sends_end();
  mpi_quiet_end();
}

/* A forked child ends nothing of its parent's. */
int MPI_Finalize(void)
{
  if (interposer_is_child()) return MPI_SUCCESS;
  if (mpi_usable() == MPJ_SUCCESS) end();
  const int code = PMPI_Finalize();
  return code == MPI_SUCCESS && ended_unlike ? MPI_ERR_OTHER : code;
}
