/* This file holds the memory that a rank's transport takes against the formula in
 * spec/active-messages.md, and against what 64 ranks may take. */
#include "base/suite.h"
#include "net/am/region.h"
#include "net/shm/state.h"

enum { PAGES = 12 * 4096, LIMIT = 16 << 20 }; /* each part of a segment is rounded up */

/* Of common memory, addresses alone, until persistent requests and posts use them. */
static const long rest_of_common =
    MPJ_NEAR_BYTES + MPJ_MIDDLE_BYTES + MPJ_COMMON_BYTES - 1024 * 2240L;

/* The formula, in bytes, without these; n ranks, slots of e bytes, t for each ring. */
static long segment_share(long n, long t, long e)
{
  const long rings = n < 32 ? n : 32, inbox = n > 32 ? 9088 + 64 * e + (n + 511) / 512 * 64 : 0;
  return 4435072 + rings * (4160 + t * e) + inbox;
}

static long endpoint(long n)
{
  return 573216 + 832 * n;
}

static long active_messages(long n)
{
  return 4376 + n * (128 + 2 * 32 * 504) + 256 * 72;
}

START_TEST(segment_follows_the_formula)
{
  for (int n = 1; n <= 1024; n *= 2) {
    const struct mpj_segment_config c = {.nranks = n,
                                         .cores = 1,
                                         .eager_bytes = 8192,
                                         .tokens = 16,
                                         .piece = 65536,
                                         .shared = true,
                                         .rings = n < 32 ? n : 32};
    const long bytes = (long)mpj_segment_bytes(&c),
               formula = n * (segment_share(n, 16, 8192) + rest_of_common);
    ck_assert_int_ge(bytes, formula);
    ck_assert_int_le(bytes, formula + PAGES);
  }
}
END_TEST

START_TEST(endpoint_and_active_messages_follow_the_formula)
{
  const long n = 64;
  const size_t shm = sizeof(struct mpj_shm) + MPJ_SHM_SCRATCH_BYTES +
                     MPJ_EXPOSURES * sizeof(struct mpj_cells_exposed),
               peer = sizeof(struct mpj_cells_peer) + sizeof(struct mpj_cells_look) +
                      MPJ_PULLS_PER_SOURCE * sizeof(struct mpj_shm_serve) +
                      sizeof(struct mpj_shm_mapping *);
  ck_assert_int_le((long)(shm + (size_t)n * peer), endpoint(n));
  const size_t am =
      sizeof(struct mpj_am) + MPJ_AM_REGIONS_MAX * sizeof(struct mpj_am_exposed) +
      (size_t)n * (sizeof(struct mpj_am_peer) + 2 * MPJ_AM_WINDOW * sizeof(struct mpj_am_record));
  ck_assert_int_le((long)am, active_messages(n));
}
END_TEST

START_TEST(rank_of_64_takes_at_most_16_mebibytes)
{
  ck_assert_int_le(segment_share(64, 16, 8192) + endpoint(64) + active_messages(64), LIMIT);
}
END_TEST

int main(void)
{
  return RUN_SUITE("net/memory", segment_follows_the_formula,
                   endpoint_and_active_messages_follow_the_formula,
                   rank_of_64_takes_at_most_16_mebibytes);
}
