/* This file tests the directory of addresses that a node's ranks share. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mpj/mpj.h>

#include "base/memory.h"
#include "base/suite.h"
#include "net/far/directory.h"

enum { RANKS = 300 };

/* Of a length, up to the longest, and content of each rank's own. */
static size_t make_address(int rank, unsigned char address[MPJ_DIRECTORY_ADDRESS_MAX])
{
  const size_t bytes = rank == RANKS - 1 ? MPJ_DIRECTORY_ADDRESS_MAX : 1 + (size_t)rank * 7 % 500;
  for (size_t i = 0; i < bytes; i++)
    address[i] = (unsigned char)((size_t)rank * 31 + i);
  return bytes;
}

static void enter(struct mpj_directory *d, int rank)
{
  unsigned char address[MPJ_DIRECTORY_ADDRESS_MAX];
  const size_t bytes = make_address(rank, address);
  mpj_directory_enter(d, rank, address, bytes);
}

static bool holds(const struct mpj_directory *d, int rank)
{
  unsigned char address[MPJ_DIRECTORY_ADDRESS_MAX];
  size_t found;
  const size_t bytes = make_address(rank, address);
  const void *there = mpj_directory_find(d, rank, &found);
  return there && found == bytes && memcmp(there, address, bytes) == 0;
}

START_TEST(processes_enter_parts_and_find_all)
{
  enum { PROCESSES = 4 };
  const long outstanding = mpj_memory_outstanding();
  struct mpj_directory *d;
  int fd, status;
  ck_assert_int_eq(mpj_directory_create(RANKS, &d, &fd), MPJ_SUCCESS);
  for (int i = 0; i < PROCESSES; i++) {
    if (fork() != 0) continue;
    struct mpj_directory *mine;
    if (mpj_directory_attach(fd, RANKS, &mine) != MPJ_SUCCESS) _exit(1);
    for (int rank = i; rank < RANKS; rank += PROCESSES)
      enter(mine, rank);
    _exit(0);
  }
  for (int i = 0; i < PROCESSES; i++)
    ck_assert(wait(&status) > 0 && status == 0);
  close(fd);
  for (int rank = 0; rank < RANKS; rank++)
    ck_assert(holds(d, rank));
  mpj_directory_detach(d);
  ck_assert_int_eq(mpj_memory_outstanding(), outstanding);
}
END_TEST

START_TEST(what_was_not_entered_is_not_found)
{
  struct mpj_directory *d;
  size_t bytes;
  int fd;
  ck_assert_int_eq(mpj_directory_create(RANKS, &d, &fd), MPJ_SUCCESS);
  enter(d, 7);
  ck_assert_ptr_null(mpj_directory_find(d, 6, &bytes));
  ck_assert_ptr_null(mpj_directory_find(d, RANKS - 1, &bytes));
  ck_assert(holds(d, 7));
  close(fd);
  mpj_directory_detach(d);
}
END_TEST

START_TEST(one_for_other_ranks_is_refused)
{
  struct mpj_directory *d, *other;
  int fd;
  ck_assert_int_eq(mpj_directory_create(RANKS, &d, &fd), MPJ_SUCCESS);
  ck_assert_int_eq(mpj_directory_attach(fd, RANKS + 1, &other), MPJ_ERR_FORMAT);
  ck_assert_ptr_nonnull(strstr(MPJ_Error_detail(), "301 ranks"));
  ck_assert_int_eq(ftruncate(fd, 0), -1); /* nobody can take it away under a reader */
  close(fd);
  mpj_directory_detach(d);
}
END_TEST

START_TEST(entries_that_make_no_sense_are_not_followed)
{
  struct mpj_directory *d;
  size_t bytes;
  int fd;
  ck_assert_int_eq(mpj_directory_create(2, &d, &fd), MPJ_SUCCESS);
  static const uint64_t wrong[] = {UINT64_MAX, UINT64_C(1) << 40 | 8, 16 << 16 | 0xffff,
                                   (uint64_t)(8 + 16 + 2 * MPJ_DIRECTORY_ADDRESS_MAX - 4) << 16 |
                                       8};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    ck_assert_int_eq(pwrite(fd, &wrong[i], sizeof wrong[i], 8), sizeof wrong[i]);
    ck_assert_ptr_null(mpj_directory_find(d, 0, &bytes));
  }
  close(fd);
  mpj_directory_detach(d);
}
END_TEST

START_TEST(lack_of_memory_is_told)
{
  struct mpj_directory *d;
  int fd;
  mpj_memory_fail_after(0);
  ck_assert_int_eq(mpj_directory_create(RANKS, &d, &fd), MPJ_ERR_NO_MEM);
  mpj_memory_fail_after(-1);
}
END_TEST

int main(void)
{
  return RUN_SUITE("net/directory", processes_enter_parts_and_find_all,
                   what_was_not_entered_is_not_found, one_for_other_ranks_is_refused,
                   entries_that_make_no_sense_are_not_followed, lack_of_memory_is_told);
}
