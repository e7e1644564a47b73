/* This file tests what sequences of basic types are called, and that those which programs
 * send are found by their digest. */
#include "types/introspect/letters.h"

#include <stdlib.h>
#include <string.h>

#include "base/suite.h"
#include "types/made.h"

static struct mpj_letters letters_of(MPJ_Datatype type)
{
  const struct mpj_view view = mpj_type_view(object_of(type));
  struct mpj_letters l;
  mpj_letters_of_view(&view, &l);
  return l;
}

static MPJ_Datatype two(MPJ_Count n, MPJ_Datatype a, MPJ_Count m, MPJ_Datatype b)
{
  const MPJ_Count lens[] = {n, m};
  const MPJ_Aint displs[] = {0, 64 * n};
  const MPJ_Datatype types[] = {a, b};
  MPJ_Datatype made;
  must(MPJ_Type_create_struct(2, lens, displs, types, &made));
  return made;
}

/* What is said of a type whose digest came, where `own` was expected. Takes both. */
static void must_say(MPJ_Datatype sent, MPJ_Datatype own, const char *expected)
{
  const struct mpj_signature *s = &layout_of(sent)->signature;
  const struct mpj_letters wanted = letters_of(own);
  struct mpj_letters found;
  char text[MPJ_LETTERS_TEXT];
  mpj_letters_guess(s->bytes, mpj_signature_digest(s), &wanted, &found);
  mpj_letters_compare("sent", &found, "type describes", &wanted, text, sizeof text);
  ck_assert_str_eq(text, expected);
  must(MPJ_Type_free(&sent));
  must(MPJ_Type_free(&own));
}

START_TEST(sequences_are_found_by_their_digest)
{
  must_say(two(3, MPJ_DOUBLE, 6, MPJ_FLOAT), contiguous(9, MPJ_DOUBLE),
           "sent 3 double, then 6 float; type describes 9 double: they differ at element 3");
  must_say(MPJ_INT, MPJ_FLOAT, "sent 1 int; type describes 1 float: they differ at element 0");
  must_say(MPJ_INT64, contiguous(2, MPJ_LONG),
           "sent 1 long; type describes 2 long: they differ at element 1");
  must_say(contiguous(1000000007, MPJ_SHORT), vector(5, 2, 3, MPJ_SHORT),
           "sent 1000000007 short; type describes 10 short: they differ at element 10");
  must_say(contiguous(0, MPJ_INT), MPJ_INT,
           "sent nothing; type describes 1 int: they differ at element 0");
  must_say(MPJ_INT, contiguous(0, MPJ_INT),
           "sent 1 int; type describes nothing: they differ at element 0");
}
END_TEST

START_TEST(repeated_patterns_are_found)
{
  MPJ_Datatype s = two(1, MPJ_DOUBLE, 3, MPJ_INT), t = two(2, MPJ_CHAR, 1, MPJ_DOUBLE);
  must_say(contiguous(100, s), contiguous(99, s),
           "sent 100 times (1 double, then 3 int); type describes 99 times (1 double, then 3 int): "
           "they differ at element 396");
  must_say(contiguous(100, s), contiguous(100, t),
           "sent 100 times (1 double, then 3 int); type describes 100 times (2 char, then 1 "
           "double): they differ at element 0");
  must(MPJ_Type_free(&s));
  must(MPJ_Type_free(&t));
}
END_TEST

/* (20 int, 30 double), then 17 char: */
static MPJ_Datatype three(MPJ_Count n, MPJ_Datatype middle, MPJ_Count last)
{
  MPJ_Datatype first = two(20, MPJ_INT, n, middle), made = two(1, first, last, MPJ_CHAR);
  must(MPJ_Type_free(&first));
  return made;
}

START_TEST(what_was_expected_but_for_one_run_is_found)
{
  must_say(three(31, MPJ_DOUBLE, 17), three(30, MPJ_DOUBLE, 17),
           "sent 20 int, then 31 double, then 17 char; type describes 20 int, then 30 double, then "
           "17 char: they differ at element 50");
  must_say(three(30, MPJ_SHORT, 17), three(30, MPJ_DOUBLE, 17),
           "sent 20 int, then 30 short, then 17 char; type describes 20 int, then 30 double, then "
           "17 char: they differ at element 20");
  must_say(three(5, MPJ_INT, 17), three(30, MPJ_DOUBLE, 17),
           "sent 25 int, then 17 char; type describes 20 int, then 30 double, then 17 char: they "
           "differ at element 20");
  MPJ_Datatype a = three(3, MPJ_DOUBLE, 17), b = three(3, MPJ_FLOAT, 17);
  must_say(
      contiguous(3, a), contiguous(3, b),
      "sent 3 times (20 int, then 3 double, then 17 char); type describes 3 times (20 int, then "
      "3 float, then 17 char): they differ at element 20");
  must(MPJ_Type_free(&a));
  must(MPJ_Type_free(&b));
}
END_TEST

START_TEST(what_is_not_found_is_counted)
{
  MPJ_Datatype odd = two(20, MPJ_INT, 30, MPJ_DOUBLE), odder = two(1, odd, 17, MPJ_CHAR);
  must(MPJ_Type_free(&odd));
  must_say(odder, MPJ_INT, "sent 337 bytes of another sequence; type describes 1 int");
}
END_TEST

/* What is sent is a contiguous type with a few elements replaced, or in two runs, of any length. */
START_TEST(a_random_difference_is_found)
{
  static const MPJ_Datatype basics[] = {MPJ_DOUBLE,     MPJ_INT,   MPJ_FLOAT, MPJ_CHAR,
                                        MPJ_SHORT,      MPJ_LONG,  MPJ_UINT8, MPJ_BYTE,
                                        MPJ_DOUBLE_INT, MPJ_C_BOOL};
  enum { BASICS = sizeof basics / sizeof basics[0], MOST = 1 << 19 };
  for (int i = 0; i < 60; i++) {
    const MPJ_Count n = 2 + rand() % (1 << (1 + rand() % 19)), first = 1 + rand() % (n - 1);
    const MPJ_Count replaced = 1 + rand() % 4, rest = rand() % 3 ? n - first : 0;
    const MPJ_Datatype a = basics[rand() % BASICS], b = basics[rand() % BASICS];
    MPJ_Datatype front = two(first, a, replaced, b), sent = two(1, front, rest, a);
    MPJ_Datatype own = contiguous(n, rand() % 2 ? a : b);
    const struct mpj_signature *s = &layout_of(sent)->signature;
    const struct mpj_letters wanted = letters_of(own), real = letters_of(sent);
    struct mpj_letters found;
    mpj_letters_guess(s->bytes, mpj_signature_digest(s), &wanted, &found);
    ck_assert_msg(found.n == real.n || rest > 0, "%lld, %lld, %lld", (long long)n, (long long)first,
                  (long long)rest);
    if (rest == 0 || a == b || wanted.runs[0].basic == mpj_basic_of_handle(a)) {
      ck_assert_int_eq(found.n, real.n);
      for (int k = 0; k < real.n; k++)
        ck_assert(found.runs[k].count == real.runs[k].count &&
                  mpj_letters_alike(found.runs[k].basic, real.runs[k].basic));
    }
    must(MPJ_Type_free(&front));
    must(MPJ_Type_free(&sent));
    must(MPJ_Type_free(&own));
  }
}
END_TEST

START_TEST(a_stretch_is_cut_out)
{
  MPJ_Datatype s = two(20, MPJ_INT, 30, MPJ_DOUBLE), t = contiguous(5, s);
  const struct mpj_letters l = letters_of(t);
  struct mpj_letters cut;
  ck_assert(mpj_letters_cut(&l, 320, 640, &cut) && cut.times == 2 && cut.bytes == 640);
  ck_assert(mpj_letters_cut(&l, 40, 300, &cut) && cut.n == 3 && cut.bytes == 300);
  ck_assert(cut.runs[0].count == 10 && cut.runs[1].count == 30 && cut.runs[2].count == 5);
  ck_assert(!mpj_letters_cut(&l, 41, 300, &cut) && !mpj_letters_cut(&l, 40, 299, &cut));
  must(MPJ_Type_free(&s));
  must(MPJ_Type_free(&t));
}
END_TEST

/* Bytes from a peer may be any. */
START_TEST(hostile_sizes_are_let_pass)
{
  const MPJ_Count sizes[] = {-1, INT64_MIN, INT64_MAX, 1, 7};
  const struct mpj_letters own = letters_of(MPJ_INT);
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    struct mpj_letters found;
    char text[MPJ_LETTERS_TEXT];
    mpj_letters_guess(sizes[i], 12345 + i, &own, &found);
    mpj_letters_compare("sent", &found, "type describes", &own, text, sizeof text);
    ck_assert(found.n == 0 && strstr(text, "type describes 1 int"));
  }
}
END_TEST

START_TEST(long_mixtures_are_cut)
{
  MPJ_Datatype t = two(1, MPJ_INT, 1, MPJ_DOUBLE), next;
  for (int i = 0; i < 9; i++) {
    next = two(1, t, 1, i % 2 ? MPJ_FLOAT : MPJ_CHAR);
    must(MPJ_Type_free(&t));
    t = next;
  }
  const struct mpj_letters l = letters_of(t);
  ck_assert(l.more && l.n == MPJ_LETTERS_RUNS && l.times == 1);
  must(MPJ_Type_free(&t));
  nothing_lives();
}
END_TEST

int main(void)
{
  return RUN_SUITE("letters", sequences_are_found_by_their_digest, repeated_patterns_are_found,
                   what_was_expected_but_for_one_run_is_found, what_is_not_found_is_counted,
                   a_random_difference_is_found, a_stretch_is_cut_out, hostile_sizes_are_let_pass,
                   long_mixtures_are_cut);
}
