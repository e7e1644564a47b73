/* This file tests sparse types: many parts, of which few are given. */
#include <stdlib.h>
#include <string.h>

#include <mpj/introspect.h>

#include "base/memory.h"
#include "base/suite.h"
#include "types/alike.h"
#include "types/random_type.h"
#include "types/sparse/sparse.h"

enum { MOST = 400 };
static const MPJ_Count PARTS = (MPJ_Count)1 << 60;

/* The given parts of a type, drawn. */
struct given {
  MPJ_Count nparts, n, parts[MOST], ones[MOST];
  MPJ_Aint displs[MOST];
  MPJ_Datatype types[MOST];
};

static MPJ_Datatype make(const struct given *g)
{
  MPJ_Datatype made;
  must(MPJ_Type_create_sparse(g->nparts, g->n, g->parts, g->displs, g->types, &made));
  ck_assert(mpj_type_check(object_of(made)));
  return made;
}

static void draw(struct mpj_random *rng, int nolds, const MPJ_Datatype olds[], struct given *g)
{
  g->nparts = mpj_random_in(rng, 0, MOST);
  g->n = 0;
  const MPJ_Count one_in = mpj_random_in(rng, 1, 20);
  for (MPJ_Count i = 0; i < g->nparts; i++) {
    if (mpj_random_in(rng, 1, one_in) > 1) continue;
    g->parts[g->n] = i;
    g->ones[g->n] = 1;
    g->displs[g->n] = mpj_random_in(rng, -500, 500);
    g->types[g->n++] = olds[mpj_random_in(rng, 0, nolds - 1)];
  }
}

START_TEST(given_parts_are_their_types_and_the_others_are_empty)
{
  struct mpj_random rng = {83};
  const MPJ_Datatype nothing = contiguous(0, MPJ_INT), rows = vector(3, 2, 5, MPJ_DOUBLE);
  MPJ_Datatype olds[] = {rows, MPJ_INT, nothing, MPJ_C_DOUBLE_COMPLEX};
  struct given *g = calloc(1, sizeof *g);
  ck_assert_ptr_nonnull(g);
  for (int round = 0; round < 200; round++) {
    draw(&rng, round % 4 + 1, olds, g);
    MPJ_Datatype sparse = make(g), blocks;
    must(MPJ_Type_create_struct(g->n, g->ones, g->displs, g->types, &blocks));
    ck_assert(same_map(sparse, blocks));
    ck_assert(lb_of(sparse) == lb_of(blocks) && extent_of(sparse) == extent_of(blocks));
    ck_assert_int_eq(parts_of(sparse), g->nparts);
    for (MPJ_Count i = 0, k = 0; i < g->nparts; i++) {
      const bool given = k < g->n && g->parts[k] == i;
      MPJ_Aint displ;
      MPJ_Datatype part;
      must(MPJ_Type_part(sparse, i, &displ, &part));
      if (given) {
        ck_assert(displ == g->displs[k]);
        must_be_alike(part, g->types[k], "part", 1);
        k++;
      } else {
        ck_assert(parts_of(part) == 0 && extent_of(part) == 0 && same_map(part, nothing));
      }
      must(MPJ_Type_free(&part));
    }
    free_types(2, (MPJ_Datatype[]){sparse, blocks});
  }
  free(g);
  free_types(2, (MPJ_Datatype[]){nothing, rows});
  nothing_lives();
  ck_assert_int_eq(mpj_memory_outstanding(), 0);
}
END_TEST

static MPJ_Count memory_of(MPJ_Datatype type)
{
  MPJ_Count bytes;
  must(MPJ_Type_memory(type, &bytes));
  return bytes;
}

static MPJ_Count encoded_bytes(MPJ_Datatype type)
{
  MPJ_Count bytes;
  must(MPJ_Type_encode(type, NULL, 0, &bytes));
  return bytes;
}

START_TEST(how_many_parts_there_are_costs_nothing)
{
  const MPJ_Aint displs[] = {0, 800, 16, -64, 4000, 120};
  const MPJ_Count ones[] = {1, 1, 1, 1, 1, 1};
  MPJ_Datatype types[6], few, many, blocks;
  for (int k = 0; k < 6; k++)
    types[k] = vector(3, 1, k + 2, k % 2 ? MPJ_INT : MPJ_DOUBLE);
  must(MPJ_Type_create_sparse(6, 6, (MPJ_Count[]){0, 1, 2, 3, 4, 5}, displs, types, &few));
  must(MPJ_Type_create_sparse(PARTS, 6, (MPJ_Count[]){0, 7, 1 << 20, 1 << 30, PARTS / 2, PARTS - 1},
                              displs, types, &many));
  ck_assert(same_map(few, many) && parts_of(many) == PARTS && mpj_type_check(object_of(many)));
  ck_assert_int_le(memory_of(many), memory_of(few) + 64);
  must(MPJ_Type_create_struct(6, ones, displs, types, &blocks));
  ck_assert_int_le(memory_of(many), memory_of(blocks) + 300);
  ck_assert_int_le(encoded_bytes(many), encoded_bytes(few) + 50);
  MPJ_Datatype twin, wide, part;
  MPJ_Aint displ;
  must(MPJ_Type_dup(many, &twin));
  must(MPJ_Type_create_resized(many, -100, 9000, &wide));
  ck_assert(parts_of(twin) == PARTS && parts_of(wide) == PARTS);
  must(MPJ_Type_part(wide, PARTS - 1, &displ, &part));
  ck_assert(displ == 120 && same_map(part, types[5]));
  must(MPJ_Type_free(&part));
  free_types(6, types);
  free_types(5, (MPJ_Datatype[]){few, many, blocks, twin, wide});
  nothing_lives();
}
END_TEST

START_TEST(a_regular_pattern_takes_constant_memory)
{
  MPJ_Count bytes[2];
  for (int k = 0; k < 2; k++) {
    struct given *g = calloc(1, sizeof *g);
    ck_assert_ptr_nonnull(g);
    g->nparts = 1 << 20;
    g->n = k ? MOST : MOST / 2;
    for (MPJ_Count i = 0; i < g->n; i++) {
      g->parts[i] = 5 + 1000 * i;
      g->displs[i] = 24 * i;
      g->types[i] = MPJ_DOUBLE;
    }
    MPJ_Datatype made = make(g);
    bytes[k] = memory_of(made);
    must(MPJ_Type_free(&made));
    free(g);
  }
  ck_assert_int_eq(bytes[0], bytes[1]);
}
END_TEST

START_TEST(the_list_of_parts_with_data_leaves_empty_types_out)
{
  const MPJ_Aint displs[] = {0, 8, 16, 24};
  MPJ_Datatype nothing = contiguous(0, MPJ_INT), a, b, none, basic = vector(2, 1, 2, MPJ_INT);
  must(MPJ_Type_create_sparse(50, 4, (MPJ_Count[]){3, 9, 20, 49}, displs,
                              (MPJ_Datatype[]){MPJ_INT, nothing, MPJ_INT, MPJ_DOUBLE}, &a));
  must(MPJ_Type_create_sparse(60, 3, (MPJ_Count[]){3, 20, 49}, displs,
                              (MPJ_Datatype[]){MPJ_DOUBLE, MPJ_BYTE, MPJ_INT}, &b));
  must(MPJ_Type_create_sparse(60, 1, (MPJ_Count[]){3}, displs, &nothing, &none));
  const struct mpj_sparse *sa = mpj_sparse_of(object_of(a)->parts);
  const struct mpj_sparse *sb = mpj_sparse_of(object_of(b)->parts);
  const struct mpj_sparse *sn = mpj_sparse_of(object_of(none)->parts);
  ck_assert(sa->given.n == 4 && sa->filled.n == 3 && sb->given.numbers == sb->filled.numbers);
  ck_assert(mpj_part_list_equal(&sa->filled, &sb->filled));
  ck_assert(!mpj_part_list_equal(&sa->given, &sb->given));
  ck_assert(sn->given.n == 1 && sn->filled.n == 0 && !sn->filled.numbers);
  ck_assert(!mpj_part_list_equal(&sn->filled, &sb->filled));
  ck_assert_ptr_null(mpj_sparse_of(object_of(basic)->parts));
  free_types(5, (MPJ_Datatype[]){a, b, none, nothing, basic});
  nothing_lives();
}
END_TEST

START_TEST(a_sparse_type_prints_as_it_is_parsed)
{
  static const char *const texts[] = {"sparse(1000000,[3,17,999999],[0,8,-16],[int,double,int])",
                                      "sparse(5,[0+1*5],[0+8*5],[double*5])", "sparse(9,[],[],[])",
                                      "sparse(0,[],[],[])"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    MPJ_Datatype type;
    char text[200];
    MPJ_Count length;
    must(MPJ_Type_parse(texts[i], &type));
    must(MPJ_Type_print(type, text, sizeof text, &length));
    ck_assert_str_eq(text, texts[i]);
    must(MPJ_Type_free(&type));
  }
  MPJ_Datatype made = MPJ_DATATYPE_NULL;
  must_fail(MPJ_Type_parse("sparse(9,[1,2],[0],[int])", &made), MPJ_ERR_FORMAT, "list");
  must_fail(MPJ_Type_parse("sparse(2,[1,2],[0,8],[int*2])", &made), MPJ_ERR_ARG, "parts[1] is 2");
  nothing_lives();
}
END_TEST

START_TEST(wrong_arguments_are_named)
{
  const MPJ_Count parts[] = {2, 5, 5}, high[] = {2, 9}, low[] = {-1};
  const MPJ_Aint displs[] = {0, 8, 16}, far[] = {0, INT64_MAX};
  MPJ_Datatype types[] = {MPJ_INT, MPJ_INT, MPJ_DATATYPE_NULL}, made = MPJ_DATATYPE_NULL;
  must_fail(MPJ_Type_create_sparse(-3, 0, NULL, NULL, NULL, &made), MPJ_ERR_ARG, "nparts is -3");
  must_fail(MPJ_Type_create_sparse(9, -1, parts, displs, types, &made), MPJ_ERR_ARG, "n is -1");
  must_fail(MPJ_Type_create_sparse(1, 2, parts, displs, types, &made), MPJ_ERR_ARG,
            "n is 2, must be 0 to nparts, 1");
  must_fail(MPJ_Type_create_sparse(9, 3, parts, displs, types, &made), MPJ_ERR_ARG,
            "parts[2] is 5, must be over the one before, 5");
  must_fail(MPJ_Type_create_sparse(9, 2, high, displs, types, &made), MPJ_ERR_ARG,
            "parts[1] is 9, must be 0 to nparts - 1, 8");
  must_fail(MPJ_Type_create_sparse(9, 1, low, displs, types, &made), MPJ_ERR_ARG, "parts[0] is -1");
  must_fail(MPJ_Type_create_sparse(9, 2, NULL, displs, types, &made), MPJ_ERR_ARG, "parts is NULL");
  must_fail(MPJ_Type_create_sparse(9, 2, parts, NULL, types, &made), MPJ_ERR_ARG, "displs is NULL");
  must_fail(MPJ_Type_create_sparse(9, 2, parts, displs, NULL, &made), MPJ_ERR_ARG, "types is NULL");
  must_fail(MPJ_Type_create_sparse(9, 2, parts, displs, types, NULL), MPJ_ERR_ARG, "newtype");
  must_fail(MPJ_Type_create_sparse(9, 3, (MPJ_Count[]){1, 2, 3}, displs, types, &made),
            MPJ_ERR_TYPE, "types[2] is MPJ_DATATYPE_NULL");
  must_fail(MPJ_Type_create_sparse(9, 2, parts, far, types, &made), MPJ_ERR_OVERFLOW, "overflow");
  ck_assert_ptr_null(made);
  nothing_lives();
}
END_TEST

START_TEST(failed_allocations_leak_nothing)
{
  const MPJ_Count parts[] = {1, 5, 9, 70, 71};
  const MPJ_Aint displs[] = {0, 8, 64, 32, 128};
  MPJ_Datatype nothing = contiguous(0, MPJ_INT);
  const MPJ_Datatype types[] = {MPJ_INT, MPJ_DOUBLE, nothing, MPJ_CHAR, MPJ_INT};
  const long before = mpj_memory_outstanding();
  int status = MPJ_ERR_NO_MEM;
  for (long successes = 0; status == MPJ_ERR_NO_MEM; successes++) {
    MPJ_Datatype type;
    mpj_memory_fail_after(successes);
    status = MPJ_Type_create_sparse(100, 5, parts, displs, types, &type);
    mpj_memory_fail_after(-1);
    if (status == MPJ_SUCCESS) must(MPJ_Type_free(&type));
    ck_assert_int_eq(mpj_memory_outstanding(), before);
  }
  ck_assert_int_eq(status, MPJ_SUCCESS);
  must(MPJ_Type_free(&nothing));
  nothing_lives();
}
END_TEST

int main(void)
{
  return RUN_SUITE("sparse", given_parts_are_their_types_and_the_others_are_empty,
                   how_many_parts_there_are_costs_nothing, a_regular_pattern_takes_constant_memory,
                   the_list_of_parts_with_data_leaves_empty_types_out,
                   a_sparse_type_prints_as_it_is_parsed, wrong_arguments_are_named,
                   failed_allocations_leak_nothing);
}
