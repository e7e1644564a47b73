/* This file states what communicators that are tori say of ranks and coordinates, and what is an
 * error, on threads. */
#include "coll/engine_play.h"

#define WORLD MPJ_COMM_WORLD

static bool detail_has(const char *text)
{
  return strstr(MPJ_Error_detail(), text) != NULL;
}

static int places(void *arg)
{
  (void)arg;
  const int dims[] = {2, 3, 4}, periodic[] = {1, 0, 1};
  int me = world()->rank, n = -1, got[3], wraps[3], coords[3], rank = -1;
  MPJ_Comm torus, dup;
  NEED(!MPJ_Comm_create_torus(WORLD, 3, dims, periodic, 1, &torus));
  NEED(!MPJ_Comm_rank(torus, &rank) && rank == me);
  NEED(!MPJ_Comm_dup(torus, &dup));
  NEED(!MPJ_Comm_torus(dup, 3, &n, got, wraps) && n == 3);
  NEED(memcmp(got, dims, sizeof dims) == 0 && memcmp(wraps, periodic, sizeof wraps) == 0);
  NEED(!MPJ_Comm_torus(torus, 0, &n, NULL, NULL) && n == 3);
  NEED(!MPJ_Comm_torus(WORLD, 0, &n, got, wraps) && n == 0);
  for (int i = 0; i < 24; i++) {
    NEED(!MPJ_Comm_coords(torus, i, 3, coords));
    NEED(coords[0] == i / 12 && coords[1] == i / 4 % 3 && coords[2] == i % 4);
    NEED(!MPJ_Comm_rank_at(torus, coords, &rank) && rank == i);
    coords[0] -= 2; /* once around */
    coords[2] += 8;
    NEED(!MPJ_Comm_rank_at(torus, coords, &rank) && rank == i);
  }
  coords[1] = 3;
  NEED(MPJ_Comm_rank_at(torus, coords, &rank) == MPJ_ERR_ARG);
  NEED(detail_has("coords[1] is 3, dimension 1 has places 0 to 2 and does not wrap around"));
  NEED(MPJ_Comm_coords(torus, 24, 3, coords) == MPJ_ERR_ARG && detail_has("rank is 24"));
  NEED(MPJ_Comm_coords(torus, 0, 2, coords) == MPJ_ERR_ARG && detail_has("maxdims is 2"));
  NEED(MPJ_Comm_coords(WORLD, 0, 3, coords) == MPJ_ERR_COMM && detail_has("comm is no torus"));
  NEED(MPJ_Comm_rank_at(torus, NULL, &rank) == MPJ_ERR_ARG && detail_has("coords is NULL"));
  NEED(!MPJ_Comm_free(&dup) && !MPJ_Comm_free(&torus));
  return 0;
}

START_TEST(coordinates_are_row_major_and_wrap_where_periodic)
{
  play(24, places, NULL);
}
END_TEST

static int one_rank(void *arg)
{
  (void)arg;
  int dims[32], coords[32] = {0}, rank = -1, n;
  MPJ_Comm torus;
  for (int i = 0; i < 32; i++)
    dims[i] = 1;
  NEED(!MPJ_Comm_create_torus(MPJ_COMM_SELF, 32, dims, NULL, 0, &torus));
  coords[31] = 7; /* NULL: all wrap around */
  NEED(!MPJ_Comm_rank_at(torus, coords, &rank) && rank == 0);
  NEED(!MPJ_Comm_torus(torus, 32, &n, dims, coords) && n == 32 && coords[0] == 1);
  return MPJ_Comm_free(&torus);
}

START_TEST(torus_of_one_rank_has_as_many_dimensions_as_one_likes)
{
  play(1, one_rank, NULL);
}
END_TEST

static int wrong(void *arg)
{
  (void)arg;
  const int six[] = {3, 2}, zero[] = {0, 8}, vast[] = {65536, 65536, 65536}, good[] = {2, 4};
  int me = world()->rank;
  MPJ_Comm torus = MPJ_COMM_NULL;
  NEED(MPJ_Comm_create_torus(WORLD, 2, six, NULL, 0, &torus) == MPJ_ERR_ARG);
  NEED(detail_has("dims is {3, 2}, whose product is 6, comm has 8 ranks"));
  NEED(MPJ_Comm_create_torus(WORLD, 3, vast, NULL, 0, &torus) == MPJ_ERR_ARG);
  NEED(detail_has("whose product is over 2^31"));
  NEED(MPJ_Comm_create_torus(WORLD, 2, zero, NULL, 0, &torus) == MPJ_ERR_ARG);
  NEED(detail_has("dims[0] is 0"));
  NEED(MPJ_Comm_create_torus(WORLD, 0, good, NULL, 0, &torus) == MPJ_ERR_ARG);
  NEED(detail_has("ndims is 0, must be 1 to 32"));
  NEED(MPJ_Comm_create_torus(WORLD, 2, NULL, NULL, 0, &torus) == MPJ_ERR_ARG);
  NEED(detail_has("dims is NULL"));
  /* of one rank alone */
  NEED(MPJ_Comm_create_torus(WORLD, 2, me == 5 ? six : good, NULL, 0, &torus) == MPJ_ERR_ARG);
  NEED(detail_has(me == 5 ? "whose product is 6" : "rank 5 failed"));
  NEED(MPJ_Comm_create_torus(WORLD, 2, good, NULL, 0, me == 2 ? NULL : &torus) == MPJ_ERR_ARG);
  NEED(detail_has(me == 2 ? "newcomm is NULL" : "rank 2 failed"));
  NEED(torus == MPJ_COMM_NULL && MPJ_Barrier(WORLD) == MPJ_SUCCESS);
  return 0;
}

START_TEST(wrong_dims_are_named_on_all_ranks)
{
  play(8, wrong, NULL);
}
END_TEST

static int disagree(void *arg)
{
  (void)arg;
  const int a[] = {2, 4}, b[] = {4, 2}, c[] = {2, 2, 2}, flat[] = {1, 0};
  int me = world()->rank;
  MPJ_Comm torus = MPJ_COMM_NULL;
  NEED(MPJ_Comm_create_torus(WORLD, 2, me == 3 ? b : a, NULL, 0, &torus) == MPJ_ERR_ARG);
  NEED(detail_has("dims is {2, 4} with periodic {1, 1} on rank 0, "
                  "but {4, 2} with periodic {1, 1} on rank 3"));
  NEED(MPJ_Comm_create_torus(WORLD, me == 0 ? 3 : 2, me == 0 ? c : a, NULL, 0, &torus) ==
       MPJ_ERR_ARG);
  NEED(detail_has("dims is {2, 2, 2} with periodic {1, 1, 1} on rank 0, but {2, 4}"));
  NEED(MPJ_Comm_create_torus(WORLD, 2, a, me == 7 ? flat : NULL, 0, &torus) == MPJ_ERR_ARG);
  NEED(detail_has("but {2, 4} with periodic {1, 0} on rank 7"));
  NEED(torus == MPJ_COMM_NULL);
  NEED(!MPJ_Comm_create_torus(WORLD, 2, a, flat, 0, &torus));
  return MPJ_Comm_free(&torus);
}

START_TEST(ranks_that_disagree_are_named_with_what_each_gave)
{
  play(8, disagree, NULL);
}
END_TEST

int main(void)
{
  return RUN_SUITE("torus", coordinates_are_row_major_and_wrap_where_periodic,
                   torus_of_one_rank_has_as_many_dimensions_as_one_likes,
                   wrong_dims_are_named_on_all_ranks,
                   ranks_that_disagree_are_named_with_what_each_gave);
}
