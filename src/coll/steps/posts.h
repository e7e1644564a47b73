/* This header declares posts: data that a rank leaves where all others can take it. */
#ifndef MPJ_SRC_COLL_STEPS_POSTS_H
#define MPJ_SRC_COLL_STEPS_POSTS_H

#include "coll/run/control.h"

/* Run post step i: post if it can be. Never blocks. */
MPJ_HOT MPJ_ASIDE int mpj_post_run(struct mpj_comm *comm, struct mpj_slot *slot, unsigned i);
/* Take what the peer of recv step i has posted, if it has. Of an active slot's step that waits for
 * nothing else. */
MPJ_HOT MPJ_ASIDE int mpj_post_take(struct mpj_comm *comm, struct mpj_slot *slot, unsigned i);
/* Take what has been posted for the steps that wait for nothing else; whether there was any. */
bool mpj_posts_look(struct mpj_comm *comm, struct mpj_slot *slot);

#endif
