/* This file tests what becomes of handles of arrays and schedules that have been freed. */
#include <string.h>

#include <mpj/array.h>
#include <mpj/mpj.h>

#include "base/suite.h"

static void is_refused(int status)
{
  ck_assert_int_eq(status, MPJ_ERR_ARG);
  ck_assert_msg(strstr(MPJ_Error_detail(), "has been freed") != NULL, "the sentence is: %s",
                MPJ_Error_detail());
}

/* Schedules keep their arrays, and joined ones their members: but their handles are none. */
START_TEST(a_freed_handle_is_none_though_others_have_what_it_was)
{
  const MPJ_Axis axis = {.size = 4};
  double from[4] = {1, 2, 3, 4}, to[4] = {0};
  const void *froms[1] = {from};
  void *tos[1] = {to};
  MPJ_Array a;
  MPJ_Schedule s, joined;
  MPJ_Count size, stride;
  MPJ_Init(NULL, NULL);
  ck_assert_int_eq(MPJ_Array_create(1, &axis, 0, NULL, MPJ_ORDER_C, MPJ_DOUBLE, MPJ_COMM_WORLD, &a),
                   MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Remap_create(a, NULL, a, NULL, NULL, &s), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Schedule_join(1, &s, &joined), MPJ_SUCCESS);
  MPJ_Array gone = a;
  MPJ_Schedule past = s;
  MPJ_Array_free(&a);
  MPJ_Schedule_free(&s);
  is_refused(MPJ_Array_local(gone, 0, &size, &stride));
  is_refused(MPJ_Array_free(&gone));
  is_refused(MPJ_Schedule_forward(past, from, to));
  is_refused(MPJ_Schedule_free(&past));
  ck_assert_int_eq(MPJ_Schedule_forward(joined, froms, tos), MPJ_SUCCESS);
  ck_assert(to[0] == 1 && to[3] == 4);
  ck_assert_int_eq(MPJ_Schedule_free(&joined), MPJ_SUCCESS);
  MPJ_Finalize();
}
END_TEST

int main(void)
{
  return RUN_SUITE("array_freed", a_freed_handle_is_none_though_others_have_what_it_was);
}
