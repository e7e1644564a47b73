/* This header declares how a library is loaded when it is first needed, so that a process that does
 * not need it pays nothing: each one that is linked takes 8 KiB of every process, and what it links
 * itself as much again. Headers are all that is used of such a library while MPJ is built. */
#ifndef MPJ_SRC_BASE_LIBRARY_LIBRARY_H
#define MPJ_SRC_BASE_LIBRARY_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

enum { MPJ_LIBRARY_WHY = 256 };

/* Load a library, which stays, and find its calls.
 *   file    its name without folders
 *   global  its names are for libraries that are loaded later, too
 *   names   [n]
 *   calls   [n] pointers to functions, in the order of the names; set only on success
 *   why     the reason, if it cannot be loaded or lacks a name
 * Whether it was loaded. Threads: any. */
bool mpj_library_load(const char *file, bool global, const char *const names[], size_t n,
                      void *calls, char why[MPJ_LIBRARY_WHY]);

/* Of a list X(name) of calls: the members of a struct of pointers to them; their names. */
#define MPJ_LIBRARY_POINTER(name) __typeof__(name) *name;
#define MPJ_LIBRARY_NAME(name) #name,

#endif
