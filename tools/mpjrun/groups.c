/* This file signals the ranks' process groups. */
#include "mpjrun/groups.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>

struct groups *groups_create(void)
{
  void *memory =
      mmap(NULL, sizeof(struct groups), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

void groups_signal(struct groups *groups, int signal)
{
  for (int rank = 0; rank < MPJ_SHM_RANKS_MAX; rank++) {
    pid_t group = atomic_load(&groups->group[rank]);
    if (group > 0) kill(-group, signal);
  }
}

void groups_refresh(struct groups *groups, int rank)
{
  pid_t group = atomic_load(&groups->group[rank]);
  if (group > 0 && kill(-group, 0) && errno == ESRCH) atomic_store(&groups->group[rank], 0);
}
