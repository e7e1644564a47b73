/* This file notices that a rank's process has ended, where no launcher marks it
 * in the segment: through a pidfd each, which also sees an end that nobody has
 * reaped. Where there is none (refused in a container, or no descriptor left), the process is
 * asked for by its id. A stopped process has not ended. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/status.h"
#include "net/shm/shm.h"
#include "net/shm/state.h"

enum { LOOKS_AT_CLOCK_EVERY = 64, UNSEEN = -2 /* in place of a pidfd; poll passes over it */ };
static const double look_pause_s = 0.1;

static void mark(struct mpj_shm *shm, int rank)
{
  mpj_segment_mark(shm->cells.segment, rank, MPJ_RANK_DEAD, MPJ_CAUSE_LOST | ESRCH);
}

static int open_process(struct mpj_shm *shm, int rank)
{
  const int pid = atomic_load(&mpj_segment_rank(shm->cells.segment, rank)->pid);
  const int fd = (int)syscall(SYS_pidfd_open, pid, 0);
  if (fd >= 0) return fd;
  if (errno != ESRCH) return UNSEEN;
  mark(shm, rank);
  return -1;
}

/* Whether nothing is left of a process but what its parent has to reap, by its state in /proc. */
static bool is_zombie(int pid)
{
  char path[32], line[256] = "";
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  FILE *file = fopen(path, "re");
  if (!file) return false;
  const char *got = fgets(line, sizeof line, file);
  fclose(file);
  const char *name_end = got ? strrchr(line, ')') : NULL;
  return name_end && name_end[1] == ' ' && (name_end[2] == 'Z' || name_end[2] == 'X');
}

static bool has_ended(struct mpj_shm *shm, int rank)
{
  const int pid = atomic_load(&mpj_segment_rank(shm->cells.segment, rank)->pid);
  return (kill(pid, 0) != 0 && errno == ESRCH) || is_zombie(pid);
}

int mpj_shm_watch(struct mpj_net *net)
{
  struct mpj_shm *shm = (struct mpj_shm *)net->transport;
  const int n = shm->cells.nranks;
  shm->watched = mpj_alloc_array((size_t)n, sizeof *shm->watched);
  if (!shm->watched) return mpj_error(MPJ_ERR_NO_MEM, "no memory to watch %d processes", n);
  for (int rank = 0; rank < n; rank++)
    shm->watched[rank] = (struct pollfd){
        .fd = rank == shm->cells.rank ? -1 : open_process(shm, rank), .events = POLLIN};
  return MPJ_SUCCESS;
}

static void look(struct mpj_shm *shm)
{
  const int n = shm->cells.nranks;
  const int found = poll(shm->watched, (nfds_t)n, 0); /* -1: more than descriptors are allowed */
  for (int rank = 0; rank < n; rank++) {
    struct pollfd *w = &shm->watched[rank];
    const bool asks = w->fd == UNSEEN || (found < 0 && w->fd >= 0);
    const bool ended = asks ? has_ended(shm, rank) : found > 0 && w->fd >= 0 && w->revents != 0;
    if (!ended) continue;
    mark(shm, rank); /* unless it has said that it leaves */
    if (w->fd >= 0) close(w->fd);
    w->fd = -1;
  }
}

void mpj_shm_look(struct mpj_net *net)
{
  struct mpj_shm *shm = (struct mpj_shm *)net->transport;
  if (!shm->watched) return;
  const double now = MPJ_Wtime();
  if (now < shm->look_at) return;
  shm->look_at = now + look_pause_s;
  look(shm);
}

void mpj_shm_idle(struct mpj_transport *t, unsigned *idle, long us)
{
  struct mpj_shm *shm = (struct mpj_shm *)t;
  if (!idle || us != 0) mpj_shm_look(&shm->cells.net);
  mpj_cells_idle(t, idle, us);
  if (!idle || us != 0) return;
  if (shm->watched && (shm->cells.armed_by || ++shm->idles % LOOKS_AT_CLOCK_EVERY == 0))
    mpj_shm_look(&shm->cells.net);
}

void mpj_shm_end_watch(struct mpj_shm *shm)
{
  if (!shm->watched) return;
  for (int rank = 0; rank < shm->cells.nranks; rank++)
    if (shm->watched[rank].fd >= 0) close(shm->watched[rank].fd);
  mpj_free(shm->watched);
}
