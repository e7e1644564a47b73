/* This file tests the search for memory that a layout describes more than once. */
#include "pack/run/overlap.h"

#include "base/memory.h"
#include "base/suite.h"
#include "pack/maps.h"
#include "types/type.h"

static struct mpj_overlap overlap_of(MPJ_Datatype type)
{
  struct mpj_overlap o;
  ck_assert_int_eq(mpj_layout_overlap(type->map.layout, &o), MPJ_SUCCESS);
  return o;
}

/* How often the map has the byte at displ. */
static MPJ_Count times(const struct byte_map *map, MPJ_Aint displ)
{
  MPJ_Count n = 0;
  for (MPJ_Count i = 0; i < map->bytes; i++)
    n += map->displs[i] == displ;
  return n;
}

/* Returns whether it overlaps. */
static bool check(struct mpj_layout *layout, const char *what, int number)
{
  const struct mpj_view view = {layout, 1, 0, 0};
  struct byte_map map;
  struct mpj_overlap o;
  byte_map_make(&map, &view);
  ck_assert_int_eq(mpj_layout_overlap(layout, &o), MPJ_SUCCESS);
  ck_assert_msg(o.found == map.overlaps, "%d: found %d, is %d: %s", number, o.found, map.overlaps,
                what);
  if (o.found) {
    ck_assert_msg(o.first <= o.second, "%d: %s", number, what);
    ck_assert_msg(times(&map, o.first) >= 1, "%d: %s", number, what);
    ck_assert_msg(times(&map, o.second) >= 2, "%d: %s", number, what);
  }
  byte_map_free(&map);
  return o.found;
}

START_TEST(random_types_overlap_where_their_bytes_do)
{
  struct mpj_random rng = {31};
  int overlapping = 0;
  for (int i = 0; i < 3000; i++) {
    const struct mpj_random_options options = {
        .depth = 1 + i % 5, .max_elements = 20 + i % 300, .max_span = i % 3 ? 600 : 0};
    struct mpj_random_type t;
    mpj_random_type_make(&rng, &options, &t);
    struct mpj_type *type;
    ck_assert_int_eq(mpj_type_resolve(t.type, "type", &type), MPJ_SUCCESS);
    overlapping += check(type->map.layout, t.text, i);
    mpj_random_type_free(&t);
  }
  ck_assert_int_ge(overlapping, 300);
  ck_assert_int_le(overlapping, 2700);
}
END_TEST

START_TEST(random_layouts_overlap_where_their_bytes_do)
{
  struct mpj_random rng = {32};
  for (int i = 0; i < 2000; i++) {
    struct mpj_piece p = random_layout(&rng, 1 + i % 6, 20 + i % 2000);
    check(p.layout, "a layout", i);
    mpj_layout_release(p.layout);
  }
}
END_TEST

/* 3,000 rows of 2,000 parts that are columns: 6,000,000 blocks, in two loops that interlock. */
static MPJ_Datatype columns(MPJ_Count width)
{
  MPJ_Datatype column, stepped, all;
  ck_assert_int_eq(MPJ_Type_vector(3000, width, 2000, MPJ_DOUBLE, &column), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Type_create_resized(column, 0, sizeof(double), &stepped), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Type_contiguous(2000, stepped, &all), MPJ_SUCCESS);
  MPJ_Type_free(&column);
  MPJ_Type_free(&stepped);
  return all;
}

START_TEST(nests_of_loops_that_interlock_need_no_list)
{
  MPJ_Datatype apart = columns(1), wide = columns(2);
  mpj_memory_fail_after(1); /* what is kept with the layout */
  const struct mpj_overlap o = overlap_of(apart);
  mpj_memory_fail_after(-1);
  ck_assert(!o.found);
  ck_assert(overlap_of(wide).found);
  ck_assert_int_eq(overlap_of(wide).second - overlap_of(wide).first, sizeof(double));
  MPJ_Type_free(&apart);
  MPJ_Type_free(&wide);
}
END_TEST

START_TEST(what_was_found_is_kept)
{
  const MPJ_Count displs[] = {0, 7, 3, 8};
  MPJ_Datatype type;
  ck_assert_int_eq(MPJ_Type_create_indexed_block(4, 2, displs, MPJ_INT, &type), MPJ_SUCCESS);
  for (long n = 0;; n++) {
    struct mpj_overlap o;
    mpj_memory_fail_after(n);
    const int status = mpj_layout_overlap(type->map.layout, &o);
    mpj_memory_fail_after(-1);
    if (status == MPJ_SUCCESS) break;
    ck_assert_int_eq(status, MPJ_ERR_NO_MEM);
    ck_assert_int_lt((int)n, 100);
  }
  mpj_memory_fail_after(0);
  const struct mpj_overlap o = overlap_of(type);
  mpj_memory_fail_after(-1);
  ck_assert(o.found && o.first == 28 && o.second == 32);
  MPJ_Type_free(&type);
}
END_TEST

int main(void)
{
  return RUN_SUITE("pack/overlap", random_types_overlap_where_their_bytes_do,
                   random_layouts_overlap_where_their_bytes_do,
                   nests_of_loops_that_interlock_need_no_list, what_was_found_is_kept);
}
