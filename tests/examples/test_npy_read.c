/* This file tests the reader of .npy files: every form that it accepts, and
 * every one that it rejects, with the field that its error names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "examples/npy_bytes.h"
#include "npy.h"

static int load(const struct bytes *b, struct npy *m, char why[NPY_WHY])
{
  bytes_save(b, folder_path("m.npy"));
  memset(m, 0, sizeof *m);
  why[0] = '\0';
  return npy_read(folder_path("m.npy"), m, why);
}

static void check_loads(const struct bytes *b, struct npy *m)
{
  char why[NPY_WHY];
  ck_assert_msg(load(b, m, why) == 0, "%s", why);
}

/* The file is rejected with a sentence that begins with `field` and says `part`. */
static void check_rejects(const struct bytes *b, const char *field, const char *part)
{
  struct npy m;
  char why[NPY_WHY];
  ck_assert_msg(load(b, &m, why) == -1, "accepted, not rejected for %s%s", field, part);
  ck_assert_msg(strncmp(why, field, strlen(field)) == 0, "'%s' does not begin with '%s'", why,
                field);
  ck_assert_msg(strstr(why, part), "'%s' does not say '%s'", why, part);
  ck_assert_ptr_null(m.data);
}

static void check_header_rejected(const char *header, const char *field, const char *part)
{
  struct bytes b = bytes_file(1, header);
  check_rejects(&b, field, part);
}

static void check_shape_rejected(const char *shape, const char *part)
{
  struct bytes b = bytes_dict(1, "'<f8'", "False", shape);
  check_rejects(&b, "shape: ", part);
}

/* Element i of those that check_six expects: moduli are i, of 3/5 i + 4/5 i j too. */
static void set_element(enum npy_type type, int i, unsigned char e[16])
{
  const float f = (float)i, c8[2] = {(float)(0.6 * i), (float)(0.8 * i)};
  const double d = i, c16[2] = {0.6 * i, 0.8 * i};
  const int64_t n = i;
  const void *from = &n;
  if (type == NPY_F4) from = &f;
  if (type == NPY_F8) from = &d;
  if (type == NPY_C8) from = c8;
  if (type == NPY_C16) from = c16;
  memcpy(e, from, npy_size(type));
}

/* The elements 1 .. 6 of a 2 x 3 matrix in storage order, as `type`. */
static void add_six(struct bytes *b, enum npy_type type, bool big_endian)
{
  for (int i = 1; i <= 6; i++) {
    unsigned char e[16];
    const size_t size = npy_size(type);
    const size_t scalar = type == NPY_C8 || type == NPY_C16 ? size / 2 : size;
    set_element(type, i, e);
    for (size_t k = 0; k < size; k++)
      bytes_add(b, e + (big_endian ? k / scalar * scalar + scalar - 1 - k % scalar : k), 1);
  }
}

static void check_six(const struct npy *m, enum npy_type type, bool fortran)
{
  ck_assert_int_eq(m->rows, 2);
  ck_assert_int_eq(m->cols, 3);
  ck_assert_int_eq(m->type, type);
  ck_assert_int_eq(m->fortran, fortran);
  for (int r = 0; r < 2; r++)
    for (int c = 0; c < 3; c++)
      ck_assert_double_eq_tol(npy_value(m, r, c), fortran ? c * 2 + r + 1 : r * 3 + c + 1,
                              type < NPY_C8 ? 0x1p-60 : 1e-6);
}

static void check_form(int major, enum npy_type type, bool big_endian, bool fortran)
{
  char descr[8];
  struct npy m;
  snprintf(descr, sizeof descr, "'%c%s'", big_endian ? '>' : '<', npy_name(type));
  struct bytes b = bytes_dict(major, descr, fortran ? "True" : "False", "(2, 3)");
  add_six(&b, type, big_endian);
  check_loads(&b, &m);
  check_six(&m, type, fortran);
  npy_free(&m);
}

START_TEST(every_version_type_and_order_loads)
{
  for (int major = 1; major <= 3; major++)
    for (enum npy_type type = 0; type < NPY_TYPES; type++)
      for (int form = 0; form < 4; form++)
        check_form(major, type, form & 1, form & 2);
}
END_TEST

static void check_u1_header_loads(const char *header)
{
  struct npy m;
  struct bytes b = bytes_file(1, header);
  add_six(&b, NPY_U1, false);
  check_loads(&b, &m);
  check_six(&m, NPY_U1, false);
  npy_free(&m);
}

START_TEST(headers_load_however_they_are_spelt)
{
  check_u1_header_loads("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }");
  check_u1_header_loads("{\"shape\":(2,3),\"fortran_order\":False,\"descr\":\"u1\"}\n\n");
  check_u1_header_loads("  { 'descr' : '=u1' ,'fortran_order' :False ,'shape' :( 2 , 3 , ) } \n");
  check_u1_header_loads("{'descr': '|u1', 'fortran_order': False, 'shape': (2L, 3L)}");
}
END_TEST

START_TEST(native_order_sign_loads)
{
  struct npy m;
  double six[6] = {1, 2, 3, 4, 5, 6};
  struct bytes b = bytes_dict(1, "'=f8'", "False", "(2, 3)");
  bytes_add(&b, six, sizeof six);
  check_loads(&b, &m);
  check_six(&m, NPY_F8, false);
  npy_free(&m);
}
END_TEST

START_TEST(empty_matrix_loads)
{
  struct npy m;
  struct bytes b = bytes_dict(1, "'<f8'", "False", "(0, 7)");
  check_loads(&b, &m);
  ck_assert_int_eq(m.rows, 0);
  ck_assert_int_eq(m.cols, 7);
  ck_assert_int_eq(npy_bytes(&m), 0);
  npy_free(&m);
}
END_TEST

START_TEST(a_foreign_file_is_told_by_its_magic)
{
  struct bytes b = {.n = 0};
  check_rejects(&b, "magic: ", "6 bytes expected, 0 present");
  bytes_add(&b, "PK\x03\x04 some zip", 12);
  check_rejects(&b, "magic: ", "not a .npy file");
}
END_TEST

START_TEST(unknown_versions_are_rejected)
{
  struct bytes b = bytes_dict(1, "'|u1'", "False", "(0, 0)");
  b.at[6] = 4;
  check_rejects(&b, "version: ", "4.0");
  b.at[6] = 0;
  check_rejects(&b, "version: ", "0.0");
  b.at[6] = 1;
  b.at[7] = 1;
  check_rejects(&b, "version: ", "1.1");
}
END_TEST

START_TEST(a_header_without_bound_is_rejected)
{
  struct bytes b = bytes_file(2, "{}");
  b.at[11] = 0xff;
  check_rejects(&b, "header length: ", "4278190082");
}
END_TEST

START_TEST(a_header_that_is_no_dict_is_rejected)
{
  check_header_rejected("", "header: ", "not a dict");
  check_header_rejected("[1, 2]", "header: ", "not a dict");
  check_header_rejected("{'descr': '<f8'", "header: ", "',' or '}'");
  check_header_rejected("{'descr': '<f8' 'shape': (1, 1)}", "header: ", "',' or '}'");
  check_header_rejected("{,}", "header: ", "key in quotes");
  check_header_rejected("{descr: '<f8'}", "header: ", "key in quotes");
  check_header_rejected("{'descr", "header: ", "key in quotes");
  check_header_rejected("{'descr' '<f8'}", "descr: ", "no ':'");
  check_header_rejected("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1)} 7",
                        "header: ", "'7' after the dict");
}
END_TEST

START_TEST(keys_are_exactly_three)
{
  check_header_rejected("{'fortran_order': False, 'shape': (1, 1)}", "descr: ", "missing");
  check_header_rejected("{'descr': '<f8', 'shape': (1, 1)}", "fortran_order: ", "missing");
  check_header_rejected("{'descr': '<f8', 'fortran_order': False}", "shape: ", "missing");
  check_header_rejected("{}", "descr: ", "missing");
  check_header_rejected("{'descr': '<f8', 'descr': '<f8'}", "descr: ", "twice");
  check_header_rejected("{'colour': 'red'}", "header: ", "unknown key 'colour'");
}
END_TEST

START_TEST(other_element_types_are_rejected)
{
  static const char *const others[] = {"'<f2'",  "'<c32'", "'|b1'",   "'|O'", "'<u4'",
                                       "'<i2'",  "'|S5'",  "'<f16'",  "''",   "'<'",
                                       "'<f8 '", "'<<f8'", "'<M8[s]'"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    struct bytes b = bytes_dict(1, others[i], "False", "(1, 1)");
    check_rejects(&b, "descr: ", "none of f4 f8 i4 i8 u1 c8 c16");
  }
  struct bytes b = bytes_dict(1, "[('x', '<f8')]", "False", "(1, 1)");
  check_rejects(&b, "descr: ", "not the name of a basic type");
  b = bytes_dict(1, "'|f8'", "False", "(1, 1)");
  check_rejects(&b, "descr: ", "no byte order");
}
END_TEST

START_TEST(fortran_order_is_a_truth_value)
{
  static const char *const others[] = {"0", "1", "true", "'True'", "None", "Falsey", ""};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    struct bytes b = bytes_dict(1, "'<f8'", others[i], "(1, 1)");
    check_rejects(&b, "fortran_order: ", "neither True nor False");
  }
}
END_TEST

START_TEST(other_shapes_are_rejected)
{
  check_shape_rejected("()", "0 dimensions");
  check_shape_rejected("(5,)", "1 dimension, and");
  check_shape_rejected("(1, 2, 3)", "3 dimensions");
  check_shape_rejected("(5)", "not a tuple");
  check_shape_rejected("7", "not a tuple");
  check_shape_rejected("[1, 2]", "not a tuple");
  check_shape_rejected("(1 2)", "',' or ')'");
  check_shape_rejected("(1, x)", "'x)' is not a whole number");
  check_shape_rejected("(1.5, 2)", "',' or ')'");
  check_shape_rejected("(, )", "not a whole number");
  check_shape_rejected("(-1, 4)", "-1 is negative");
  check_shape_rejected("(4, -3)", "-3 is negative");
}
END_TEST

START_TEST(shapes_beyond_64_bits_are_rejected)
{
  check_shape_rejected("(9223372036854775808, 1)", "9223372036854775808 does not fit 64 bits");
  check_shape_rejected("(1, 99999999999999999999999)", "does not fit 64 bits");
  check_shape_rejected("(4294967296, 4294967296)", "do not fit 64 bits");
  check_shape_rejected("(9223372036854775807, 1)", "8 bytes do not fit 64 bits");
}
END_TEST

START_TEST(a_huge_shape_without_data_asks_for_no_memory)
{
  struct bytes b = bytes_dict(1, "'|u1'", "False", "(9223372036854775807, 1)");
  check_rejects(&b, "data: ", "9223372036854775807 bytes expected, 0 present");
}
END_TEST

START_TEST(bytes_too_many_are_rejected)
{
  struct bytes b = bytes_dict(1, "'|u1'", "False", "(2, 3)");
  add_six(&b, NPY_U1, false);
  bytes_add(&b, "x", 1);
  check_rejects(&b, "data: ", "6 bytes expected, 7 present");
}
END_TEST

/* Which field is cut short when a version 2 file ends after n bytes. */
static const char *field_at(size_t n, size_t header_bytes)
{
  if (n < 6) return "magic: ";
  if (n < 8) return "version: ";
  if (n < 12) return "header length: ";
  return n < 12 + header_bytes ? "header: " : "data: ";
}

START_TEST(a_file_cut_anywhere_names_the_field_and_both_sizes)
{
  struct bytes whole = bytes_dict(2, "'<i4'", "True", "(2, 3)");
  size_t header_bytes = whole.n - 12;
  add_six(&whole, NPY_I4, false);
  for (size_t n = 0; n < whole.n; n++) {
    struct bytes cut = whole;
    cut.n = n;
    check_rejects(&cut, field_at(n, header_bytes), "expected, ");
  }
  whole.n--;
  check_rejects(&whole, "data: ", "24 bytes expected, 23 present");
}
END_TEST

START_TEST(what_is_no_regular_file_is_rejected)
{
  struct npy m = {0};
  char why[NPY_WHY];
  ck_assert_int_eq(npy_read(folder_path("none.npy"), &m, why), -1);
  ck_assert_str_eq(why, "file: No such file or directory");
  ck_assert_int_eq(npy_read("/dev/null", &m, why), -1);
  ck_assert_str_eq(why, "file: not a regular file");
  ck_assert_int_eq(npy_read("/", &m, why), -1);
  ck_assert_str_eq(why, "file: not a regular file");
}
END_TEST

START_TEST(unprintable_bytes_do_not_reach_the_message)
{
  struct npy m;
  char why[NPY_WHY];
  struct bytes b = bytes_dict(1, "'<\x1b[2J'", "False", "(1, 1)");
  ck_assert_int_eq(load(&b, &m, why), -1);
  ck_assert_ptr_null(strchr(why, '\x1b'));
}
END_TEST

static Suite *make_suite(void)
{
  Suite *suite = suite_create("npy_read");
  TCase *tc = tcase_create("read");
  tcase_add_checked_fixture(tc, folder_make, folder_remove);
  tcase_add_test(tc, every_version_type_and_order_loads);
  tcase_add_test(tc, headers_load_however_they_are_spelt);
  tcase_add_test(tc, native_order_sign_loads);
  tcase_add_test(tc, empty_matrix_loads);
  tcase_add_test(tc, a_foreign_file_is_told_by_its_magic);
  tcase_add_test(tc, unknown_versions_are_rejected);
  tcase_add_test(tc, a_header_without_bound_is_rejected);
  tcase_add_test(tc, a_header_that_is_no_dict_is_rejected);
  tcase_add_test(tc, keys_are_exactly_three);
  tcase_add_test(tc, other_element_types_are_rejected);
  tcase_add_test(tc, fortran_order_is_a_truth_value);
  tcase_add_test(tc, other_shapes_are_rejected);
  tcase_add_test(tc, shapes_beyond_64_bits_are_rejected);
  tcase_add_test(tc, a_huge_shape_without_data_asks_for_no_memory);
  tcase_add_test(tc, bytes_too_many_are_rejected);
  tcase_add_test(tc, a_file_cut_anywhere_names_the_field_and_both_sizes);
  tcase_add_test(tc, what_is_no_regular_file_is_rejected);
  tcase_add_test(tc, unprintable_bytes_do_not_reach_the_message);
  suite_add_tcase(suite, tc);
  return suite;
}

int main(void)
{
  SRunner *runner = srunner_create(make_suite());
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
