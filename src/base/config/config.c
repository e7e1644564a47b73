/* This file reads the configuration variables from an environment. */
#include "base/config/config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/config/config_rows.h"

const struct mpj_config_row mpj_config_rows[] = {
#define MPJ_CONFIG_INT(field, name, dflt, least, most, help)                                       \
  {MPJ_CONFIG_KIND_INT,                                                                            \
   "MPJ_" name,                                                                                    \
   offsetof(struct mpj_config, field),                                                             \
   dflt,                                                                                           \
   least,                                                                                          \
   most,                                                                                           \
   NULL,                                                                                           \
   help},
#define MPJ_CONFIG_TEXT(field, name, dflt, help)                                                   \
  {MPJ_CONFIG_KIND_TEXT, "MPJ_" name, offsetof(struct mpj_config, field), 0, 0, 0, dflt, help},
#define MPJ_CONFIG_WORD(field, name, dflt, words, help)                                            \
  {MPJ_CONFIG_KIND_WORD, "MPJ_" name, offsetof(struct mpj_config, field), dflt, 0, 0, words, help},
#include "base/config/config_table.h"
#undef MPJ_CONFIG_INT
#undef MPJ_CONFIG_TEXT
#undef MPJ_CONFIG_WORD
    {.name = NULL},
};

/* Where the values go, and what was amiss. */
struct reading {
  struct mpj_config *config;
  FILE *out; /* may be NULL */
  int warnings;
};

static void *field(const struct reading *r, const struct mpj_config_row *row)
{
  return (char *)r->config + row->offset;
}

static void set_default(const struct reading *r, const struct mpj_config_row *row)
{
  switch (row->kind) {
  case MPJ_CONFIG_KIND_INT:
    *(long *)field(r, row) = row->dflt;
    break;
  case MPJ_CONFIG_KIND_WORD:
    *(int *)field(r, row) = (int)row->dflt;
    break;
  case MPJ_CONFIG_KIND_TEXT:
    strcpy(field(r, row), row->text);
    break;
  }
}

const char *mpj_config_word(const char *words, long index, int *length)
{
  for (; index > 0 && *words; index--) {
    words += strcspn(words, "|");
    if (*words) words++;
  }
  *length = (int)strcspn(words, "|");
  return words;
}

static void read_int(struct reading *r, const struct mpj_config_row *row, const char *value)
{
  char *end;
  long n = strtol(value, &end, 10);
  bool is_number = end != value && *end == '\0'; /* too long a one is out of range */
  if (is_number && n >= row->least && n <= row->most) {
    *(long *)field(r, row) = n;
    return;
  }
  r->warnings++;
  if (r->out)
    fprintf(r->out, "mpj: %s=%.64s is not a whole number from %ld to %ld; using %ld\n", row->name,
            value, row->least, row->most, row->dflt);
}

static void read_word(struct reading *r, const struct mpj_config_row *row, const char *value)
{
  int length;
  const char *word = mpj_config_word(row->text, 0, &length);
  for (int i = 0; length > 0; word = mpj_config_word(row->text, ++i, &length)) {
    if (strlen(value) != (size_t)length || strncmp(word, value, (size_t)length)) continue;
    *(int *)field(r, row) = i;
    return;
  }
  word = mpj_config_word(row->text, row->dflt, &length);
  r->warnings++;
  if (r->out)
    fprintf(r->out, "mpj: %s=%.64s is none of %s; using %.*s\n", row->name, value, row->text,
            length, word);
}

static void read_text(struct reading *r, const struct mpj_config_row *row, const char *value)
{
  if (strlen(value) < MPJ_CONFIG_TEXT_BYTES) {
    strcpy(field(r, row), value);
    return;
  }
  r->warnings++;
  if (r->out)
    fprintf(r->out, "mpj: %s has %zu bytes, at most %d are read; using its default \"%s\"\n",
            row->name, strlen(value), MPJ_CONFIG_TEXT_BYTES - 1, row->text);
}

static void read_variable(struct reading *r, const char *name, int length, const char *value)
{
  const struct mpj_config_row *row = mpj_config_rows;
  while (row->name &&
         (strlen(row->name) != (size_t)length || strncmp(row->name, name, (size_t)length)))
    row++;
  if (!row->name) {
    r->warnings++;
    if (r->out)
      fprintf(r->out, "mpj: %.*s is not a variable of this version; ignored\n", length, name);
    return;
  }
  switch (row->kind) {
  case MPJ_CONFIG_KIND_INT:
    read_int(r, row, value);
    break;
  case MPJ_CONFIG_KIND_WORD:
    read_word(r, row, value);
    break;
  case MPJ_CONFIG_KIND_TEXT:
    read_text(r, row, value);
    break;
  }
}

int mpj_config_read(struct mpj_config *config, char *const environment[], FILE *warnings)
{
  struct reading r = {.config = config, .out = warnings};
  for (const struct mpj_config_row *row = mpj_config_rows; row->name; row++)
    set_default(&r, row);
  for (; *environment; environment++) {
    const char *name = *environment, *equals = strchr(name, '=');
    if (!equals || strncmp(name, "MPJ_", 4)) continue;
    read_variable(&r, name, (int)(equals - name), equals + 1);
  }
  return r.warnings;
}

static struct mpj_config process_config;
static bool leaves_warnings;

void mpj_config_leave_warnings(void)
{
  leaves_warnings = true;
}

/* All ranks of a job see the same environment: rank 0 warns for them, whoever launched it. */
bool mpj_config_warns(void)
{
  static const char *const ranks[] = {"MPJ_RANK", "PMI_RANK", "PMIX_RANK"};
  if (leaves_warnings) return false;
  for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
    const char *rank = getenv(ranks[i]);
    if (rank) return strtol(rank, NULL, 10) <= 0;
  }
  return true;
}

static void read_process_config(void)
{
  int warnings = mpj_config_read(&process_config, environ, NULL);
  if (warnings > 0 && mpj_config_warns()) mpj_config_read(&process_config, environ, stderr);
}

const struct mpj_config *mpj_config(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, read_process_config);
  return &process_config;
}
