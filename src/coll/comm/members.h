/* This header declares who is in a communicator: numbers in WORLD, and the way back from them.
 * Those that lie evenly are a first one and a stride; others take 4 bytes each, and duplicates
 * share them. The way back is noted for those that are looked for. All of one rank belongs to
 * whoever holds it. */
#ifndef MPJ_SRC_COLL_COMM_MEMBERS_H
#define MPJ_SRC_COLL_COMM_MEMBERS_H

#include "base/map.h"

struct mpj_members {
  unsigned users;
  int n;
  int first, stride;  /* member i is first + i * stride, */
  int *world;         /* [n] or this, owned, if it is not NULL */
  struct mpj_map met; /* by number in WORLD: ranks that have been looked for; of `world` */
};

/* Of the numbers world[n], all different, which are copied. NULL: there is no memory. */
struct mpj_members *mpj_members_make(int n, const int world[]);
/* One more user; one less (NULL is let pass). */
struct mpj_members *mpj_members_share(struct mpj_members *members);
void mpj_members_release(struct mpj_members *members);

/* The rank of a number in WORLD that lies unevenly, or -1. */
int mpj_members_search(struct mpj_members *members, int world);

static inline int mpj_members_world(const struct mpj_members *members, int rank)
{
  return members->world ? members->world[rank] : members->first + rank * members->stride;
}

/* The rank of a number in WORLD; -1: it is no member's. */
static inline int mpj_members_rank(struct mpj_members *members, int world)
{
  if (members->world) return mpj_members_search(members, world);
  const int ahead = world - members->first, rank = ahead / members->stride;
  return ahead % members->stride == 0 && rank >= 0 && rank < members->n ? rank : -1;
}

/* Whether ranks[n] are different ranks of 0 .. size - 1. Errors: MPJ_ERR_ARG, which says "name[i]
 * is ..., whose has ranks ..."; MPJ_ERR_NO_MEM. */
int mpj_comm_check_ranks(int n, const int ranks[], int size, const char *name, const char *whose);

#endif
