/* This header declares what the making and freeing of communicators does with
 * their attributes. */
#ifndef MPJ_SRC_COLL_COMM_COMM_ATTRIBUTES_H
#define MPJ_SRC_COLL_COMM_COMM_ATTRIBUTES_H

#include "coll/comm/comm.h"

/* As mpj_attributes_copy and mpj_attributes_clear (base/attributes.h). */
int mpj_comm_copy_attributes(struct mpj_comm *from, struct mpj_comm *to);
int mpj_comm_clear_attributes(struct mpj_comm *comm);

#endif
