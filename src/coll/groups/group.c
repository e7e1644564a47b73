/* This file finds the members of a rank's group. A member takes 12 bytes until the communicator has
 * been made, and at most half as much again for those that may follow. */
#include "coll/groups/group.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"

static int grow(struct mpj_group *g)
{
  enum { FIRST = 16 };
  const int room = g->room < FIRST ? FIRST : g->room + g->room / 2;
  struct mpj_group_member *members = mpj_alloc_array((size_t)room, sizeof *members);
  if (!members) return mpj_error(MPJ_ERR_NO_MEM, "no memory for the records of %d ranks", room);
  if (g->n > 0) memcpy(members, g->members, (size_t)g->n * sizeof *members);
  mpj_free(g->members);
  g->members = members;
  g->room = room;
  return MPJ_SUCCESS;
}

int mpj_group_hear(struct mpj_group *g, int rank, const struct mpj_record *record)
{
  if (record->control == 0 || g->mine.control == 0 || record->group != g->mine.group)
    return MPJ_SUCCESS;
  const int status = g->n < g->room ? MPJ_SUCCESS : grow(g);
  if (status != MPJ_SUCCESS) return status;
  g->members[g->n++] = (struct mpj_group_member){record->key, rank, record->control};
  return MPJ_SUCCESS;
}

static int compare(const void *x, const void *y)
{
  const struct mpj_group_member *one = x, *other = y;
  if (one->key != other->key) return one->key < other->key ? -1 : 1;
  return one->rank < other->rank ? -1 : one->rank > other->rank;
}

void mpj_group_sort(struct mpj_group *g)
{
  int i = 1;
  while (i < g->n && g->members[i - 1].key <= g->members[i].key)
    i++;
  if (i < g->n) qsort(g->members, (size_t)g->n, sizeof *g->members, compare);
}

bool mpj_group_is_alike(const struct mpj_group *g)
{
  for (int i = 0; i < g->n; i++)
    if (g->members[i].control != g->mine.control) return false;
  return true;
}

void mpj_group_clear(struct mpj_group *g)
{
  mpj_free(g->members);
  g->members = NULL;
  g->n = g->room = 0;
}
