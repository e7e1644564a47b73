/* This file tests that threads may create, retain and free types at once. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"
#include "base/suite.h"
#include "types/encoded/encode.h"
#include "types/made.h"
#include "types/random_type.h"
#include "types/walk.h"

enum { THREADS = 4, ROUNDS = 300 };

struct worker {
  pthread_t thread;
  uint64_t seed;
  MPJ_Datatype shared; /* borrowed */
  int wrong;
};

/* All threads draw the same types in the same order, so that they meet in the
 * intern table: one finds what another is just letting go. */
static void *make_and_free(void *arg)
{
  struct worker *w = arg;
  struct mpj_random rng = {w->seed};
  struct mpj_random_options options = {.depth = 3, .max_elements = 128};
  for (int n = 0; n < ROUNDS; n++) {
    struct mpj_random_type t;
    MPJ_Datatype twin, over;
    struct mpj_type *type;
    mpj_random_type_make(&rng, &options, &t);
    if (MPJ_Type_dup(w->shared, &twin) || MPJ_Type_contiguous(3, w->shared, &over)) w->wrong++;
    if (mpj_type_resolve(t.type, "type", &type)) w->wrong++;
    struct mpj_view view = mpj_type_view(type);
    if (!mpj_walk_matches(&view, 0, t.ref) || !mpj_type_check(type)) w->wrong++;
    mpj_random_type_free(&t);
    if (MPJ_Type_free(&twin) || MPJ_Type_free(&over)) w->wrong++;
  }
  return NULL;
}

START_TEST(threads_share_layouts_and_leave_none_behind)
{
  struct worker workers[THREADS];
  MPJ_Datatype shared = vector(5, 2, 3, MPJ_INT);
  for (int i = 0; i < THREADS; i++) {
    workers[i] = (struct worker){.seed = (uint64_t)(i / 2), .shared = shared};
    ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, make_and_free, &workers[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) {
    ck_assert_int_eq(pthread_join(workers[i].thread, NULL), 0);
    ck_assert_int_eq(workers[i].wrong, 0);
  }
  must(MPJ_Type_free(&shared));
  nothing_lives();
}
END_TEST

/* Every round frees the only copy of a layout on one thread while another asks
 * for an equal one. */
static void *churn(void *arg)
{
  struct worker *w = arg;
  for (int n = 0; n < 150 * ROUNDS; n++) {
    MPJ_Datatype type;
    if (MPJ_Type_vector(3, 1, 2 + n % 2, MPJ_INT, &type) || MPJ_Type_free(&type)) w->wrong++;
  }
  return NULL;
}

START_TEST(a_layout_is_freed_and_found_at_once)
{
  struct worker workers[THREADS];
  for (int i = 0; i < THREADS; i++) {
    workers[i] = (struct worker){.wrong = 0};
    ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, churn, &workers[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) {
    ck_assert_int_eq(pthread_join(workers[i].thread, NULL), 0);
    ck_assert_int_eq(workers[i].wrong, 0);
  }
  nothing_lives();
}
END_TEST

static int carry_over(MPJ_Datatype old, int keyval, void *extra, void *in, void **out, int *flag)
{
  atomic_fetch_add((atomic_int *)extra, 1);
  return MPJ_Type_dup_attr(old, keyval, extra, in, out, flag);
}

static int let_go(MPJ_Datatype type, int keyval, void *value, void *extra)
{
  (void)type;
  (void)keyval;
  (void)value;
  atomic_fetch_sub((atomic_int *)extra, 1);
  return MPJ_SUCCESS;
}

/* One shared type with an attribute is copied, encoded and printed by all. */
static void *ask(void *arg)
{
  struct worker *w = arg;
  for (int n = 0; n < ROUNDS; n++) {
    MPJ_Datatype twin, decoded, parsed;
    MPJ_Count bytes, length;
    void *message;
    char text[256];
    int keyval, same[2];
    if (MPJ_Type_create_keyval(NULL, NULL, &keyval, NULL)) w->wrong++;
    if (MPJ_Type_dup(w->shared, &twin) || MPJ_Type_set_attr(twin, keyval, w)) w->wrong++;
    if (mpj_type_encode(w->shared, &message, &bytes)) w->wrong++;
    if (MPJ_Type_decode(message, bytes, &decoded)) w->wrong++;
    if (MPJ_Type_print(twin, text, sizeof text, &length)) w->wrong++;
    if (MPJ_Type_parse(text, &parsed)) w->wrong++;
    if (MPJ_Type_match(decoded, w->shared, NULL, &same[0]) || !same[0]) w->wrong++;
    if (MPJ_Type_match(parsed, w->shared, NULL, &same[1]) || !same[1]) w->wrong++;
    mpj_free(message);
    if (MPJ_Type_free_keyval(&keyval)) w->wrong++;
    if (MPJ_Type_free(&twin) || MPJ_Type_free(&decoded) || MPJ_Type_free(&parsed)) w->wrong++;
  }
  return NULL;
}

START_TEST(threads_ask_one_type_at_once)
{
  struct worker workers[THREADS];
  atomic_int copies = 0;
  int keyval;
  const MPJ_Count lens[] = {1, 2, 3}, displs[] = {0, 9, 17};
  MPJ_Datatype shared = indexed(3, lens, displs, MPJ_DOUBLE);
  must(MPJ_Type_create_keyval(carry_over, let_go, &keyval, &copies));
  must(MPJ_Type_set_attr(shared, keyval, &copies));
  for (int i = 0; i < THREADS; i++) {
    workers[i] = (struct worker){.shared = shared};
    ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, ask, &workers[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) {
    ck_assert_int_eq(pthread_join(workers[i].thread, NULL), 0);
    ck_assert_int_eq(workers[i].wrong, 0);
  }
  ck_assert_int_eq(copies, 0);
  must(MPJ_Type_free(&shared));
  must(MPJ_Type_free_keyval(&keyval));
  nothing_lives();
}
END_TEST

int main(void)
{
  return RUN_SUITE("types threads", threads_share_layouts_and_leave_none_behind,
                   a_layout_is_freed_and_found_at_once, threads_ask_one_type_at_once);
}
