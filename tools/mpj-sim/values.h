/* This header declares how the values of options are read. false: it is none, and why[size] is a
 * sentence that says so. */
#ifndef MPJ_TOOLS_MPJ_SIM_VALUES_H
#define MPJ_TOOLS_MPJ_SIM_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "options.h"

/* A whole number with K, M or G behind it, `least` to `most`. */
bool read_number(const char *text, int64_t least, int64_t most, int64_t *number, char *why,
                 size_t size);
bool read_int(const char *text, int least, int *number, char *why, size_t size);
bool read_time(const char *text, int64_t *time, char *why, size_t size);
/* "8,1K,32K": rising numbers. */
bool read_list(const char *text, int64_t least, struct list *list, char *why, size_t size);
/* RANK:TIME or RANK:BYTES behind the others of a list, which is owned. */
bool add_rank_time(const char *text, struct rank_time **list, int *n, char *why, size_t size);
bool add_rank_bytes(const char *text, struct rank_time **list, int *n, char *why, size_t size);

#endif
