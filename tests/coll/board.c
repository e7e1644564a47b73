/* This file keeps boards. */
#include "coll/board.h"

#include <mpj/mpj.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <mpj/base.h>

struct board board_of_threads;

enum { PATH_BYTES = 64 };

static void name_file(char path[PATH_BYTES])
{
  const char *number = getenv("BOARD"); /* where the ranks have no common parent */
  snprintf(path, PATH_BYTES, "/tmp/mpj-test-board.%ld",
           number ? strtol(number, NULL, 10) : (long)getppid());
}

struct board *board_map(void)
{
  char path[PATH_BYTES];
  name_file(path);
  const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return NULL;
  void *memory = MAP_FAILED;
  if (ftruncate(fd, sizeof(struct board)) == 0)
    memory = mmap(NULL, sizeof(struct board), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  return memory == MAP_FAILED ? NULL : memory;
}

void board_forget(void)
{
  char path[PATH_BYTES];
  name_file(path);
  unlink(path);
}

static bool meet(_Atomic int *count, int n, double seconds)
{
  const double end = MPJ_Wtime() + seconds;
  atomic_fetch_add(count, 1);
  while (atomic_load(count) < n) {
    if (MPJ_Wtime() > end) return false;
    usleep(200);
  }
  return true;
}

bool board_ready(struct board *board, int n, double seconds)
{
  return meet(&board->ready, n, seconds);
}

bool board_meet(struct board *board, int n, double seconds)
{
  return meet(&board->done, n, seconds);
}

void board_begin(struct board *board, int victim)
{
  int rank, size;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  MPJ_Comm_size(MPJ_COMM_WORLD, &size);
  atomic_store(&board->entered[rank], 1);
  for (int i = 0; i < size && rank == victim; i++)
    while (atomic_load(&board->entered[i]) == 0)
      usleep(100);
}
