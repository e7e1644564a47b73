/* This header declares how a context begins and ends. */
#ifndef MPJ_SRC_COLL_COMM_CONTEXT_CREATE_H
#define MPJ_SRC_COLL_COMM_CONTEXT_CREATE_H

#include "coll/comm/context.h"

/* Make a context over an endpoint (moved; NULL for a rank alone). Errors:
 * MPJ_ERR_NO_MEM, the endpoint then still being the caller's. */
int mpj_context_create(struct mpj_net *net, struct mpj_context **context);

/* Let the rank, which has called nothing yet, have its schedules in common with others that the
 * same thread runs. The set is borrowed until the context has been finalized. */
void mpj_context_share(struct mpj_context *context, struct mpj_shared *set);

/* About to leave: no other thread has a part in the rank any more. */
void mpj_context_be_alone(struct mpj_context *context);
/* Then end what is under way, and what could begin something. */
void mpj_context_quieten(struct mpj_context *context);
/* Leave: tell the others, end the communicators. The context stays, finalized,
 * until mpj_context_free. */
void mpj_context_finalize(struct mpj_context *context, enum mpj_rank_state state, int cause);
void mpj_context_free(struct mpj_context *context);

/* How many ask at a time: from now on threads take turns if `level` or the
 * configuration wants it. Errors: MPJ_ERR_NO_MEM, MPJ_ERR_UNSUPPORTED (the endpoint allows one
 * thread only). */
int mpj_context_set_threads(struct mpj_context *context, int level);

#endif
