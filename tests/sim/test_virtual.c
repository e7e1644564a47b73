/* This file states what virtual buffers hold, and that what is wrong with it is found. */
#include "base/suite.h"
#include "net/sim/virtual.h"

#include "base/status.h"

#include <string.h>

enum { RANKS = 4, BYTES = 10000 };

/* Bytes [at, at + bytes) of one rank's buffer go to a place in another's. */
static void transfer(struct mpj_sim_virtual *v, int from, MPJ_Count at, int to, MPJ_Count place,
                     MPJ_Count bytes)
{
  struct mpj_sim_extents moved;
  ck_assert_int_eq(mpj_sim_virtual_take(v, mpj_sim_virtual_buffer(v, from) + at, bytes, &moved),
                   MPJ_SUCCESS);
  ck_assert_int_eq(mpj_sim_virtual_lay(v, mpj_sim_virtual_buffer(v, to) + place, bytes, &moved),
                   MPJ_SUCCESS);
  mpj_sim_extents_end(&moved);
}

static void begin(struct mpj_sim_virtual *v)
{
  ck_assert_int_eq(mpj_sim_virtual_begin(v, RANKS, BYTES), MPJ_SUCCESS);
  for (int i = 0; i < 2; i++)
    ck_assert_int_eq(mpj_sim_virtual_fill(v, i, 16 * i, BYTES), MPJ_SUCCESS);
}

START_TEST(pieces_in_any_order_and_over_several_ranks_make_the_whole)
{
  uint64_t x = 11;
  for (MPJ_Count piece = 1; piece < 3 * BYTES; piece = 7 * piece + 3) {
    struct mpj_sim_virtual v;
    begin(&v);
    const MPJ_Count n = (BYTES - 1) / piece + 1;
    const MPJ_Count first = (MPJ_Count)((x += 12345) % (uint64_t)n);
    for (MPJ_Count k = 0; k < n; k++) {
      const MPJ_Count at = (first + k * (n > 2 ? n - 1 : 1)) % n * piece; /* backwards, from there */
      transfer(&v, 1, 16 + at, 2, at, at + piece < BYTES ? piece : BYTES - at);
    }
    for (MPJ_Count at = BYTES; at > 0; at -= at < 977 ? at : 977) /* cut otherwise, from behind */
      transfer(&v, 2, at < 977 ? 0 : at - 977, 3, 5 + (at < 977 ? 0 : at - 977), at < 977 ? at : 977);
    ck_assert_int_eq(mpj_sim_virtual_check(&v, 2, 0, BYTES, 1), MPJ_SUCCESS);
    ck_assert_int_eq(mpj_sim_virtual_check(&v, 3, 5, BYTES, 1), MPJ_SUCCESS);
    ck_assert_int_eq(v.of[3].n, 1); /* what continues is one again */
    mpj_sim_virtual_end(&v);
  }
}
END_TEST

START_TEST(whatever_is_wrong_is_found_and_said)
{
  const struct {
    MPJ_Count at, place, bytes; /* of the second transfer to rank 2 */
    int from;
    bool whole; /* rank 1's data has come before */
    const char *says;
  } cases[] = {{0, 0, 0, 0, false, "no transfer"},
               {16, 0, BYTES - 1, 1, false, "up to 9999 of 10000"},
               {17, 1, BYTES - 1, 1, false, "no transfer"},
               {0, 0, BYTES, 0, false, "byte 0 of rank 0, not byte 0 of rank 1"},
               {17, 0, BYTES - 1, 1, false, "byte 1 of rank 1, not byte 0"},
               {500, 600, 1, 0, true, "up to 600 of 10000"}, /* one byte of another rank */
               {516, 501, 1, 1, true, "up to 501 of 10000"}, /* one byte elsewhere */
               {3000, 9999, 1, 3, true, "up to 9999 of 10000"}}; /* of nothing: a hole */
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct mpj_sim_virtual v;
    begin(&v);
    if (cases[i].whole) transfer(&v, 1, 16, 2, 0, BYTES);
    if (cases[i].bytes > 0)
      transfer(&v, cases[i].from, cases[i].at, 2, cases[i].place, cases[i].bytes);
    ck_assert_int_eq(mpj_sim_virtual_check(&v, 2, 0, BYTES, 1), MPJ_ERR_INTERNAL);
    ck_assert_msg(strstr(MPJ_Error_detail(), cases[i].says) != NULL, "%s", MPJ_Error_detail());
    mpj_sim_virtual_end(&v);
  }
}
END_TEST

START_TEST(a_digest_that_changes_on_the_way_is_found)
{
  struct mpj_sim_virtual v;
  struct mpj_sim_extents moved;
  begin(&v);
  transfer(&v, 1, 16, 2, 0, 4000);
  ck_assert_int_eq(mpj_sim_virtual_take(&v, mpj_sim_virtual_buffer(&v, 1) + 4016, 6000, &moved),
                   MPJ_SUCCESS);
  moved.at[0].digest ^= 1;
  ck_assert_int_eq(mpj_sim_virtual_lay(&v, mpj_sim_virtual_buffer(&v, 2) + 4000, 6000, &moved),
                   MPJ_SUCCESS);
  mpj_sim_extents_end(&moved);
  transfer(&v, 2, 0, 3, 0, 7000); /* in two parts, one of which is sound */
  transfer(&v, 2, 7000, 3, 7000, 3000);
  ck_assert_int_eq(v.of[3].n, 1);
  ck_assert_int_eq(mpj_sim_virtual_check(&v, 3, 0, BYTES, 1), MPJ_ERR_INTERNAL);
  ck_assert_ptr_nonnull(strstr(MPJ_Error_detail(), "digest"));
  mpj_sim_virtual_end(&v);
}
END_TEST

START_TEST(addresses_are_apart_and_cost_no_memory)
{
  struct mpj_sim_virtual v;
  ck_assert_int_eq(mpj_sim_virtual_begin(&v, 1 << 16, 1 << 20), MPJ_SUCCESS); /* 64 GiB of them */
  ck_assert(mpj_sim_is_virtual(&v, mpj_sim_virtual_buffer(&v, (1 << 16) - 1) + (1 << 20)));
  ck_assert(!mpj_sim_is_virtual(&v, &v));
  ck_assert(mpj_sim_virtual_buffer(&v, 7) + (1 << 20) + 4096 <= mpj_sim_virtual_buffer(&v, 8));
  mpj_sim_virtual_end(&v);
  ck_assert_int_eq(mpj_sim_virtual_begin(&v, 1 << 20, INT64_C(1) << 40), MPJ_ERR_NO_MEM);
  ck_assert(!mpj_sim_is_virtual(&v, &v));
}
END_TEST

int main(void)
{
  return RUN_SUITE("sim/virtual", pieces_in_any_order_and_over_several_ranks_make_the_whole,
                   whatever_is_wrong_is_found_and_said, a_digest_that_changes_on_the_way_is_found,
                   addresses_are_apart_and_cost_no_memory);
}
