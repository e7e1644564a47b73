/* This header declares the configuration table as data: one row a variable. */
#ifndef MPJ_SRC_BASE_CONFIG_CONFIG_ROWS_H
#define MPJ_SRC_BASE_CONFIG_CONFIG_ROWS_H

#include <stddef.h>

enum mpj_config_kind { MPJ_CONFIG_KIND_INT, MPJ_CONFIG_KIND_TEXT, MPJ_CONFIG_KIND_WORD };

struct mpj_config_row {
  enum mpj_config_kind kind;
  const char *name; /* "MPJ_..." */
  size_t offset;    /* of the field in struct mpj_config */
  long dflt;        /* INT: the value; WORD: the index */
  long least, most; /* INT */
  const char *text; /* TEXT: the default; WORD: the words, "a|b|c" */
  const char *help;
};

/* The rows in the table's order; a row without a name ends them. */
extern const struct mpj_config_row mpj_config_rows[];

/* Word `index` of "a|b|c" and its length in bytes, which is 0 past the end. */
const char *mpj_config_word(const char *words, long index, int *length);

#endif
