/* This file tests the command line of `mpj-bench pack`. */
#include "driver/pack_command.h"

#include "base/suite.h"

enum { ARGS_MOST = 4 };

static bool reads(struct pack_command *c, const char *const args[ARGS_MOST])
{
  char *argv[ARGS_MOST];
  int argc = 0;
  while (argc < ARGS_MOST && args[argc]) {
    argv[argc] = (char *)(uintptr_t)args[argc];
    argc++;
  }
  return pack_command_read(argc, argv, c);
}

START_TEST(nothing_given_means_everything)
{
  struct pack_command c;
  ck_assert(reads(&c, (const char *const[ARGS_MOST]){0}));
  ck_assert_int_eq(c.what.rows.n, PACK_NROWS);
  ck_assert_int_eq(c.what.patterns.n, PACK_NAPPLICATIONS);
  ck_assert_int_eq(c.what.sizes.n, PACK_NSIZES);
  ck_assert(c.peers[PACK_MPICH] && c.peers[PACK_OPENMPI]);
  ck_assert(!c.peers[PACK_OTHER_MPJ] && !c.prefix[PACK_OTHER_MPJ][0]);
  ck_assert_int_eq(c.rounds, 3);
  ck_assert_str_eq(c.seconds, "0.05");
  ck_assert(!c.json && !c.plot && !c.help);
}
END_TEST

START_TEST(quick_yields_to_what_is_said)
{
  struct pack_command c;
  ck_assert(reads(&c, (const char *const[ARGS_MOST]){"--quick", "--seconds", "0.5"}));
  ck_assert_int_eq(c.rounds, 1);
  ck_assert_str_eq(c.seconds, "0.5");
  ck_assert(!bench_list_has(&c.what.sizes, PACK_B));
  ck_assert(reads(&c, (const char *const[ARGS_MOST]){"--sizes", "B", "--quick"}));
  ck_assert_int_eq(c.what.sizes.n, 1);
  ck_assert_int_eq(c.what.sizes.at[0], PACK_B);
}
END_TEST

START_TEST(rows_and_patterns_are_chosen_by_name)
{
  struct pack_command c;
  ck_assert(reads(&c, (const char *const[ARGS_MOST]){"--rows", "unpack,sum", "--patterns",
                                                     "contiguous,nas_mg_x"}));
  ck_assert_int_eq(c.what.rows.n, 2);
  ck_assert_int_eq(c.what.rows.at[1], PACK_ROW_SUM);
  ck_assert_int_eq(c.what.patterns.at[0], PACK_NAPPLICATIONS - 1);
  ck_assert_int_eq(c.what.patterns.at[1], 0);
}
END_TEST

START_TEST(lists_are_chosen_by_one_word)
{
  struct pack_command c;
  ck_assert(reads(&c, (const char *const[ARGS_MOST]){"--patterns", "lists"}));
  ck_assert_int_eq(c.what.patterns.n, PACK_NLISTS);
  ck_assert_str_eq(pack_pattern_names[c.what.patterns.at[0]], "one_longer_4");
  ck_assert_int_eq(c.what.patterns.at[PACK_NLISTS - 1], PACK_NPATTERNS - 1);
}
END_TEST

START_TEST(another_build_is_the_last_peer)
{
  struct pack_command c;
  ck_assert(reads(&c, (const char *const[ARGS_MOST]){"--peers", "mpich,mpj:/opt/a,b"}));
  ck_assert(c.peers[PACK_MPICH] && !c.peers[PACK_OPENMPI] && c.peers[PACK_OTHER_MPJ]);
  ck_assert_str_eq(c.prefix[PACK_OTHER_MPJ], "/opt/a,b");
}
END_TEST

START_TEST(wrong_options_are_refused)
{
  static const char *const wrong[][ARGS_MOST] = {
      {"--rows", "sideways"},
      {"--patterns", "nas_mg"},
      {"--sizes", "L"},
      {"--sizes", "S,"},
      {"--peers", "none,mpich"},
      {"--peers", "mpj:"},
      {"--rounds", "0"},
      {"--rounds", "101"},
      {"--seconds", "0"},
      {"--json"},
      {"--plot", ""},
      {"--p", "2"},
      {"pack"},
  };
  struct pack_command c;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    ck_assert_msg(!reads(&c, wrong[i]), "%s was accepted", wrong[i][0]);
}
END_TEST

int main(void)
{
  return RUN_SUITE("bench_pack_command", nothing_given_means_everything,
                   quick_yields_to_what_is_said, rows_and_patterns_are_chosen_by_name,
                   lists_are_chosen_by_one_word, another_build_is_the_last_peer,
                   wrong_options_are_refused);
}
