/* This header declares how ranks that know each other already, by another library or
 * a launcher of their own, become ranks here, and make communicators of any of them:
 * all that MPJ asks is an exchange of a few bytes. */
#ifndef MPJ_PEERS_H
#define MPJ_PEERS_H

#include <mpj/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Messages among some processes, which MPJ's own go by where MPJ_TRANSPORT asks for them, or
 * nothing else connects two machines: all of them nonblocking, of bytes, in the order of sending
 * from one process to another under one tag. Each function returns 0, or anything else where it
 * has failed; the job is then lost.
 *   begin   before the first message; all processes call it together, and it may block
 *   send    tags are from 1 to 16383; *request becomes other than NULL. buf is borrowed until
 *           the request has ended
 *   recv    from `peer`, or from anybody (-1); at most `bytes` bytes
 *   test    *done := whether it has ended: then *request becomes NULL, and *bytes what came
 *   cancel  end a request as soon as that is possible; other than 0: its buf is still used
 *   any_thread  not 0: any thread may call them at any time. 0: only those threads do that call
 *           MPJ, one at a time: neither MPJ_THREAD_MULTIPLE nor MPJ_PROGRESS=thread is there */
typedef struct MPJ_Messages {
  void *ctx;
  int (*begin)(void *ctx);
  int (*send)(void *ctx, int peer, int tag, const void *buf, MPJ_Count bytes, void **request);
  int (*recv)(void *ctx, int peer, int tag, void *buf, MPJ_Count bytes, void **request);
  int (*test)(void *ctx, void **request, int *done, MPJ_Count *bytes);
  int (*cancel)(void *ctx, void *request);
  int any_thread;
} MPJ_Messages;

/* Some processes, numbered 0 to size - 1, and their exchange.
 *   allgather  all of them call it together: the `bytes` bytes at `mine` of each come
 *              to all[size][bytes] of everybody, by rank. It blocks, calls nothing of
 *              this library but MPJ_Am_progress, and returns 0, or anything else where it
 *              has failed. It is called by the thread that called the function that was
 *              given it, before that returns, and not afterwards
 *   messages   borrowed until MPJ_Finalize has returned; NULL: there are none */
typedef struct MPJ_Peers {
  int rank, size;
  void *ctx;
  int (*allgather)(void *ctx, const void *mine, void *all, MPJ_Count bytes);
  const struct MPJ_Messages *messages;
} MPJ_Peers;

/* As MPJ_Init, whatever started the processes: their ranks in MPJ_COMM_WORLD are those in
 * `peers`. All of them call it together; MPJ_Finalize ends it as it does otherwise.
 *   peers  borrowed until the call returns
 * If it fails on one, it fails on all, those who were told saying which it was. (A rank
 * that runs out of memory at the very end counts as one that died.)
 * Errors: MPJ_ERR_ARG (peers is malformed; settings differ between ranks),
 *   MPJ_ERR_INTERNAL (called twice, or after MPJ_Init), MPJ_ERR_UNSUPPORTED (several
 *   machines and no network), MPJ_ERR_PEER (allgather failed), MPJ_ERR_NO_MEM. A malformed
 *   `peers`, and a second call, return at once, without an exchange.
 * Threads: one thread of the process, once. */
MPJ_PUBLIC int MPJ_Init_peers(const struct MPJ_Peers *peers);

/* The same with a level of threads, as MPJ_Init_thread, which `required` may differ in
 * from rank to rank. */
MPJ_PUBLIC int MPJ_Init_peers_thread(const struct MPJ_Peers *peers, int required, int *provided);

/* A communicator of these ranks of the job, in the order of `peers`. They alone call it,
 * each once; those who are in several make them in one order. The handle is the
 * caller's to free.
 *   peers        borrowed until the call returns
 *   world_ranks  [peers->size] their ranks in MPJ_COMM_WORLD; NULL: whoever they are
 *   comm         set on success
 * If it fails on one, it fails on all, as the calls of mpj/comm.h.
 * Errors: MPJ_ERR_ARG (peers is malformed, at once; world_ranks are not the ranks that
 *   came, or not all of one job), MPJ_ERR_COMM (not initialised, or finalised; at once),
 *   MPJ_ERR_PEER (allgather failed), MPJ_ERR_NO_MEM.
 * Threads: as the rank's level allows (MPJ_Init_thread). */
MPJ_PUBLIC int MPJ_Comm_create_peers(const struct MPJ_Peers *peers, const int world_ranks[],
                                     MPJ_Comm *comm);

/* Let this rank's waits run fn(ctx) now and then, so that another library of the process
 * moves on, too: when a wait has found nothing for a while, and at most every 100 us. One at a
 * time; NULL: none. It blocks nothing and calls nothing of this library. MPJ_Finalize ends it.
 * Errors: MPJ_ERR_COMM (not initialised, or finalised). Threads: the rank's own. */
MPJ_PUBLIC int MPJ_Progress_also(void (*fn)(void *ctx), void *ctx);

/* Let them run it more often, as somebody may wait for the other library just now: whenever `looks`
 * more looks for news have found nothing, and they do not sleep. 0: now and then, as at first.
 * Errors: MPJ_ERR_ARG (negative), MPJ_ERR_COMM (not initialised, or finalised). Threads: the
 * rank's own. */
MPJ_PUBLIC int MPJ_Progress_often(int looks);

#ifdef __cplusplus
}
#endif
#endif
