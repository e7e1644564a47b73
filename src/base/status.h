/* This header declares how an error is reported: a code, and one sentence. */
#ifndef MPJ_SRC_BASE_STATUS_H
#define MPJ_SRC_BASE_STATUS_H

#include <mpj/base.h>

/* int mpj_error(int code, const char *format, ...): set the calling thread's
 * detail to the formatted sentence (cut at 511 bytes) and return `code`, or
 * MPJ_ERR_INTERNAL in place of MPJ_SUCCESS. The sentence names the argument and
 * the values, has no full stop, and starts with a name: "recvtype has 3 parts,
 * comm has 4 ranks". The public function that returns the error puts its name before it, and
 * does what MPJ_ERRORS says (entry.h). Threads: any. */
#define mpj_error(...) mpj_error_nonzero(mpj_error_record(__VA_ARGS__))

/* What mpj_error is made of: compilers and checkers learn from the second that
 * the way of an error is not the way of success. */
int mpj_error_record(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

static inline int mpj_error_nonzero(int code)
{
  return code != MPJ_SUCCESS ? code : MPJ_ERR_INTERNAL;
}

/* MPJ_ERR_ARG naming the argument, if it is NULL. */
static inline int mpj_need(const void *pointer, const char *argument)
{
  return pointer ? MPJ_SUCCESS : mpj_error(MPJ_ERR_ARG, "%s is NULL", argument);
}

/* As mpj_error, putting "<text>: " before the present detail (of the error that
 * is being passed on), e.g. the public function's name. Returns code. */
int mpj_error_context(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Copy the detail to why[size], from which a later call may tell it: this call has not failed
 * by it. Or drop it: it has been dealt with. */
void mpj_error_keep(char *why, size_t size);
void mpj_error_drop(void);
/* Take what names a public function from the sentence's beginning: it is part of a caller's. */
void mpj_error_untitle(void);

/* The same with memory of its own: *why (NULL, or one before) is forgotten and set. There are a few
 * places for sentences that say that there is no memory; NULL: these are in use, too. And what is
 * to be said then. forget: free it, and set *why to NULL. */
void mpj_error_store(char **why);
const char *mpj_error_stored(const char *why);
void mpj_error_forget(char **why);

/* Write one line "mpj: ..." to stderr in a single write. */
void mpj_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "MPJ_ERR_PARTS" for MPJ_ERR_PARTS; "MPJ_ERR_?" for an unknown code. */
const char *mpj_error_name(int code);

/* Of entry.h: what public function a thread is in. */
struct mpj_entry {
  const char *name; /* of the outermost public function that the thread is in, or NULL */
  int error;        /* of the last sentence that nobody has kept or dropped (status.h) */
  int rank;         /* this rank's in the communicator that the function was given, or -1 */
};

/* Static thread storage, found without a call. */
extern _Thread_local __attribute__((tls_model("initial-exec"))) struct mpj_entry mpj_entered;

/* The outermost function returns with an error. Does not return with MPJ_ERRORS=abort. */
void mpj_entry_failed(void);

/* How a thread's rank is found where no communicator was given: a function that returns it, or -1.
 */
void mpj_entry_ranks(int (*rank)(void));

#endif
