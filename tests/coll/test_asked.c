/* These tests hold for algorithms that are asked for by words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../bench/driver/tune_cases.h"
#include "base/suite.h"
#include "coll/select/algorithms.h"
#include "coll/select/choose.h"
#include "coll/select/select.h"
#include "coll/select/words.h"

START_TEST(parameters_are_read)
{
  struct mpj_rule r;
  char why[400];
  ck_assert(mpj_setting_parse(MPJ_OPERATION_BCAST, "auto", &r, why, sizeof why));
  ck_assert_ptr_null(r.name);
  ck_assert(mpj_setting_parse(MPJ_OPERATION_BCAST, "kary:3,segment=4096", &r, why, sizeof why));
  ck_assert_str_eq(r.name, "kary");
  ck_assert_int_eq(r.radix, 3);
  ck_assert_int_eq(r.segment, 4096);
  ck_assert(mpj_setting_parse(MPJ_OPERATION_SCAN, "exchange:radix=8", &r, why, sizeof why));
  ck_assert_int_eq(r.radix, 8);
}
END_TEST

START_TEST(a_segment_follows_the_name_by_a_comma_or_a_colon)
{
  static const char *const texts[] = {"chain,segment=64",        "chain:segment=64",
                                      "kary,segment=64",         "kary:radix=3,segment=64",
                                      "kary,radix=3,segment=64", "kary:segment=64,radix=3"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct mpj_rule r;
    char why[400] = "";
    ck_assert_msg(mpj_setting_parse(MPJ_OPERATION_BCAST, texts[i], &r, why, sizeof why), "%s: %s",
                  texts[i], why);
    ck_assert_int_eq(r.segment, 64);
    ck_assert_int_eq(r.radix, strstr(texts[i], "radix") ? 3 : 0);
  }
}
END_TEST

START_TEST(who_has_no_radix_or_segment_says_so)
{
  static const struct {
    enum mpj_operation operation;
    const char *text, *why;
  } cases[] = {{MPJ_OPERATION_BCAST, "chain:64", "radix is 64, but chain has none"},
               {MPJ_OPERATION_BCAST, "chain:1", "radix is 1, but chain has none"},
               {MPJ_OPERATION_BCAST, "binomial:radix=4", "radix is 4, but binomial has none"},
               {MPJ_OPERATION_REDUCE, "chain:2,segment=64", "radix is 2, but chain has none"},
               {MPJ_OPERATION_ALLREDUCE, "chain:2", "radix is 2, but chain has none"},
               {MPJ_OPERATION_SCAN, "chain:2", "radix is 2, but chain has none"},
               {MPJ_OPERATION_BCAST, "flat:3", "radix is 3, but flat has none"},
               {MPJ_OPERATION_GATHER, "knomial:3,segment=8", "knomial has no segments"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct mpj_rule r;
    char why[400] = "";
    ck_assert(!mpj_setting_parse(cases[i].operation, cases[i].text, &r, why, sizeof why));
    ck_assert_msg(strstr(why, cases[i].why), "%s", why);
  }
}
END_TEST

/* What is printed of any algorithm can be asked for. */
START_TEST(a_printed_choice_can_be_asked_for)
{
  for (const struct mpj_algorithm *a = mpj_algorithms; a->name; a++) {
    const struct mpj_selected s = {.algorithm = a, .radix = a->radix, .segments = 1};
    struct mpj_rule r;
    char *text = NULL, why[400] = "";
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    mpj_say_selected(out, &s);
    fclose(out);
    ck_assert_msg(mpj_setting_parse(a->operation, text, &r, why, sizeof why), "%s", why);
    ck_assert_str_eq(r.name, a->name);
    free(text);
  }
}
END_TEST

START_TEST(what_mpj_bench_tune_tries_can_be_asked_for)
{
  for (int i = 0; i < TUNE_OPERATIONS; i++)
    for (int k = 0; k < TUNE_CANDIDATES && tune_operations[i].candidate[k]; k++) {
      const enum mpj_operation operation = mpj_operation_of_word(tune_operations[i].name);
      const char *const text = tune_operations[i].candidate[k];
      struct mpj_rule r;
      char why[400] = "";
      ck_assert_msg(mpj_setting_parse(operation, text, &r, why, sizeof why), "%s of %s: %s", text,
                    tune_operations[i].name, why);
    }
}
END_TEST

START_TEST(nonsense_is_refused_with_the_choices)
{
  static const char *const wrong[] = {"",
                                      "ring",
                                      "knomial:",
                                      "knomial:0",
                                      "flat:2",
                                      "knomial:1",
                                      "knomial:2;",
                                      "knomial:256",
                                      "knomial2",
                                      "knomial:radix",
                                      "flat:segment=8",
                                      "knomial:2,3",
                                      "chain:segment=8,segment=9",
                                      "knomial,",
                                      "chain:64"};
  struct mpj_rule r;
  char why[400];
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    ck_assert_msg(!mpj_setting_parse(MPJ_OPERATION_BCAST, wrong[i], &r, why, sizeof why), "%s",
                  wrong[i]);
    ck_assert_ptr_null(r.name);
  }
  mpj_setting_parse(MPJ_OPERATION_BCAST, "ring", &r, why, sizeof why);
  ck_assert_ptr_nonnull(strstr(why, "ring"));
  ck_assert_ptr_nonnull(strstr(why, "scatter_allgather"));
  mpj_setting_parse(MPJ_OPERATION_BCAST, "knomial:1", &r, why, sizeof why);
  ck_assert_ptr_nonnull(strstr(why, "radix is 1, of knomial it is 2 to 255"));
}
END_TEST

int main(void)
{
  return RUN_SUITE(
      "coll/asked", parameters_are_read, a_segment_follows_the_name_by_a_comma_or_a_colon,
      who_has_no_radix_or_segment_says_so, a_printed_choice_can_be_asked_for,
      what_mpj_bench_tune_tries_can_be_asked_for, nonsense_is_refused_with_the_choices);
}
