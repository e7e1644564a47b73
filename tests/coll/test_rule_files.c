/* These tests hold for rules that a file has: the user's, and the machine's. */
#include <string.h>

#include "base/memory.h"
#include "coll/select/algorithms.h"
#include "coll/select/choose.h"
#include "coll/select_cases.h"

START_TEST(a_file_of_rules_is_read)
{
  static const char text[] =
      "{\"rules\": [{\"operation\": \"bcast\", \"algorithm\": \"chain\", \"segment\": 4096,"
      " \"least_ranks\": 3, \"most_ranks\": 9, \"least_bytes\": 65536, \"below_bytes\": 1048576,"
      " \"oversubscribed\": true}]}";
  static struct mpj_settings settings;
  char why[200];
  struct mpj_selected s;
  ck_assert_msg(mpj_tuning_parse(text, settings.file, why, sizeof why), "%s", why);
  const struct mpj_facts fits = crew(8, 2), roomy = crew(8, 8);
  const struct mpj_agreed c = call_of(MPJ_OPERATION_BCAST, 65536, false);
  mpj_select(&fits, &settings, c, &s);
  ck_assert_str_eq(s.algorithm->name, "chain");
  ck_assert_int_eq(s.segments, 16);
  ck_assert_int_eq(s.why, MPJ_BY_FILE);
  mpj_select(&roomy, &settings, c, &s);
  ck_assert_int_eq(s.why, MPJ_BY_RULE);
}
END_TEST

START_TEST(rules_of_the_machine_come_after_the_files_and_before_the_librarys)
{
  static const char text[] = "{\"rules\":[{\"operation\":\"bcast\",\"algorithm\":\"chain\"}]}";
  static struct mpj_settings settings;
  struct mpj_rule *tuned;
  struct mpj_selected s;
  char why[200];
  struct mpj_facts facts = crew(8, 2);
  const uint32_t digest = mpj_select_digest(&facts, &settings);
  ck_assert_int_eq(mpj_tuning_rules(text, true, &tuned), MPJ_SUCCESS);
  facts.tuned = tuned;
  const struct mpj_agreed c = call_of(MPJ_OPERATION_BCAST, 65536, false);
  mpj_select(&facts, &settings, c, &s);
  ck_assert_str_eq(s.algorithm->name, "chain");
  ck_assert_int_eq(s.why, MPJ_BY_MACHINE);
  ck_assert_uint_ne(mpj_select_digest(&facts, &settings), digest);
  ck_assert(mpj_tuning_parse("{\"rules\":[{\"operation\":\"bcast\",\"algorithm\":\"flat\"}]}",
                             settings.file, why, sizeof why));
  mpj_select(&facts, &settings, c, &s);
  ck_assert_int_eq(s.why, MPJ_BY_FILE);
  mpj_free(tuned);
  ck_assert_int_eq(mpj_tuning_rules("{\"rules\":[7]}", false, &tuned), MPJ_SUCCESS);
  ck_assert_ptr_null(tuned);
}
END_TEST

START_TEST(a_rule_of_a_file_may_be_for_processes)
{
  static struct mpj_settings settings;
  struct mpj_facts facts = crew(2, 2);
  struct mpj_selected s;
  char why[200];
  ck_assert(mpj_tuning_parse("{\"rules\": [{\"operation\": \"bcast\", \"algorithm\": \"chain\","
                             " \"processes\": true}]}",
                             settings.file, why, sizeof why));
  mpj_select(&facts, &settings, call_of(MPJ_OPERATION_BCAST, 8, false), &s);
  ck_assert_str_eq(s.algorithm->name, "chain");
  facts.one_process = true;
  mpj_select(&facts, &settings, call_of(MPJ_OPERATION_BCAST, 8, false), &s);
  ck_assert_int_eq(s.why, MPJ_BY_RULE);
}
END_TEST

START_TEST(a_file_that_is_none_is_refused)
{
  static const char *const wrong[][2] = {
      {"", "line 1"},
      {"{", "line 1"},
      {"[]", "rules"},
      {"{\"rules\": 3}", "rules"},
      {"{\"rules\": [1]}", "rule 0: it is no object"},
      {"{\"rules\": [{\"operation\": \"bcast\", \"algorithm\": \"ring\"}]}",
       "ring is no algorithm of bcast"},
      {"{\"rules\": [{\"operation\": \"broadcast\", \"algorithm\": \"flat\"}]}",
       "broadcast is no operation"},
      {"{\"rules\": [{\"operation\": \"bcast\"}]}", "no algorithm"},
      {"{\"rules\": [{\"operation\": \"bcast\", \"algorithm\": \"knomial\", \"radix\": 1}]}",
       "radix is 1"},
      {"{\"rules\": [{\"operation\": \"bcast\", \"algorithm\": \"flat\", \"least_rank\": 3}]}",
       "least_rank is nothing"},
      {"{\"rules\": [{\"operation\": \"bcast\", \"algorithm\": \"flat\", \"most_ranks\": \"3\"}]}",
       "most_ranks is not a whole number"},
      {"{\"rules\": [{\"operation\": \"bcast\", \"algorithm\": \"flat\", \"least_bytes\": -1}]}",
       "least_bytes is not a whole number"},
      {"{\"rules\": [{\"operation\": \"bcast\", \"algorithm\": \"flat\", \"several_nodes\": 1}]}",
       "several_nodes is not true or false"}};
  static struct mpj_rule rules[MPJ_FILE_RULES_MAX + 1];
  char why[200];
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    ck_assert_msg(!mpj_tuning_parse(wrong[i][0], rules, why, sizeof why), "%s", wrong[i][0]);
    ck_assert_msg(strstr(why, wrong[i][1]), "%s: %s", wrong[i][0], why);
  }
}
END_TEST
int main(void)
{
  return RUN_SUITE("coll/rule_files", a_file_of_rules_is_read,
                   rules_of_the_machine_come_after_the_files_and_before_the_librarys,
                   a_rule_of_a_file_may_be_for_processes, a_file_that_is_none_is_refused);
}
