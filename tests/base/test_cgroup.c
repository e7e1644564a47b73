/* This file tests the count of usable cores on control group trees of its own. */
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/machine/topology.h"
#include "base/memory.h"
#include "base/suite.h"

static char root[64];

/* Make every directory on the way to the file `path`. */
static void make_parents(char *path)
{
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    ck_assert(mkdir(path, 0700) == 0 || errno == EEXIST);
    *slash = '/';
  }
}

/* <root>/sys/fs/cgroup/<file> := text */
static void put(const char *file, const char *text)
{
  char path[512];
  snprintf(path, sizeof path, "%s/sys/fs/cgroup/%s", root, file);
  make_parents(path);
  FILE *f = fopen(path, "w");
  ck_assert_ptr_nonnull(f);
  fputs(text, f);
  ck_assert_int_eq(fclose(f), 0);
}

/* Remove that file, and the directories that it alone was in. */
static void drop(const char *file)
{
  char path[512];
  snprintf(path, sizeof path, "%s/sys/fs/cgroup/%s", root, file);
  while (strlen(path) > strlen(root)) {
    remove(path); /* a directory that is still in use stays */
    *strrchr(path, '/') = '\0';
  }
}

START_TEST(no_files_mean_the_affinity)
{
  ck_assert_int_eq(mpj_usable_cores_under(root, "0::/a/b\n", 6), 6);
  ck_assert_int_eq(mpj_usable_cores_under(root, "", 6), 6);
  ck_assert_int_eq(mpj_usable_cores_under("/nonexistent", "0::/\n", 0), 1);
}
END_TEST

START_TEST(v2_quota_is_rounded_up_and_never_raises_the_affinity)
{
  put("a/b/cpu.max", "150000 100000\n");
  ck_assert_int_eq(mpj_usable_cores_under(root, "0::/a/b\n", 8), 2);
  ck_assert_int_eq(mpj_usable_cores_under(root, "0::/a/b", 8), 2);
  ck_assert_int_eq(mpj_usable_cores_under(root, "0::/a/b\n", 1), 1);
  put("a/b/cpu.max", "1000 100000\n");
  ck_assert_int_eq(mpj_usable_cores_under(root, "0::/a/b\n", 8), 1);
  put("a/b/cpu.max", "300000 100000\n");
  ck_assert_int_eq(mpj_usable_cores_under(root, "0::/a/b\n", 8), 3);
  drop("a/b/cpu.max");
}
END_TEST

START_TEST(v2_max_limits_nothing)
{
  put("a/cpu.max", "max 100000\n");
  ck_assert_int_eq(mpj_usable_cores_under(root, "0::/a\n", 8), 8);
  drop("a/cpu.max");
}
END_TEST

START_TEST(least_limit_up_to_the_root_binds)
{
  put("a/b/cpu.max", "500000 100000\n");
  put("a/cpu.max", "200000 100000\n");
  ck_assert_int_eq(mpj_usable_cores_under(root, "0::/a/b\n", 8), 2);
  put("cpu.max", "100000 100000\n");
  ck_assert_int_eq(mpj_usable_cores_under(root, "0::/a/b\n", 8), 1);
  ck_assert_int_eq(mpj_usable_cores_under(root, "0::/a/b/unseen/deeper\n", 8), 1);
  ck_assert_int_eq(mpj_usable_cores_under(root, "0::/\n", 8), 1);
  ck_assert_int_eq(mpj_usable_cores_under(root, "0::/../../elsewhere\n", 8), 1);
  drop("cpu.max");
  drop("a/b/cpu.max");
  drop("a/cpu.max");
}
END_TEST

START_TEST(v1_quota_counts_in_either_mount)
{
  const char *text = "9:name=systemd:/x\n4:memory:/a\n3:cpu,cpuacct:/a/b\n0::/\n";
  put("cpu,cpuacct/a/b/cpu.cfs_quota_us", "-1\n");
  put("cpu,cpuacct/a/b/cpu.cfs_period_us", "100000\n");
  ck_assert_int_eq(mpj_usable_cores_under(root, text, 8), 8);
  put("cpu,cpuacct/a/cpu.cfs_quota_us", "250000\n");
  put("cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
  ck_assert_int_eq(mpj_usable_cores_under(root, text, 8), 3);
  put("cpu/cpu.cfs_quota_us", "100000\n");
  put("cpu/cpu.cfs_period_us", "50000\n");
  ck_assert_int_eq(mpj_usable_cores_under(root, text, 8), 2);
  drop("cpu/cpu.cfs_quota_us");
  drop("cpu/cpu.cfs_period_us");
  drop("cpu,cpuacct/a/cpu.cfs_quota_us");
  drop("cpu,cpuacct/a/cpu.cfs_period_us");
  drop("cpu,cpuacct/a/b/cpu.cfs_quota_us");
  drop("cpu,cpuacct/a/b/cpu.cfs_period_us");
}
END_TEST

START_TEST(only_the_cpu_controller_counts)
{
  put("cpu/a/cpu.cfs_quota_us", "100000\n");
  put("cpu/a/cpu.cfs_period_us", "100000\n");
  ck_assert_int_eq(mpj_usable_cores_under(root, "5:cpuset:/a\n4:cpuacct,c:/a\n3:,:/a\n", 8), 8);
  ck_assert_int_eq(mpj_usable_cores_under(root, "3:cpuset,cpu:/a\n", 8), 1);
  drop("cpu/a/cpu.cfs_quota_us");
  drop("cpu/a/cpu.cfs_period_us");
}
END_TEST

START_TEST(v2_beside_v1_is_looked_for_in_unified)
{
  put("unified/a/cpu.max", "200000 100000\n");
  ck_assert_int_eq(mpj_usable_cores_under(root, "2:cpu:/\n0::/a\n", 8), 2);
  drop("unified/a/cpu.max");
}
END_TEST

START_TEST(malformed_files_and_lines_limit_nothing)
{
  static const char *const values[] = {
      "",
      "\n",
      "100000",
      "100000 0",
      "0 100000",
      "-5 100000",
      "abc def",
      "99999999999999999999 1",
      "100000 100000 more text than a kernel would ever write into this small file"};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    put("a/cpu.max", values[i]);
    ck_assert_int_eq(mpj_usable_cores_under(root, "0::/a\n", 8), 8);
  }
  put("a/cpu.max", "100000 100000\n");
  static const char *const lines[] = {"", "\n\n\n", "0", "0:", "0::", "0::a", ":::", "0:x:/a\n"};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
    ck_assert_int_eq(mpj_usable_cores_under(root, lines[i], 8), 8);
  char longest[6000];
  snprintf(longest, sizeof longest, "0::/%05000d\n0::/a\n", 0);
  ck_assert_int_eq(mpj_usable_cores_under(root, longest, 8), 1); /* passed over, the next read */
  drop("a/cpu.max");
}
END_TEST

START_TEST(this_machine_has_a_core_and_no_more_than_the_mask)
{
  cpu_set_t mask;
  int cores = mpj_usable_cores();
  ck_assert_int_ge(cores, 1);
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) ck_assert_int_le(cores, CPU_COUNT(&mask));
  mpj_memory_fail_after(0);
  int without_memory = mpj_usable_cores();
  mpj_memory_fail_after(-1);
  ck_assert_int_ge(without_memory, cores);
}
END_TEST

int main(void)
{
  snprintf(root, sizeof root, "/tmp/mpj-cgroup-XXXXXX");
  if (!mkdtemp(root)) return EXIT_FAILURE;
  int status = RUN_SUITE(
      "base/cgroup", no_files_mean_the_affinity,
      v2_quota_is_rounded_up_and_never_raises_the_affinity, v2_max_limits_nothing,
      least_limit_up_to_the_root_binds, v1_quota_counts_in_either_mount,
      only_the_cpu_controller_counts, v2_beside_v1_is_looked_for_in_unified,
      malformed_files_and_lines_limit_nothing, this_machine_has_a_core_and_no_more_than_the_mask);
  rmdir(root);
  return status;
}
