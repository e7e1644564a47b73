/* This header declares what mpjrun reads in /proc. */
#ifndef MPJ_TOOLS_MPJRUN_PROC_H
#define MPJ_TOOLS_MPJRUN_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Call visit(pid, arg) for every process there is. */
void proc_for_each(void (*visit)(pid_t pid, void *arg), void *arg);

/* The process's state letter (R, S, D, T, Z, ...) and parent; false if there is
 * no such process. */
bool proc_stat(pid_t pid, char *state, pid_t *parent);

/* Say in `text` what the process is doing, such as "sleeping (S) in do_wait".
 * The place is left out where the kernel does not tell it. */
void proc_describe(pid_t pid, char *text, size_t size);

#endif
