/* This file tests that C structs described to libffi become what the compiler
 * makes of them. */
#include <complex.h>
#include <ffi.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "base/suite.h"
#include "types/alike.h"
#include "types/encoded/encode.h"
#include "types/made.h"

struct inner {
  char tag;
  double values[3];
};

struct outer {
  short id;
  struct inner two[2];
  float complex z;
  long double wide;
  void *next;
  char last;
};

/* An array is a struct of its elements, as libffi's manual advises. */
static ffi_type *three_doubles[] = {&ffi_type_double, &ffi_type_double, &ffi_type_double, NULL};
static ffi_type array = {0, 0, FFI_TYPE_STRUCT, three_doubles};
static ffi_type *inner_elements[] = {&ffi_type_schar, &array, NULL};
static ffi_type inner = {0, 0, FFI_TYPE_STRUCT, inner_elements};
static ffi_type *outer_elements[] = {
    &ffi_type_sshort,  &inner,          &inner, &ffi_type_complex_float, &ffi_type_longdouble,
    &ffi_type_pointer, &ffi_type_schar, NULL};
static ffi_type outer = {0, 0, FFI_TYPE_STRUCT, outer_elements};

/* The same by hand. */
static MPJ_Datatype by_hand(void)
{
  const MPJ_Count inner_lens[] = {1, 3}, lens[] = {1, 2, 1, 1, 1, 1};
  const MPJ_Aint inner_displs[] = {offsetof(struct inner, tag), offsetof(struct inner, values)};
  const MPJ_Datatype inner_types[] = {MPJ_INT8, MPJ_DOUBLE};
  MPJ_Datatype in, in_sized, out, out_sized;
  must(MPJ_Type_create_struct(2, inner_lens, inner_displs, inner_types, &in));
  must(MPJ_Type_create_resized(in, 0, sizeof(struct inner), &in_sized));
  const MPJ_Aint displs[] = {offsetof(struct outer, id),   offsetof(struct outer, two),
                             offsetof(struct outer, z),    offsetof(struct outer, wide),
                             offsetof(struct outer, next), offsetof(struct outer, last)};
  const MPJ_Datatype types[] = {MPJ_INT16,       in_sized, MPJ_C_FLOAT_COMPLEX,
                                MPJ_LONG_DOUBLE, MPJ_AINT, MPJ_INT8};
  must(MPJ_Type_create_struct(6, lens, displs, types, &out));
  must(MPJ_Type_create_resized(out, 0, sizeof(struct outer), &out_sized));
  MPJ_Datatype used[] = {in, in_sized, out};
  free_types(3, used);
  return out_sized;
}

START_TEST(structs_are_what_the_compiler_makes)
{
  MPJ_Datatype made, expected = by_hand();
  must(MPJ_Type_from_ffi(&outer, &made));
  ck_assert(same_map(made, expected) && parts_of(made) == 1);
  ck_assert(lb_of(made) == 0 && extent_of(made) == sizeof(struct outer));
  MPJ_Datatype all[] = {made, expected};
  free_types(2, all);
  nothing_lives();
}
END_TEST

START_TEST(offsets_are_what_libffi_computes)
{
  ffi_type *elements[] = {&ffi_type_uint8, &ffi_type_sint64, &ffi_type_uint16,
                          &inner,          &ffi_type_float,  NULL};
  ffi_type plain = {0, 0, FFI_TYPE_STRUCT, elements};
  size_t offsets[5];
  MPJ_Datatype made;
  MPJ_Aint lb, extent;
  must(MPJ_Type_from_ffi(&plain, &made));
  ck_assert_uint_eq(plain.size, 0);
  ck_assert_int_eq(ffi_get_struct_offsets(FFI_DEFAULT_ABI, &plain, offsets), FFI_OK);
  ck_assert_int_eq(extent_of(made), (MPJ_Aint)plain.size);
  must(MPJ_Type_get_true_extent(made, &lb, &extent));
  ck_assert_int_eq(extent, (MPJ_Aint)(offsets[4] + sizeof(float)));
  MPJ_Datatype laid_out;
  must(MPJ_Type_from_ffi(&plain, &laid_out));
  ck_assert(same_map(made, laid_out));
  MPJ_Datatype all[] = {made, laid_out};
  free_types(2, all);
  nothing_lives();
}
END_TEST

START_TEST(a_struct_comes_back_as_what_it_is_made_of)
{
  char text[512];
  const char *start = "contiguous(1,resized(0,";
  MPJ_Datatype made, copies[2];
  MPJ_Count counts[1], length, bytes;
  MPJ_Datatype inside;
  void *message;
  must(MPJ_Type_from_ffi(&outer, &made));
  must(MPJ_Type_get_contents(made, 1, 0, 1, counts, NULL, &inside));
  ck_assert_int_eq(counts[0], 1);
  must(MPJ_Type_free(&inside));
  must(MPJ_Type_print(made, text, sizeof text, &length));
  ck_assert_msg(strncmp(text, start, strlen(start)) == 0, "%s", text);
  must(MPJ_Type_parse(text, &copies[0]));
  must(mpj_type_encode(made, &message, &bytes));
  must(MPJ_Type_decode(message, bytes, &copies[1]));
  mpj_free(message);
  must_be_alike(made, copies[0], text, 2);
  must_be_alike(made, copies[1], text, 2);
  free_types(2, copies);
  must(MPJ_Type_free(&made));
  nothing_lives();
}
END_TEST

START_TEST(scalars_are_basic_types)
{
  MPJ_Datatype made;
  must(MPJ_Type_from_ffi(&ffi_type_double, &made));
  ck_assert_ptr_eq(made, MPJ_DOUBLE);
  must(MPJ_Type_from_ffi(&ffi_type_uint32, &made));
  ck_assert_ptr_eq(made, MPJ_UINT32);
}
END_TEST

START_TEST(what_holds_no_data_is_refused)
{
  ffi_type *with_void[] = {&ffi_type_sint32, &ffi_type_void, NULL}, *cycle[] = {NULL, NULL};
  ffi_type bad = {0, 0, FFI_TYPE_STRUCT, with_void}, headless = {0, 0, FFI_TYPE_STRUCT, NULL};
  ffi_type endless = {0, 0, FFI_TYPE_STRUCT, cycle}, odd = {3, 1, FFI_TYPE_SINT32, NULL};
  MPJ_Datatype made;
  cycle[0] = &endless;
  must_fail(MPJ_Type_from_ffi(NULL, &made), MPJ_ERR_ARG, "ffi is NULL");
  must_fail(MPJ_Type_from_ffi(&inner, NULL), MPJ_ERR_ARG, "newtype is NULL");
  must_fail(MPJ_Type_from_ffi(&bad, &made), MPJ_ERR_ARG, "holds no data");
  must_fail(MPJ_Type_from_ffi(&headless, &made), MPJ_ERR_ARG, "elements are NULL");
  must_fail(MPJ_Type_from_ffi(&endless, &made), MPJ_ERR_UNSUPPORTED, "more than 250 structs");
  must_fail(MPJ_Type_from_ffi(&odd, &made), MPJ_ERR_ARG, "code 10 and 3 bytes");
  nothing_lives();
}
END_TEST

START_TEST(every_failed_allocation_is_survived)
{
  MPJ_Datatype made;
  const long before = mpj_memory_outstanding();
  int status = MPJ_ERR_NO_MEM;
  for (long successes = 0; status == MPJ_ERR_NO_MEM; successes++) {
    mpj_memory_fail_after(successes);
    status = MPJ_Type_from_ffi(&outer, &made);
    mpj_memory_fail_after(-1);
    if (status) ck_assert_int_eq(mpj_memory_outstanding(), before);
  }
  must(status);
  must(MPJ_Type_free(&made));
  nothing_lives();
}
END_TEST

int main(void)
{
  return RUN_SUITE("ffi", structs_are_what_the_compiler_makes, offsets_are_what_libffi_computes,
                   scalars_are_basic_types, a_struct_comes_back_as_what_it_is_made_of,
                   what_holds_no_data_is_refused, every_failed_allocation_is_survived);
}
