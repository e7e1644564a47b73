/* This file tests what bad descriptions of arrays and schedules are told. */
#include <string.h>

#include <mpj/array.h>
#include <mpj/mpj.h>

#include "base/suite.h"

static void fails(int status, int code, const char *sentence)
{
  ck_assert_int_eq(status, code);
  ck_assert_msg(strstr(MPJ_Error_detail(), sentence) != NULL, "the sentence is: %s",
                MPJ_Error_detail());
}

static int create(const MPJ_Axis *axis, int grid, MPJ_Array *array)
{
  return MPJ_Array_create(1, axis, 1, &grid, MPJ_ORDER_C, MPJ_DOUBLE, MPJ_COMM_WORLD, array);
}

START_TEST(bad_axes_and_grids_are_named)
{
  const MPJ_Count lengths[1] = {4};
  MPJ_Array a = MPJ_ARRAY_NULL;
  MPJ_Axis axis = {.size = 10, .distribute = MPJ_DISTRIBUTE_BLOCK};
  MPJ_Init(NULL, NULL);
  fails(create(&axis, 2, &a), MPJ_ERR_ARG, "grid has 2 places or more, comm has 1 ranks");
  axis.grid_dim = 1;
  fails(create(&axis, 1, &a), MPJ_ERR_ARG, "axes[0]: grid_dim is 1, the grid has 1 dimensions");
  axis = (MPJ_Axis){.size = 10, .distribute = MPJ_DISTRIBUTE_BLOCK, .darg = 3};
  fails(create(&axis, 1, &a), MPJ_ERR_ARG,
        "darg is 3, 1 blocks of which do not cover the size, 10");
  axis = (MPJ_Axis){.size = 10, .distribute = MPJ_DISTRIBUTE_GENERAL, .lengths = lengths};
  fails(create(&axis, 1, &a), MPJ_ERR_ARG, "lengths sum up to 4, the size is 10");
  axis = (MPJ_Axis){.size = 1, .distribute = MPJ_DISTRIBUTE_INDIRECT, .lengths = lengths};
  fails(create(&axis, 1, &a), MPJ_ERR_ARG,
        "owner of an index, is 4, its grid dimension has 1 coordinates");
  axis = (MPJ_Axis){.size = -1};
  fails(create(&axis, 1, &a), MPJ_ERR_ARG, "axes[0]: size is -1, must be at least 0");
  axis = (MPJ_Axis){.size = 10, .distribute = 7};
  fails(create(&axis, 1, &a), MPJ_ERR_ARG, "distribute is 7, which is no format");
  axis = (MPJ_Axis){.size = 10, .distribute = MPJ_DISTRIBUTE_BLOCK, .first = 1};
  fails(create(&axis, 1, &a), MPJ_ERR_ARG, "first is 1, the grid dimension has coordinates 0 to 0");
  axis = (MPJ_Axis){.size = 10, .reserved = {0, 5}};
  fails(create(&axis, 1, &a), MPJ_ERR_ARG, "axes[0]: reserved[1] is 5, must be 0");
  axis = (MPJ_Axis){.size = 10, .first = 1};
  fails(create(&axis, 1, &a), MPJ_ERR_ARG,
        "axes[0]: first is 1, must be 0: the axis is not distributed");
  axis = (MPJ_Axis){.size = 10, .darg = 2};
  fails(create(&axis, 1, &a), MPJ_ERR_ARG,
        "axes[0]: darg is 2, must be 0: the axis is not distributed");
  axis = (MPJ_Axis){.size = 10, .grid_dim = 1, .lengths = lengths}; /* nobody looks at these */
  ck_assert_int_eq(create(&axis, 1, &a), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Array_free(&a), MPJ_SUCCESS);
  axis = (MPJ_Axis){.size = 4, .distribute = MPJ_DISTRIBUTE_GENERAL, .lengths = lengths, .darg = 2};
  fails(create(&axis, 1, &a), MPJ_ERR_ARG,
        "axes[0]: darg is 2, must be 0: lengths say who owns an index");
  axis = (MPJ_Axis){.size = 10, .periodic = 5};
  fails(create(&axis, 1, &a), MPJ_ERR_ARG, "axes[0]: periodic is 5, must be 0 or 1");
  axis = (MPJ_Axis){.size = 10};
  fails(MPJ_Array_create(1, &axis, 0, NULL, MPJ_ORDER_C, MPJ_DATATYPE_NULL, MPJ_COMM_WORLD, &a),
        MPJ_ERR_TYPE, "element is MPJ_DATATYPE_NULL");
  ck_assert_ptr_null(a);
  MPJ_Finalize();
}
END_TEST

static int two_ranks(void *unused)
{
  const MPJ_Count owners[2] = {1, 0};
  const MPJ_Axis axis = {
      .size = 2, .distribute = MPJ_DISTRIBUTE_INDIRECT, .lengths = owners, .first = 1};
  MPJ_Array a = MPJ_ARRAY_NULL;
  const int status = create(&axis, 2, &a);
  (void)unused;
  return status != MPJ_ERR_ARG || !strstr(MPJ_Error_detail(), "first is 1, must be 0: lengths say");
}

START_TEST(an_axis_by_owners_has_no_first_one)
{
  ck_assert_int_eq(MPJ_Run_threads(2, two_ranks, NULL), 0);
}
END_TEST

/* Halos between arrays of which one thing is unlike. */
static int unlike_halos(void *unused)
{
  const MPJ_Count lengths[2] = {4, 6}, others[2] = {5, 5};
  const MPJ_Axis general = {.size = 10, .distribute = MPJ_DISTRIBUTE_GENERAL, .lengths = lengths};
  const MPJ_Axis even = {.size = 10, .distribute = MPJ_DISTRIBUTE_GENERAL, .lengths = others};
  const MPJ_Axis plain = {.size = 10, .distribute = MPJ_DISTRIBUTE_BLOCK};
  const MPJ_Axis dealt = {.size = 10, .distribute = MPJ_DISTRIBUTE_CYCLIC, .darg = 5};
  const MPJ_Axis small = {.size = 9, .distribute = MPJ_DISTRIBUTE_BLOCK}, whole = {.size = 10};
  const int two = 2, backward[2] = {1, 0};
  MPJ_Array a[5], none, copies, turned;
  MPJ_Schedule s = MPJ_SCHEDULE_NULL;
  const MPJ_Axis *const axes[] = {&plain, &dealt, &small, &general, &even};
  static const struct {
    int from, to;
    const char *why;
  } pairs[] = {
      {0, 1, "axes[0]: distribute is MPJ_DISTRIBUTE_BLOCK in from, MPJ_DISTRIBUTE_CYCLIC in to"},
      {0, 2, "axes[0]: size is 10 in from, 9 in to"},
      {3, 4, "axes[0]: lengths of from and of to differ"}};
  (void)unused;
  for (int i = 0; i < 5; i++)
    if (create(axes[i], 2, &a[i])) return __LINE__;
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (MPJ_Halo_create(a[pairs[i].from], a[pairs[i].to], NULL, NULL, 0, &s) != MPJ_ERR_ARG ||
        !strstr(MPJ_Error_detail(), pairs[i].why))
      return __LINE__;
  if (create(&whole, 2, &copies) ||
      MPJ_Array_create(1, &whole, 0, NULL, MPJ_ORDER_C, MPJ_DOUBLE, MPJ_COMM_WORLD, &none) ||
      MPJ_Array_create_on(1, &plain, 1, &two, backward, MPJ_ORDER_C, NULL, MPJ_DOUBLE,
                          MPJ_COMM_WORLD, &turned))
    return __LINE__;
  if (MPJ_Halo_create(copies, none, NULL, NULL, 0, &s) != MPJ_ERR_ARG ||
      !strstr(MPJ_Error_detail(), "the grid of from has 1 dimensions, that of to 0"))
    return __LINE__;
  if (MPJ_Halo_create(a[0], turned, NULL, NULL, 0, &s) != MPJ_ERR_ARG ||
      !strstr(MPJ_Error_detail(), "place 0 of the grid is rank 0 in from, rank 1 in to"))
    return __LINE__;
  for (int i = 0; i < 5; i++)
    MPJ_Array_free(&a[i]);
  return MPJ_Array_free(&copies) || MPJ_Array_free(&none) || MPJ_Array_free(&turned);
}

START_TEST(a_halo_of_unlike_arrays_says_in_what)
{
  ck_assert_int_eq(MPJ_Run_threads(2, unlike_halos, NULL), 0);
}
END_TEST

START_TEST(constants_of_a_darray_are_an_axis_defaults)
{
  const MPJ_Axis block = {
      .size = 10, .distribute = MPJ_DISTRIBUTE_BLOCK, .darg = MPJ_DISTRIBUTE_DFLT_DARG};
  const MPJ_Axis none = {
      .size = 10, .distribute = MPJ_DISTRIBUTE_NONE, .darg = MPJ_DISTRIBUTE_DFLT_DARG};
  const MPJ_Axis plain[2] = {{.size = 10, .distribute = MPJ_DISTRIBUTE_BLOCK}, {.size = 10}};
  MPJ_Array a, b;
  MPJ_Schedule s;
  MPJ_Init(NULL, NULL);
  for (int i = 0; i < 2; i++) {
    ck_assert_int_eq(create(i == 0 ? &block : &none, 1, &a), MPJ_SUCCESS);
    ck_assert_int_eq(create(&plain[i], 1, &b), MPJ_SUCCESS);
    ck_assert_int_eq(MPJ_Halo_create(a, b, NULL, NULL, 0, &s), MPJ_SUCCESS); /* alike */
    MPJ_Schedule_free(&s);
    MPJ_Array_free(&a);
    MPJ_Array_free(&b);
  }
  MPJ_Finalize();
}
END_TEST

START_TEST(bad_sections_halos_and_subscripts_are_named)
{
  const MPJ_Axis plain = {.size = 10, .distribute = MPJ_DISTRIBUTE_BLOCK};
  const MPJ_Axis ghosts = {.size = 10, .distribute = MPJ_DISTRIBUTE_BLOCK, .ghost_low = 1};
  const MPJ_Range outside = {5, 4, 2}, five = {0, 5, 1}, six = {0, 6, 1}, still = {0, 3, 0};
  const MPJ_Count two = 2, index = 10, offset = 3, zero_offset = 0;
  const int zero = 0, none = -1;
  MPJ_Array a, g;
  MPJ_Schedule s = MPJ_SCHEDULE_NULL;
  MPJ_Init(NULL, NULL);
  ck_assert_int_eq(create(&plain, 1, &a), MPJ_SUCCESS);
  ck_assert_int_eq(create(&ghosts, 1, &g), MPJ_SUCCESS);
  fails(MPJ_Remap_create(a, &outside, a, NULL, NULL, &s), MPJ_ERR_ARG,
        "section[0]: start 5, count 4, step 2 leave the axis of 10 indices");
  fails(MPJ_Remap_create(a, &still, a, &still, NULL, &s), MPJ_ERR_ARG, "step is 0, count is 3");
  fails(MPJ_Remap_create(a, &five, a, &six, NULL, &s), MPJ_ERR_ARG,
        "has 5 indices, axis 0 of to_section 6");
  fails(MPJ_Remap_create(a, &five, a, &five, &none, &s), MPJ_ERR_ARG,
        "section[0] has 5 indices, must have 1, as no axis of to is its");
  fails(MPJ_Halo_create(g, g, &two, NULL, 0, &s), MPJ_ERR_ARG,
        "low[0] is 2, the ghosts of that side of `to` are 1 wide");
  fails(MPJ_Shift_create(a, 1, 1, MPJ_EDGE_KEEP, &s), MPJ_ERR_ARG,
        "axis is 1, the array has 1 axes");
  fails(MPJ_Subscript_create(a, 1, &index, NULL, &s), MPJ_ERR_ARG,
        "index[0][0] is 10, the axis has 10 indices");
  const MPJ_Count places[4] = {7, 2, 5, 2}, indices[4] = {1, 2, 3, 4};
  fails(MPJ_Subscript_create(a, 4, indices, places, &s), MPJ_ERR_ARG,
        "places[3] is 2, as places[1] is");
  fails(MPJ_Graph_create(3, 1, NULL, &zero, &zero_offset, MPJ_DATATYPE_NULL, MPJ_COMM_WORLD, &s),
        MPJ_ERR_TYPE, "element is MPJ_DATATYPE_NULL");
  fails(MPJ_Halo_create(g, g, NULL, NULL, 7, &s), MPJ_ERR_ARG, "corners is 7, must be 0 or 1");
  MPJ_Range ranges[1];
  MPJ_Count n;
  fails(MPJ_Array_ranges(a, 0, 0, -1, ranges, &n), MPJ_ERR_ARG, "max is -1, must be at least 0");
  fails(MPJ_Graph_create(3, 1, NULL, &zero, &offset, MPJ_DOUBLE, MPJ_COMM_WORLD, &s), MPJ_ERR_ARG,
        "rank 0 wants offset 3, which is outside this rank's 3 elements");
  ck_assert_ptr_null(s);
  MPJ_Array_free(&a);
  MPJ_Array_free(&g);
  fails(MPJ_Array_free(&a), MPJ_ERR_ARG, "array is MPJ_ARRAY_NULL");
  MPJ_Finalize();
}
END_TEST

/* Beside the ranks of three an offset has 62 bits: what has more is outside, too, and all hear it.
 */
static int offsets_far_outside(void *unused)
{
  const MPJ_Count far = INT64_MAX;
  const int owner = 2;
  MPJ_Schedule s = MPJ_SCHEDULE_NULL;
  int rank;
  (void)unused;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  const int status =
      MPJ_Graph_create(4, rank == 1, NULL, &owner, &far, MPJ_DOUBLE, MPJ_COMM_WORLD, &s);
  return status != MPJ_ERR_ARG ||
         !strstr(MPJ_Error_detail(),
                 "offsets[0] is 9223372036854775807, which is outside rank 2's");
}

START_TEST(an_offset_that_no_memory_has_is_outside)
{
  ck_assert_int_eq(MPJ_Run_threads(3, offsets_far_outside, NULL), 0);
}
END_TEST

START_TEST(what_is_fetched_has_a_buffer_of_its_own)
{
  const MPJ_Axis axis = {.size = 4, .distribute = MPJ_DISTRIBUTE_BLOCK};
  double from[4] = {1, 2, 3, 4}, to[4] = {5, 6, 7, 8}, fetched[4] = {0};
  MPJ_Request r = MPJ_REQUEST_NULL;
  MPJ_Array a;
  MPJ_Schedule s;
  MPJ_Init(NULL, NULL);
  ck_assert_int_eq(create(&axis, 1, &a), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Shift_create(a, 0, 1, MPJ_EDGE_CYCLIC, &s), MPJ_SUCCESS);
  fails(MPJ_Schedule_fetch_op(s, from, to, to, MPJ_SUM), MPJ_ERR_ARG,
        ", as to is, must be another");
  fails(MPJ_Schedule_ifetch_op(s, from, to, from, MPJ_SUM, &r), MPJ_ERR_ARG,
        ", as from is, must be another");
  ck_assert(from[0] == 1 && from[3] == 4 && to[0] == 5 && to[3] == 8);
  ck_assert_int_eq(MPJ_Schedule_fetch_op(s, from, to, fetched, MPJ_SUM), MPJ_SUCCESS);
  ck_assert(from[3] == 9 && fetched[0] == 4);
  MPJ_Schedule_free(&s);
  MPJ_Array_free(&a);
  MPJ_Finalize();
}
END_TEST

START_TEST(a_halo_within_one_array_has_one_buffer)
{
  const MPJ_Axis axis = {.size = 4,
                         .distribute = MPJ_DISTRIBUTE_BLOCK,
                         .ghost_low = 1,
                         .ghost_high = 1,
                         .periodic = 1};
  double here[6] = {0, 1, 2, 3, 4, 0}, there[6] = {0};
  MPJ_Array a;
  MPJ_Schedule s;
  MPJ_Init(NULL, NULL);
  ck_assert_int_eq(create(&axis, 1, &a), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Halo_create(a, a, NULL, NULL, 0, &s), MPJ_SUCCESS);
  fails(MPJ_Schedule_forward(s, here, there), MPJ_ERR_ARG,
        "must be one: the halo is within one array");
  ck_assert_int_eq(MPJ_Schedule_forward(s, here, here), MPJ_SUCCESS);
  ck_assert(here[0] == 4 && here[5] == 1 && there[0] == 0);
  char text[500];
  MPJ_Count needed;
  ck_assert_int_eq(MPJ_Schedule_print(s, text, sizeof text, &needed), MPJ_SUCCESS);
  ck_assert_ptr_nonnull(strstr(text, "in 2 patches"));
  MPJ_Schedule_free(&s);
  MPJ_Array_free(&a);
  MPJ_Finalize();
}
END_TEST

START_TEST(bad_joins_limits_and_ends_are_named)
{
  const MPJ_Axis axis = {.size = 10, .distribute = MPJ_DISTRIBUTE_BLOCK};
  MPJ_Array a;
  MPJ_Schedule s, joined, other = MPJ_SCHEDULE_NULL;
  MPJ_Request r = MPJ_REQUEST_NULL;
  double here[10], there[10];
  for (int i = 0; i < 10; i++) {
    here[i] = 1;
    there[i] = 2;
  }
  MPJ_Init(NULL, NULL);
  ck_assert_int_eq(create(&axis, 1, &a), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Shift_create(a, 0, 3, MPJ_EDGE_CYCLIC, &s), MPJ_SUCCESS);
  fails(MPJ_Schedule_join(0, &s, &other), MPJ_ERR_ARG, "n is 0, must be at least 1");
  ck_assert_int_eq(MPJ_Schedule_join(1, &s, &joined), MPJ_SUCCESS);
  fails(MPJ_Schedule_join(1, &joined, &other), MPJ_ERR_ARG, "schedules[0] is a joined schedule");
  fails(MPJ_Schedule_limit(s, 1), MPJ_ERR_ARG,
        "scratch_bytes is 1, an element needs 16 in a round");
  fails(MPJ_Schedule_limit(s, -1), MPJ_ERR_ARG, "scratch_bytes is -1, must be at least 0");
  ck_assert_int_eq(MPJ_Schedule_backward_init(s, here, there, MPJ_SUM, &r), MPJ_SUCCESS);
  fails(MPJ_Schedule_limit(s, 64), MPJ_ERR_REQUEST, "schedule has 1 requests that have not been");
  fails(MPJ_Schedule_limit(joined, 64), MPJ_ERR_REQUEST, "schedule has 1 requests that have not");
  ck_assert_int_eq(MPJ_Request_free(&r), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Schedule_limit(s, 64), MPJ_SUCCESS);
  fails(MPJ_Schedule_backward(s, NULL, NULL, MPJ_OP_NULL), MPJ_ERR_OP, "op is MPJ_OP_NULL");
  fails(MPJ_Remap_create_between(MPJ_ARRAY_NULL, NULL, a, NULL, NULL, MPJ_COMM_WORLD, &other),
        MPJ_ERR_ARG, "from_or_null is MPJ_ARRAY_NULL on all ranks");
  fails(MPJ_Remap_create_between(a, NULL, a, NULL, NULL, MPJ_COMM_NULL, &other), MPJ_ERR_COMM,
        "both is MPJ_COMM_NULL");
  fails(MPJ_Schedule_forward(joined, NULL, NULL), MPJ_ERR_ARG, "from is NULL");
  fails(MPJ_Schedule_forward(s, NULL, NULL), MPJ_ERR_ARG, "from is NULL");
  fails(MPJ_Schedule_forward(s, here, NULL), MPJ_ERR_ARG, "to is NULL");
  fails(MPJ_Schedule_forward(s, MPJ_IN_PLACE, there), MPJ_ERR_ARG, "from is MPJ_IN_PLACE");
  fails(MPJ_Schedule_iforward(s, MPJ_IN_PLACE, there, &r), MPJ_ERR_ARG, "from is MPJ_IN_PLACE");
  fails(MPJ_Schedule_forward_init(s, here, MPJ_IN_PLACE, &r), MPJ_ERR_ARG, "to is MPJ_IN_PLACE");
  fails(MPJ_Schedule_backward(s, here, MPJ_IN_PLACE, MPJ_SUM), MPJ_ERR_ARG, "to is MPJ_IN_PLACE");
  fails(MPJ_Schedule_ibackward(s, here, MPJ_IN_PLACE, MPJ_SUM, &r), MPJ_ERR_ARG,
        "to is MPJ_IN_PLACE");
  fails(MPJ_Schedule_backward_init(s, MPJ_IN_PLACE, there, MPJ_SUM, &r), MPJ_ERR_ARG,
        "from is MPJ_IN_PLACE");
  fails(MPJ_Schedule_fetch_op(s, here, there, MPJ_IN_PLACE, MPJ_SUM), MPJ_ERR_ARG,
        "fetched is MPJ_IN_PLACE");
  fails(MPJ_Schedule_fetch_op(s, here, there, NULL, MPJ_SUM), MPJ_ERR_ARG, "fetched is NULL");
  for (int i = 0; i < 10; i++)
    ck_assert(here[i] == 1 && there[i] == 2);
  ck_assert_ptr_null(other);
  MPJ_Schedule_free(&joined);
  MPJ_Schedule_free(&s);
  MPJ_Array_free(&a);
  MPJ_Finalize();
}
END_TEST

START_TEST(print_and_types_say_what_there_is)
{
  const MPJ_Axis axis = {.size = 10, .distribute = MPJ_DISTRIBUTE_BLOCK};
  char text[400];
  MPJ_Array a;
  MPJ_Schedule s;
  MPJ_Datatype send, recv;
  MPJ_Comm comm;
  MPJ_Count needed, bytes;
  int n;
  MPJ_Init(NULL, NULL);
  ck_assert_int_eq(create(&axis, 1, &a), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Shift_create(a, 0, 3, MPJ_EDGE_ZERO, &s), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Schedule_phases(s, &n), MPJ_SUCCESS);
  ck_assert_int_eq(n, 2);
  ck_assert_int_eq(MPJ_Schedule_print(s, text, sizeof text, &needed), MPJ_SUCCESS);
  ck_assert_int_eq((int)needed, (int)strlen(text) + 1);
  ck_assert_ptr_nonnull(strstr(text, "sends 1 message, 56 bytes"));
  ck_assert_int_eq(MPJ_Schedule_types(s, 0, &send, &recv, &comm), MPJ_SUCCESS);
  MPJ_Type_size(recv, &bytes);
  ck_assert_int_eq((int)bytes, 56);
  MPJ_Type_free(&send);
  MPJ_Type_free(&recv);
  fails(MPJ_Schedule_types(s, 2, &send, &recv, &comm), MPJ_ERR_ARG,
        "phase is 2, the schedule has 2");
  MPJ_Schedule_free(&s);
  MPJ_Array_free(&a);
  MPJ_Finalize();
}
END_TEST

START_TEST(a_joined_schedule_has_its_members_phases_with_their_types)
{
  const MPJ_Axis axis = {.size = 10, .distribute = MPJ_DISTRIBUTE_BLOCK};
  MPJ_Array a;
  MPJ_Schedule parts[2], joined;
  int n;
  MPJ_Init(NULL, NULL);
  ck_assert_int_eq(create(&axis, 1, &a), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Shift_create(a, 0, 3, MPJ_EDGE_ZERO, &parts[0]), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Shift_create(a, 0, 4, MPJ_EDGE_KEEP, &parts[1]), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Schedule_join(2, parts, &joined), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Schedule_phases(joined, &n), MPJ_SUCCESS);
  ck_assert_int_eq(n, 3); /* exchange and zeros; exchange */
  const MPJ_Count wanted[] = {56, 24, 48};
  for (int i = 0; i < n; i++) {
    MPJ_Datatype send, recv;
    MPJ_Comm comm;
    MPJ_Count bytes;
    ck_assert_int_eq(MPJ_Schedule_types(joined, i, &send, &recv, &comm), MPJ_SUCCESS);
    ck_assert_int_eq(MPJ_Type_size(recv, &bytes), MPJ_SUCCESS);
    ck_assert_int_eq((int)bytes, (int)wanted[i]);
    if (send) MPJ_Type_free(&send);
    MPJ_Type_free(&recv);
  }
  MPJ_Datatype none;
  MPJ_Comm nobody;
  fails(MPJ_Schedule_types(joined, n, &none, &none, &nobody), MPJ_ERR_ARG,
        "phase is 3, the schedule has 3");
  for (int i = 0; i < 2; i++)
    MPJ_Schedule_free(&parts[i]);
  MPJ_Schedule_free(&joined);
  MPJ_Array_free(&a);
  MPJ_Finalize();
}
END_TEST

START_TEST(what_exceeds_64_bits_and_unlike_elements_are_named)
{
  const MPJ_Axis axis = {.size = 4}, wide = {.size = 9, .ghost_high = INT64_MAX};
  const MPJ_Axis large = {.size = INT64_MAX / 4};
  const MPJ_Count index = 0, place = INT64_MAX / 2;
  const int grid = 1;
  MPJ_Array a, b, none = MPJ_ARRAY_NULL;
  MPJ_Schedule s = MPJ_SCHEDULE_NULL;
  MPJ_Init(NULL, NULL);
  ck_assert_int_eq(create(&axis, 1, &a), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Array_create(1, &axis, 1, &grid, MPJ_ORDER_C, MPJ_INT, MPJ_COMM_WORLD, &b),
                   MPJ_SUCCESS);
  fails(MPJ_Remap_create(a, NULL, b, NULL, NULL, &s), MPJ_ERR_SIGNATURE,
        "the elements of from, double, and of to, int, have unlike signatures");
  fails(MPJ_Halo_create(a, b, NULL, NULL, 0, &s), MPJ_ERR_SIGNATURE, "of from, double, and of to");
  fails(create(&wide, 1, &none), MPJ_ERR_OVERFLOW,
        "size 9, ghost_low 0 and ghost_high 9223372036854775807 exceed 64 bits together");
  fails(create(&large, 1, &none), MPJ_ERR_OVERFLOW,
        "the local array of 2305843009213693951 elements of 8 bytes exceeds 64 bits");
  fails(MPJ_Subscript_create(a, 1, &index, &place, &s), MPJ_ERR_OVERFLOW,
        "places: place 4611686018427387903 of elements of 8 bytes exceeds 64 bits");
  MPJ_Array_free(&a);
  MPJ_Array_free(&b);
  MPJ_Finalize();
}
END_TEST

int main(void)
{
  return RUN_SUITE("array_errors", bad_axes_and_grids_are_named, an_axis_by_owners_has_no_first_one,
                   constants_of_a_darray_are_an_axis_defaults, a_halo_of_unlike_arrays_says_in_what,
                   a_halo_within_one_array_has_one_buffer,
                   bad_sections_halos_and_subscripts_are_named, bad_joins_limits_and_ends_are_named,
                   a_joined_schedule_has_its_members_phases_with_their_types,
                   print_and_types_say_what_there_is, an_offset_that_no_memory_has_is_outside,
                   what_is_fetched_has_a_buffer_of_its_own,
                   what_exceeds_64_bits_and_unlike_elements_are_named);
}
