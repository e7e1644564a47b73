/* This header declares chaos: a transport that passes every call on to another
 * one and disturbs it by a seeded plan (plan.h), within what net.h allows:
 *
 *   delay   a message that has come is held back for some polls, and with it those
 *           that its sender sent after it; messages of other senders, signals and
 *           counts overtake it. The end of a pull or of an exposure is told later.
 *   again   a call finds no room
 *   stall   the rank sleeps before a poll, and is late for everybody
 *   kill    the rank's process is killed at one of its polls
 *
 * What is held back is this rank's own affair: nobody waits for it longer than it
 * takes this rank to poll, and poll says that something has moved while anything is.
 * Memory: 32 messages of 120 bytes for each peer, and 320 transfers of 48 bytes. */
#ifndef MPJ_SRC_NET_CHAOS_CHAOS_H
#define MPJ_SRC_NET_CHAOS_CHAOS_H

#include "net/net.h"

/* Put *net behind chaos, if MPJ_CHAOS asks for it. *net is moved on success, and still
 * the caller's on failure; no handler has been registered yet.
 *   alone  this rank has a process of its own, which a plan may kill
 * Errors: MPJ_ERR_ARG (a plan that makes no sense), MPJ_ERR_NO_MEM. */
int mpj_chaos_join(struct mpj_net **net, bool alone);

/* The same by the plan in `text`. */
int mpj_chaos_open(struct mpj_net *inner, const char *text, bool alone, struct mpj_net **net);

#endif
