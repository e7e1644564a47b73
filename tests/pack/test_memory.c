/* This file tests what types are said to keep against the allocator's own count,
 * and how much more than that making them takes. */
#include "base/memory.h"

#include <stdlib.h>

#include "base/suite.h"
#include "types/encoded/encode.h"
#include "types/made.h"
#include "types/random_type.h"

static MPJ_Count memory_of(MPJ_Datatype type)
{
  MPJ_Count bytes;
  must(MPJ_Type_memory(type, &bytes));
  return bytes;
}

/* Let the pool and the programs of basic types, which stay, be there. */
static void warm_up(void)
{
  enum { HANDLES = 300 };
  MPJ_Datatype types[HANDLES];
  for (int i = 0; i < HANDLES; i++)
    types[i] = contiguous(2, MPJ_INT);
  free_types(HANDLES, types);
}

/* Make the type of a message and commit it; what the allocator then has more of. */
static long decode_and_commit(const void *message, MPJ_Count bytes, MPJ_Datatype *type)
{
  mpj_memory_meter_start();
  must(MPJ_Type_decode(message, bytes, type));
  must(MPJ_Type_commit(type));
  return mpj_memory_meter_stop().now + (long)mpj_type_slot_bytes();
}

/* A type that shares nothing with another. */
static void check_memory(struct mpj_random_type *t)
{
  void *message;
  MPJ_Count bytes;
  MPJ_Datatype alone;
  must(mpj_type_encode(t->type, &message, &bytes));
  const bool basic = object_of(t->type)->basic >= 0;
  must(MPJ_Type_commit(&t->type));
  mpj_random_type_free(t);
  long kept = decode_and_commit(message, bytes, &alone);
  if (!basic) {
    ck_assert_msg(memory_of(alone) == kept,
                  "%s: %ld bytes are said to be kept, the allocator has %ld", t->text,
                  (long)memory_of(alone), kept);
    must(MPJ_Type_free(&alone));
  }
  mpj_free(message);
  nothing_lives();
}

START_TEST(memory_is_what_the_allocator_counts)
{
  struct mpj_random rng = {811};
  warm_up();
  for (int round = 0; round < 3000; round++) {
    struct mpj_random_options options = {.depth = 1 + round % 6, .max_elements = 400};
    struct mpj_random_type t;
    mpj_random_type_make(&rng, &options, &t);
    check_memory(&t);
  }
}
END_TEST

/* Commit, which must add a tenth and `most` bytes at most. */
static void check_commit(const char *what, MPJ_Count most, MPJ_Datatype *type)
{
  const MPJ_Count before = memory_of(*type);
  must(MPJ_Type_commit(type));
  const MPJ_Count after = memory_of(*type);
  ck_assert_msg(after <= before + before / 10 + most, "%s: %ld bytes, committed %ld", what,
                (long)before, (long)after);
}

static MPJ_Datatype draw_struct(struct mpj_random *rng, MPJ_Count n, bool adjoin)
{
  static const MPJ_Datatype basics[] = {MPJ_INT, MPJ_DOUBLE, MPJ_CHAR, MPJ_FLOAT, MPJ_INT16};
  MPJ_Count lens[64];
  MPJ_Aint displs[64], at = 0, lb, extent;
  MPJ_Datatype types[64], made;
  for (MPJ_Count i = 0; i < n; i++) {
    lens[i] = mpj_random_in(rng, 1, 3);
    types[i] = basics[mpj_random_in(rng, 0, 4)];
    displs[i] = at;
    must(MPJ_Type_get_extent(types[i], &lb, &extent));
    at += lens[i] * extent + (adjoin ? 0 : mpj_random_in(rng, 1, 40));
  }
  must(MPJ_Type_create_struct(n, lens, displs, types, &made));
  return made;
}

/* A struct of n lists of up to 230 blocks each, which alone would all be decoded. */
static MPJ_Datatype draw_lists(struct mpj_random *rng, int n)
{
  enum { BLOCKS = 230, MOST = 12 };
  MPJ_Count displs[BLOCKS], ones[MOST];
  MPJ_Datatype lists[MOST], made;
  MPJ_Aint places[MOST];
  for (int k = 0; k < n; k++) {
    const int nblocks = (int)mpj_random_in(rng, 2, BLOCKS);
    MPJ_Count at = 0;
    for (int i = 0; i < nblocks; i++)
      displs[i] = at += mpj_random_in(rng, 2, 9);
    must(MPJ_Type_create_indexed_block(nblocks, 1, displs, MPJ_DOUBLE, &lists[k]));
    ones[k] = 1;
    places[k] = (MPJ_Aint)k * 8 * 10 * BLOCKS;
  }
  must(MPJ_Type_create_struct(n, ones, places, lists, &made));
  free_types(n, lists);
  return made;
}

START_TEST(commit_adds_a_tenth_and_a_kibibyte_at_most)
{
  enum { KIBIBYTE = 1024 };
  struct mpj_random rng = {814};
  for (int round = 0; round < 20000; round++) {
    struct mpj_random_options options = {.depth = 1 + round % 9,
                                         .max_elements = 20 + 40 * (round % 30)};
    struct mpj_random_type t;
    mpj_random_type_make(&rng, &options, &t);
    if (object_of(t.type)->basic < 0) check_commit(t.text, KIBIBYTE, &t.type);
    mpj_random_type_free(&t);
  }
  for (MPJ_Count n = 1; n <= 64; n++)
    for (int adjoin = 0; adjoin < 2; adjoin++) {
      MPJ_Datatype type = draw_struct(&rng, n, adjoin);
      check_commit("a struct", KIBIBYTE, &type);
      must(MPJ_Type_free(&type));
    }
  for (int n = 1; n <= 12; n++) {
    MPJ_Datatype type = draw_lists(&rng, n);
    check_commit("a struct of lists", KIBIBYTE, &type);
    must(MPJ_Type_free(&type));
  }
}
END_TEST

START_TEST(names_and_attributes_count_and_basic_types_do_not)
{
  int key;
  ck_assert_int_eq(memory_of(MPJ_DOUBLE), 0);
  warm_up();
  must(MPJ_Type_create_keyval(MPJ_Type_dup_attr, NULL, &key, NULL));
  MPJ_Datatype type = contiguous(3, MPJ_INT);
  MPJ_Count before = memory_of(type);
  mpj_memory_meter_start();
  must(MPJ_Type_set_name(type, "three of a kind"));
  must(MPJ_Type_set_attr(type, key, &key));
  long more = mpj_memory_meter_stop().now;
  ck_assert_int_gt(more, 0);
  ck_assert_int_eq(memory_of(type), before + more);
  must(MPJ_Type_free(&type));
  must(MPJ_Type_free_keyval(&key));
}
END_TEST

START_TEST(what_is_shared_counts_in_full_and_once)
{
  MPJ_Count d[] = {0, 5, 11, 30, 31}, lens[] = {1, 2, 3, 4, 1};
  MPJ_Datatype old = indexed(5, lens, d, MPJ_INT), dup, pair;
  const MPJ_Count ones[] = {1, 1};
  const MPJ_Aint places[] = {0, 1000};
  const MPJ_Datatype both[] = {old, old};
  must(MPJ_Type_dup(old, &dup));
  ck_assert_int_ge(memory_of(dup), memory_of(old));
  must(MPJ_Type_create_struct(2, ones, places, both, &pair));
  ck_assert_int_lt(memory_of(pair), 2 * memory_of(old));
  MPJ_Datatype all[] = {old, dup, pair};
  free_types(3, all);
  nothing_lives();
}
END_TEST

START_TEST(memory_names_what_is_wrong)
{
  MPJ_Count bytes = -7;
  MPJ_Datatype type = contiguous(3, MPJ_INT), stale = type;
  must_fail(MPJ_Type_memory(type, NULL), MPJ_ERR_ARG, "bytes is NULL");
  mpj_memory_fail_after(0);
  int status = MPJ_Type_memory(type, &bytes);
  mpj_memory_fail_after(-1);
  ck_assert_int_eq(status, MPJ_ERR_NO_MEM);
  must(MPJ_Type_free(&type));
  must_fail(MPJ_Type_memory(stale, &bytes), MPJ_ERR_TYPE, "freed");
  ck_assert_int_eq(bytes, -7);
}
END_TEST

/* Lists of N blocks, and how many bytes of arrays the caller keeps for them. */
enum { N = 100000, BUCKETS = 4 };

struct arrays {
  MPJ_Count lens[N], displs[N];
  int numbers[N];
};

static void draw_irregular(struct arrays *a)
{
  struct mpj_random rng = {812};
  MPJ_Aint at = 0;
  for (int i = 0; i < N; i++) {
    a->numbers[i] = (int)mpj_random_in(&rng, 0, BUCKETS - 1);
    a->lens[i] = mpj_random_in(&rng, 1, 8);
    at += mpj_random_in(&rng, 0, 4095);
    a->displs[i] = at;
    at += 1000;
  }
}

static void shuffle(struct arrays *a)
{
  struct mpj_random rng = {813};
  for (int i = N - 1; i > 0; i--) {
    int j = (int)mpj_random_in(&rng, 0, i);
    MPJ_Count displ = a->displs[i];
    a->displs[i] = a->displs[j];
    a->displs[j] = displ;
  }
}

/* Stop the meter: peak is at most twice what the type keeps and the input. */
static void check_peak(const char *what, MPJ_Datatype *type, size_t input)
{
  must(MPJ_Type_commit(type));
  struct mpj_memory_meter m = mpj_memory_meter_stop();
  MPJ_Count kept = memory_of(*type);
  ck_assert_msg(m.peak <= 2 * kept + (long)input, "%s: peak %ld bytes, %ld are kept, input %zu",
                what, m.peak, (long)kept, input);
  must(MPJ_Type_free(type));
  nothing_lives();
}

START_TEST(making_takes_at_most_twice_the_result_and_the_input)
{
  static const MPJ_Count lens[BUCKETS] = {1, 10, 100, 1000};
  const size_t two = 2 * N * sizeof(MPJ_Count), one = N * sizeof(MPJ_Count);
  struct arrays *a = malloc(sizeof *a);
  MPJ_Datatype type;
  ck_assert_ptr_nonnull(a);
  warm_up();
  draw_irregular(a);
  mpj_memory_meter_start();
  must(MPJ_Type_indexed(N, a->lens, a->displs, MPJ_DOUBLE, &type));
  check_peak("indexed", &type, two);
  mpj_memory_meter_start();
  must(MPJ_Type_create_indexed_block(N, 1, a->displs, MPJ_DOUBLE, &type));
  check_peak("indexed_block", &type, one);
  mpj_memory_meter_start();
  must(MPJ_Type_create_bucket_index(N, BUCKETS, lens, a->numbers, a->displs, MPJ_DOUBLE, &type));
  check_peak("bucket_index", &type, one + N * sizeof(int));
  mpj_memory_meter_start();
  must(MPJ_Type_create_segment(N, a->lens, MPJ_DOUBLE, &type));
  check_peak("segment", &type, one);
  shuffle(a);
  mpj_memory_meter_start();
  must(MPJ_Type_indexed(N, a->lens, a->displs, MPJ_DOUBLE, &type));
  check_peak("shuffled", &type, two);
  for (int i = 0; i < N; i++) {
    a->lens[i] = 3;
    a->displs[i] = i / 1000 * 100000 + i % 1000 * 7;
  }
  mpj_memory_meter_start();
  must(MPJ_Type_indexed(N, a->lens, a->displs, MPJ_DOUBLE, &type));
  check_peak("two-level", &type, two);
  free(a);
}
END_TEST

START_TEST(making_a_struct_takes_at_most_twice_the_result_and_the_input)
{
  enum { MEMBERS = 20000 };
  static const MPJ_Datatype kinds[] = {MPJ_INT, MPJ_DOUBLE, MPJ_CHAR};
  struct mpj_random rng = {814};
  MPJ_Count *lens = malloc(MEMBERS * sizeof *lens);
  MPJ_Aint *displs = malloc(MEMBERS * sizeof *displs);
  MPJ_Datatype *types = malloc(MEMBERS * sizeof(MPJ_Datatype)), type;
  ck_assert(lens && displs && types);
  for (int i = 0; i < MEMBERS; i++) {
    lens[i] = mpj_random_in(&rng, 1, 3);
    displs[i] = 64 * (MPJ_Aint)i + 8 * mpj_random_in(&rng, 0, 3);
    types[i] = kinds[mpj_random_in(&rng, 0, 2)];
  }
  warm_up();
  mpj_memory_meter_start();
  must(MPJ_Type_create_struct(MEMBERS, lens, displs, types, &type));
  check_peak("struct", &type, 3 * MEMBERS * sizeof(MPJ_Count));
  free(lens);
  free(displs);
  free(types);
}
END_TEST

int main(void)
{
  return RUN_SUITE("memory", memory_is_what_the_allocator_counts,
                   names_and_attributes_count_and_basic_types_do_not,
                   commit_adds_a_tenth_and_a_kibibyte_at_most,
                   what_is_shared_counts_in_full_and_once, memory_names_what_is_wrong,
                   making_takes_at_most_twice_the_result_and_the_input,
                   making_a_struct_takes_at_most_twice_the_result_and_the_input);
}
