/* This file lists what happens when arguments are wrong, on all ranks or on one:
 * the rank learns what it did, the others that it failed, and the communicator
 * works on. */
#include <mpj/mpj.h>

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "coll/cases.h"

enum { MOST_RANKS = 64, CULPRIT = 1 };

#define WORLD MPJ_COMM_WORLD

/* What a rank that is not the culprit hears. */
static const char culprit_failed[] = "rank 1 failed";

/* n parts of one int each, committed. */
static MPJ_Datatype ints(MPJ_Count n)
{
  MPJ_Datatype made = MPJ_DATATYPE_NULL;
  if (MPJ_Type_contiguous(n, MPJ_INT, &made) == MPJ_SUCCESS) MPJ_Type_commit(&made);
  return made;
}

/* What the culprit hears of its root. */
static const char *root_text(const struct ranks *r, int root)
{
  static _Thread_local char text[80];
  snprintf(text, sizeof text, "root is %d, comm has ranks 0 to %d", root, r->size - 1);
  return text;
}

static int roots_out_of_range_on_all(const struct ranks *r)
{
  int data[MOST_RANKS] = {0}, failed = 0;
  MPJ_Datatype all = ints(r->size);
  const int roots[] = {-1, r->size, INT32_MAX, INT32_MIN};
  for (int i = 0; i < 4; i++) {
    const char *text = root_text(r, roots[i]);
    failed += EXPECT(MPJ_Bcast(data, all, roots[i], WORLD), MPJ_ERR_ROOT, text);
    failed += EXPECT(MPJ_Gather(data, MPJ_INT, data, all, roots[i], WORLD), MPJ_ERR_ROOT, text);
    failed += EXPECT(MPJ_Scatter(data, all, data, MPJ_INT, roots[i], WORLD), MPJ_ERR_ROOT, text);
  }
  MPJ_Type_free(&all);
  return failed;
}

static int root_out_of_range_on_one(const struct ranks *r)
{
  int data[MOST_RANKS] = {0}, mine = 0, failed = 0;
  MPJ_Datatype all = ints(r->size);
  if (r->rank == CULPRIT) {
    const char *text = root_text(r, r->size);
    failed += EXPECT(MPJ_Bcast(data, all, r->size, WORLD), MPJ_ERR_ROOT, text);
    failed += EXPECT(MPJ_Gather(&mine, MPJ_INT, data, all, r->size, WORLD), MPJ_ERR_ROOT, text);
    failed += EXPECT(MPJ_Scatter(data, all, &mine, MPJ_INT, r->size, WORLD), MPJ_ERR_ROOT, text);
  } else {
    failed += EXPECT_EITHER(MPJ_Bcast(data, all, 0, WORLD), MPJ_ERR_ROOT, culprit_failed);
    const int status = MPJ_Gather(&mine, MPJ_INT, data, all, 0, WORLD);
    if (r->rank == 0)
      failed += EXPECT(status, MPJ_ERR_ROOT, culprit_failed);
    else
      failed += EXPECT_EITHER(status, MPJ_ERR_ROOT, culprit_failed);
    failed += EXPECT_EITHER(MPJ_Scatter(data, all, &mine, MPJ_INT, 0, WORLD), MPJ_ERR_ROOT,
                            culprit_failed);
  }
  MPJ_Type_free(&all);
  return failed;
}

static int types_null(const struct ranks *r)
{
  int data[MOST_RANKS] = {0}, failed = 0;
  const MPJ_Datatype null = MPJ_DATATYPE_NULL;
  MPJ_Datatype all = ints(r->size);
  const char *sendtype = "sendtype is MPJ_DATATYPE_NULL",
             *recvtype = "recvtype is MPJ_DATATYPE_NULL";
  const bool root = r->rank == 0;
  failed += EXPECT(MPJ_Bcast(data, null, 0, WORLD), MPJ_ERR_TYPE, "type is MPJ_DATATYPE_NULL");
  failed += EXPECT(MPJ_Gather(data, null, data, null, 0, WORLD), MPJ_ERR_TYPE,
                   root ? recvtype : sendtype);
  failed += EXPECT(MPJ_Gather(data, null, data, all, 0, WORLD), MPJ_ERR_TYPE, sendtype);
  failed += EXPECT(MPJ_Scatter(data, null, data, null, 0, WORLD), MPJ_ERR_TYPE,
                   root ? sendtype : recvtype);
  failed += EXPECT(MPJ_Scatter(data, all, data, null, 0, WORLD), MPJ_ERR_TYPE, recvtype);
  MPJ_Type_free(&all);
  return failed;
}

static MPJ_Datatype not_committed(void)
{
  MPJ_Datatype made = MPJ_DATATYPE_NULL;
  MPJ_Type_contiguous(2, MPJ_INT, &made);
  return made;
}

static MPJ_Datatype freed(void)
{
  MPJ_Datatype made = not_committed(), copy = made;
  MPJ_Type_commit(&made);
  MPJ_Type_free(&made);
  return copy;
}

static MPJ_Datatype garbage(void)
{
  static const uint64_t no_type[64];
  return (MPJ_Datatype)(uintptr_t)no_type;
}

/* One rank uses what `make_bad` makes, with `text` in the detail; the root is
 * rank 0. The others make no type meanwhile, in which a freed one could return. */
static int bad_type_on_one(const struct ranks *r, MPJ_Datatype (*make_bad)(void), const char *text)
{
  int data[MOST_RANKS] = {0}, failed = 0;
  MPJ_Datatype all = ints(r->size);
  failed += EXPECT(MPJ_Barrier(WORLD), MPJ_SUCCESS, "");
  if (r->rank == CULPRIT) {
    MPJ_Datatype bad = make_bad();
    failed += EXPECT(MPJ_Bcast(data, bad, 0, WORLD), MPJ_ERR_TYPE, text);
    failed += EXPECT(MPJ_Gather(data, bad, NULL, bad, 0, WORLD), MPJ_ERR_TYPE, text);
    failed += EXPECT(MPJ_Scatter(NULL, bad, data, bad, 0, WORLD), MPJ_ERR_TYPE, text);
    if (make_bad == not_committed) MPJ_Type_free(&bad);
  } else {
    int mine = 0;
    failed += EXPECT_EITHER(MPJ_Bcast(data, all, 0, WORLD), MPJ_ERR_TYPE, culprit_failed);
    failed += EXPECT_EITHER(MPJ_Gather(&mine, MPJ_INT, data, all, 0, WORLD), MPJ_ERR_TYPE,
                            culprit_failed);
    failed += EXPECT_EITHER(MPJ_Scatter(data, all, &mine, MPJ_INT, 0, WORLD), MPJ_ERR_TYPE,
                            culprit_failed);
  }
  failed += EXPECT(MPJ_Barrier(WORLD), MPJ_SUCCESS, "");
  MPJ_Type_free(&all);
  return failed;
}

static int type_not_committed_on_one(const struct ranks *r)
{
  return bad_type_on_one(r, not_committed, "which is not committed");
}

static int type_freed_on_one(const struct ranks *r)
{
  return bad_type_on_one(r, freed, "freed");
}

static int type_garbage_on_one(const struct ranks *r)
{
  return bad_type_on_one(r, garbage, "type is 0x");
}

/* The root's type has more or fewer parts than there are ranks. */
static int parts_do_not_fit(const struct ranks *r)
{
  int data[MOST_RANKS + 1] = {0}, mine = 0, failed = 0;
  const MPJ_Count counts[] = {r->size + 1, r->size - 1, 1, 0};
  for (int i = 0; i < 4; i++) {
    MPJ_Datatype all = ints(counts[i]);
    char text[80];
    for (int root = 0; root < r->size && counts[i] != r->size; root++) {
      if (r->rank == root) {
        snprintf(text, sizeof text, "recvtype has %d parts, comm has %d ranks", (int)counts[i],
                 r->size);
        failed += EXPECT(MPJ_Gather(&mine, MPJ_INT, data, all, root, WORLD), MPJ_ERR_PARTS, text);
        snprintf(text, sizeof text, "sendtype has %d parts, comm has %d ranks", (int)counts[i],
                 r->size);
        failed += EXPECT(MPJ_Scatter(data, all, &mine, MPJ_INT, root, WORLD), MPJ_ERR_PARTS, text);
      } else {
        snprintf(text, sizeof text, "rank %d failed", root);
        failed += EXPECT_EITHER(MPJ_Gather(&mine, MPJ_INT, NULL, MPJ_DATATYPE_NULL, root, WORLD),
                                MPJ_ERR_PARTS, text);
        failed += EXPECT(MPJ_Scatter(NULL, MPJ_DATATYPE_NULL, &mine, MPJ_INT, root, WORLD),
                         MPJ_ERR_PARTS, text);
      }
    }
    MPJ_Type_free(&all);
  }
  return failed;
}

static int in_place_without_meaning(const struct ranks *r)
{
  int data[MOST_RANKS] = {0}, mine = 0, failed = 0;
  MPJ_Datatype all = ints(r->size);
  const bool root = r->rank == 0;
  const char *text = "is MPJ_IN_PLACE, which has no meaning here";
  failed += EXPECT(MPJ_Bcast(MPJ_IN_PLACE, MPJ_INT, 0, WORLD), MPJ_ERR_ARG, text);
  if (root) {
    failed += EXPECT(MPJ_Gather(&mine, MPJ_INT, MPJ_IN_PLACE, all, 0, WORLD), MPJ_ERR_ARG,
                     "recvbuf is MPJ_IN_PLACE");
    failed += EXPECT(MPJ_Scatter(MPJ_IN_PLACE, all, &mine, MPJ_INT, 0, WORLD), MPJ_ERR_ARG,
                     "sendbuf is MPJ_IN_PLACE");
    failed += EXPECT(MPJ_Gather(&mine, MPJ_INT, data, all, 0, WORLD), MPJ_ERR_ARG, "failed");
    failed +=
        EXPECT_EITHER(MPJ_Scatter(data, all, &mine, MPJ_INT, 0, WORLD), MPJ_ERR_ARG, "failed");
  } else {
    failed += EXPECT_EITHER(MPJ_Gather(&mine, MPJ_INT, NULL, all, 0, WORLD), MPJ_ERR_ARG,
                            "rank 0 failed");
    failed +=
        EXPECT(MPJ_Scatter(NULL, all, &mine, MPJ_INT, 0, WORLD), MPJ_ERR_ARG, "rank 0 failed");
    failed += EXPECT(MPJ_Gather(MPJ_IN_PLACE, MPJ_INT, NULL, all, 0, WORLD), MPJ_ERR_ARG,
                     "sendbuf is MPJ_IN_PLACE");
    failed += EXPECT(MPJ_Scatter(NULL, all, MPJ_IN_PLACE, MPJ_INT, 0, WORLD), MPJ_ERR_ARG,
                     "recvbuf is MPJ_IN_PLACE");
  }
  MPJ_Type_free(&all);
  return failed;
}

/* Also when the call has been made before: round after round with good buffers, then one with
 * NULL on all ranks. */
static int buffers_that_are_null(const struct ranks *r)
{
  int data[MOST_RANKS] = {0}, other[MOST_RANKS] = {0}, mine = 0, sum = 0, failed = 0;
  MPJ_Datatype all = ints(r->size);
  const char *recv = "recvbuf is NULL, and recvtype's data begins at displacement 0";
  const char *send = "sendbuf is NULL, and sendtype's data begins at displacement 0";
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < 8; i++) {
      failed += EXPECT(MPJ_Bcast(&mine, MPJ_INT, 0, WORLD), MPJ_SUCCESS, "");
      failed += EXPECT(MPJ_Allgather(&mine, MPJ_INT, data, all, WORLD), MPJ_SUCCESS, "");
      failed +=
          EXPECT(MPJ_Allreduce(&mine, MPJ_INT, &sum, MPJ_INT, MPJ_SUM, WORLD), MPJ_SUCCESS, "");
    }
    failed += EXPECT(MPJ_Bcast(NULL, MPJ_INT, 0, WORLD), MPJ_ERR_ARG,
                     "buf is NULL, and type's data begins at displacement 0");
    failed += EXPECT(MPJ_Gather(NULL, MPJ_INT, data, all, 0, WORLD), MPJ_ERR_ARG, send);
    failed += EXPECT(MPJ_Scatter(data, all, NULL, MPJ_INT, 0, WORLD), MPJ_ERR_ARG, recv);
    failed += EXPECT(MPJ_Allgather(&mine, MPJ_INT, NULL, all, WORLD), MPJ_ERR_ARG, recv);
    failed += EXPECT(MPJ_Allgather(NULL, MPJ_INT, data, all, WORLD), MPJ_ERR_ARG, send);
    failed += EXPECT(MPJ_Alltoall(data, all, NULL, all, WORLD), MPJ_ERR_ARG, recv);
    failed += EXPECT(MPJ_Alltoall(NULL, all, data, all, WORLD), MPJ_ERR_ARG, send);
    failed +=
        EXPECT(MPJ_Reduce(NULL, MPJ_INT, &sum, MPJ_INT, MPJ_SUM, 0, WORLD), MPJ_ERR_ARG, send);
    failed +=
        EXPECT(MPJ_Allreduce(&mine, MPJ_INT, NULL, MPJ_INT, MPJ_SUM, WORLD), MPJ_ERR_ARG, recv);
    failed +=
        EXPECT(MPJ_Allreduce(NULL, MPJ_INT, &sum, MPJ_INT, MPJ_SUM, WORLD), MPJ_ERR_ARG, send);
    failed +=
        EXPECT(MPJ_Reduce_scatter(data, all, NULL, MPJ_INT, MPJ_SUM, WORLD), MPJ_ERR_ARG, recv);
    failed +=
        EXPECT(MPJ_Reduce_scatter(NULL, all, &sum, MPJ_INT, MPJ_SUM, WORLD), MPJ_ERR_ARG, send);
    failed += EXPECT(MPJ_Scan(&mine, MPJ_INT, NULL, MPJ_INT, MPJ_SUM, WORLD), MPJ_ERR_ARG, recv);
    failed += EXPECT(MPJ_Exscan(NULL, MPJ_INT, &sum, MPJ_INT, MPJ_SUM, WORLD), MPJ_ERR_ARG, send);
  }
  /* Where nothing comes it is no mistake. */
  failed += EXPECT(MPJ_Exscan(&mine, MPJ_INT, r->rank ? &sum : NULL, MPJ_INT, MPJ_SUM, WORLD),
                   MPJ_SUCCESS, "");
  failed +=
      EXPECT(MPJ_Gather(&mine, MPJ_INT, r->rank ? NULL : other, all, 0, WORLD), MPJ_SUCCESS, "");
  MPJ_Type_free(&all);
  return failed;
}

/* Nor is it where there is no data. */
static int nothing_at_null(const struct ranks *r)
{
  int failed = 0;
  MPJ_Datatype none = ints(0), all = MPJ_DATATYPE_NULL;
  failed += EXPECT(MPJ_Type_contiguous(r->size, none, &all), MPJ_SUCCESS, "");
  failed += EXPECT(MPJ_Type_commit(&all), MPJ_SUCCESS, "");
  for (int i = 0; i < 5; i++) {
    const int root = i % r->size;
    failed += EXPECT(MPJ_Bcast(NULL, none, root, WORLD), MPJ_SUCCESS, "");
    failed += EXPECT(MPJ_Gather(NULL, none, NULL, all, root, WORLD), MPJ_SUCCESS, "");
    failed += EXPECT(MPJ_Scatter(NULL, all, NULL, none, root, WORLD), MPJ_SUCCESS, "");
    failed += EXPECT(MPJ_Allgather(NULL, none, NULL, all, WORLD), MPJ_SUCCESS, "");
    failed += EXPECT(MPJ_Alltoall(NULL, all, NULL, all, WORLD), MPJ_SUCCESS, "");
    failed += EXPECT(MPJ_Reduce(NULL, none, NULL, none, MPJ_SUM, root, WORLD), MPJ_SUCCESS, "");
    failed += EXPECT(MPJ_Allreduce(NULL, none, NULL, none, MPJ_SUM, WORLD), MPJ_SUCCESS, "");
    failed += EXPECT(MPJ_Reduce_scatter(NULL, all, NULL, none, MPJ_SUM, WORLD), MPJ_SUCCESS, "");
    failed += EXPECT(MPJ_Scan(NULL, none, NULL, none, MPJ_SUM, WORLD), MPJ_SUCCESS, "");
    failed += EXPECT(MPJ_Exscan(NULL, none, NULL, none, MPJ_SUM, WORLD), MPJ_SUCCESS, "");
  }
  MPJ_Type_free(&all);
  MPJ_Type_free(&none);
  return failed;
}

static int one_buffer_for_both(const struct ranks *r)
{
  enum { KNOWN = 130 }; /* calls, after which the arguments are known again */
  int data[MOST_RANKS] = {0}, sum = 0, sums[2], failed = 0;
  const MPJ_Count one = 1;
  const MPJ_Aint second = sizeof(int);
  MPJ_Datatype all = ints(r->size), behind;
  const char *text = "sendbuf and recvbuf have their data at the same address";
  MPJ_Type_create_hindexed(1, &one, &second, MPJ_INT, &behind);
  MPJ_Type_commit(&behind);
  for (int i = 0; i < KNOWN; i++)
    failed += EXPECT(MPJ_Allreduce(data, MPJ_INT, sums, behind, MPJ_SUM, WORLD), MPJ_SUCCESS, "");
  failed +=
      EXPECT(MPJ_Allreduce(data + 1, MPJ_INT, data, behind, MPJ_SUM, WORLD), MPJ_ERR_ARG, text);
  MPJ_Type_free(&behind);
  for (int i = 0; i < 8; i++)
    failed += EXPECT(MPJ_Allreduce(data, MPJ_INT, &sum, MPJ_INT, MPJ_SUM, WORLD), MPJ_SUCCESS, "");
  failed += EXPECT(MPJ_Allreduce(data, MPJ_INT, data, MPJ_INT, MPJ_SUM, WORLD), MPJ_ERR_ARG, text);
  failed += EXPECT(MPJ_Scan(data, MPJ_INT, data, MPJ_INT, MPJ_SUM, WORLD), MPJ_ERR_ARG, text);
  failed += EXPECT(MPJ_Alltoall(data, all, data, all, WORLD), MPJ_ERR_ARG, text);
  failed += EXPECT(MPJ_Reduce_scatter(data, all, data, MPJ_INT, MPJ_SUM, WORLD), MPJ_ERR_ARG, text);
  failed += EXPECT(MPJ_Allreduce(MPJ_IN_PLACE, all, data, all, MPJ_SUM, WORLD), MPJ_SUCCESS, "");
  failed +=
      EXPECT(MPJ_Reduce_scatter(MPJ_IN_PLACE, all, data, MPJ_INT, MPJ_SUM, WORLD), MPJ_SUCCESS, "");
  MPJ_Type_free(&all);
  return failed;
}

/* The rank that is NULL's hears it, the others that it failed. */
static int buffer_null_on_one(const struct ranks *r)
{
  int data[MOST_RANKS] = {0}, mine = 0, failed = 0;
  MPJ_Datatype all = ints(r->size);
  const bool culprit = r->rank == CULPRIT;
  for (int round = 0; round < 3; round++) {
    failed += EXPECT(MPJ_Allgather(&mine, MPJ_INT, data, all, WORLD), MPJ_SUCCESS, "");
    failed += EXPECT(MPJ_Allgather(culprit ? NULL : &mine, MPJ_INT, data, all, WORLD), MPJ_ERR_ARG,
                     culprit ? "sendbuf is NULL" : culprit_failed);
  }
  MPJ_Type_free(&all);
  return failed;
}

/* These concern no communicator, so nobody else takes part. */
static int communicators_that_are_none(const struct ranks *r)
{
  int data = 0, value, failed = 0;
  static const uint64_t nothing[64];
  const struct {
    MPJ_Comm comm;
    const char *text;
  } bad[] = {{MPJ_COMM_NULL, "comm is MPJ_COMM_NULL"},
             {(MPJ_Comm)(uintptr_t)nothing, "is no communicator"},
             {(MPJ_Comm)(uintptr_t)0xffffffff, "is no communicator"}};
  for (int i = 0; i < 3; i++) {
    const MPJ_Comm comm = bad[i].comm;
    failed += EXPECT(MPJ_Barrier(comm), MPJ_ERR_COMM, bad[i].text);
    failed += EXPECT(MPJ_Bcast(&data, MPJ_INT, 0, comm), MPJ_ERR_COMM, bad[i].text);
    failed +=
        EXPECT(MPJ_Gather(&data, MPJ_INT, &data, MPJ_INT, 0, comm), MPJ_ERR_COMM, bad[i].text);
    failed +=
        EXPECT(MPJ_Scatter(&data, MPJ_INT, &data, MPJ_INT, 0, comm), MPJ_ERR_COMM, bad[i].text);
    failed += EXPECT(MPJ_Comm_rank(comm, &value), MPJ_ERR_COMM, bad[i].text);
    failed += EXPECT(MPJ_Comm_size(comm, &value), MPJ_ERR_COMM, bad[i].text);
  }
  failed += EXPECT(MPJ_Comm_rank(WORLD, NULL), MPJ_ERR_ARG, "rank is NULL");
  failed += EXPECT(MPJ_Comm_size(WORLD, NULL), MPJ_ERR_ARG, "size is NULL");
  return failed;
}

/* On MPJ_COMM_SELF a rank is alone whatever the others do. */
static int self_is_a_communicator_of_one(const struct ranks *r)
{
  int data = 7, copy = 0, value = -1, failed = 0;
  failed += EXPECT(MPJ_Comm_rank(MPJ_COMM_SELF, &value), MPJ_SUCCESS, "") + EXPECT_FACT(value == 0);
  failed += EXPECT(MPJ_Comm_size(MPJ_COMM_SELF, &value), MPJ_SUCCESS, "") + EXPECT_FACT(value == 1);
  for (int i = 0; i < r->rank + 1; i++) {
    failed += EXPECT(MPJ_Barrier(MPJ_COMM_SELF), MPJ_SUCCESS, "");
    failed += EXPECT(MPJ_Bcast(&data, MPJ_INT, 0, MPJ_COMM_SELF), MPJ_SUCCESS, "");
    failed += EXPECT(MPJ_Gather(&data, MPJ_INT, &copy, MPJ_INT, 0, MPJ_COMM_SELF), MPJ_SUCCESS, "");
    failed += EXPECT_FACT(copy == 7);
    copy = 8;
    failed +=
        EXPECT(MPJ_Scatter(&copy, MPJ_INT, &data, MPJ_INT, 0, MPJ_COMM_SELF), MPJ_SUCCESS, "");
    failed += EXPECT_FACT(data == 8);
    data = 7;
  }
  failed += EXPECT(MPJ_Bcast(&data, MPJ_INT, 1, MPJ_COMM_SELF), MPJ_ERR_ROOT,
                   "root is 1, comm has ranks 0 to 0");
  failed += EXPECT(MPJ_Gather(&data, MPJ_FLOAT, &copy, MPJ_INT, 0, MPJ_COMM_SELF),
                   MPJ_ERR_SIGNATURE, "part 0 of recvtype describes");
  return failed;
}

const struct wrong_case argument_cases[] = {
    {"roots_out_of_range_on_all", roots_out_of_range_on_all, false},
    {"root_out_of_range_on_one", root_out_of_range_on_one, false},
    {"types_null", types_null, false},
    {"type_not_committed_on_one", type_not_committed_on_one, false},
    {"type_freed_on_one", type_freed_on_one, false},
    {"type_garbage_on_one", type_garbage_on_one, false},
    {"parts_do_not_fit", parts_do_not_fit, false},
    {"in_place_without_meaning", in_place_without_meaning, false},
    {"buffers_that_are_null", buffers_that_are_null, false},
    {"nothing_at_null", nothing_at_null, false},
    {"one_buffer_for_both", one_buffer_for_both, false},
    {"buffer_null_on_one", buffer_null_on_one, false},
    {"communicators_that_are_none", communicators_that_are_none, false},
    {"self_is_a_communicator_of_one", self_is_a_communicator_of_one, false},
    {NULL, NULL, false}};
