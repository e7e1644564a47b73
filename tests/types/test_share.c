/* This file tests second owners of a handle. */
#include <mpj/introspect.h>
#include <pthread.h>
#include <string.h>

#include "base/suite.h"
#include "types/type.h"

START_TEST(lives_until_each_owner_freed_it)
{
  const size_t before = mpj_type_live();
  MPJ_Datatype type, second, third;
  MPJ_Count size;
  char name[MPJ_TYPE_NAME_MAX];
  ck_assert_int_eq(MPJ_Type_vector(3, 1, 2, MPJ_INT, &type), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Type_set_name(type, "mine"), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Type_share(type, &second), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Type_share(second, &third), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Type_free(&type), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Type_free(&third), MPJ_SUCCESS);
  ck_assert_ptr_null(third);
  ck_assert_int_eq(MPJ_Type_size(second, &size), MPJ_SUCCESS);
  ck_assert_int_eq(size, 12);
  ck_assert_int_eq(MPJ_Type_get_name(second, name), MPJ_SUCCESS);
  ck_assert_str_eq(name, "mine");
  MPJ_Datatype stale = second;
  ck_assert_int_eq(MPJ_Type_free(&second), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Type_size(stale, &size), MPJ_ERR_TYPE);
  ck_assert_int_eq(MPJ_Type_free(&stale), MPJ_ERR_TYPE);
  ck_assert_uint_eq(mpj_type_live(), before);
}
END_TEST

START_TEST(basic_types_need_no_owner)
{
  MPJ_Datatype handle = MPJ_DATATYPE_NULL;
  ck_assert_int_eq(MPJ_Type_share(MPJ_INT, &handle), MPJ_SUCCESS);
  ck_assert(handle == MPJ_INT);
}
END_TEST

START_TEST(wrong_arguments)
{
  MPJ_Datatype handle;
  ck_assert_int_eq(MPJ_Type_share(MPJ_DATATYPE_NULL, &handle), MPJ_ERR_TYPE);
  ck_assert_ptr_nonnull(strstr(MPJ_Error_detail(), "type"));
  ck_assert_int_eq(MPJ_Type_share(MPJ_INT, NULL), MPJ_ERR_ARG);
  ck_assert_ptr_nonnull(strstr(MPJ_Error_detail(), "handle"));
}
END_TEST

enum { OWNERS = 4, ROUNDS = 2000 };

static void *own_for_a_while(void *arg)
{
  MPJ_Datatype type = arg;
  for (int i = 0; i < ROUNDS; i++) {
    MPJ_Datatype mine;
    MPJ_Count size;
    if (MPJ_Type_share(type, &mine) || MPJ_Type_size(mine, &size) || size != 8 ||
        MPJ_Type_free(&mine))
      return arg;
  }
  return MPJ_Type_free(&type) ? arg : NULL;
}

START_TEST(owners_in_threads)
{
  const size_t before = mpj_type_live();
  MPJ_Datatype type, owned[OWNERS];
  pthread_t threads[OWNERS];
  ck_assert_int_eq(MPJ_Type_contiguous(2, MPJ_INT, &type), MPJ_SUCCESS);
  for (int i = 0; i < OWNERS; i++)
    ck_assert_int_eq(MPJ_Type_share(type, &owned[i]), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Type_free(&type), MPJ_SUCCESS);
  for (int i = 0; i < OWNERS; i++)
    ck_assert_int_eq(pthread_create(&threads[i], NULL, own_for_a_while, owned[i]), 0);
  for (int i = 0; i < OWNERS; i++) {
    void *failed;
    pthread_join(threads[i], &failed);
    ck_assert_ptr_null(failed);
  }
  ck_assert_uint_eq(mpj_type_live(), before);
}
END_TEST

int main(void)
{
  return RUN_SUITE("share", lives_until_each_owner_freed_it, basic_types_need_no_owner,
                   wrong_arguments, owners_in_threads);
}
