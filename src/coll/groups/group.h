/* This header declares groups: who of those that agree on new communicators will be in one with
 * this rank, in order. */
#ifndef MPJ_SRC_COLL_GROUPS_GROUP_H
#define MPJ_SRC_COLL_GROUPS_GROUP_H

#include <stdbool.h>
#include <stdint.h>

/* What a rank says of itself. */
struct mpj_record {
  uint64_t group;   /* equal on its members */
  int32_t key;      /* orders them; equal keys: by rank */
  uint32_t control; /* the window that the rank has chosen; 0: it is in no group */
};

struct mpj_group_member {
  int32_t key;
  int rank; /* among those who agree */
  uint32_t control;
};

struct mpj_group {
  struct mpj_record mine;           /* whose group this is */
  struct mpj_group_member *members; /* [n] owned; room for more */
  int n, room;
};

/* Hear what a rank says of itself, the lower ranks first: it is a member if its group is this
 * rank's. Errors: MPJ_ERR_NO_MEM. */
int mpj_group_hear(struct mpj_group *group, int rank, const struct mpj_record *record);

/* All have been heard: put the members in order. */
void mpj_group_sort(struct mpj_group *group);

/* Whether all members have chosen this rank's window. */
bool mpj_group_is_alike(const struct mpj_group *group);

/* Forget the members. */
void mpj_group_clear(struct mpj_group *group);

#endif
