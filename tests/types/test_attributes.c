/* This file tests names and attributes. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/suite.h"
#include "types/made.h"

START_TEST(names_belong_to_handles)
{
  MPJ_Datatype t = contiguous(2, MPJ_INT), twin;
  char name[MPJ_TYPE_NAME_MAX], longest[MPJ_TYPE_NAME_MAX + 1];
  must(MPJ_Type_get_name(t, name));
  ck_assert_str_eq(name, "");
  must(MPJ_Type_set_name(t, "first"));
  must(MPJ_Type_set_name(t, "a pair of ints"));
  must(MPJ_Type_dup(t, &twin));
  must(MPJ_Type_get_name(t, name));
  ck_assert_str_eq(name, "a pair of ints");
  must(MPJ_Type_get_name(twin, name));
  ck_assert_str_eq(name, "");
  must(MPJ_Type_get_name(MPJ_2INT, name));
  ck_assert_str_eq(name, "MPJ_2INT");
  must_fail(MPJ_Type_set_name(MPJ_INT, "x"), MPJ_ERR_TYPE, "MPJ_INT, a basic type");
  must_fail(MPJ_Type_set_name(t, NULL), MPJ_ERR_ARG, "name is NULL");
  must_fail(MPJ_Type_get_name(t, NULL), MPJ_ERR_ARG, "name is NULL");
  memset(longest, 'n', sizeof longest);
  longest[MPJ_TYPE_NAME_MAX] = '\0';
  must_fail(MPJ_Type_set_name(t, longest), MPJ_ERR_ARG, "128 bytes or more");
  longest[MPJ_TYPE_NAME_MAX - 1] = '\0';
  must(MPJ_Type_set_name(t, longest));
  must(MPJ_Type_get_name(t, name));
  ck_assert_str_eq(name, longest);
  MPJ_Datatype all[] = {t, twin};
  const long before = mpj_memory_outstanding();
  free_types(2, all);
  ck_assert_int_lt(mpj_memory_outstanding(), before);
  nothing_lives();
}
END_TEST

/* What the callbacks saw, in order. */
static char trace[256];
static int fail_copy, fail_delete;

static void note(const char *what, int keyval, void *value)
{
  size_t used = strlen(trace);
  snprintf(trace + used, sizeof trace - used, "%s%d=%d ", what, keyval, *(int *)value);
}

static int copy(MPJ_Datatype old, int keyval, void *extra_state, void *in, void **out, int *flag)
{
  (void)old;
  note("copy", keyval - *(int *)extra_state, in);
  *out = in;
  *flag = *(int *)in != 13; /* unlucky ones stay behind */
  return fail_copy == *(int *)in ? MPJ_ERR_UNSUPPORTED : MPJ_SUCCESS;
}

static int del(MPJ_Datatype type, int keyval, void *value, void *extra_state)
{
  (void)type;
  note("del", keyval - *(int *)extra_state, value);
  return fail_delete == *(int *)value ? MPJ_ERR_INTERNAL : MPJ_SUCCESS;
}

static void must_trace(const char *expected)
{
  ck_assert_str_eq(trace, expected);
  trace[0] = '\0';
}

static int keys[3], base;
static int one = 1, two = 2, three = 3, unlucky = 13;

static void make_keys(void)
{
  trace[0] = '\0';
  fail_copy = fail_delete = 0;
  for (int k = 0; k < 3; k++)
    must(MPJ_Type_create_keyval(copy, del, &keys[k], &base));
  base = keys[0];
}

static void free_keys(void)
{
  for (int k = 0; k < 3; k++)
    must(MPJ_Type_free_keyval(&keys[k]));
}

START_TEST(attributes_are_copied_and_deleted_by_callbacks)
{
  MPJ_Datatype t = contiguous(2, MPJ_INT), twin;
  void *value = NULL;
  int flag;
  make_keys();
  must(MPJ_Type_set_attr(t, keys[0], &one));
  must(MPJ_Type_set_attr(t, keys[1], &unlucky));
  must(MPJ_Type_set_attr(t, keys[2], &two));
  must(MPJ_Type_set_attr(t, keys[2], &three));
  must_trace("del2=2 ");
  must(MPJ_Type_get_attr(t, keys[2], &value, &flag));
  ck_assert(flag && value == &three);
  must(MPJ_Type_dup(t, &twin));
  must_trace("copy0=1 copy1=13 copy2=3 ");
  must(MPJ_Type_get_attr(twin, keys[1], &value, &flag));
  ck_assert(!flag && value == &three);
  must(MPJ_Type_delete_attr(twin, keys[0]));
  must_trace("del0=1 ");
  must_fail(MPJ_Type_delete_attr(twin, keys[0]), MPJ_ERR_ARG, "under which type has nothing");
  must(MPJ_Type_free(&twin));
  must_trace("del2=3 ");
  must(MPJ_Type_free(&t));
  must_trace("del2=3 del1=13 del0=1 ");
  free_keys();
  nothing_lives();
}
END_TEST

START_TEST(failing_callbacks_fail_the_call)
{
  MPJ_Datatype t = contiguous(2, MPJ_INT), twin = MPJ_DATATYPE_NULL;
  make_keys();
  must(MPJ_Type_set_attr(t, keys[0], &one));
  must(MPJ_Type_set_attr(t, keys[1], &two));
  fail_copy = 2;
  must_fail(MPJ_Type_dup(t, &twin), MPJ_ERR_UNSUPPORTED, "its copy callback returned");
  must_trace("copy0=1 copy1=2 del0=1 ");
  ck_assert(twin == MPJ_DATATYPE_NULL && mpj_type_live() == 1);
  fail_delete = 1;
  must_fail(MPJ_Type_free(&t), MPJ_ERR_INTERNAL, "its delete callback returned");
  must_trace("del1=2 del0=1 ");
  ck_assert(t != MPJ_DATATYPE_NULL && parts_of(t) == 2);
  must_fail(MPJ_Type_set_attr(t, keys[0], &three), MPJ_ERR_INTERNAL, "delete callback");
  fail_delete = 0;
  must(MPJ_Type_free(&t));
  must_trace("del0=1 del0=1 ");
  free_keys();
  nothing_lives();
}
END_TEST

START_TEST(a_freed_key_goes_on_for_its_attributes)
{
  MPJ_Datatype t = contiguous(2, MPJ_INT), twin;
  void *value;
  int flag, stale;
  make_keys();
  must(MPJ_Type_set_attr(t, keys[0], &one));
  stale = keys[0];
  must(MPJ_Type_free_keyval(&keys[0]));
  ck_assert_int_eq(keys[0], MPJ_KEYVAL_INVALID);
  must_fail(MPJ_Type_free_keyval(&stale), MPJ_ERR_ARG, "no key or was freed");
  must_fail(MPJ_Type_set_attr(t, stale, &two), MPJ_ERR_ARG, "no key or was freed");
  must_fail(MPJ_Type_get_attr(t, stale, &value, &flag), MPJ_ERR_ARG, "no key or was freed");
  must(MPJ_Type_dup(t, &twin));
  MPJ_Datatype all[] = {t, twin};
  free_types(2, all);
  must_trace("copy0=1 del0=1 del0=1 ");
  must(MPJ_Type_free_keyval(&keys[1]));
  must(MPJ_Type_free_keyval(&keys[2]));
  nothing_lives();
}
END_TEST

START_TEST(keys_without_callbacks_and_the_copying_one)
{
  MPJ_Datatype t = contiguous(2, MPJ_INT), twin;
  void *value;
  int plain, copied, flag;
  must(MPJ_Type_create_keyval(NULL, NULL, &plain, NULL));
  must(MPJ_Type_create_keyval(MPJ_Type_dup_attr, NULL, &copied, NULL));
  must(MPJ_Type_set_attr(t, plain, &one));
  must(MPJ_Type_set_attr(t, copied, &two));
  must(MPJ_Type_dup(t, &twin));
  must(MPJ_Type_get_attr(twin, plain, &value, &flag));
  ck_assert(!flag);
  must(MPJ_Type_get_attr(twin, copied, &value, &flag));
  ck_assert(flag && value == &two);
  must_fail(MPJ_Type_set_attr(MPJ_INT, plain, &one), MPJ_ERR_TYPE, "has no attributes");
  must_fail(MPJ_Type_get_attr(t, plain, NULL, &flag), MPJ_ERR_ARG, "value is NULL");
  must_fail(MPJ_Type_create_keyval(NULL, NULL, NULL, NULL), MPJ_ERR_ARG, "keyval is NULL");
  must(MPJ_Type_free_keyval(&plain));
  must(MPJ_Type_free_keyval(&copied));
  MPJ_Datatype all[] = {t, twin};
  free_types(2, all);
  nothing_lives();
}
END_TEST

START_TEST(every_failed_allocation_is_survived)
{
  MPJ_Datatype t = contiguous(2, MPJ_INT), twin;
  make_keys();
  const long before = mpj_memory_outstanding();
  for (int step = 0; step < 3; step++) {
    int status = MPJ_ERR_NO_MEM;
    for (long successes = 0; status == MPJ_ERR_NO_MEM; successes++) {
      mpj_memory_fail_after(successes);
      status = step == 0   ? MPJ_Type_set_name(t, "name")
               : step == 1 ? MPJ_Type_set_attr(t, keys[0], &one)
                           : MPJ_Type_dup(t, &twin);
      mpj_memory_fail_after(-1);
    }
    must(status);
  }
  must(MPJ_Type_free(&twin));
  must(MPJ_Type_free(&t));
  ck_assert_int_lt(mpj_memory_outstanding(), before);
  free_keys();
  nothing_lives();
}
END_TEST

int main(void)
{
  return RUN_SUITE("attributes", names_belong_to_handles,
                   attributes_are_copied_and_deleted_by_callbacks, failing_callbacks_fail_the_call,
                   a_freed_key_goes_on_for_its_attributes,
                   keys_without_callbacks_and_the_copying_one, every_failed_allocation_is_survived);
}
