/* This header declares the configuration variables, read once from the
 * environment. */
#ifndef MPJ_SRC_BASE_CONFIG_CONFIG_H
#define MPJ_SRC_BASE_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stdio.h>

enum { MPJ_CONFIG_TEXT_BYTES = 256 }; /* room for a text value and its end */

struct mpj_config {
#define MPJ_CONFIG_INT(field, name, dflt, least, most, help) long field;
#define MPJ_CONFIG_TEXT(field, name, dflt, help) char field[MPJ_CONFIG_TEXT_BYTES];
#define MPJ_CONFIG_WORD(field, name, dflt, words, help) int field;
#include "base/config/config_table.h"
#undef MPJ_CONFIG_INT
#undef MPJ_CONFIG_TEXT
#undef MPJ_CONFIG_WORD
};

/* The process's configuration. The first call reads the environment; a
 * malformed value, or one outside its range, keeps the default and warns with
 * variable, value and range; an MPJ_ variable that is not in the table warns.
 * Threads: any. */
const struct mpj_config *mpj_config(void);

/* Whether this process is to warn of its environment: rank 0 does for its job, and who is in
 * none; not one that has called mpj_config_leave_warnings, since it starts such ranks. */
bool mpj_config_warns(void);
void mpj_config_leave_warnings(void);

/* Fill *config from the variables of `environment` ("NAME=value" strings, NULL
 * at the end), as mpj_config does from the process's. Returns the number of
 * warnings, each written as one line to `warnings` (may be NULL). */
int mpj_config_read(struct mpj_config *config, char *const environment[], FILE *warnings);

/* Print the table: as plain text with config's values for a person, or as a
 * Markdown table with the defaults alone. */
void mpj_config_print(FILE *out, const struct mpj_config *config);
void mpj_config_print_markdown(FILE *out);

#endif
