/* This header declares posts: data that a rank leaves where all others can take it. */
#ifndef MPJ_SRC_COLL_STEPS_POSTS_H
#define MPJ_SRC_COLL_STEPS_POSTS_H

#include "coll/run/control.h"

/* Run post step i: post if it can be. Never blocks. */
int mpj_post_run(struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i);
/* Whether nobody can be reading what was posted in this operation's slot before. */
MPJ_HOT bool mpj_post_is_free(struct mpj_comm *comm, uint64_t sequence);
/* Where the data of a post of m->bytes bytes goes: in the message, whose kind is set, on the board,
 * or NULL: there is no room. */
MPJ_HOT void *mpj_post_place(struct mpj_comm *comm, uint64_t sequence,
                             struct mpj_arrival_message *m);
/* Where the data of a post by `world` lies, NULL: in the message; false if the message makes no
 * sense. */
MPJ_HOT bool mpj_post_data(struct mpj_comm *comm, int world, const struct mpj_arrival_message *m,
                           const void **payload);
/* Whether rank has posted for operation `sequence`; *m is what. */
MPJ_HOT bool mpj_post_look(struct mpj_comm *comm, int rank, uint64_t sequence,
                           struct mpj_arrival_message *m);
/* Where one rank alone posts, this one has: another rank that has posted, too, or -1. Of two
 * that post, at least one sees the other's (mpj_control_look). *m is what it has posted. */
MPJ_HOT int mpj_post_of_stranger(struct mpj_comm *comm, enum mpj_operation operation,
                                 uint64_t sequence, struct mpj_arrival_message *m);
/* Take what has been posted for the steps that wait for nothing else; whether there was any. */
bool mpj_posts_look(struct mpj_comm *comm, struct mpj_slot *slot);

#endif
