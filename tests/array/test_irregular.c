/* This file counts what ranks need to make an irregular schedule: what they allocate and send does
 * not grow with the number of ranks, but for the hops of a dissemination. The linker puts counters
 * before MPJ_Alltoall, MPJ_Allreduce and the allocations. */
#include <mpj/array.h>
#include <mpj/introspect.h>
#include <mpj/mpj.h>

#include "base/memory.h"
#include "base/suite.h"

enum { OWN = 1000, PEERS = 3, EACH = 100, N = PEERS * EACH, MOST = 256 };

/* What a rank has done. Messages are the Alltoalls' parts that are not empty. */
struct cost {
  long alltoalls, allreduces, messages, bytes, allocated; /* the last two in bytes */
  unsigned long allocations;
};
static _Thread_local struct cost counted;

typedef int alltoall_fn(const void *from, MPJ_Datatype send, void *to, MPJ_Datatype recv,
                        MPJ_Comm comm);
typedef int allreduce_fn(const void *from, MPJ_Datatype send, void *to, MPJ_Datatype recv,
                         MPJ_Op op, MPJ_Comm comm);
alltoall_fn __real_MPJ_Alltoall, __wrap_MPJ_Alltoall;
allreduce_fn __real_MPJ_Allreduce, __wrap_MPJ_Allreduce;

int __wrap_MPJ_Alltoall(const void *from, MPJ_Datatype send, void *to, MPJ_Datatype recv,
                        MPJ_Comm comm)
{
  MPJ_Count counts[2 + PEERS], bytes = 0, ncounts, naddresses, ntypes;
  MPJ_Aint displs[PEERS];
  MPJ_Datatype parts[PEERS];
  int combiner;
  counted.alltoalls++;
  if (!MPJ_Type_get_envelope(send, &ncounts, &naddresses, &ntypes, &combiner) &&
      combiner == MPJ_COMBINER_SPARSE && ntypes <= PEERS &&
      !MPJ_Type_get_contents(send, 2 + PEERS, PEERS, PEERS, counts, displs, parts))
    for (MPJ_Count k = 0; k < ntypes; k++) {
      MPJ_Type_size(parts[k], &bytes);
      counted.messages += bytes > 0;
      counted.bytes += bytes;
      MPJ_Type_free(&parts[k]);
    }
  else
    counted.messages = -1;
  return __real_MPJ_Alltoall(from, send, to, recv, comm);
}

int __wrap_MPJ_Allreduce(const void *from, MPJ_Datatype send, void *to, MPJ_Datatype recv,
                         MPJ_Op op, MPJ_Comm comm)
{
  counted.allreduces++;
  return __real_MPJ_Allreduce(from, send, to, recv, op, comm);
}

typedef void *alloc_fn(size_t bytes);
typedef void *alloc_array_fn(size_t count, size_t size);
alloc_fn __real_mpj_alloc, __wrap_mpj_alloc;
alloc_array_fn __real_mpj_alloc_array, __wrap_mpj_alloc_array;
alloc_array_fn __real_mpj_alloc_work, __wrap_mpj_alloc_work;
alloc_array_fn __real_mpj_alloc_table, __wrap_mpj_alloc_table;

void *__wrap_mpj_alloc(size_t bytes)
{
  counted.allocated += (long)bytes;
  return __real_mpj_alloc(bytes);
}

#define COUNT(function)                                                                            \
  void *__wrap_##function(size_t count, size_t size)                                               \
  {                                                                                                \
    counted.allocated += (long)(count * size);                                                     \
    return __real_##function(count, size);                                                         \
  }
COUNT(mpj_alloc_array)
COUNT(mpj_alloc_work)
COUNT(mpj_alloc_table)

/* Each rank wants the same of the next ranks, whatever their number. */
static int make(int size, MPJ_Array array)
{
  MPJ_Schedule s;
  MPJ_Count index[N];
  int rank;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  for (int i = 0; i < N; i++)
    index[i] = (rank + 1 + i / EACH) % size * OWN + i % EACH * 7;
  const int status = MPJ_Subscript_create(array, N, index, NULL, &s);
  return status ? status : MPJ_Schedule_free(&s);
}

static int count(void *arg)
{
  struct cost *costs = arg;
  MPJ_Array array;
  int size, rank;
  MPJ_Comm_size(MPJ_COMM_WORLD, &size);
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  const MPJ_Axis axis = {.size = (MPJ_Count)size * OWN, .distribute = MPJ_DISTRIBUTE_BLOCK};
  int status =
      MPJ_Array_create(1, &axis, 1, &size, MPJ_ORDER_C, MPJ_DOUBLE, MPJ_COMM_WORLD, &array);
  for (int round = 0; round < 2 && !status; round++) { /* the first makes plans, which are kept */
    counted = (struct cost){0};
    const unsigned long before = mpj_memory_made();
    status = make(size, array);
    counted.allocations = mpj_memory_made() - before;
    costs[2 * rank + round] = counted;
  }
  MPJ_Array_free(&array);
  return status;
}

/* The least of all ranks, once plans are there; messages and bytes are those of each. */
static struct cost cost_of(int size, int hops)
{
  static struct cost all[2 * MOST];
  ck_assert_int_eq(MPJ_Run_threads(size, count, all), 0);
  struct cost least = all[1];
  for (int i = 0; i < 2 * size; i++) {
    const struct cost *c = &all[i];
    ck_assert_int_eq((int)c->alltoalls, 2 * hops + 1);
    ck_assert_int_eq((int)c->allreduces, 4 + hops);
    /* a number a hop; the peers' numbers, 24 bytes each, in four hops (1, 2, 1 + 2), two of them in
     * one message; and the offsets */
    ck_assert_int_eq((int)c->messages, hops + 2 + PEERS);
    ck_assert_int_eq((int)c->bytes, 8 * hops + 4 * 24 + 8 * N);
    if (i % 2 && c->allocated < least.allocated) least.allocated = c->allocated;
    if (i % 2 && c->allocations < least.allocations) least.allocations = c->allocations;
  }
  return least;
}

/* Of 16, 64 and 256 ranks each has two hops more; what grew with the ranks would grow by more. */
START_TEST(what_irregular_schedules_cost_grows_with_the_hops_and_not_with_the_ranks)
{
  cost_of(4, 2);
  const struct cost few = cost_of(16, 4), more = cost_of(64, 6), many = cost_of(MOST, 8);
  const long grows = more.allocated - few.allocated;
  const long then = many.allocated - more.allocated;
  ck_assert_msg(then <= grows + 64, "%ld bytes more, then %ld", grows, then);
  ck_assert_msg(many.allocations - more.allocations <= more.allocations - few.allocations + 4,
                "%lu, %lu, %lu allocations", few.allocations, more.allocations, many.allocations);
}
END_TEST

int main(void)
{
  return RUN_SUITE("array_irregular",
                   what_irregular_schedules_cost_grows_with_the_hops_and_not_with_the_ranks);
}
