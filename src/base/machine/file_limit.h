/* This header declares how long the files of this process may be. */
#ifndef MPJ_SRC_BASE_MACHINE_FILE_LIMIT_H
#define MPJ_SRC_BASE_MACHINE_FILE_LIMIT_H

#include <stdbool.h>
#include <stddef.h>

/* Whether this process may make a file of so many bytes. To try more than its limit (RLIMIT_FSIZE)
 * brings SIGXFSZ, which ends the process unless the program has seen to it.
 *   most  set to the limit on false; or NULL
 * errno is EFBIG then. Threads: any. */
bool mpj_file_may_have(size_t bytes, size_t *most);

#endif
