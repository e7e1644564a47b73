/* This file tests how errors are reported. */
#include "base/memory.h"
#include "base/status.h"

#include <string.h>

#include "base/child.h"
#include "base/entry.h"
#include "base/suite.h"

START_TEST(error_returns_the_code_and_keeps_the_sentence)
{
  ck_assert_int_eq(mpj_error(MPJ_ERR_PARTS, "recvtype has %d parts, comm has %d ranks", 3, 4),
                   MPJ_ERR_PARTS);
  ck_assert_str_eq(MPJ_Error_detail(), "recvtype has 3 parts, comm has 4 ranks");
}
END_TEST

START_TEST(error_is_never_success)
{
  ck_assert_int_eq(mpj_error(MPJ_SUCCESS, "a peer sent no code"), MPJ_ERR_INTERNAL);
  ck_assert_str_eq(MPJ_Error_detail(), "a peer sent no code");
}
END_TEST

START_TEST(a_sentence_is_one_line)
{
  mpj_error(MPJ_ERR_TYPE, "type '%s' is not committed", "two\nlines\t\x01");
  ck_assert_str_eq(MPJ_Error_detail(), "type 'two lines  ' is not committed");
}
END_TEST

START_TEST(long_sentence_is_cut_at_511_bytes)
{
  char text[2000];
  memset(text, 'a', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  mpj_error(MPJ_ERR_ARG, "%s", text);
  ck_assert_uint_eq(strlen(MPJ_Error_detail()), 511);
  mpj_error_context(MPJ_ERR_ARG, "%s", text);
  ck_assert_uint_eq(strlen(MPJ_Error_detail()), 511);
  mpj_error_context(MPJ_ERR_ARG, "front");
  ck_assert_uint_eq(strlen(MPJ_Error_detail()), 511);
  ck_assert(!strncmp(MPJ_Error_detail(), "front: aaaa", 11));
}
END_TEST

START_TEST(error_may_quote_the_present_detail)
{
  mpj_error(MPJ_ERR_ARG, "inner");
  mpj_error(MPJ_ERR_PEER, "rank 3 said: %s", MPJ_Error_detail());
  ck_assert_str_eq(MPJ_Error_detail(), "rank 3 said: inner");
}
END_TEST

START_TEST(context_goes_before_the_present_detail)
{
  mpj_error(MPJ_ERR_ARG, "count is %d", -1);
  ck_assert_int_eq(mpj_error_context(MPJ_ERR_ARG, "%s", "MPJ_Type_vector"), MPJ_ERR_ARG);
  ck_assert_str_eq(MPJ_Error_detail(), "MPJ_Type_vector: count is -1");
}
END_TEST

static char error_argument[] = "error", raise_argument[] = "raise", kept_argument[] = "kept",
            warn_argument[] = "warn";

/* As a public function begins; it is called by another one, which passes the error on. */
static int inner(void)
{
  MPJ_ENTRY;
  return mpj_error(MPJ_ERR_ROOT, "root is %d, comm has %d ranks", 9, 4);
}

static int outer(void)
{
  MPJ_ENTRY;
  return inner();
}

/* It deals with the error; or keeps it for a later call. */
static int forgiving(void)
{
  MPJ_ENTRY;
  inner();
  mpj_error_drop();
  return MPJ_SUCCESS;
}

static char kept[64];

static int keeping(void)
{
  MPJ_ENTRY;
  inner();
  mpj_error_keep(kept, sizeof kept);
  return MPJ_SUCCESS;
}

/* A user's function that it calls fails in a call of its own. */
static int calling(void)
{
  MPJ_ENTRY;
  const struct mpj_entry entered = mpj_entry_suspend();
  inner();
  ck_assert_str_eq(MPJ_Error_detail(), "inner: root is 9, comm has 4 ranks");
  mpj_entry_resume(&entered);
  return MPJ_SUCCESS;
}

static int titled(void)
{
  MPJ_ENTRY;
  return mpj_error(MPJ_ERR_SIGNATURE, "MPJ_Bcast on rank 2: it differs");
}

static int three(void)
{
  return 3;
}

START_TEST(a_function_of_another_library_names_itself)
{
  const int outermost = MPJ_Error_enter("Other_function");
  ck_assert(outermost && !MPJ_Error_enter("MPJ_Inner"));
  ck_assert_int_eq(MPJ_Error_raise(MPJ_ERR_ROOT, "root is 7"), MPJ_ERR_ROOT);
  MPJ_Error_leave(0);
  ck_assert_str_eq(MPJ_Error_detail(), "root is 7");
  MPJ_Error_leave(outermost);
  ck_assert_ptr_eq(strstr(MPJ_Error_detail(), "Other_function"), MPJ_Error_detail());
}
END_TEST

START_TEST(the_outermost_function_names_itself)
{
  ck_assert_int_eq(outer(), MPJ_ERR_ROOT);
  ck_assert_str_eq(MPJ_Error_detail(), "outer: root is 9, comm has 4 ranks");
  ck_assert_int_eq(titled(), MPJ_ERR_SIGNATURE);
  ck_assert_str_eq(MPJ_Error_detail(), "MPJ_Bcast on rank 2: it differs");
  calling();
  ck_assert_str_eq(MPJ_Error_detail(), "inner: root is 9, comm has 4 ranks");
  mpj_entry_ranks(three);
  ck_assert_int_eq(inner(), MPJ_ERR_ROOT);
  ck_assert_str_eq(MPJ_Error_detail(), "inner on rank 3: root is 9, comm has 4 ranks");
}
END_TEST

START_TEST(what_is_kept_or_dropped_is_no_error_of_the_call)
{
  ck_assert_int_eq(forgiving(), MPJ_SUCCESS);
  ck_assert_str_eq(MPJ_Error_detail(), "root is 9, comm has 4 ranks");
  ck_assert_int_eq(keeping(), MPJ_SUCCESS);
  ck_assert_str_eq(kept, "root is 9, comm has 4 ranks");
}
END_TEST

/* Also without memory, as long as there are places; what is forgotten gives its place back. */
START_TEST(a_sentence_is_stored_without_memory)
{
  enum { MOST = 100 };
  char *why[MOST] = {NULL}, *another = NULL, last[40];
  int n = 0;
  mpj_error(MPJ_ERR_ARG, "first");
  mpj_error_store(&another);
  mpj_error(MPJ_ERR_ARG, "second");
  mpj_error_store(&another); /* in place of the first */
  ck_assert_str_eq(mpj_error_stored(another), "second");
  for (int round = 0; round < 2; round++) {
    mpj_memory_fail_after(0);
    for (n = 0; n < MOST && (n == 0 || why[n - 1]); n++) {
      mpj_error(MPJ_ERR_NO_MEM, "no memory for %d", n);
      mpj_error_store(&why[n]);
    }
    mpj_memory_fail_after(-1);
    ck_assert_int_gt(n, 8);
    ck_assert_str_eq(mpj_error_stored(why[0]), "no memory for 0");
    snprintf(last, sizeof last, "no memory for %d", n - 2);
    ck_assert_str_eq(mpj_error_stored(why[n - 2]), last);
    ck_assert_str_eq(mpj_error_stored(why[n - 1]), "there was no memory to note why");
    for (int i = 0; i < n; i++)
      mpj_error_forget(&why[i]);
  }
  mpj_error_forget(&another);
  ck_assert_ptr_null(another);
}
END_TEST

START_TEST(errors_abort_prints_code_and_sentence_and_ends_with_1)
{
  char *environment[] = {(char[]){"MPJ_ERRORS=abort"}, NULL};
  struct child_outcome outcome = run_child(error_argument, environment);
  ck_assert_int_eq(outcome.status, 1);
  ck_assert_str_eq(outcome.text, "mpj: MPJ_ERR_ROOT: outer: root is 9, comm has 4 ranks\n");
  outcome = run_child(raise_argument, environment);
  ck_assert_int_eq(outcome.status, 1);
  ck_assert_str_eq(outcome.text, "mpj: MPJ_ERR_ROOT: none\n");
}
END_TEST

START_TEST(errors_abort_goes_on_where_the_call_does)
{
  char *environment[] = {(char[]){"MPJ_ERRORS=abort"}, NULL};
  struct child_outcome outcome = run_child(kept_argument, environment);
  ck_assert_int_eq(outcome.status, 0);
  ck_assert_str_eq(outcome.text, "");
}
END_TEST

START_TEST(errors_return_goes_on_silently)
{
  struct child_outcome outcome = run_child(error_argument, (char *[]){NULL});
  ck_assert_int_eq(outcome.status, 40 + MPJ_ERR_ROOT);
  ck_assert_str_eq(outcome.text, "");
}
END_TEST

/* With "mpj: " and the end of the line: just fits, or is cut. */
static const int long_bytes[] = {1017, 1018, 1019, 1999};
enum { NLONG = sizeof long_bytes / sizeof *long_bytes };

START_TEST(warning_is_one_line_with_our_name)
{
  struct child_outcome outcome = run_child(warn_argument, (char *[]){NULL});
  ck_assert_int_eq(outcome.status, 0);
  const char *second = "mpj: value 7\n";
  ck_assert(!strncmp(outcome.text, second, strlen(second)));
  const char *cut = outcome.text + strlen(second);
  for (int i = 0; i < NLONG; i++, cut += 1023) /* a long one is cut, and still a line */
    ck_assert_ptr_eq(strchr(cut, '\n'), cut + 1022);
  ck_assert_str_eq(cut, "");
}
END_TEST

static int act_as_child(const char *what)
{
  if (!strcmp(what, error_argument)) return 40 + outer();
  if (!strcmp(what, raise_argument)) return 40 + MPJ_Error_raise(MPJ_ERR_ROOT, "none");
  if (!strcmp(what, kept_argument)) return forgiving() + keeping();
  char text[2000];
  memset(text, 'w', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  mpj_warn("value %d", 7);
  for (int i = 0; i < NLONG; i++)
    mpj_warn("%.*s", long_bytes[i], text);
  return 0;
}

int main(int argc, char **argv)
{
  if (argc > 1) return act_as_child(argv[1]);
  return RUN_SUITE(
      "base/status", error_returns_the_code_and_keeps_the_sentence, error_is_never_success,
      a_sentence_is_one_line, long_sentence_is_cut_at_511_bytes, error_may_quote_the_present_detail,
      context_goes_before_the_present_detail, a_function_of_another_library_names_itself,
      the_outermost_function_names_itself, what_is_kept_or_dropped_is_no_error_of_the_call,
      a_sentence_is_stored_without_memory, errors_abort_prints_code_and_sentence_and_ends_with_1,
      errors_abort_goes_on_where_the_call_does, errors_return_goes_on_silently,
      warning_is_one_line_with_our_name);
}
