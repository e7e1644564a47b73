/* This file signals the ranks' process groups. */
#include "mpjrun/groups.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>

struct groups *groups_create(int nranks)
{
  const size_t bytes = sizeof(struct groups) + (size_t)nranks * sizeof(_Atomic pid_t);
  struct groups *groups =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (groups == MAP_FAILED) return NULL;
  groups->nranks = nranks;
  return groups;
}

void groups_signal(struct groups *groups, int signal)
{
  for (int rank = 0; rank < groups->nranks; rank++) {
    pid_t group = atomic_load(&groups->group[rank]);
    if (group > 0) kill(-group, signal);
  }
}

void groups_refresh(struct groups *groups, int rank)
{
  pid_t group = atomic_load(&groups->group[rank]);
  if (group > 0 && kill(-group, 0) && errno == ESRCH) atomic_store(&groups->group[rank], 0);
}
