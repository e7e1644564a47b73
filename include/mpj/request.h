/* This header declares requests: what nonblocking and persistent collectives
 * give, and how to wait for them.
 *
 * A nonblocking call (MPJ_I...) returns at once; the buffers belong to it until
 * its request has been waited for, or tested done. A persistent one (..._init)
 * keeps its arguments; MPJ_Start runs it, as often as wanted. Blocking and
 * nonblocking collectives and inits of a communicator are matched in the order of the
 * calls; persistent requests, once made, are started in any order, beside all of
 * these. Any number may be under way. Types and operations may be freed meanwhile.
 *
 * Waiting and testing move everything on. Of a request that is done, the first
 * wait or test returns the operation's status, and sets the handle to
 * MPJ_REQUEST_NULL (a persistent one becomes inactive and stays). Null and
 * inactive requests count as done, with MPJ_SUCCESS.
 * Errors: MPJ_ERR_REQUEST (freed, or of another rank), MPJ_ERR_ARG. */
#ifndef MPJ_REQUEST_H
#define MPJ_REQUEST_H

#include <mpj/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* *done := whether it is done; never waits. */
MPJ_PUBLIC int MPJ_Test(MPJ_Request *request, int *done);
MPJ_PUBLIC int MPJ_Wait(MPJ_Request *request);

/* All of requests[n]. Returns the first error in array order; all are done then.
 * Testall: *done only if all are, and only then are handles changed. */
MPJ_PUBLIC int MPJ_Waitall(int n, MPJ_Request requests[]);
MPJ_PUBLIC int MPJ_Testall(int n, MPJ_Request requests[], int *done);

/* One of them: *index says which, or MPJ_UNDEFINED if none is active. Returns
 * that one's status. */
MPJ_PUBLIC int MPJ_Waitany(int n, MPJ_Request requests[], int *index);
MPJ_PUBLIC int MPJ_Testany(int n, MPJ_Request requests[], int *index, int *done);

/* All that are done, at least one: indices[*ndone], in array order; *ndone is
 * MPJ_UNDEFINED if none is active. Returns the first error among them. */
MPJ_PUBLIC int MPJ_Waitsome(int n, MPJ_Request requests[], int *ndone, int indices[]);
MPJ_PUBLIC int MPJ_Testsome(int n, MPJ_Request requests[], int *ndone, int indices[]);

/* Run an inactive persistent request; all of them, in array order. */
MPJ_PUBLIC int MPJ_Start(MPJ_Request *request);
MPJ_PUBLIC int MPJ_Startall(int n, MPJ_Request requests[]);

/* Give the request up and set it to MPJ_REQUEST_NULL. An operation under way
 * goes on, its outcome unheard; its buffers belong to it until the others'
 * results show that it has ended. */
MPJ_PUBLIC int MPJ_Request_free(MPJ_Request *request);

#ifdef __cplusplus
}
#endif
#endif
