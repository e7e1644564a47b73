/* This file is a program for tests of launchers: each rank says what it finds,
 * as a line of its own on standard output.
 *
 *   net_job check [WAYS]    collectives of short, eager and long data with gaps; prints
 *                           "rank R of N by WAYS: good", as "shm+ucx". By others than
 *                           those given is a failure
 *   net_job wait VICTIM FILE [blind]  barriers until one fails; says "begun R PID" first, then
 *                           "rank R: CODE after S s: SENTENCE" and at last, if the
 *                           library could be left, "rank R: left". In FILE: some
 *                           launchers drop what is printed after a death. VICTIM
 *                           kills itself after 0.5 s; -1: nobody does. blind: pidfd_open is
 *                           refused
 *   net_job unmet VICTIM FILE  as wait, but no rank has had a message of another yet: VICTIM kills
 *                           itself after MPJ_Init, the others call a broadcast from the last rank.
 *                           VICTIM -1: when there is a file named by UNMET_GO
 *   net_job few             fails unless it is connected to nobody after MPJ_Init, and some rank
 *                           only to its partners after barriers
 *   net_job lack VICTIM N   rank VICTIM, by PMI_RANK, finds memory in MPJ_Init for N
 *                           requests alone; prints "rank R: CODE: SENTENCE" of how MPJ_Init, or
 *                           the first barrier, ended
 *   net_job again           rank 0 has a child that executes this program again, which prints
 *                           "child: CODE: SENTENCE" of its MPJ_Init; then as check */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mpj/mpj.h>

#include "base/memory.h"
#include "base/status.h"
#include "coll/comm/context.h"
#include "types/layout/layout.h"

enum { SHORT = 3, EAGER = 1000, LONG = 300000 }; /* elements a rank */

static int rank, size;

static int complain(const char *what)
{
  fprintf(stderr, "rank %d of %d: %s: %s\n", rank, size, what, MPJ_Error_detail());
  return 1;
}

/* Allgather n integers a rank, every other one of memory. */
static int gather_all(MPJ_Count n)
{
  MPJ_Datatype part, all;
  int *memory = calloc((size_t)(2 * n * size), sizeof *memory), wrong = 0;
  MPJ_Type_vector(n, 1, 2, MPJ_INT, &part);
  MPJ_Type_create_hvector(size, 1, 2 * n * (MPJ_Aint)sizeof *memory, part, &all);
  MPJ_Type_commit(&part);
  MPJ_Type_commit(&all);
  int *mine = memory + 2 * n * rank;
  for (MPJ_Count i = 0; i < n; i++)
    mine[2 * i] = rank * 1000 + (int)(i % 997);
  if (MPJ_Allgather(mine, part, memory, all, MPJ_COMM_WORLD) != MPJ_SUCCESS)
    return complain("MPJ_Allgather");
  for (int r = 0; r < size; r++)
    for (MPJ_Count i = 0; i < n; i++)
      wrong += memory[2 * (n * r + i)] != r * 1000 + (int)(i % 997) || memory[2 * (n * r + i) + 1];
  free(memory);
  MPJ_Type_free(&part);
  MPJ_Type_free(&all);
  return wrong ? complain("wrong data") : 0;
}

static int check(const char *expected)
{
  const struct mpj_context *context = mpj_context_current();
  char ways[64] = "nothing";
  if (context->net) mpj_net_ways(context->net, ways, sizeof ways);
  for (int i = 0; i < 20; i++)
    if (gather_all(SHORT) || gather_all(EAGER) || MPJ_Barrier(MPJ_COMM_WORLD)) return 1;
  if (gather_all(LONG)) return 1;
  if (expected && strcmp(expected, ways) != 0) return complain(ways);
  printf("rank %d of %d by %s: good\n", rank, size, ways);
  return 0;
}

/* A barrier: even ranks wait for it, odd ones ask. */
static int meet(void)
{
  MPJ_Request request;
  int done = 0;
  if (rank % 2 == 0) return MPJ_Barrier(MPJ_COMM_WORLD);
  int status = MPJ_Ibarrier(MPJ_COMM_WORLD, &request);
  while (status == MPJ_SUCCESS && !done) {
    usleep(100);
    status = MPJ_Test(&request, &done);
  }
  return status;
}

/* From now on pidfd_open is refused, as in some containers. */
static void refuse_pidfds(void)
{
  struct sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const struct sock_fprog program = {sizeof steps / sizeof *steps, steps};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int hear_last(void)
{
  int value = 0;
  return MPJ_Bcast(&value, MPJ_INT, size - 1, MPJ_COMM_WORLD);
}

/* 30 s at most. */
static void await_file(const char *name)
{
  for (int i = 0; name && i < 3000 && access(name, F_OK) != 0; i++)
    usleep(10000);
}

static int wait_for_failure(int victim, const char *file, bool unmet)
{
  FILE *out = fopen(file, "a");
  if (!out) return complain(file);
  const double begun = MPJ_Wtime();
  int status = unmet ? MPJ_SUCCESS : meet();
  fprintf(out, "begun %d %d\n", rank, (int)getpid());
  fflush(out);
  if (unmet && rank == victim) raise(SIGKILL);
  if (unmet && victim < 0) await_file(getenv("UNMET_GO"));
  double last = MPJ_Wtime();
  if (unmet) status = hear_last();
  while (status == MPJ_SUCCESS) {
    usleep(1000);
    if (rank == victim && MPJ_Wtime() - begun > 0.5) raise(SIGKILL);
    last = MPJ_Wtime();
    status = meet();
  }
  fprintf(out, "rank %d: %s after %.1f s: %s\n", rank, mpj_error_name(status), MPJ_Wtime() - last,
          MPJ_Error_detail());
  fflush(out);
  if (MPJ_Finalize() != MPJ_SUCCESS) return complain("MPJ_Finalize");
  fprintf(out, "rank %d: left\n", rank);
  fclose(out);
  return status != MPJ_ERR_PEER;
}

static unsigned connections(void)
{
  const struct mpj_net *net = mpj_context_current()->net;
  return net->connections ? *net->connections : 0;
}

/* In a barrier by dissemination a rank has two partners for each doubling of the ranks: one that it
 * tells, and one that tells it. Who waits long asks others, too, so some may meet a few more: the
 * least of all ranks is what tells. */
static int check_few(void)
{
  int most = 0, least = -1;
  if (connections() != 0) return complain("connected after MPJ_Init");
  for (int n = 1; n < size; n *= 2)
    most += 2;
  for (int i = 0; i < 50; i++)
    if (MPJ_Barrier(MPJ_COMM_WORLD)) return complain("MPJ_Barrier");
  const int mine = (int)connections();
  printf("rank %d of %d: %d connections, %d expected\n", rank, size, mine, most);
  if (mine == 0) return complain("connected to nobody after barriers");
  if (MPJ_Allreduce(&mine, MPJ_INT, &least, MPJ_INT, MPJ_MIN, MPJ_COMM_WORLD))
    return complain("MPJ_Allreduce");
  return least > most ? complain("connected to too many") : 0;
}

static int lack_memory(int victim, long successes)
{
  const char *mine = getenv("PMI_RANK");
  if (!mine) return complain("no PMI_RANK");
  if (atoi(mine) == victim) mpj_memory_fail_after(successes);
  int status = MPJ_Init(NULL, NULL);
  mpj_memory_fail_after(-1);
  const bool initialised = status == MPJ_SUCCESS;
  if (initialised) status = MPJ_Barrier(MPJ_COMM_WORLD);
  printf("rank %s: %s: %s\n", mine, mpj_error_name(status), MPJ_Error_detail());
  return initialised && MPJ_Finalize() != MPJ_SUCCESS ? complain("MPJ_Finalize") : 0;
}

/* What net_job's child does, which rank 0 has started. */
static int be_child(void)
{
  const int status = MPJ_Init(NULL, NULL);
  printf("child: %s: %s\n", mpj_error_name(status), MPJ_Error_detail());
  return status == MPJ_SUCCESS;
}

/* The child has 10 s. */
static int have_child(const char *program)
{
  if (rank != 0) return 0;
  int status = -1;
  const pid_t child = fork();
  if (child == 0) {
    execl(program, program, "child", (char *)NULL);
    _exit(3);
  }
  for (int i = 0; i < 1000; i++) {
    if (waitpid(child, &status, WNOHANG) != 0) break;
    usleep(10000);
    if (i == 999) kill(child, SIGKILL);
  }
  return status == 0 ? 0 : complain("the child found no error, or no end");
}

int main(int argc, char **argv)
{
  if (argc < 2) return 2;
  if (strcmp(argv[1], "child") == 0) return be_child();
  if (argc == 4 && strcmp(argv[1], "lack") == 0) return lack_memory(atoi(argv[2]), atol(argv[3]));
  const long outstanding = mpj_memory_outstanding();
  if (argc > 4) refuse_pidfds();
  if (MPJ_Init(NULL, NULL) != MPJ_SUCCESS) return complain("MPJ_Init");
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  MPJ_Comm_size(MPJ_COMM_WORLD, &size);
  const bool again = strcmp(argv[1], "again") == 0;
  if (again && have_child(argv[0])) return 1;
  const bool few = strcmp(argv[1], "few") == 0;
  const bool checks = again || few || strcmp(argv[1], "check") == 0;
  if (!checks && argc < 4) return 2;
  const int failed = few ? check_few()
                     : checks
                         ? check(argc > 2 ? argv[2] : NULL)
                         : wait_for_failure(atoi(argv[2]), argv[3], strcmp(argv[1], "unmet") == 0);
  if (checks && MPJ_Finalize() != MPJ_SUCCESS) return complain("MPJ_Finalize");
  mpj_layout_forget_permanent();
  if (!failed && mpj_memory_outstanding() != outstanding + 1) return complain("memory is left");
  return failed;
}
