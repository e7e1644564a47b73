/* This file keeps the members of communicators. */
#include "coll/comm/members.h"

#include <string.h>

#include "base/bits.h"
#include "base/memory.h"
#include "base/status.h"

struct mpj_members *mpj_members_make(int n, const int world[])
{
  struct mpj_members *m = mpj_alloc_array(1, sizeof *m);
  if (!m) return NULL;
  *m = (struct mpj_members){.users = 1, .n = n, .first = world[0], .stride = 1};
  if (n > 1) m->stride = world[1] - world[0];
  int i = 2;
  while (i < n && world[i] - world[i - 1] == m->stride)
    i++;
  if (i >= n) return m;
  m->world = mpj_alloc_array((size_t)n, sizeof *m->world);
  if (m->world) {
    memcpy(m->world, world, (size_t)n * sizeof *world);
    return m;
  }
  mpj_free(m);
  return NULL;
}

struct mpj_members *mpj_members_share(struct mpj_members *members)
{
  members->users++;
  return members;
}

void mpj_members_release(struct mpj_members *members)
{
  if (!members || --members->users > 0) return;
  mpj_map_end(&members->met);
  mpj_free(members->world);
  mpj_free(members);
}

int mpj_members_search(struct mpj_members *members, int world)
{
  struct mpj_map_entry *e = mpj_map_find(&members->met, (uint32_t)world);
  if (e) return (int)e->number;
  int rank = 0;
  while (rank < members->n && members->world[rank] != world)
    rank++;
  if (rank == members->n) return -1;
  e = mpj_map_add(&members->met, (uint32_t)world);
  if (e) e->number = (uint64_t)rank;
  return rank;
}

int mpj_comm_check_ranks(int n, const int ranks[], int size, const char *name, const char *whose)
{
  struct mpj_bits seen = {0};
  int status = MPJ_SUCCESS;
  if (!mpj_bits_begin(&seen, (unsigned)size))
    return mpj_error(MPJ_ERR_NO_MEM, "no memory to check %d ranks", n);
  for (int i = 0; i < n && status == MPJ_SUCCESS; i++) {
    if (ranks[i] < 0 || ranks[i] >= size)
      status = mpj_error(MPJ_ERR_ARG, "%s[%d] is %d, %s has ranks 0 to %d", name, i, ranks[i],
                         whose, size - 1);
    else if (mpj_bits_test(&seen, (unsigned)ranks[i]))
      status = mpj_error(MPJ_ERR_ARG, "%s[%d] is %d, which is there already", name, i, ranks[i]);
    else
      mpj_bits_set(&seen, (unsigned)ranks[i]);
  }
  mpj_bits_end(&seen);
  return status;
}
