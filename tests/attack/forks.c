/* This file is a job whose ranks fork: `forks [thread]`. Children exit, run another program, call
 * the library, or go on as daemons. What a child calls is an error that names its parent, and no
 * rank comes to harm by it: collectives go on in between. thread: at MPJ_THREAD_MULTIPLE. */
#include <mpj/am.h>
#include <mpj/mpj.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 3, INTS = 20000 };

static int rank, size;
static long parent;
static MPJ_Request request; /* persistent, of the parent */
static MPJ_Context context;

static void fail(const char *what)
{
  fprintf(stderr, "rank %d, process %ld: %s: %s\n", rank, (long)getpid(), what, MPJ_Error_detail());
  _exit(1);
}

/* In a child: this must have been refused, and why. */
static void refused(const char *what, int status)
{
  char text[64];
  snprintf(text, sizeof text, "forked by rank %d (process %ld)", rank, parent);
  if (status == MPJ_SUCCESS || !strstr(MPJ_Error_detail(), text)) fail(what);
}

static void call_everything(void)
{
  int n = 0, flag = 0;
  void *block;
  MPJ_Comm comm;
  MPJ_Request r;
  MPJ_Context c;
  MPJ_Am_region region = {0};
  refused("MPJ_Barrier", MPJ_Barrier(MPJ_COMM_WORLD));
  refused("MPJ_Bcast", MPJ_Bcast(&n, MPJ_INT, 0, MPJ_COMM_WORLD));
  refused("MPJ_Ibarrier", MPJ_Ibarrier(MPJ_COMM_WORLD, &r));
  refused("MPJ_Comm_rank", MPJ_Comm_rank(MPJ_COMM_WORLD, &n));
  refused("MPJ_Comm_dup", MPJ_Comm_dup(MPJ_COMM_SELF, &comm));
  refused("MPJ_Start", MPJ_Start(&request));
  refused("MPJ_Test", MPJ_Test(&request, &flag));
  refused("MPJ_Wait", MPJ_Wait(&request));
  r = request;
  refused("MPJ_Request_free", MPJ_Request_free(&r));
  refused("MPJ_Alloc_mem", MPJ_Alloc_mem(8, &block));
  refused("MPJ_Am_send", MPJ_Am_send(0, 0, NULL, 0, NULL, MPJ_DATATYPE_NULL, NULL, NULL));
  refused("MPJ_Am_progress", MPJ_Am_progress(&flag));
  refused("MPJ_Am_flush", MPJ_Am_flush());
  refused("MPJ_Am_withdraw", MPJ_Am_withdraw(&region));
  refused("MPJ_Query_thread", MPJ_Query_thread(&n));
  refused("MPJ_Context_get", MPJ_Context_get(&c));
  if (MPJ_Context_adopt(context) != MPJ_ERR_ARG) fail("MPJ_Context_adopt");
  refused("MPJ_Abort", MPJ_Abort(MPJ_COMM_WORLD, 9));
  refused("MPJ_Init", MPJ_Init(NULL, NULL));
  refused("MPJ_Finalize", MPJ_Finalize());
  if (MPJ_Initialized(&flag) != MPJ_SUCCESS || !flag) fail("MPJ_Initialized");
  if (MPJ_Finalized(&flag) != MPJ_SUCCESS || !flag) fail("MPJ_Finalized");
  MPJ_Datatype type; /* which needs no rank */
  if (MPJ_Type_contiguous(3, MPJ_INT, &type) != MPJ_SUCCESS || MPJ_Type_free(&type) != MPJ_SUCCESS)
    fail("MPJ_Type_contiguous");
}

static int return_3(void *arg)
{
  int n = 0;
  MPJ_Comm_size(MPJ_COMM_WORLD, &n);
  return *(int *)arg == n && MPJ_Barrier(MPJ_COMM_WORLD) == MPJ_SUCCESS ? 3 : 1;
}

static void child(int what)
{
  int two = 2;
  switch (what) {
  case 0:
    exit(0); /* with whatever is run then */
  case 1:
    execl("/bin/true", "true", (char *)NULL);
    fail("execl");
    return;
  case 2:
    call_everything();
    exit(0);
  case 3: /* it may have ranks of its own */
    exit(MPJ_Run_threads(2, return_3, &two) == 3 ? 0 : 1);
  default: /* a daemon, whose own child calls, too */
    if (setsid() < 0) fail("setsid");
    if (fork() == 0) {
      call_everything();
      usleep(200000);
      exit(0);
    }
    exit(0);
  }
}

static void go_on(int round)
{
  static int in[INTS], out[INTS];
  MPJ_Datatype type;
  MPJ_Type_contiguous(INTS, MPJ_INT, &type);
  MPJ_Type_commit(&type);
  for (int i = 0; i < INTS; i++)
    in[i] = rank + i + round;
  if (MPJ_Allreduce(in, type, out, type, MPJ_SUM, MPJ_COMM_WORLD) != MPJ_SUCCESS) fail("Allreduce");
  for (int i = 0; i < INTS; i++)
    if (out[i] != size * (size - 1) / 2 + size * (i + round)) fail("wrong sum");
  MPJ_Type_free(&type);
  if (MPJ_Start(&request) != MPJ_SUCCESS || MPJ_Wait(&request) != MPJ_SUCCESS) fail("request");
}

int main(int argc, char **argv)
{
  int provided;
  const int level = argc > 1 ? MPJ_THREAD_MULTIPLE : MPJ_THREAD_SINGLE;
  if (MPJ_Init_thread(&argc, &argv, level, &provided) != MPJ_SUCCESS) fail("MPJ_Init_thread");
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  MPJ_Comm_size(MPJ_COMM_WORLD, &size);
  parent = (long)getpid();
  MPJ_Context_get(&context);
  MPJ_Barrier_init(MPJ_COMM_WORLD, &request);
  for (int round = 0; round < ROUNDS; round++)
    for (int what = 0; what < 5; what++) {
      const pid_t pid = fork();
      if (pid == 0) child(what);
      go_on(round);
      int status;
      if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0) fail("a child failed");
      go_on(round + 1);
    }
  MPJ_Request_free(&request);
  return MPJ_Finalize() == MPJ_SUCCESS ? 0 : 1;
}
