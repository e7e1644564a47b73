/* This file tests the segment: its layout in memory, what makes it valid, rank
 * states, and sleep and wake-up. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/suite.h"
#include "net/cells/segment.h"
#include "net/cells/settings.h"
#include "net/net.h"

static struct mpj_segment *make(const struct mpj_segment_config *config)
{
  const size_t bytes = mpj_segment_bytes(config);
  ck_assert_uint_gt(bytes, 0);
  struct mpj_segment *s = aligned_alloc(4096, bytes);
  ck_assert_ptr_nonnull(s);
  memset(s, 0, bytes);
  mpj_segment_format(s, config);
  return s;
}

static struct mpj_segment_config small_config(void)
{
  return (struct mpj_segment_config){
      .nranks = 3, .cores = 2, .eager_bytes = 100, .tokens = 3, .piece = 8192, .rings = 2};
}

START_TEST(formatted_segment_is_valid_in_its_own_size_or_more)
{
  const struct mpj_segment_config config = small_config();
  struct mpj_segment *s = make(&config);
  const size_t bytes = mpj_segment_bytes(&config);
  ck_assert_uint_eq(s->bytes, bytes);
  ck_assert(mpj_segment_valid(s, bytes));
  ck_assert(mpj_segment_valid(s, bytes + 4096));
  ck_assert(!mpj_segment_valid(s, bytes - 1));
  ck_assert(!mpj_segment_valid(s, sizeof *s - 1));
  ck_assert(!mpj_segment_valid(s, 0));
  free(s);
}
END_TEST

/* Whether the segment stays valid with `value` in the field at `field`. */
static bool valid_with(struct mpj_segment *s, void *field, size_t size, uint64_t value)
{
  unsigned char kept[8];
  memcpy(kept, field, size);
  memcpy(field, &value, size); /* little end first: as all machines here */
  const bool valid = mpj_segment_valid(s, 1 << 30);
  memcpy(field, kept, size);
  ck_assert(mpj_segment_valid(s, (size_t)s->bytes));
  return valid;
}

#define REJECTS(field, value)                                                                      \
  ck_assert_msg(!valid_with(s, &s->field, sizeof s->field, (uint64_t)(value)), "%s = %lld",        \
                #field, (long long)(value))

START_TEST(segment_with_a_wrong_field_is_not_valid)
{
  const struct mpj_segment_config config = small_config();
  struct mpj_segment *s = make(&config);
  REJECTS(magic, 0);
  REJECTS(magic, s->magic ^ 1);
  REJECTS(version, s->version + 1);
  REJECTS(bytes, s->bytes - 1);
  REJECTS(bytes, s->bytes + 4096);
  const long long ranks[] = {0, -1, 2, 4, INT32_MIN};
  for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
    REJECTS(config.nranks, ranks[i]);
  REJECTS(config.cores, 0);
  REJECTS(config.cores, -5);
  const long long eager[] = {63, 0, -1, 129, 65537, INT64_MAX, INT64_MIN};
  for (size_t i = 0; i < sizeof eager / sizeof *eager; i++)
    REJECTS(config.eager_bytes, eager[i]);
  const long long tokens[] = {0, -1, 33, 30, INT64_MAX, INT64_MIN};
  for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++)
    REJECTS(config.tokens, tokens[i]);
  const long long rings[] = {-1, 0, 1, 3, 4, 33, INT32_MAX, INT32_MIN};
  for (size_t i = 0; i < sizeof rings / sizeof *rings; i++)
    REJECTS(config.rings, rings[i]);
  uint64_t *const offsets[] = {&s->ranks_at,   &s->common_at, &s->exposures_at, &s->cards_at,
                               &s->pairs_at,   &s->rings_at,  &s->slots_at,     &s->inboxes_at,
                               &s->waiting_at, &s->pools_at};
  for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
    ck_assert(!valid_with(s, offsets[i], 8, *offsets[i] + 64));
    ck_assert(!valid_with(s, offsets[i], 8, UINT64_MAX));
    ck_assert(!valid_with(s, offsets[i], 8, 0));
  }
  free(s);
}
END_TEST

START_TEST(configuration_out_of_range_has_no_size)
{
  struct mpj_segment_config bad[] = {small_config(), small_config(), small_config(), small_config(),
                                     small_config(), small_config(), small_config()};
  bad[0].nranks = 0;
  bad[1].rings = bad[1].nranks + 1;
  bad[2].cores = 0;
  bad[3].eager_bytes = 63;
  bad[4].eager_bytes = 65537;
  bad[5].tokens = 0;
  bad[6].tokens = 33;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    ck_assert_uint_eq(mpj_segment_bytes(&bad[i]), 0);
}
END_TEST

START_TEST(configuration_comes_from_this_process)
{
  const struct mpj_segment_config c = mpj_segment_config_for(7, true);
  ck_assert_int_eq(c.nranks, 7);
  ck_assert_int_ge(c.cores, 1);
  ck_assert(c.shared);
  ck_assert_uint_eq(c.settings, mpj_settings_digest());
  ck_assert_uint_gt(mpj_segment_bytes(&c), 0);
  ck_assert(!mpj_segment_config_for(1, false).shared);
}
END_TEST

/* A piece of the segment, and the bytes that are its own. */
struct area {
  const char *at;
  size_t bytes;
};

static int by_address(const void *a, const void *b)
{
  const struct area *x = a, *y = b;
  return x->at < y->at ? -1 : x->at > y->at;
}

static void list_inboxes(struct mpj_segment *s, struct area *areas, size_t *n)
{
  for (int r = 0; r < s->config.nranks; r++) {
    areas[(*n)++] = (struct area){(char *)mpj_segment_inbox(s, r), sizeof(struct mpj_inbox)};
    for (unsigned i = 0; i < MPJ_POOL_SLOTS; i++)
      areas[(*n)++] =
          (struct area){(char *)mpj_segment_pool(s, r, i), (size_t)s->config.eager_bytes};
  }
}

static void list_pairs(struct mpj_segment *s, struct area *areas, size_t *n)
{
  for (int r = 0; r < s->config.nranks; r++)
    for (int q = 0; q < s->config.rings; q++) {
      areas[(*n)++] = (struct area){(char *)mpj_segment_pair(s, r, q), sizeof(struct mpj_pair)};
      areas[(*n)++] = (struct area){(char *)mpj_segment_ring(s, r, q),
                                    MPJ_RING_CELLS * sizeof(struct mpj_cell)};
      for (unsigned i = 0; i < (unsigned)s->config.tokens; i++)
        areas[(*n)++] =
            (struct area){(char *)mpj_segment_slot(s, r, q, i), (size_t)s->config.eager_bytes};
    }
}

START_TEST(parts_lie_inside_on_lines_of_their_own)
{
  static struct area areas[4000];
  const struct mpj_segment_config config = small_config();
  struct mpj_segment *s = make(&config);
  size_t n = 0;
  areas[n++] = (struct area){(char *)s, sizeof *s};
  for (int r = 0; r < config.nranks; r++) {
    areas[n++] = (struct area){(char *)mpj_segment_rank(s, r), sizeof(struct mpj_rank_line)};
    areas[n++] = (struct area){(char *)mpj_segment_common(s, r, 0), MPJ_NEAR_BYTES};
    areas[n++] = (struct area){(char *)mpj_segment_common(s, r, 1), MPJ_MIDDLE_BYTES};
    areas[n++] = (struct area){(char *)mpj_segment_common(s, r, 2), MPJ_COMMON_BYTES};
    for (unsigned i = 0; i < MPJ_EXPOSURES; i++)
      areas[n++] =
          (struct area){(char *)mpj_segment_exposure(s, r, i), sizeof(struct mpj_exposure)};
  }
  list_pairs(s, areas, &n);
  list_inboxes(s, areas, &n);
  qsort(areas, n, sizeof *areas, by_address);
  const char *end = (char *)s;
  for (size_t i = 0; i < n; i++) {
    ck_assert_uint_eq((uintptr_t)areas[i].at % MPJ_CACHE_LINE, 0);
    ck_assert(areas[i].at >= end);
    end = areas[i].at + areas[i].bytes;
  }
  ck_assert(end <= (char *)s + s->bytes);
  free(s);
}
END_TEST

START_TEST(first_final_state_stays)
{
  const struct mpj_segment_config config = small_config();
  struct mpj_segment *s = make(&config);
  struct mpj_rank_line *line = mpj_segment_rank(s, 1), *other = mpj_segment_rank(s, 2);
  ck_assert_uint_eq(line->state, MPJ_RANK_ABSENT);
  mpj_segment_mark(s, 1, MPJ_RANK_ACTIVE, 0);
  ck_assert_uint_eq(line->state, MPJ_RANK_ACTIVE);
  ck_assert_uint_eq(s->changes, 0);
  mpj_segment_mark(s, 1, MPJ_RANK_DEAD, 77);
  ck_assert_uint_eq(s->changes, 1);
  mpj_segment_mark(s, 1, MPJ_RANK_FINALIZED, 0);
  mpj_segment_mark(s, 1, MPJ_RANK_DEAD, 78);
  mpj_segment_mark(s, 1, MPJ_RANK_ACTIVE, 0);
  ck_assert_uint_eq(line->state, MPJ_RANK_DEAD);
  ck_assert_int_eq(line->cause, 77);
  ck_assert_uint_eq(s->changes, 1);
  mpj_segment_mark(s, 2, MPJ_RANK_FINALIZED, 0);
  mpj_segment_mark(s, 2, MPJ_RANK_DEAD, 5);
  ck_assert_uint_eq(other->state, MPJ_RANK_FINALIZED);
  ck_assert_int_eq(other->cause, 0);
  ck_assert_uint_eq(s->changes, 2);
  ck_assert_uint_eq(mpj_segment_rank(s, 0)->state, MPJ_RANK_ABSENT);
  free(s);
}
END_TEST

START_TEST(cause_of_death_is_said_in_words)
{
  char text[80];
  mpj_net_cause_text(9, text, sizeof text); /* as waitpid codes a kill by signal 9 */
  ck_assert_str_eq(text, "was killed by signal 9 (Killed)");
  mpj_net_cause_text(3 << 8, text, sizeof text);
  ck_assert_str_eq(text, "exited with code 3");
  mpj_net_cause_text(0, text, sizeof text);
  ck_assert_str_eq(text, "exited without MPJ_Finalize");
  mpj_net_cause_text(MPJ_CAUSE_RETURNED | 2, text, sizeof text);
  ck_assert_str_eq(text, "returned 2");
  mpj_net_cause_text(3 << 8, text, 7);
  ck_assert_str_eq(text, "exited");
}
END_TEST

/* Sleep for so long that the test's time runs out if nobody wakes us. */
static void *sleep_until_woken(void *arg)
{
  struct mpj_segment *s = arg;
  atomic_store(&mpj_segment_rank(s, 0)->sleeping, 1);
  mpj_segment_sleep(s, 0, 1, 600 * 1000000L);
  return NULL;
}

static void wake_sleeper(struct mpj_segment *s, bool by_mark)
{
  pthread_t thread;
  atomic_store(&mpj_segment_rank(s, 2)->state, MPJ_RANK_ACTIVE);
  ck_assert_int_eq(pthread_create(&thread, NULL, sleep_until_woken, s), 0);
  while (atomic_load(&mpj_segment_rank(s, 0)->sleeping) == 0)
    sched_yield();
  if (by_mark)
    mpj_segment_mark(s, 2, MPJ_RANK_DEAD, 0);
  else
    mpj_segment_wake(s, 0);
  pthread_join(thread, NULL);
  ck_assert_uint_eq(mpj_segment_rank(s, 0)->sleeping, 0);
}

START_TEST(sleeper_is_woken_however_close_the_wake_up_comes)
{
  for (int shared = 0; shared < 2; shared++) {
    struct mpj_segment_config config = small_config();
    config.shared = shared;
    struct mpj_segment *s = make(&config);
    for (int i = 0; i < 100; i++)
      wake_sleeper(s, i & 1);
    free(s);
  }
}
END_TEST

START_TEST(sleep_ends_by_itself_and_wakes_nobody_else)
{
  const struct mpj_segment_config config = small_config();
  struct mpj_segment *s = make(&config);
  atomic_store(&mpj_segment_rank(s, 0)->sleeping, 1);
  mpj_segment_sleep(s, 0, 1, 1);
  ck_assert_uint_eq(mpj_segment_rank(s, 0)->sleeping, 1);
  atomic_store(&mpj_segment_rank(s, 0)->sleeping, 0);
  mpj_segment_sleep(s, 0, 1, 600 * 1000000L); /* the word is 0: news has come already */
  atomic_store(&mpj_segment_rank(s, 0)->sleeping, 3);
  mpj_segment_sleep(s, 0, 2, 600 * 1000000L); /* another thread has set it since */
  atomic_store(&mpj_segment_rank(s, 1)->sleeping, 1);
  mpj_segment_wake(s, 0);
  ck_assert_uint_eq(mpj_segment_rank(s, 1)->sleeping, 1);
  free(s);
}
END_TEST

int main(void)
{
  return RUN_SUITE("net/segment", formatted_segment_is_valid_in_its_own_size_or_more,
                   segment_with_a_wrong_field_is_not_valid, configuration_out_of_range_has_no_size,
                   configuration_comes_from_this_process, parts_lie_inside_on_lines_of_their_own,
                   first_final_state_stays, cause_of_death_is_said_in_words,
                   sleeper_is_woken_however_close_the_wake_up_comes,
                   sleep_ends_by_itself_and_wakes_nobody_else);
}
