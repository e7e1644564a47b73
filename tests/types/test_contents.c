/* This file tests that a constructor's arguments are given back as they were
 * given, and that calling it with them again makes the same type. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/suite.h"
#include "types/alike.h"
#include "types/introspect/contents.h"
#include "types/random_type.h"
#include "types/wanted.h"

enum { MOST = 4096 };

struct contents {
  int combiner;
  struct mpj_contents n;
  MPJ_Count counts[MOST];
  MPJ_Aint addresses[MOST];
  MPJ_Datatype types[MOST];
};

static int read_contents(MPJ_Datatype type, struct contents *c)
{
  must(MPJ_Type_get_envelope(type, &c->n.counts, &c->n.addresses, &c->n.types, &c->combiner));
  ck_assert(c->n.counts <= MOST && c->n.addresses <= MOST && c->n.types <= MOST);
  return MPJ_Type_get_contents(type, MOST, MOST, MOST, c->counts, c->addresses, c->types);
}

static void free_contents(struct contents *c)
{
  for (MPJ_Count i = 0; i < c->n.types; i++)
    if (object_of(c->types[i])->basic < 0) must(MPJ_Type_free(&c->types[i]));
}

static void remake(MPJ_Datatype type, const char *text, int depth)
{
  struct contents *c = calloc(1, sizeof *c);
  MPJ_Count shapes = 1 << 20;
  MPJ_Datatype again;
  ck_assert_ptr_nonnull(c);
  must(read_contents(type, c));
  if (c->combiner != MPJ_COMBINER_NAMED) {
    int status =
        mpj_contents_make(c->combiner, &c->n, c->counts, c->addresses, c->types, &shapes, &again);
    ck_assert_msg(status == MPJ_SUCCESS, "%s: %s", text, MPJ_Error_detail());
    must_be_alike(type, again, text, 1);
    must(MPJ_Type_free(&again));
  }
  for (MPJ_Count i = 0; i < c->n.types && depth > 0; i++)
    remake(c->types[i], text, depth - 1);
  free_contents(c);
  free(c);
}

static void remake_parts(MPJ_Datatype type, const char *text)
{
  for (MPJ_Count i = 0; i < parts_of(type) && i < 3; i++) {
    MPJ_Aint displ;
    MPJ_Datatype part;
    must(MPJ_Type_part(type, i, &displ, &part));
    remake(part, text, 1);
    must(MPJ_Type_free(&part));
  }
}

START_TEST(random_types_are_remade_from_their_contents)
{
  struct mpj_random rng = {77};
  for (int n = 0; n < types_wanted; n++) {
    struct mpj_random_options options = {.depth = 1 + n % 8};
    struct mpj_random_type t;
    mpj_random_type_make(&rng, &options, &t);
    remake(t.type, t.text, 2);
    remake_parts(t.type, t.text);
    mpj_random_type_free(&t);
  }
  nothing_lives();
}
END_TEST

START_TEST(contents_survive_every_failed_allocation)
{
  struct mpj_random rng = {78};
  for (int n = 0; n < types_wanted / 4; n++) {
    struct mpj_random_options options = {.depth = 3};
    struct mpj_random_type t;
    struct contents *c = calloc(1, sizeof *c);
    int status = MPJ_ERR_NO_MEM;
    ck_assert_ptr_nonnull(c);
    mpj_random_type_make(&rng, &options, &t);
    for (long successes = 0; status == MPJ_ERR_NO_MEM; successes++) {
      size_t types = mpj_type_live();
      mpj_memory_fail_after(successes);
      status = read_contents(t.type, c);
      mpj_memory_fail_after(-1);
      if (status) ck_assert_uint_eq(mpj_type_live(), types);
    }
    must(status);
    free_contents(c);
    free(c);
    mpj_random_type_free(&t);
  }
  nothing_lives();
}
END_TEST

START_TEST(indexed_gives_back_what_it_was_given)
{
  enum { N = 1000 };
  MPJ_Count lens[N], displs[N], n[3];
  MPJ_Count *counts = malloc((1 + 2 * N) * sizeof *counts);
  int combiner;
  for (int i = 0; i < N; i++) {
    lens[i] = i % 7;
    displs[i] = 40 * i + i * i % 13 - 5000;
  }
  ck_assert_ptr_nonnull(counts);
  MPJ_Datatype t = indexed(N, lens, displs, MPJ_DOUBLE), old;
  must(MPJ_Type_get_envelope(t, &n[0], &n[1], &n[2], &combiner));
  ck_assert(combiner == MPJ_COMBINER_INDEXED && n[0] == 1 + 2 * N && n[1] == 0 && n[2] == 1);
  must(MPJ_Type_get_contents(t, 1 + 2 * N, 0, 1, counts, NULL, &old));
  ck_assert(counts[0] == N && old == MPJ_DOUBLE);
  ck_assert_mem_eq(counts + 1, lens, sizeof lens);
  ck_assert_mem_eq(counts + 1 + N, displs, sizeof displs);
  free(counts);
  must(MPJ_Type_free(&t));
}
END_TEST

START_TEST(buckets_give_back_what_they_were_given)
{
  const MPJ_Count lens[] = {5, 0, 2, 9}, displs[] = {0, 7, 9, 9, 30};
  const int numbers[] = {2, 0, 1, 2, 3};
  const MPJ_Count expected[] = {5, 4, 5, 0, 2, 9, 2, 0, 1, 2, 3, 0, 7, 9, 9, 30};
  const MPJ_Datatype types[] = {MPJ_INT, MPJ_CHAR, MPJ_INT, MPJ_DOUBLE};
  struct contents *c = calloc(1, sizeof *c);
  MPJ_Datatype t;
  ck_assert_ptr_nonnull(c);
  must(MPJ_Type_create_bucket_index(5, 4, lens, numbers, displs, MPJ_DOUBLE, &t));
  must(read_contents(t, c));
  ck_assert(c->combiner == MPJ_COMBINER_BUCKET_INDEX && c->n.counts == 16);
  ck_assert(c->n.addresses == 0 && c->n.types == 1 && c->types[0] == MPJ_DOUBLE);
  ck_assert_mem_eq(c->counts, expected, sizeof expected);
  must(MPJ_Type_free(&t));
  must(MPJ_Type_create_hbucket_index(5, 4, lens, numbers, displs, MPJ_CHAR, &t));
  must(read_contents(t, c));
  ck_assert(c->combiner == MPJ_COMBINER_HBUCKET_INDEX && c->n.counts == 11 && c->n.addresses == 5);
  ck_assert_mem_eq(c->counts, expected, 11 * sizeof *expected);
  ck_assert_mem_eq(c->addresses, displs, sizeof displs);
  must(MPJ_Type_free(&t));
  must(MPJ_Type_create_bucket_struct(5, 4, lens, types, numbers, displs, &t));
  must(read_contents(t, c));
  ck_assert(c->combiner == MPJ_COMBINER_BUCKET_STRUCT && c->n.counts == 11);
  ck_assert(c->n.addresses == 5 && c->n.types == 4);
  ck_assert_mem_eq(c->counts, expected, 11 * sizeof *expected);
  ck_assert_mem_eq(c->addresses, displs, sizeof displs);
  ck_assert_mem_eq(c->types, types, sizeof types);
  must(MPJ_Type_free(&t));
  free(c);
  nothing_lives();
}
END_TEST

START_TEST(equal_buckets_and_none_are_told)
{
  const MPJ_Count lens[] = {4, 3, 4, 3}, displs[] = {0, 10, 20};
  const int numbers[] = {3, 2, 1};
  struct contents *c = calloc(1, sizeof *c);
  MPJ_Datatype t;
  ck_assert_ptr_nonnull(c);
  must(MPJ_Type_create_bucket_index(3, 4, lens, numbers, displs, MPJ_INT, &t));
  must(read_contents(t, c));
  const MPJ_Count expected[] = {3, 4, 4, 3, 4, 3, 1, 0, 1, 0, 10, 20};
  ck_assert_mem_eq(c->counts, expected, sizeof expected);
  must(MPJ_Type_free(&t));
  must(MPJ_Type_create_bucket_index(0, 0, NULL, NULL, NULL, MPJ_INT, &t));
  must(read_contents(t, c));
  ck_assert(c->n.counts == 2 && c->counts[0] == 0 && c->counts[1] == 0 && c->types[0] == MPJ_INT);
  must(MPJ_Type_free(&t));
  must(MPJ_Type_create_bucket_struct(0, 2, lens, (MPJ_Datatype[]){MPJ_INT, MPJ_CHAR}, NULL, NULL,
                                     &t));
  must(read_contents(t, c));
  ck_assert(c->n.counts == 4 && c->counts[1] == 2 && c->counts[3] == 3);
  ck_assert(c->n.types == 2 && c->types[1] == MPJ_CHAR);
  must(MPJ_Type_free(&t));
  free(c);
  nothing_lives();
}
END_TEST

START_TEST(slices_and_shares_say_what_they_are)
{
  const MPJ_Count sizes[] = {4, 5, 6}, subs[] = {2, 3, 4}, starts[] = {1, 2, 0};
  struct contents c;
  MPJ_Datatype t, slice;
  MPJ_Aint displ;
  must(MPJ_Type_create_subarray(3, sizes, subs, starts, MPJ_ORDER_FORTRAN, MPJ_INT, &t));
  must(MPJ_Type_part(t, 1, &displ, &slice));
  must(read_contents(slice, &c));
  const MPJ_Count expected[] = {2, 4, 5, 2, 3, 1, 2, MPJ_ORDER_FORTRAN};
  ck_assert(c.combiner == MPJ_COMBINER_SUBARRAY && c.n.counts == 8);
  ck_assert_mem_eq(c.counts, expected, sizeof expected);
  MPJ_Datatype all[] = {t, slice};
  free_types(2, all);
  const int general[] = {MPJ_DISTRIBUTE_GENERAL}, grid[] = {3};
  const MPJ_Count dargs[] = {7}, lens[] = {1, 1, 2}, *const blocks[] = {lens};
  must(MPJ_Type_create_general_distribution(1, sizes, general, dargs, blocks, grid, MPJ_ORDER_C,
                                            MPJ_INT, &t));
  must(MPJ_Type_part(t, 1, &displ, &slice));
  must(MPJ_Type_free(&t));
  must(read_contents(slice, &c));
  const MPJ_Count share[] = {3, 1, 1, 4, MPJ_DISTRIBUTE_GENERAL, 0, 3, MPJ_ORDER_C, 1, 1, 2};
  ck_assert(c.combiner == MPJ_COMBINER_DARRAY && c.n.counts == 11);
  ck_assert_mem_eq(c.counts, share, sizeof share);
  must(MPJ_Type_free(&slice));
  nothing_lives();
}
END_TEST

START_TEST(too_little_room_is_named)
{
  MPJ_Datatype t = vector(3, 1, 2, MPJ_INT), old;
  MPJ_Count counts[3];
  MPJ_Aint none[1];
  must_fail(MPJ_Type_get_contents(t, 2, 0, 1, counts, none, &old), MPJ_ERR_TRUNCATE,
            "counts has room for 2, the type has 3");
  must_fail(MPJ_Type_get_contents(t, 3, 0, 0, counts, none, &old), MPJ_ERR_TRUNCATE,
            "types has room for 0");
  must_fail(MPJ_Type_get_contents(t, 3, 0, 1, NULL, none, &old), MPJ_ERR_ARG, "counts is NULL");
  must_fail(MPJ_Type_get_envelope(t, NULL, counts, counts, NULL), MPJ_ERR_ARG, "ncounts is NULL");
  must_fail(MPJ_Type_get_envelope(MPJ_DATATYPE_NULL, counts, counts, counts, (int[]){0}),
            MPJ_ERR_TYPE, "type is MPJ_DATATYPE_NULL");
  must(MPJ_Type_free(&t));
}
END_TEST

START_TEST(numbers_that_fit_no_constructor_are_refused)
{
  struct mpj_random rng = {79};
  const MPJ_Datatype types[] = {MPJ_INT, MPJ_CHAR, MPJ_DOUBLE};
  int refused = 0, made = 0;
  for (int n = 0; n < 20000; n++) {
    MPJ_Count counts[12], shapes = 64;
    MPJ_Aint addresses[4];
    MPJ_Datatype t;
    for (int i = 0; i < 12; i++)
      counts[i] = mpj_random_in(&rng, 0, 9) == 0 ? 121 : mpj_random_in(&rng, -1, 3);
    for (int i = 0; i < 4; i++)
      addresses[i] = mpj_random_in(&rng, -9, 99);
    struct mpj_contents c = {mpj_random_in(&rng, 0, 12), mpj_random_in(&rng, 0, 4),
                             mpj_random_in(&rng, 0, 3)};
    int status = mpj_contents_make((int)mpj_random_in(&rng, -1, 20), &c, counts, addresses, types,
                                   &shapes, &t);
    refused += status != MPJ_SUCCESS;
    made += status == MPJ_SUCCESS;
    if (status == MPJ_SUCCESS) must(MPJ_Type_free(&t));
  }
  ck_assert(refused > 10000 && made > 20);
  nothing_lives();
}
END_TEST

START_TEST(alignment_and_elements_are_told)
{
  MPJ_Datatype t = vector(3, 2, 4, MPJ_DOUBLE_INT);
  MPJ_Count elements;
  int alignment;
  must(MPJ_Type_get_alignment(t, &alignment));
  must(MPJ_Type_get_element_count(t, &elements));
  ck_assert(alignment == 8 && elements == 6);
  must_fail(MPJ_Type_get_alignment(t, NULL), MPJ_ERR_ARG, "bytes is NULL");
  must_fail(MPJ_Type_get_element_count(t, NULL), MPJ_ERR_ARG, "elements is NULL");
  must(MPJ_Type_free(&t));
}
END_TEST

int main(int argc, char **argv)
{
  read_wanted(argc, argv, 800);
  return RUN_SUITE("contents", random_types_are_remade_from_their_contents,
                   contents_survive_every_failed_allocation, indexed_gives_back_what_it_was_given,
                   buckets_give_back_what_they_were_given, equal_buckets_and_none_are_told,
                   slices_and_shares_say_what_they_are, too_little_room_is_named,
                   numbers_that_fit_no_constructor_are_refused, alignment_and_elements_are_told);
}
