/* Sorting of subscripts, narrow and wide. */
#include <mpj/array.h>
#include <mpj/mpj.h>

#include "array/radix.h"
#include "base/suite.h"

enum { N = 3000, LOW = 12, BITS = 21 };

static uint64_t number(uint64_t i)
{
  i = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
  return (i ^ i >> 31) % 900 << 11; /* some are equal */
}

START_TEST(words_are_sorted_by_their_upper_bits)
{
  static uint64_t memory[2][N], *words = memory[0];
  void *items = words, *room = memory[1];
  for (uint64_t i = 0; i < N; i++)
    words[i] = number(i) << LOW | i;
  mpj_radix_sort(&items, &room, N, sizeof *words, LOW, LOW + BITS);
  ck_assert(items != room);
  words = items;
  for (size_t i = 1; i < N; i++)
    ck_assert(words[i - 1] < words[i]); /* equal ones in order, by what is below */
}
END_TEST

START_TEST(keyed_items_are_sorted_and_equal_ones_stay_in_order)
{
  static struct mpj_keyed memory[2][N];
  for (int odd = 0; odd < 2; odd++) { /* an even, and an odd number of digits */
    void *sorted = memory[0], *room = memory[1];
    for (uint64_t i = 0; i < N; i++)
      memory[0][i] = (struct mpj_keyed){number(i) >> (odd ? 11 : 0), (MPJ_Count)i};
    mpj_radix_sort(&sorted, &room, N, sizeof memory[0][0], 0, odd ? BITS - 11 : BITS + 4);
    const struct mpj_keyed *items = sorted;
    for (size_t i = 1; i < N; i++)
      ck_assert(items[i - 1].key < items[i].key ||
                (items[i - 1].key == items[i].key && items[i - 1].i < items[i].i));
  }
}
END_TEST

START_TEST(offsets_that_leave_no_room_for_a_number_are_sorted_too)
{
  enum { WANTS = 64 };
  MPJ_Count offsets[WANTS];
  int ranks[WANTS] = {0};
  MPJ_Schedule s;
  MPJ_Datatype send, recv;
  MPJ_Comm comm;
  struct iovec from, to;
  MPJ_Count n;
  static char base[1];
  MPJ_Init(NULL, NULL);
  for (int i = 0; i < WANTS; i++)
    offsets[i] = (MPJ_Count)((i * 29 + 5) % WANTS) << 54;
  ck_assert_int_eq(
      MPJ_Graph_create(INT64_C(1) << 61, WANTS, NULL, ranks, offsets, MPJ_BYTE, MPJ_COMM_WORLD, &s),
      MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Schedule_types(s, 0, &send, &recv, &comm), MPJ_SUCCESS);
  for (int i = 0; i < WANTS; i++) {
    ck_assert_int_eq(MPJ_Type_iov_at(base, send, i, &from, 1, &n), MPJ_SUCCESS);
    ck_assert_int_eq(MPJ_Type_iov_at(base, recv, i, &to, 1, &n), MPJ_SUCCESS);
    const uintptr_t offset = (uintptr_t)from.iov_base - (uintptr_t)base;
    const uintptr_t place = (uintptr_t)to.iov_base - (uintptr_t)base;
    ck_assert_uint_eq(offset, (uintptr_t)i << 54);
    ck_assert_uint_lt(place, WANTS);
    ck_assert_int_eq(offsets[place], (MPJ_Count)offset);
  }
  MPJ_Type_free(&send);
  MPJ_Type_free(&recv);
  MPJ_Schedule_free(&s);
  MPJ_Finalize();
}
END_TEST

int main(void)
{
  return RUN_SUITE("array_radix", words_are_sorted_by_their_upper_bits,
                   keyed_items_are_sorted_and_equal_ones_stay_in_order,
                   offsets_that_leave_no_room_for_a_number_are_sorted_too);
}
