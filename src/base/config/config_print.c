/* This file prints the configuration table. */
#include <string.h>

#include "base/config/config.h"
#include "base/config/config_rows.h"

/* A value of the row, as the environment would set it. */
static void print_value(FILE *out, const struct mpj_config_row *row, long number, const char *text)
{
  int length;
  switch (row->kind) {
  case MPJ_CONFIG_KIND_INT:
    fprintf(out, "%ld", number);
    break;
  case MPJ_CONFIG_KIND_TEXT:
    fprintf(out, "\"%s\"", text);
    break;
  case MPJ_CONFIG_KIND_WORD:
    text = mpj_config_word(row->text, number, &length);
    fprintf(out, "%.*s", length, text);
    break;
  }
}

static void print_present(FILE *out, const struct mpj_config_row *row,
                          const struct mpj_config *config)
{
  const char *field = (const char *)config + row->offset;
  long number = 0;
  if (row->kind == MPJ_CONFIG_KIND_INT) memcpy(&number, field, sizeof number);
  if (row->kind == MPJ_CONFIG_KIND_WORD) {
    int index;
    memcpy(&index, field, sizeof index);
    number = index;
  }
  print_value(out, row, number, field);
}

static void print_default(FILE *out, const struct mpj_config_row *row)
{
  print_value(out, row, row->dflt, row->text);
}

/* What values the row takes; between two words the separator is `bar`. */
static void print_range(FILE *out, const struct mpj_config_row *row, const char *bar)
{
  if (row->kind == MPJ_CONFIG_KIND_INT) fprintf(out, "%ld to %ld", row->least, row->most);
  if (row->kind == MPJ_CONFIG_KIND_TEXT) fputs("text", out);
  if (row->kind != MPJ_CONFIG_KIND_WORD) return;
  for (const char *c = row->text; *c; c++) {
    if (*c == '|')
      fputs(bar, out);
    else
      fputc(*c, out);
  }
}

void mpj_config_print(FILE *out, const struct mpj_config *config)
{
  for (const struct mpj_config_row *row = mpj_config_rows; row->name; row++) {
    fprintf(out, "%s = ", row->name);
    print_present(out, row, config);
    fputs("  (", out);
    print_range(out, row, ", ");
    fputs("; default ", out);
    print_default(out, row);
    fprintf(out, ")\n    %s\n", row->help);
  }
}

void mpj_config_print_markdown(FILE *out)
{
  fputs("| Variable | Values | Default | Meaning |\n|---|---|---|---|\n", out);
  for (const struct mpj_config_row *row = mpj_config_rows; row->name; row++) {
    fprintf(out, "| `%s` | ", row->name);
    print_range(out, row, ", ");
    fputs(" | `", out);
    print_default(out, row);
    fprintf(out, "` | %s |\n", row->help);
  }
}
