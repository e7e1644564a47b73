/* This file is a program one of whose ranks kills itself at some time while a schedule is made,
 * while it runs, or while it is bounded: array_kills made|run|limit MICROSECONDS. The others' calls
 * must say who has died. */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include <mpj/array.h>
#include <mpj/mpj.h>

enum { DIES = 1, SIZE = 4000, WANTED = 500 };

static void die(int signal)
{
  (void)signal;
  kill(getpid(), SIGKILL);
}

/* A signal after so long: the rank is somewhere in a call then. */
static void die_after(long us)
{
  const struct itimerval when = {.it_value = {.tv_sec = us / 1000000, .tv_usec = us % 1000000}};
  signal(SIGALRM, die);
  setitimer(ITIMER_REAL, &when, NULL);
}

static int make(MPJ_Array array, MPJ_Array other, int kind, MPJ_Schedule *schedule)
{
  MPJ_Count index[WANTED];
  for (int i = 0; i < WANTED; i++)
    index[i] = (i * 37) % SIZE;
  return kind == 0 ? MPJ_Remap_create(array, NULL, other, NULL, NULL, schedule)
                   : MPJ_Subscript_create(array, WANTED, index, NULL, schedule);
}

/* The sentence begins with a function of which the program calls one, and names none that this
 * calls. */
static bool is_users(const char *why)
{
  static const char *const parts[] = {"MPJ_All", "MPJ_Bcast", "MPJ_Reduce", "MPJ_Comm_"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (strstr(why, parts[i])) return false;
  return strncmp(why, "MPJ_Schedule_", 13) == 0 || strncmp(why, "MPJ_Remap_create ", 17) == 0 ||
         strncmp(why, "MPJ_Subscript_create ", 21) == 0 || strncmp(why, "MPJ_Wait ", 9) == 0 ||
         strncmp(why, "MPJ_Array_create ", 17) == 0;
}

int main(int argc, char **argv)
{
  static double from[SIZE], to[SIZE];
  MPJ_Axis axis = {.size = SIZE, .distribute = MPJ_DISTRIBUTE_BLOCK};
  MPJ_Schedule schedule[2] = {MPJ_SCHEDULE_NULL, MPJ_SCHEDULE_NULL};
  MPJ_Array array, other;
  int p, rank, status = 0;
  if (argc != 3 || MPJ_Init(&argc, &argv)) return 2;
  const bool made = !strcmp(argv[1], "made"), limit = !strcmp(argv[1], "limit");
  MPJ_Comm_size(MPJ_COMM_WORLD, &p);
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  MPJ_Array_create(1, &axis, 1, &p, MPJ_ORDER_C, MPJ_DOUBLE, MPJ_COMM_WORLD, &array);
  axis.distribute = MPJ_DISTRIBUTE_CYCLIC;
  axis.darg = 3;
  MPJ_Array_create(1, &axis, 1, &p, MPJ_ORDER_C, MPJ_DOUBLE, MPJ_COMM_WORLD, &other);
  for (int k = 0; k < 2 && !made; k++)
    status = make(array, other, k, &schedule[k]);
  if (rank == DIES) die_after(atol(argv[2]));
  for (long i = 0; !status; i++) {
    MPJ_Request request = MPJ_REQUEST_NULL;
    MPJ_Schedule *s = &schedule[i % 2];
    if (made) {
      status = make(array, other, (int)(i % 2), s);
      if (!status) MPJ_Schedule_free(s);
      continue;
    }
    if (limit) {
      status = MPJ_Schedule_limit(*s, i % 4 < 2 ? 4096 : 2048);
      continue;
    }
    status = MPJ_Schedule_forward(*s, from, to);
    if (!status) status = MPJ_Schedule_ibackward(*s, from, to, MPJ_SUM, &request);
    if (!status) status = MPJ_Wait(&request);
  }
  const char *why = MPJ_Error_detail();
  const int heard =
      status == MPJ_ERR_PEER && strstr(why, "rank 1") && strstr(why, "killed") && is_users(why);
  printf("rank %d %s: %s\n", rank, heard ? "heard" : "has heard what it must not", why);
  return !heard;
}
