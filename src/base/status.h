/* This header declares how an error is reported: a code, and one sentence. */
#ifndef MPJ_SRC_BASE_STATUS_H
#define MPJ_SRC_BASE_STATUS_H

#include <mpj/base.h>

/* Set the calling thread's detail to the formatted sentence (cut at 511 bytes)
 * and return `code`. The sentence names the argument and the values, has no
 * full stop, and starts with a name: "recvtype has 3 parts, comm has 4 ranks".
 * With MPJ_ERRORS=abort it prints code and sentence on stderr and ends the
 * process with status 1 instead. Threads: any. */
int mpj_error(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* As mpj_error, putting "<text>: " before the present detail (of the error that
 * is being passed on), e.g. the public function's name. Returns code. */
int mpj_error_context(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Write one line "mpj: ..." to stderr in a single write. */
void mpj_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "MPJ_ERR_PARTS" for MPJ_ERR_PARTS; "MPJ_ERR_?" for an unknown code. */
const char *mpj_error_name(int code);

#endif
