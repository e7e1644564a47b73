/* This header declares the reading of small files. */
#ifndef MPJ_SRC_BASE_FILE_H
#define MPJ_SRC_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Read a whole text file of at most 1 MiB; *text is the caller's (mpj_free). False,
 * *text NULL and errno set, if it cannot be read or is no regular file. Threads: any. */
bool mpj_file_read(const char *path, char **text);

/* False; why[size] says that a file cannot be read, and why, by errno as mpj_file_read left it. */
bool mpj_file_say_unread(char *why, size_t size);

#endif
