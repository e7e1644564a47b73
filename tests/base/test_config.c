/* This file tests the reading and printing of configuration variables. */
#include "base/config/config.h"

#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/config/config_rows.h"
#include "base/suite.h"

static char warnings[8192]; /* of the last reading */

/* Read an environment; the number of warnings, their text in `warnings`. */
static int read_from(struct mpj_config *config, char *const environment[])
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  ck_assert_ptr_nonnull(out);
  int n = mpj_config_read(config, environment, out);
  ck_assert_int_eq(fclose(out), 0);
  ck_assert_uint_lt(size, sizeof warnings);
  memcpy(warnings, text, size + 1);
  free(text);
  return n;
}

/* The same for one variable. */
static int read_one(struct mpj_config *config, const char *variable)
{
  char *copy = strdup(variable);
  int n = read_from(config, (char *[]){copy, NULL});
  free(copy);
  return n;
}

START_TEST(empty_environment_gives_the_defaults)
{
  struct mpj_config c;
  memset(&c, 0xff, sizeof c);
  ck_assert_int_eq(read_from(&c, (char *[]){NULL}), 0);
  ck_assert_str_eq(warnings, "");
  ck_assert_int_eq(c.errors, 0);
  ck_assert_int_eq(c.eager_bytes, 8192);
  ck_assert_int_eq(c.rank, -1);
  ck_assert_str_eq(c.topology, "");
}
END_TEST

START_TEST(values_of_all_kinds_are_taken)
{
  char a[] = "MPJ_EAGER_BYTES=64", b[] = "MPJ_ERRORS=abort", c[] = "MPJ_TOPOLOGY=a=b c";
  char d[] = "MPJ_SPIN=-1", e[] = "HOME=/", f[] = "MPJ_SINGLE_COPY=off";
  struct mpj_config config;
  ck_assert_int_eq(read_from(&config, (char *[]){a, b, c, d, e, f, NULL}), 0);
  ck_assert_int_eq(config.eager_bytes, 64);
  ck_assert_int_eq(config.errors, 1);
  ck_assert_str_eq(config.topology, "a=b c");
  ck_assert_int_eq(config.spin, -1);
  ck_assert_int_eq(config.single_copy, 2);
}
END_TEST

START_TEST(both_ends_of_each_range_are_taken_and_no_more)
{
  for (const struct mpj_config_row *row = mpj_config_rows; row->name; row++) {
    if (row->kind != MPJ_CONFIG_KIND_INT) continue;
    const long good[] = {row->least, row->most}, bad[] = {row->least - 1, row->most + 1};
    for (int i = 0; i < 2; i++) {
      struct mpj_config c;
      char variable[128];
      snprintf(variable, sizeof variable, "%s=%ld", row->name, good[i]);
      ck_assert_int_eq(read_one(&c, variable), 0);
      ck_assert_int_eq(*(long *)(void *)((char *)&c + row->offset), good[i]);
      snprintf(variable, sizeof variable, "%s=%ld", row->name, bad[i]);
      ck_assert_int_eq(read_one(&c, variable), 1);
      ck_assert_int_eq(*(long *)(void *)((char *)&c + row->offset), row->dflt);
    }
  }
}
END_TEST

START_TEST(malformed_number_warns_with_variable_value_and_range)
{
  static const char *const values[] = {"",      "x",   "12x", "1e4", "99999999999999999999",
                                       "0x400", "512 "};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    struct mpj_config c;
    char variable[128], expected[256];
    snprintf(variable, sizeof variable, "MPJ_EAGER_BYTES=%s", values[i]);
    ck_assert_int_eq(read_one(&c, variable), 1);
    ck_assert_int_eq(c.eager_bytes, 8192);
    snprintf(expected, sizeof expected,
             "mpj: MPJ_EAGER_BYTES=%s is not a whole number from 64 to 65536; using 8192\n",
             values[i]);
    ck_assert_str_eq(warnings, expected);
  }
}
END_TEST

START_TEST(word_that_is_none_of_the_words_warns)
{
  static const char *const values[] = {"", "abor", "aborted", "return|abort", "ABORT", "|"};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    struct mpj_config c;
    char variable[128], expected[256];
    snprintf(variable, sizeof variable, "MPJ_ERRORS=%s", values[i]);
    ck_assert_int_eq(read_one(&c, variable), 1);
    ck_assert_int_eq(c.errors, 0);
    snprintf(expected, sizeof expected,
             "mpj: MPJ_ERRORS=%s is none of return|abort; using return\n", values[i]);
    ck_assert_str_eq(warnings, expected);
  }
}
END_TEST

START_TEST(text_is_taken_up_to_its_room)
{
  struct mpj_config c;
  char variable[13 + MPJ_CONFIG_TEXT_BYTES + 1] = "MPJ_TOPOLOGY=";
  memset(variable + 13, 't', MPJ_CONFIG_TEXT_BYTES - 1);
  ck_assert_int_eq(read_one(&c, variable), 0);
  ck_assert_uint_eq(strlen(c.topology), MPJ_CONFIG_TEXT_BYTES - 1);
  variable[13 + MPJ_CONFIG_TEXT_BYTES - 1] = 't';
  ck_assert_int_eq(read_one(&c, variable), 1);
  ck_assert_str_eq(c.topology, "");
  ck_assert_str_eq(
      warnings, "mpj: MPJ_TOPOLOGY has 256 bytes, at most 255 are read; using its default \"\"\n");
}
END_TEST

START_TEST(unknown_variables_warn_each_by_name)
{
  char a[] = "MPJ_EAGER=1", b[] = "MPJ_EAGER_BYTESX=1", c[] = "MPJ_=", d[] = "mpj_rank=3";
  char e[] = "XMPJ_RANK=1", f[] = "MPJ_RANK";
  struct mpj_config config;
  ck_assert_int_eq(read_from(&config, (char *[]){a, b, c, d, e, f, NULL}), 3);
  ck_assert_str_eq(warnings, "mpj: MPJ_EAGER is not a variable of this version; ignored\n"
                             "mpj: MPJ_EAGER_BYTESX is not a variable of this version; ignored\n"
                             "mpj: MPJ_ is not a variable of this version; ignored\n");
  ck_assert_int_eq(config.rank, -1);
}
END_TEST

START_TEST(warnings_are_counted_without_a_stream_too)
{
  struct mpj_config c;
  char a[] = "MPJ_EAGER=1", b[] = "MPJ_SPIN=x", d[] = "MPJ_ERRORS=x",
       topology[400] = "MPJ_TOPOLOGY=";
  memset(topology + 13, 'x', sizeof topology - 14);
  ck_assert_int_eq(mpj_config_read(&c, (char *[]){a, b, d, topology, NULL}, NULL), 4);
}
END_TEST

START_TEST(rows_are_well_formed)
{
  for (const struct mpj_config_row *row = mpj_config_rows; row->name; row++) {
    ck_assert(!strncmp(row->name, "MPJ_", 4));
    ck_assert_uint_gt(strlen(row->help), 10);
    for (const struct mpj_config_row *other = mpj_config_rows; other < row; other++)
      ck_assert_str_ne(row->name, other->name);
    int length = 0;
    if (row->kind == MPJ_CONFIG_KIND_WORD) mpj_config_word(row->text, row->dflt, &length);
    ck_assert(row->kind != MPJ_CONFIG_KIND_WORD || length > 0);
    ck_assert(row->kind != MPJ_CONFIG_KIND_INT ||
              (row->least <= row->dflt && row->dflt <= row->most));
  }
}
END_TEST

START_TEST(words_are_found_by_index)
{
  int length;
  ck_assert(!strncmp(mpj_config_word("a|bc|d", 1, &length), "bc", 2));
  ck_assert_int_eq(length, 2);
  mpj_config_word("a|bc|d", 2, &length);
  ck_assert_int_eq(length, 1);
  mpj_config_word("a|bc|d", 3, &length);
  ck_assert_int_eq(length, 0);
}
END_TEST

/* What a printer writes; the caller frees it. */
static char *printed(const struct mpj_config *config)
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  ck_assert_ptr_nonnull(out);
  if (config)
    mpj_config_print(out, config);
  else
    mpj_config_print_markdown(out);
  ck_assert_int_eq(fclose(out), 0);
  return text;
}

START_TEST(print_shows_present_values)
{
  struct mpj_config c;
  char a[] = "MPJ_EAGER_BYTES=77", b[] = "MPJ_ERRORS=abort", t[] = "MPJ_TOPOLOGY=here";
  ck_assert_int_eq(read_from(&c, (char *[]){a, b, t, NULL}), 0);
  char *text = printed(&c);
  ck_assert_ptr_nonnull(strstr(text, "MPJ_EAGER_BYTES = 77  (64 to 65536; default 8192)\n"));
  ck_assert_ptr_nonnull(strstr(text, "MPJ_ERRORS = abort  (return, abort; default return)\n"));
  ck_assert_ptr_nonnull(strstr(text, "MPJ_TOPOLOGY = \"here\"  (text; default \"\")\n"));
  free(text);
}
END_TEST

START_TEST(markdown_has_a_line_a_variable)
{
  char *text = printed(NULL);
  int lines = 0, rows = 0;
  for (const char *c = text; *c; c++)
    lines += *c == '\n';
  while (mpj_config_rows[rows].name)
    rows++;
  ck_assert_int_eq(lines, rows + 2);
  ck_assert_ptr_nonnull(strstr(text, "| `MPJ_EAGER_BYTES` | 64 to 65536 | `8192` | "));
  ck_assert_ptr_nonnull(strstr(text, "| `MPJ_ERRORS` | return, abort | `return` | "));
  free(text);
}
END_TEST

static char argument[] = "read";

START_TEST(process_warns_once_and_only_in_rank_0)
{
  char unknown[] = "MPJ_UNKNOWN=1", bytes[] = "MPJ_EAGER_BYTES=128", zero[] = "MPJ_RANK=0";
  char one[] = "MPJ_RANK=1", pmi[] = "PMI_RANK=1", pmix[] = "PMIX_RANK=1", first[] = "PMI_RANK=0";
  const char *line = "mpj: MPJ_UNKNOWN is not a variable of this version; ignored\n";
  struct child_outcome outcome = run_child(argument, (char *[]){unknown, bytes, NULL});
  ck_assert_str_eq(outcome.text, line);
  ck_assert_int_eq(outcome.status, 128);
  outcome = run_child(argument, (char *[]){unknown, bytes, zero, NULL});
  ck_assert_str_eq(outcome.text, line);
  outcome = run_child(argument, (char *[]){unknown, bytes, first, NULL});
  ck_assert_str_eq(outcome.text, line);
  outcome = run_child(argument, (char *[]){unknown, bytes, pmi, NULL});
  ck_assert_str_eq(outcome.text, "");
  outcome = run_child(argument, (char *[]){unknown, bytes, pmix, NULL});
  ck_assert_str_eq(outcome.text, "");
  outcome = run_child(argument, (char *[]){unknown, bytes, one, NULL});
  ck_assert_str_eq(outcome.text, "");
  ck_assert_int_eq(outcome.status, 128);
}
END_TEST

int main(int argc, char **argv)
{
  (void)argv;
  if (argc > 1) {
    const struct mpj_config *first = mpj_config();
    return mpj_config() == first ? (int)first->eager_bytes : 1;
  }
  return RUN_SUITE("base/config", empty_environment_gives_the_defaults,
                   values_of_all_kinds_are_taken, both_ends_of_each_range_are_taken_and_no_more,
                   malformed_number_warns_with_variable_value_and_range,
                   word_that_is_none_of_the_words_warns, text_is_taken_up_to_its_room,
                   unknown_variables_warn_each_by_name, warnings_are_counted_without_a_stream_too,
                   rows_are_well_formed, words_are_found_by_index, print_shows_present_values,
                   markdown_has_a_line_a_variable, process_warns_once_and_only_in_rank_0);
}
