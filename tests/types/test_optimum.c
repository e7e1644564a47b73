/* This file compares normalised layouts with the least ones, over random types,
 * and prints how often and by how much they are larger. */
#include <stdio.h>
#include <stdlib.h>

#include "base/suite.h"
#include "types/made.h"
#include "types/optimum.h"
#include "types/random_type.h"
#include "types/walk.h"

struct tally {
  int types, larger, worst;
  long ours, least;
};

/* Cost of the type's layout beside the least. */
static void compare(MPJ_Datatype type, const char *text, struct tally *tally)
{
  struct mpj_view view = mpj_type_view(object_of(type));
  MPJ_Count n;
  struct mpj_ref_entry *entries = mpj_walk(&view, &n);
  if (n > 0 && n <= OPTIMUM_MOST) {
    int ours = optimum_cost_of(view.layout), least = optimum_cost(entries, n);
    ck_assert_msg(ours >= least, "%s: cost %d, the least is said to be %d", text, ours, least);
    tally->types++;
    tally->larger += ours > least;
    tally->worst = ours - least > tally->worst ? ours - least : tally->worst;
    tally->ours += ours;
    tally->least += least;
  }
  free(entries);
}

static void report(const char *what, const struct tally *t)
{
  printf("%s: %d types, %d larger than the least, by %d words at most; %ld words in all, "
         "least %ld (%.2f %%)\n",
         what, t->types, t->larger, t->worst, t->ours, t->least,
         100.0 * (double)(t->ours - t->least) / (double)t->least);
}

static struct tally run(const char *what, struct mpj_random_options options)
{
  struct mpj_random rng = {51};
  struct tally tally = {0};
  for (int round = 0; round < 3000; round++) {
    struct mpj_random_type t;
    mpj_random_type_make(&rng, &options, &t);
    compare(t.type, t.text, &tally);
    mpj_random_type_free(&t);
  }
  report(what, &tally);
  ck_assert_int_gt(tally.types, 1000);
  return tally;
}

START_TEST(random_types_are_near_the_least)
{
  struct tally t = run("mixed", (struct mpj_random_options){.depth = 4, .max_elements = 40});
  ck_assert_int_le((t.ours - t.least) * 100, t.least * 10);
}
END_TEST

START_TEST(random_types_of_one_basic_type_are_near_the_least)
{
  struct tally t =
      run("one basic type",
          (struct mpj_random_options){.depth = 4, .max_elements = 40, .basics = UINT64_C(1) << 6});
  ck_assert_int_le((t.ours - t.least) * 100, t.least * 10);
}
END_TEST

/* The shapes of real programs, cut down: all are the least. */
START_TEST(application_patterns_are_the_least)
{
  struct tally t = {0};
  const MPJ_Count sizes[] = {4, 5, 6}, box[] = {3, 2, 3}, starts[] = {1, 1, 2};
  const MPJ_Count lens[] = {1, 1, 1, 1, 1, 1}, shuffled[] = {40, 3, 17, 29, 8, 0};
  const MPJ_Aint members[] = {0, 8};
  const MPJ_Datatype pair[] = {MPJ_INT, MPJ_DOUBLE};
  MPJ_Datatype types[7], member;
  types[0] = vector(6, 1, 8, MPJ_DOUBLE);  /* a matrix column, a face of a box */
  types[1] = vector(4, 5, 12, MPJ_DOUBLE); /* rows of a block */
  must(MPJ_Type_create_subarray(3, sizes, box, starts, MPJ_ORDER_C, MPJ_FLOAT, &types[2]));
  types[3] = indexed(6, lens, shuffled, MPJ_DOUBLE); /* particles */
  types[4] = vector(2, 3, 4, types[1]);              /* blocks of blocks */
  must(MPJ_Type_create_struct(2, lens, members, pair, &member));
  types[5] = contiguous(5, member); /* an array of structs */
  types[6] = indexed(3, lens, shuffled, types[2]);
  for (int i = 0; i < 7; i++)
    compare(types[i], "pattern", &t);
  report("patterns", &t);
  ck_assert_int_eq(t.larger, 0);
  must(MPJ_Type_free(&member));
  free_types(7, types);
}
END_TEST

int main(void)
{
  return RUN_SUITE("optimum", random_types_are_near_the_least,
                   random_types_of_one_basic_type_are_near_the_least,
                   application_patterns_are_the_least);
}
