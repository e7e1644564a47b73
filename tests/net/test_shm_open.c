/* This file tests how a process gets its endpoint: mpj_shm_open and what it
 * refuses, and mpj_boot_open for what a launcher may have put in the
 * environment. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/child.h"
#include "base/memory.h"
#include "base/suite.h"
#include "net/boot/boot.h"
#include "net/ranks.h"
#include "net/shm/create.h"
#include "net/shm/shm.h"

/* mpj_shm_open changes the process (it dies with its parent, for one), so it is
 * called in processes of its own. */
static void in_child(void (*fn)(void))
{
  int status;
  fflush(NULL);
  const pid_t pid = fork();
  ck_assert_int_ge(pid, 0);
  if (pid == 0) {
    alarm(RANK_SECONDS);
    fn();
    _exit(0);
  }
  ck_assert_int_eq(waitpid(pid, &status, 0), pid);
  ck_assert_int_eq(status, 0);
}

enum { NOT_OPEN = 999 };

static void expect_refused(int fd, int rank, int code, const char *why)
{
  struct mpj_net *net = NULL;
  EXPECT(mpj_shm_open(fd, rank, true, &net) == code);
  EXPECT(strstr(MPJ_Error_detail(), why));
  EXPECT(net == NULL);
  EXPECT(fd < 0 || fd == NOT_OPEN || fcntl(fd, F_GETFD) >= 0); /* it still is the caller's */
}

static void open_what_is_no_segment(void)
{
  const long before = mpj_memory_outstanding();
  static char noise[1 << 20];
  const int small = memfd_create("small", 0), big = memfd_create("big", 0);
  memset(noise, 0x5a, sizeof noise);
  EXPECT(write(small, "x", 1) == 1);
  EXPECT(write(big, noise, sizeof noise) == (ssize_t)sizeof noise);
  expect_refused(-1, 0, MPJ_ERR_ARG, "MPJ_SEGMENT_FD is -1");
  expect_refused(NOT_OPEN, 0, MPJ_ERR_ARG, "MPJ_SEGMENT_FD is 999");
  expect_refused(small, 0, MPJ_ERR_ARG, "no job's segment");
  expect_refused(big, 0, MPJ_ERR_ARG, "no job's segment");
  EXPECT(mpj_memory_outstanding() == before);
}

START_TEST(descriptor_of_something_else_is_refused)
{
  in_child(open_what_is_no_segment);
}
END_TEST

static void open_with_wrong_arguments(void)
{
  const long before = mpj_memory_outstanding();
  struct mpj_segment *segment;
  struct mpj_net *net;
  int fd;
  EXPECT(mpj_shm_create(2, &fd, &segment) == MPJ_SUCCESS);
  expect_refused(fd, -1, MPJ_ERR_ARG, "MPJ_RANK is -1");
  expect_refused(fd, 2, MPJ_ERR_ARG, "MPJ_RANK is 2, the job has 2 ranks");
  segment->config.settings ^= 1;
  expect_refused(fd, 0, MPJ_ERR_ARG, "settings");
  segment->config.settings ^= 1;
  segment->version++;
  expect_refused(fd, 0, MPJ_ERR_ARG, "no job's segment");
  segment->version--;
  EXPECT(ftruncate(fd, (off_t)segment->bytes - 4096) == 0);
  expect_refused(fd, 0, MPJ_ERR_ARG, "no job's segment");
  EXPECT(ftruncate(fd, (off_t)segment->bytes + MPJ_COMMON_BYTES) == 0); /* as by a peer */
  mpj_segment_mark(segment, 1, MPJ_RANK_ACTIVE, 0);
  expect_refused(fd, 1, MPJ_ERR_INTERNAL, "rank 1 has been taken");
  EXPECT(mpj_shm_open(fd, 0, true, &net) == MPJ_SUCCESS);
  EXPECT(net->rank == 0 && net->size == 2);
  EXPECT(mpj_segment_rank(segment, 0)->pid == getpid());
  EXPECT(fcntl(fd, F_GETFD) & FD_CLOEXEC);
  mpj_net_close(net, MPJ_RANK_FINALIZED, 0);
  EXPECT(fcntl(fd, F_GETFD) < 0); /* the descriptor went with the endpoint */
  EXPECT(mpj_segment_rank(segment, 0)->state == MPJ_RANK_FINALIZED);
  munmap(segment, (size_t)segment->bytes);
  EXPECT(mpj_memory_outstanding() == before);
}

START_TEST(wrong_rank_settings_or_version_is_refused)
{
  in_child(open_with_wrong_arguments);
}
END_TEST

static void open_without_memory(void)
{
  struct mpj_segment *segment;
  struct mpj_net *net;
  int fd, status = MPJ_ERR_NO_MEM;
  long successes = 0;
  EXPECT(mpj_shm_create(2, &fd, &segment) == MPJ_SUCCESS);
  const long before = mpj_memory_outstanding();
  for (; status != MPJ_SUCCESS; successes++) {
    EXPECT(mpj_memory_outstanding() == before);
    EXPECT(mpj_segment_rank(segment, 1)->state == MPJ_RANK_ABSENT);
    mpj_memory_fail_after(successes);
    status = mpj_shm_open(fd, 1, true, &net);
    mpj_memory_fail_after(-1);
    EXPECT(status == MPJ_SUCCESS || status == MPJ_ERR_NO_MEM);
  }
  EXPECT(successes > 5); /* as many places can fail */
  mpj_net_close(net, MPJ_RANK_FINALIZED, 0);
  EXPECT(mpj_memory_outstanding() == before);
}

START_TEST(endpoint_without_memory_is_refused_and_leaks_nothing)
{
  in_child(open_without_memory);
}
END_TEST

START_TEST(segment_for_too_few_or_too_many_processes_is_refused)
{
  struct mpj_segment *segment = NULL;
  int fd = -7;
  const int wrong[] = {0, -1};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    ck_assert_int_eq(mpj_shm_create(wrong[i], &fd, &segment), MPJ_ERR_ARG);
  ck_assert(fd == -7 && !segment);
  ck_assert_int_eq(mpj_shm_create(64, &fd, &segment), MPJ_SUCCESS);
  ck_assert(segment->config.shared);
  ck_assert(!(fcntl(fd, F_GETFD) & FD_CLOEXEC)); /* children inherit it */
  mpj_shm_discard(fd, segment);
  ck_assert_int_lt(fcntl(fd, F_GETFD), 0);
}
END_TEST

/* What the program does when it is started again with the argument "boot": open,
 * and say in its exit status what came of it. */
enum { ALONE = 10, OPENED = 11, WITHOUT_SINGLE_COPY = 12, REFUSED = 20 };

static int boot(void)
{
  struct mpj_net *net = (struct mpj_net *)1;
  const int status = mpj_boot_open(&net);
  if (status != MPJ_SUCCESS) {
    fprintf(stderr, "%s\n", MPJ_Error_detail());
    return net == NULL ? REFUSED + status : 1;
  }
  if (!net) return ALONE;
  const bool single_copy = shm_of(net)->single_copy;
  mpj_net_close(net, MPJ_RANK_FINALIZED, 0);
  return single_copy ? OPENED : WITHOUT_SINGLE_COPY;
}

/* Boot with these values (NULL: not set), SEGMENT standing for a descriptor. */
#define SEGMENT "segment"
static void expect_boot(int expected, const char *rank, const char *size, const char *fd,
                        const char *other)
{
  struct mpj_segment *segment;
  char text[4][64], number[16], *environment[5];
  int descriptor, n = 0;
  ck_assert_int_eq(mpj_shm_create(3, &descriptor, &segment), MPJ_SUCCESS);
  snprintf(number, sizeof number, "%d", descriptor);
  if (fd && strcmp(fd, SEGMENT) == 0) fd = number;
  const char *const names[] = {"MPJ_RANK=", "MPJ_SIZE=", "MPJ_SEGMENT_FD=", ""};
  const char *const values[] = {rank, size, fd, other};
  for (int i = 0; i < 4; i++) {
    if (!values[i]) continue;
    snprintf(text[n], sizeof text[n], "%s%s", names[i], values[i]);
    environment[n] = text[n];
    n++;
  }
  environment[n] = NULL;
  char argument[] = "boot";
  const struct child_outcome outcome = run_child(argument, environment);
  mpj_shm_discard(descriptor, segment);
  ck_assert_msg(outcome.status == expected, "%s %s %s: %d, %s", rank, size, fd, outcome.status,
                outcome.text);
}

START_TEST(process_without_launcher_is_alone)
{
  expect_boot(ALONE, NULL, NULL, NULL, NULL);
}
END_TEST

START_TEST(process_with_all_that_a_launcher_sets_is_a_rank)
{
  expect_boot(OPENED, "0", "3", SEGMENT, NULL);
  expect_boot(OPENED, "2", "3", SEGMENT, NULL);
  expect_boot(WITHOUT_SINGLE_COPY, "1", "3", SEGMENT, "MPJ_SINGLE_COPY=off");
  expect_boot(OPENED, "1", "3", SEGMENT, "MPJ_SINGLE_COPY=on");
}
END_TEST

START_TEST(incomplete_or_contradictory_environment_is_refused)
{
  const int refused = REFUSED + MPJ_ERR_ARG;
  expect_boot(refused, "0", NULL, NULL, NULL);
  expect_boot(refused, NULL, "3", NULL, NULL);
  expect_boot(refused, NULL, NULL, SEGMENT, NULL);
  expect_boot(refused, "0", "3", NULL, NULL);
  expect_boot(refused, "0", NULL, SEGMENT, NULL);
  expect_boot(refused, NULL, "3", SEGMENT, NULL);
  expect_boot(refused, "3", "3", SEGMENT, NULL);
  expect_boot(refused, "0", "0", SEGMENT, NULL);
  expect_boot(refused, "0", "2", SEGMENT, NULL);
  expect_boot(refused, "3", "4", SEGMENT, NULL);
  expect_boot(refused, "zero", "3", SEGMENT, NULL);
  expect_boot(refused, "0", "3", "99999", NULL);
  expect_boot(refused, "0", "3", "1", NULL);
  expect_boot(refused, "0", "3", SEGMENT, "MPJ_EAGER_BYTES=4096");
  expect_boot(refused, "0", "3", SEGMENT, "MPJ_COLL_BARRIER=flat");
}
END_TEST

START_TEST(segment_is_its_users_alone)
{
  struct stat st;
  struct mpj_segment *segment;
  int fd;
  const mode_t before = umask(0);
  ck_assert_int_eq(mpj_shm_create(2, &fd, &segment), MPJ_SUCCESS);
  umask(before);
  ck_assert_int_eq(fstat(fd, &st), 0);
  ck_assert_uint_eq(st.st_mode & 0777, 0600);
  mpj_shm_discard(fd, segment);
}
END_TEST

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "boot") == 0) return boot();
  return RUN_SUITE("net/shm_open", descriptor_of_something_else_is_refused,
                   wrong_rank_settings_or_version_is_refused,
                   endpoint_without_memory_is_refused_and_leaks_nothing,
                   segment_for_too_few_or_too_many_processes_is_refused, segment_is_its_users_alone,
                   process_without_launcher_is_alone,
                   process_with_all_that_a_launcher_sets_is_a_rank,
                   incomplete_or_contradictory_environment_is_refused);
}
