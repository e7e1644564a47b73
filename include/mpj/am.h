/* This header declares active messages for users: a message makes a handler run on
 * another rank, with a small header and, if wanted, a payload that goes from a layout
 * here to a layout there.
 *
 * Ranks are those of MPJ_COMM_WORLD; a rank may send to itself. Handlers run on the
 * receiving rank inside MPJ_Am_progress, MPJ_Am_wait, MPJ_Am_flush, a blocking
 * MPJ_Am_send or MPJ_Am_call, and whenever a collective or a wait makes progress; a
 * rank that does none of these runs no handlers, unless a progress thread does
 * (MPJ_PROGRESS=thread).
 *
 * Rules for handlers and completion functions: they do not block; of what
 * communicates they call MPJ_Am_reply and MPJ_Am_accept alone, the rest returns
 * MPJ_ERR_REQUEST or, a collective, MPJ_ERR_COMM in them. Header handlers of the messages of one
 * sender run in the order of the sends.
 *
 * Flow: a rank has at most 32 requests under way to each other; one more waits
 * until the receiver has dealt with an earlier one. Memory is bounded by that
 * (spec/active-messages.md).
 *
 * Errors of all: MPJ_ERR_INTERNAL (not initialised, or finalised), MPJ_ERR_ARG (an
 * argument outside its range), MPJ_ERR_TYPE (type not committed), MPJ_ERR_NO_MEM,
 * MPJ_ERR_PEER (a rank that is needed died or left; names it), MPJ_ERR_REQUEST
 * (not allowed in a handler).
 * Threads: as the rank's level allows (MPJ_Init_thread). */
#ifndef MPJ_AM_H
#define MPJ_AM_H

#include <mpj/base.h>
#include <mpj/datatype.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  MPJ_AM_HEADER_MAX = 32,    /* bytes of a header */
  MPJ_AM_HANDLERS_MAX = 128, /* handlers are numbered from 0 on */
  MPJ_AM_ARGS_MAX = 16,      /* arguments of a function that is called */
  MPJ_AM_REGIONS_MAX = 256   /* regions that a rank exposes at one time */
};

/* A message that has come, while it is dealt with: until its completion function
 * has returned. */
typedef struct mpj_am_message *MPJ_Am_message;

/* What a handler is told. */
typedef struct MPJ_Am_info {
  int source;
  int header_bytes;
  const void *header; /* valid during the call */
  MPJ_Count bytes;    /* of payload; 0 where there is none */
} MPJ_Am_info;

/* Where a payload goes. Payloads land at any time between the header handler's return (or
 * MPJ_Am_accept) and the completion function, several at once: a long one, which is fetched,
 * while short ones come with their messages. So what one message is given must not be given
 * to another before the completion function of the first was called. */
typedef struct MPJ_Am_target {
  void *buf;
  MPJ_Datatype type; /* committed; its signature must be the payload's. MPJ_DATATYPE_NULL, where
                        there is no payload */
} MPJ_Am_target;

/* What a header handler says. */
enum {
  MPJ_AM_DROP_PAYLOAD, /* the payload is not wanted, or there is none */
  MPJ_AM_TAKE,         /* it goes to *target */
  MPJ_AM_LATER         /* it stays where it is, even if empty, until MPJ_Am_accept; until then it
                          counts as under way: a rank that keeps 32 of one sender hears no more
                          of it */
};
typedef int MPJ_Am_header_function(void *ctx, MPJ_Am_message message, const MPJ_Am_info *info,
                                   MPJ_Am_target *target);

/* The payload is in place (or was dropped), or status says why it is not:
 * MPJ_ERR_SIGNATURE (nothing was written), MPJ_ERR_PEER; MPJ_ERR_ARG, MPJ_ERR_TYPE (of what the
 * header handler returned). But for MPJ_ERR_PEER the sender is told, too. Last use of message. */
typedef void MPJ_Am_completion_function(void *ctx, MPJ_Am_message message, const MPJ_Am_info *info,
                                        int status);

/* The buffer of a send or a reply is the caller's again. */
typedef void MPJ_Am_sent_function(void *arg, int status);

/* Let messages for `handler` run on_header(ctx, ...), then on_complete(ctx, ...).
 * Either may be NULL; without on_header payloads are dropped. Every rank registers
 * for itself, at any time: what comes before is kept, within the flow's bounds, and
 * runs in the next progress. Registering anew replaces. */
MPJ_PUBLIC int MPJ_Am_register(int handler, MPJ_Am_header_function *on_header,
                               MPJ_Am_completion_function *on_complete, void *ctx);

/* Send a message to rank dest.
 *   header  header_bytes (at most MPJ_AM_HEADER_MAX) bytes; copied
 *   buf     the payload, through type; MPJ_DATATYPE_NULL: none
 *   sent    called once, when buf is the caller's again, maybe before this
 *           returns; NULL: this call waits for that. The type may be freed
 * If 32 requests to dest are under way the call waits for room, running handlers.
 * That the message was dealt with is known after MPJ_Am_flush.
 * On an error nothing was sent and sent is not called; or, without sent, dest has gone
 * while the call waited (MPJ_ERR_PEER), and buf is the caller's again. */
MPJ_PUBLIC int MPJ_Am_send(int dest, int handler, const void *header, int header_bytes,
                           const void *buf, MPJ_Datatype type, MPJ_Am_sent_function *sent,
                           void *arg);

/* In a handler or completion function of a request, or after it said MPJ_AM_LATER:
 * answer its sender, at most once, by a message for the sender's `handler`, which
 * cannot reply in turn. buf must stay until sent(arg, ...), which is never called
 * from here; sent may be NULL where there is no payload or it lives long enough. */
MPJ_PUBLIC int MPJ_Am_reply(MPJ_Am_message message, int handler, const void *header,
                            int header_bytes, const void *buf, MPJ_Datatype type,
                            MPJ_Am_sent_function *sent, void *arg);

/* Say where the payload of a message goes whose header handler said MPJ_AM_LATER; type
 * may be MPJ_DATATYPE_NULL if it is empty.
 * MPJ_ERR_REQUEST: it did not, or it has been accepted. */
MPJ_PUBLIC int MPJ_Am_accept(MPJ_Am_message message, void *buf, MPJ_Datatype type);

/* Move things on once; *moved (may be NULL) := whether anything happened. */
MPJ_PUBLIC int MPJ_Am_progress(int *moved);

/* Make progress, of collectives, too, until *count, which handlers change, is at least `least`;
 * idle by occupancy. MPJ_ERR_PEER: a rank died, or all others have left, meanwhile. */
MPJ_PUBLIC int MPJ_Am_wait(const volatile int *count, int least);

/* Wait until all requests of this rank have been dealt with where they went:
 * completion functions have returned, replies have come and been dealt with here.
 * Returns the first error that a request met since the last flush. */
MPJ_PUBLIC int MPJ_Am_flush(void);

/* Let calls of `handler` run fn, a C function of nargs arguments:
 *   args    args[i] basic: passed by value, as that C type; any other committed
 *           type: passed as a pointer to memory that holds the data in that
 *           layout, at displacement 0, for the time of the call
 *   result  a basic type, or MPJ_DATATYPE_NULL for void
 * The caller's rank must register the same types, with any fn (NULL: it cannot be
 * called here). fn runs as a handler does. Types may be freed.
 * MPJ_ERR_UNSUPPORTED: built without libffi, or a basic type that C functions
 * cannot take (pairs, half precision; complex numbers where libffi has none). */
MPJ_PUBLIC int MPJ_Am_register_function(int handler, void (*fn)(void), int nargs,
                                        const MPJ_Datatype args[], MPJ_Datatype result);

/* Call it on rank dest and wait for the result, running handlers; also for its
 * registration there, if dest has not registered anything for `handler` yet.
 *   args    args[i] points to the i-th argument's data, through its type
 *   result  of the result type; may be NULL
 * MPJ_ERR_SIGNATURE: dest has registered other types for arguments or result;
 * MPJ_ERR_ARG: it has other handlers there or NULL, or `handler` is no function here. */
MPJ_PUBLIC int MPJ_Am_call(int dest, int handler, const void *const args[], void *result);

/* Memory of a rank that all may put to and get from: 24 bytes that travel in any
 * message, to ranks of the same job. All but `rank` and `bytes` is the library's. */
typedef struct MPJ_Am_region {
  int rank; /* whose memory it is */
  int index;
  uint64_t serial; /* never used twice by a rank */
  MPJ_Count bytes; /* of data, gaps not counted */
} MPJ_Am_region;

/* Let all ranks put to and get from buf through type, until MPJ_Am_withdraw: whenever
 * this rank makes progress, its layout on this side and theirs on the other.
 *   type    committed; may be freed. Where elements overlap, what puts leave there is
 *           undefined.
 * What puts and gets of several ranks do to the same bytes at once is undefined.
 * MPJ_ERR_NO_MEM: this rank has MPJ_AM_REGIONS_MAX regions, or there is no memory. */
MPJ_PUBLIC int MPJ_Am_expose(void *buf, MPJ_Datatype type, MPJ_Am_region *region);

/* Take a region of this rank back. Waits for puts and gets that are under way, running
 * handlers; those that come later end with MPJ_ERR_ARG at their side.
 * MPJ_ERR_ARG: it is no region of this rank, or not any more. */
MPJ_PUBLIC int MPJ_Am_withdraw(const MPJ_Am_region *region);

/* Put buf's data, through type, into a region, whose type must have the same signature.
 *   sent    called once, when buf is the caller's again, maybe before this returns;
 *           NULL: this call waits for that
 * That it is in place is known after MPJ_Am_flush, which also reports what went wrong
 * there: MPJ_ERR_SIGNATURE (nothing was written), MPJ_ERR_ARG (the region is no more),
 * MPJ_ERR_PEER (also if the call itself waits). Puts and gets count among the 32 requests
 * under way to a rank. */
MPJ_PUBLIC int MPJ_Am_put(const void *buf, MPJ_Datatype type, const MPJ_Am_region *region,
                          MPJ_Am_sent_function *sent, void *arg);

/* Get a region's data into buf, through type, whose signature must be the region's.
 *   done    called once from later progress, with the same errors as above; until then
 *           buf is the library's. NULL: this call waits for that and returns the status */
MPJ_PUBLIC int MPJ_Am_get(void *buf, MPJ_Datatype type, const MPJ_Am_region *region,
                          MPJ_Am_sent_function *done, void *arg);

#ifdef __cplusplus
}
#endif
#endif
