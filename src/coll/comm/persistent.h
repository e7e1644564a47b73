/* This header declares the communicators of persistent requests.
 *
 * A persistent request has a communicator of its own, of the same ranks as the one that its init
 * named, its user. Its operations are numbered by its own starts, so ranks may start their requests
 * in any order, beside all other calls. Requests are the same on all ranks if they were made by the
 * same init, in the order of the user's calls: an init exchanges where each rank has the request,
 * as a nonblocking operation of the user.
 *
 *   state    event                                               next
 *   JOINING  all ranks' records are here and fit                 JOINED: window taken, `done`
 * raised JOINING  the exchange has failed, or the inits differ        FAILED: every start says so
 *   JOINING  a start                                             JOINING; the start waits
 *   JOINED   the request is freed, and nothing is under way      LEFT, as any communicator
 *   FAILED   the request is freed                                gone
 *
 * Nobody sends anything on it to a rank before the rank's `done` says that it has taken its window:
 * that is at least serial << MPJ_SERIAL_SHIFT then, and was less before. Each rank chooses window
 * and id by itself, and tells them (struct mpj_member_place); the serial is the highest that any
 * rank's window asks for.
 *
 * Layout, facts, schedules and records are the user's, which lives as long as there is a request.
 * A user and its persistent requests break together. */
#ifndef MPJ_SRC_COLL_COMM_PERSISTENT_H
#define MPJ_SRC_COLL_COMM_PERSISTENT_H

#include "coll/select/select.h"

/* Make one, JOINING: it has a window, and nobody knows of it. Errors: MPJ_ERR_NO_MEM. */
int mpj_persistent_make(struct mpj_comm *user, const struct mpj_choice *choice,
                        struct mpj_comm **comm);
/* Drop it again: its exchange has not begun. */
void mpj_persistent_drop(struct mpj_comm *comm);

/* Begin its exchange on the user, where there is room for it. Errors: MPJ_ERR_NO_MEM, nothing
 * having begun. part_of: see struct mpj_call. */
int mpj_persistent_exchange(struct mpj_comm *comm, const char *part_of, struct mpj_slot **slot);
/* The exchange has ended, badly unless status is MPJ_SUCCESS; the thread's detail says how. */
void mpj_persistent_joined(struct mpj_comm *comm, int status);

#endif
