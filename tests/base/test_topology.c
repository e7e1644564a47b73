/* This file tests the machine's topology and its text form. */
#include "base/machine/topology.h"

#include <stdio.h>
#include <string.h>

#include "base/child.h"
#include "base/machine/topology_load.h"
#include "base/suite.h"

static const struct mpj_topology sample = {2, 4, 32, 64, 32768, 1 << 20, INT64_C(1) << 33};
static const char sample_text[] = "1:2,4,32,64,32768,1048576,8589934592";

static bool equal(const struct mpj_topology *a, const struct mpj_topology *b)
{
  return a->packages == b->packages && a->numa_nodes == b->numa_nodes && a->cores == b->cores &&
         a->pus == b->pus && a->l1d_bytes == b->l1d_bytes && a->l2_bytes == b->l2_bytes &&
         a->l3_bytes == b->l3_bytes;
}

START_TEST(loaded_topology_is_sane)
{
  struct mpj_topology t;
  mpj_topology_load(&t);
  ck_assert_int_ge(t.packages, 1);
  ck_assert_int_ge(t.numa_nodes, 1);
  ck_assert_int_ge(t.cores, 1);
  ck_assert_int_ge(t.pus, t.cores);
  ck_assert(t.l1d_bytes >= 0 && t.l2_bytes >= 0 && t.l3_bytes >= 0);
}
END_TEST

START_TEST(encoded_topology_decodes_to_itself)
{
  char text[256];
  struct mpj_topology found, loaded;
  ck_assert(mpj_topology_encode(&sample, text, sizeof text));
  ck_assert_str_eq(text, sample_text);
  ck_assert(mpj_topology_decode(text, &found));
  ck_assert(equal(&found, &sample));
  mpj_topology_load(&loaded);
  ck_assert(mpj_topology_encode(&loaded, text, sizeof text));
  ck_assert(mpj_topology_decode(text, &found));
  ck_assert(equal(&found, &loaded));
}
END_TEST

START_TEST(encode_refuses_exactly_what_does_not_fit)
{
  char text[sizeof sample_text];
  for (size_t size = 0; size < sizeof sample_text; size++)
    ck_assert(!mpj_topology_encode(&sample, text, size));
  ck_assert(mpj_topology_encode(&sample, text, sizeof sample_text));
}
END_TEST

START_TEST(decode_refuses_what_encode_does_not_write)
{
  static const char *const hostile[] = {"",
                                        "1",
                                        "1:",
                                        "2:2,4,32,64,1,1,1",
                                        "2,4,32,64,1,1,1",
                                        "1:2,4,32,64,1,1",
                                        "1:2,4,32,64,1,1,1,",
                                        "1:2,4,32,64,1,1,1,1",
                                        "1:2,4,32,64,1,1,1 ",
                                        " 1:2,4,32,64,1,1,1",
                                        "1: 2,4,32,64,1,1,1",
                                        "1:+2,4,32,64,1,1,1",
                                        "1:02,4,32,64,1,1,1",
                                        "1:0,4,32,64,1,1,1",
                                        "1:-2,4,32,64,1,1,1",
                                        "1:2,4,32,64,-1,1,1",
                                        "1:2,4,32,64,-0,1,1",
                                        "1:2147483648,4,32,64,1,1,1",
                                        "1:2,4,32,64,9223372036854775808,1,1",
                                        "1:2,4,32,64,99999999999999999999999999,1,1",
                                        "1:2,,32,64,1,1,1",
                                        "1:2,4,32,64,1,1,x",
                                        "1:0x2,4,32,64,1,1,1",
                                        "1:2;4;32;64;1;1;1",
                                        "1:%d,%d,%d,%d,%d,%d,%n"};
  for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
    struct mpj_topology t = sample;
    ck_assert_msg(!mpj_topology_decode(hostile[i], &t), "decoded \"%s\"", hostile[i]);
    ck_assert(equal(&t, &sample));
  }
}
END_TEST

START_TEST(every_cut_of_a_text_is_refused_or_reads_as_another_topology)
{
  for (size_t length = 0; length < sizeof sample_text - 1; length++) {
    char text[sizeof sample_text], again[sizeof sample_text];
    memcpy(text, sample_text, length);
    text[length] = '\0';
    struct mpj_topology t;
    if (!mpj_topology_decode(text, &t)) continue;
    ck_assert(mpj_topology_encode(&t, again, sizeof again));
    ck_assert_str_eq(again, text);
  }
}
END_TEST

static char show_argument[] = "show";

START_TEST(process_topology_is_what_the_launcher_handed_on)
{
  char variable[256];
  snprintf(variable, sizeof variable, "MPJ_TOPOLOGY=%s", sample_text);
  struct child_outcome outcome = run_child(show_argument, (char *[]){variable, NULL});
  ck_assert_int_eq(outcome.status, 0);
  ck_assert_str_eq(outcome.text, sample_text);
}
END_TEST

START_TEST(malformed_process_topology_warns_and_is_found_anew)
{
  char variable[] = "MPJ_TOPOLOGY=1:nonsense", here[256];
  struct mpj_topology loaded;
  struct child_outcome outcome = run_child(show_argument, (char *[]){variable, NULL});
  ck_assert_int_eq(outcome.status, 0);
  ck_assert_ptr_nonnull(strstr(outcome.text, "MPJ_TOPOLOGY=1:nonsense"));
  mpj_topology_load(&loaded);
  ck_assert(mpj_topology_encode(&loaded, here, sizeof here));
  ck_assert_str_eq(strchr(outcome.text, '\n') + 1, here);
}
END_TEST

static int show(void)
{
  char text[256];
  if (!mpj_topology_encode(mpj_topology(), text, sizeof text)) return 1;
  fputs(text, stderr);
  return 0;
}

int main(int argc, char **argv)
{
  (void)argv;
  if (argc > 1) return show();
  return RUN_SUITE("base/topology", loaded_topology_is_sane, encoded_topology_decodes_to_itself,
                   encode_refuses_exactly_what_does_not_fit,
                   decode_refuses_what_encode_does_not_write,
                   every_cut_of_a_text_is_refused_or_reads_as_another_topology,
                   process_topology_is_what_the_launcher_handed_on,
                   malformed_process_topology_warns_and_is_found_anew);
}
