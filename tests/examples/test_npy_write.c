/* This file tests the writer of .npy files: what it writes is read back, and a
 * file that cannot be finished leaves nothing behind. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "atomic_file.h"
#include "base/assert.h"
#include "examples/npy_bytes.h"
#include "npy.h"

static struct npy make(int64_t rows, int64_t cols, enum npy_type type, bool fortran)
{
  char why[NPY_WHY];
  struct npy m = {.rows = rows, .cols = cols, .type = type, .fortran = fortran};
  ck_assert_int_eq(npy_alloc(&m, why), 0);
  for (int64_t i = 0; i < npy_bytes(&m); i++)
    ((unsigned char *)m.data)[i] = (unsigned char)(i * 37 + 11);
  return m;
}

static void check_round_trip(enum npy_type type, bool fortran)
{
  char why[NPY_WHY];
  struct npy m = make(5, 7, type, fortran), back = {0};
  ck_assert_int_eq(npy_write(folder_path("m.npy"), &m, why), 0);
  ck_assert_int_eq(npy_read(folder_path("m.npy"), &back, why), 0);
  ck_assert_int_eq(back.rows, 5);
  ck_assert_int_eq(back.cols, 7);
  ck_assert_int_eq(back.type, type);
  ck_assert_int_eq(back.fortran, fortran);
  ck_assert_int_eq(npy_count_equal(&m, &back), 35);
  npy_free(&m);
  npy_free(&back);
}

START_TEST(what_is_written_is_read_back)
{
  for (enum npy_type type = 0; type < NPY_TYPES; type++) {
    check_round_trip(type, false);
    check_round_trip(type, true);
  }
  ck_assert_int_eq(folder_count(), 1);
}
END_TEST

/* The start of a file as NumPy itself writes it. */
START_TEST(the_bytes_are_those_of_numpy)
{
  static const unsigned char version_and_length[4] = {1, 0, 118, 0};
  char why[NPY_WHY], found[256], expected[129];
  struct npy m = make(2, 3, NPY_F8, true);
  snprintf(expected, sizeof expected, "%.6s%c%c%c%c%-117s\n", "\x93NUMPY", 1, 'v', 'v', 'v',
           "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }");
  memcpy(expected + 6, version_and_length, sizeof version_and_length);
  ck_assert_int_eq(npy_write(folder_path("m.npy"), &m, why), 0);
  FILE *f = fopen(folder_path("m.npy"), "rb");
  ck_assert_ptr_nonnull(f);
  ck_assert_uint_eq(fread(found, 1, sizeof found, f), 128 + 48);
  fclose(f);
  ck_assert_mem_eq(found, expected, 128);
  ck_assert_mem_eq(found + 128, m.data, 48);
  npy_free(&m);
}
END_TEST

START_TEST(elements_that_differ_are_counted)
{
  struct npy a = make(3, 4, NPY_F4, false), b = make(3, 4, NPY_F4, false);
  ((unsigned char *)b.data)[5] ^= 1;
  ((unsigned char *)b.data)[6] ^= 1;
  ((unsigned char *)b.data)[47] ^= 1;
  ck_assert_int_eq(npy_count_equal(&a, &b), 10);
  npy_free(&a);
  npy_free(&b);
}
END_TEST

/* Write under a limit of `bytes` for the size of a file, which holds for the
 * files of the test's framework too: nothing is asserted in between. */
static int write_limited(const struct npy *m, rlim_t bytes, char *why)
{
  struct rlimit old;
  void (*handler)(int) = signal(SIGXFSZ, SIG_DFL);
  getrlimit(RLIMIT_FSIZE, &old);
  int limited = setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, old.rlim_max});
  int rc = npy_write(folder_path("m.npy"), m, why);
  int restored = setrlimit(RLIMIT_FSIZE, &old);
  signal(SIGXFSZ, handler);
  ck_assert_int_eq(limited, 0);
  ck_assert_int_eq(restored, 0);
  return rc;
}

START_TEST(a_write_that_fails_midway_leaves_no_file)
{
  char why[NPY_WHY];
  struct npy m = make(100, 100, NPY_F8, false);
  for (rlim_t limit = 0; limit < 80128; limit += limit < 128 ? 64 : 39000) {
    ck_assert_int_eq(write_limited(&m, limit, why), -1);
    ck_assert_str_eq(why, "file: writing: File too large");
    ck_assert_int_eq(folder_count(), 0);
  }
  ck_assert_int_eq(write_limited(&m, 80128, why), 0);
  ck_assert_int_eq(folder_count(), 1);
  npy_free(&m);
}
END_TEST

START_TEST(a_write_that_fails_leaves_the_older_file_as_it_was)
{
  char why[NPY_WHY];
  struct npy old = make(4, 4, NPY_I8, false), m = make(100, 100, NPY_F8, false), back = {0};
  ck_assert_int_eq(npy_write(folder_path("m.npy"), &old, why), 0);
  ck_assert_int_eq(write_limited(&m, 1000, why), -1);
  ck_assert_int_eq(folder_count(), 1);
  ck_assert_int_eq(npy_read(folder_path("m.npy"), &back, why), 0);
  ck_assert_int_eq(npy_count_equal(&old, &back), 16);
  npy_free(&old);
  npy_free(&m);
  npy_free(&back);
}
END_TEST

START_TEST(no_file_stands_before_commit)
{
  struct atomic_file file;
  ck_assert_int_eq(atomic_open(&file, folder_path("m.npy")), 0);
  ck_assert_int_eq(atomic_write(&file, "abc", 3), 0);
  ck_assert_int_ne(access(folder_path("m.npy"), F_OK), 0);
  ck_assert_int_eq(atomic_commit(&file), 0);
  ck_assert_int_eq(access(folder_path("m.npy"), F_OK), 0);
  ck_assert_int_eq(folder_count(), 1);
}
END_TEST

START_TEST(an_abandoned_file_leaves_nothing)
{
  struct atomic_file file;
  ck_assert_int_eq(atomic_open(&file, folder_path("m.npy")), 0);
  ck_assert_int_eq(atomic_write(&file, "abc", 3), 0);
  ck_assert_int_eq(folder_count(), 1);
  atomic_abandon(&file);
  atomic_abandon(&file);
  ck_assert_int_eq(folder_count(), 0);
}
END_TEST

START_TEST(permissions_follow_umask)
{
  struct stat st;
  char why[NPY_WHY];
  struct npy m = make(1, 1, NPY_U1, false);
  mode_t old = umask(027);
  ck_assert_int_eq(npy_write(folder_path("m.npy"), &m, why), 0);
  umask(old);
  ck_assert_int_eq(stat(folder_path("m.npy"), &st), 0);
  ck_assert_uint_eq(st.st_mode & 0777, 0640);
  npy_free(&m);
}
END_TEST

START_TEST(devices_and_folders_are_not_replaced)
{
  struct stat st;
  char why[NPY_WHY];
  struct npy m = make(1, 1, NPY_U1, false);
  ck_assert_int_eq(npy_write("/dev/null", &m, why), -1);
  ck_assert_str_eq(why, "file: Invalid argument");
  ck_assert_int_eq(stat("/dev/null", &st), 0);
  ck_assert(S_ISCHR(st.st_mode));
  ck_assert_int_eq(npy_write(folder_path("."), &m, why), -1);
  ck_assert_int_eq(npy_write(folder_path("none/m.npy"), &m, why), -1);
  ck_assert_str_eq(why, "file: No such file or directory");
  npy_free(&m);
}
END_TEST

static Suite *make_suite(void)
{
  Suite *suite = suite_create("npy_write");
  TCase *tc = tcase_create("write");
  tcase_add_checked_fixture(tc, folder_make, folder_remove);
  tcase_add_test(tc, what_is_written_is_read_back);
  tcase_add_test(tc, the_bytes_are_those_of_numpy);
  tcase_add_test(tc, elements_that_differ_are_counted);
  tcase_add_test(tc, a_write_that_fails_midway_leaves_no_file);
  tcase_add_test(tc, a_write_that_fails_leaves_the_older_file_as_it_was);
  tcase_add_test(tc, no_file_stands_before_commit);
  tcase_add_test(tc, an_abandoned_file_leaves_nothing);
  tcase_add_test(tc, permissions_follow_umask);
  tcase_add_test(tc, devices_and_folders_are_not_replaced);
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
