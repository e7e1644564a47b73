/* This file lists misuses of reductions and of operations: the arguments of one
 * rank are wrong by themselves. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "coll/misuse.h"

static void keep(void *ctx, const void *in, void *inout, MPJ_Count n)
{
  (void)ctx, (void)in, (void)inout, (void)n;
}

/* Reductions of a few ints with this op, which fail with the code and the text
 * (`other`: at the ranks of Reduce but the root). */
static int all_fail(const struct run *run, MPJ_Datatype type, MPJ_Op op, int code, const char *text,
                    const char *other)
{
  int a[MISUSE_RANKS * 4] = {0}, b[MISUSE_RANKS * 4], failed = 0;
  MPJ_Datatype parts = misuse_parts(run->size, 1, type);
  const char *text_reduce = run->rank == 0 ? text : other;
  failed += MUST(MPJ_Reduce(a, type, b, type, op, 0, WORLD), code, text_reduce);
  failed += MUST(MPJ_Allreduce(a, type, b, type, op, WORLD), code, text);
  failed += MUST(MPJ_Allreduce(MPJ_IN_PLACE, type, b, type, op, WORLD), code, text);
  failed += MUST(MPJ_Reduce_scatter(a, parts, b, type, op, WORLD), code, text);
  failed += MUST(MPJ_Scan(a, type, b, type, op, WORLD), code, text);
  failed += MUST(MPJ_Exscan(a, type, b, type, op, WORLD), code, text);
  MPJ_Type_free(&parts);
  return failed;
}

static int operations_that_are_none(const struct run *run)
{
  MPJ_Op op = MPJ_OP_NULL;
  const char *null = "op is MPJ_OP_NULL";
  int failed = all_fail(run, MPJ_INT, op, MPJ_ERR_OP, null, null);
  failed += MUST(MPJ_Op_create(keep, NULL, MPJ_INT, 1, &op), MPJ_SUCCESS, "");
  const MPJ_Op freed = op;
  failed += MUST(MPJ_Barrier(WORLD), MPJ_SUCCESS, "");
  failed += MUST(MPJ_Op_free(&op), MPJ_SUCCESS, "");
  failed += FACT(op == MPJ_OP_NULL);
  failed += MUST(MPJ_Barrier(WORLD), MPJ_SUCCESS, "");
  failed += all_fail(run, MPJ_INT, freed, MPJ_ERR_OP, "has been freed", "has been freed");
  return failed;
}

static int operations_that_do_not_apply(const struct run *run)
{
  const MPJ_Count ones[] = {1, 1};
  const MPJ_Aint displs[] = {0, 8};
  const MPJ_Datatype types[] = {MPJ_INT, MPJ_C_FLOAT_COMPLEX};
  MPJ_Datatype both = MPJ_DATATYPE_NULL;
  int failed = all_fail(run, MPJ_BYTE, MPJ_SUM, MPJ_ERR_OP,
                        "op MPJ_SUM does not apply to MPJ_BYTE, which recvtype contains",
                        "op MPJ_SUM does not apply to MPJ_BYTE, which sendtype contains");
  failed += all_fail(run, MPJ_DOUBLE, MPJ_BXOR, MPJ_ERR_OP, "MPJ_BXOR does not apply to MPJ_DOUBLE",
                     "MPJ_BXOR does not apply to MPJ_DOUBLE");
  failed += MUST(MPJ_Type_create_struct(2, ones, displs, types, &both), MPJ_SUCCESS, "");
  failed += MUST(MPJ_Type_commit(&both), MPJ_SUCCESS, "");
  failed += all_fail(run, both, MPJ_MAX, MPJ_ERR_OP,
                     "MPJ_MAX does not apply to MPJ_C_FLOAT_COMPLEX, which recvtype contains",
                     "MPJ_MAX does not apply to MPJ_C_FLOAT_COMPLEX, which sendtype contains");
  MPJ_Type_free(&both);
  return failed;
}

/* The culprit gives no op: it learns what is wrong, who needs it that it failed. */
static int operation_null_on_one(const struct run *run)
{
  const bool odd = run->rank == CULPRIT;
  const MPJ_Op op = odd ? MPJ_OP_NULL : MPJ_SUM;
  const char *text = odd ? "op is MPJ_OP_NULL" : "rank 1 failed";
  int a[MISUSE_RANKS] = {0}, b[MISUSE_RANKS], failed = 0;
  MPJ_Datatype parts = misuse_parts(run->size, 1, MPJ_INT);
  failed += MUST(MPJ_Allreduce(a, MPJ_INT, b, MPJ_INT, op, WORLD), MPJ_ERR_OP, text);
  failed += MUST(MPJ_Reduce_scatter(a, parts, b, MPJ_INT, op, WORLD), MPJ_ERR_OP, text);
  const int reduced = MPJ_Reduce(a, MPJ_INT, b, MPJ_INT, op, 0, WORLD);
  failed += run->rank <= CULPRIT ? MUST(reduced, MPJ_ERR_OP, text) : MAY(reduced, MPJ_ERR_OP, text);
  const int scanned = MPJ_Scan(a, MPJ_INT, b, MPJ_INT, op, WORLD);
  failed += run->rank >= CULPRIT ? MUST(scanned, MPJ_ERR_OP, text) : MAY(scanned, MPJ_ERR_OP, text);
  const int before = MPJ_Exscan(a, MPJ_INT, b, MPJ_INT, op, WORLD);
  failed += run->rank >= CULPRIT ? MUST(before, MPJ_ERR_OP, text) : MAY(before, MPJ_ERR_OP, text);
  MPJ_Type_free(&parts);
  return failed;
}

static int no_multiple_of_elemtype(const struct run *run)
{
  int failed = 0;
  MPJ_Op op;
  MPJ_Datatype pair = misuse_parts(1, 2, MPJ_INT), three = misuse_parts(1, 3, MPJ_INT);
  failed += MUST(MPJ_Op_create(keep, NULL, pair, 0, &op), MPJ_SUCCESS, "");
  failed +=
      all_fail(run, three, op, MPJ_ERR_SIGNATURE,
               "recvtype has 12 bytes in 3 elements, which is no whole number of op's elemtype "
               "of 8 bytes in 2 elements",
               "sendtype has 12 bytes in 3 elements");
  failed += all_fail(run, MPJ_DOUBLE, op, MPJ_ERR_SIGNATURE, "recvtype has 8 bytes in 1 elements",
                     "sendtype has 8 bytes in 1 elements");
  failed += MUST(MPJ_Op_free(&op), MPJ_SUCCESS, "");
  MPJ_Type_free(&three);
  MPJ_Type_free(&pair);
  return failed;
}

static int sides_that_differ(const struct run *run)
{
  int a[MISUSE_RANKS] = {0}, b[MISUSE_RANKS], failed = 0;
  const char *text =
      "sendtype describes 1 int; recvtype describes 1 long: they differ at element 0";
  const MPJ_Datatype in = MPJ_INT, out = MPJ_LONG;
  MPJ_Datatype parts = misuse_parts(run->size, 1, MPJ_INT);
  failed += MUST(MPJ_Allreduce(a, in, b, out, MPJ_SUM, WORLD), MPJ_ERR_SIGNATURE, text);
  failed += MUST(MPJ_Scan(a, in, b, out, MPJ_SUM, WORLD), MPJ_ERR_SIGNATURE, text);
  failed += MUST(MPJ_Exscan(a, in, b, out, MPJ_SUM, WORLD), MPJ_ERR_SIGNATURE, text);
  failed += MUST(MPJ_Reduce_scatter(a, parts, b, out, MPJ_SUM, WORLD), MPJ_ERR_SIGNATURE,
                 "of sendtype describes 1 int; recvtype describes 1 long");
  const int status = MPJ_Reduce(a, in, b, out, MPJ_SUM, 0, WORLD);
  if (run->rank == 0)
    failed += MUST(status, MPJ_ERR_SIGNATURE, text);
  else
    failed += MAY(status, MPJ_ERR_SIGNATURE, "rank 0 failed");
  MPJ_Type_free(&parts);
  return failed;
}

static int parts_roots_and_types(const struct run *run)
{
  int a[MISUSE_RANKS] = {0}, b[MISUSE_RANKS], failed = 0;
  char text[80];
  const MPJ_Datatype null = MPJ_DATATYPE_NULL;
  MPJ_Datatype more = misuse_parts(run->size + 1, 1, MPJ_INT);
  snprintf(text, sizeof text, "sendtype has %d parts, comm has %d ranks", run->size + 1, run->size);
  failed += MUST(MPJ_Reduce_scatter(a, more, b, MPJ_INT, MPJ_SUM, WORLD), MPJ_ERR_PARTS, text);
  failed +=
      MUST(MPJ_Reduce_scatter(MPJ_IN_PLACE, more, b, MPJ_INT, MPJ_SUM, WORLD), MPJ_ERR_PARTS, text);
  snprintf(text, sizeof text, "root is %d, comm has ranks 0 to %d", run->size, run->size - 1);
  failed += MUST(MPJ_Reduce(a, MPJ_INT, b, MPJ_INT, MPJ_SUM, run->size, WORLD), MPJ_ERR_ROOT, text);
  failed +=
      MUST(MPJ_Reduce(a, MPJ_INT, b, MPJ_INT, MPJ_SUM, -1, WORLD), MPJ_ERR_ROOT, "root is -1");
  failed += all_fail(run, null, MPJ_SUM, MPJ_ERR_TYPE, "type is MPJ_DATATYPE_NULL",
                     "sendtype is MPJ_DATATYPE_NULL");
  MPJ_Type_free(&more);
  return failed;
}

static int in_place_in_the_wrong_place(const struct run *run)
{
  int a[MISUSE_RANKS] = {0}, failed = 0;
  void *const here = MPJ_IN_PLACE;
  const char *recvbuf = "recvbuf is MPJ_IN_PLACE";
  MPJ_Datatype parts = misuse_parts(run->size, 1, MPJ_INT);
  failed += MUST(MPJ_Allreduce(a, MPJ_INT, here, MPJ_INT, MPJ_SUM, WORLD), MPJ_ERR_ARG, recvbuf);
  failed += MUST(MPJ_Scan(a, MPJ_INT, here, MPJ_INT, MPJ_SUM, WORLD), MPJ_ERR_ARG, recvbuf);
  failed += MUST(MPJ_Exscan(here, MPJ_INT, here, MPJ_INT, MPJ_SUM, WORLD), MPJ_ERR_ARG, recvbuf);
  failed += MUST(MPJ_Reduce_scatter(a, parts, here, MPJ_INT, MPJ_SUM, WORLD), MPJ_ERR_ARG, recvbuf);
  if (run->rank == 0)
    failed += MUST(MPJ_Reduce(here, MPJ_INT, a, MPJ_INT, MPJ_SUM, 0, WORLD), MPJ_ERR_ARG, "failed");
  else
    failed += MUST(MPJ_Reduce(here, MPJ_INT, a, MPJ_INT, MPJ_SUM, 0, WORLD), MPJ_ERR_ARG,
                   "sendbuf is MPJ_IN_PLACE");
  MPJ_Type_free(&parts);
  return failed;
}

static int operations_that_cannot_be_made(const struct run *run)
{
  int failed = 0;
  MPJ_Op op = MPJ_SUM;
  MPJ_Datatype below, none = misuse_parts(0, 1, MPJ_INT), raw;
  const MPJ_Aint displ = -4;
  const MPJ_Count one = 1;
  failed += MUST(MPJ_Type_create_hindexed(1, &one, &displ, MPJ_INT, &below), MPJ_SUCCESS, "");
  failed += MUST(MPJ_Type_contiguous(2, MPJ_INT, &raw), MPJ_SUCCESS, "");
  MPJ_Type_commit(&below);
  failed += MUST(MPJ_Op_create(NULL, NULL, MPJ_INT, 0, &op), MPJ_ERR_ARG, "fn is NULL");
  failed += MUST(MPJ_Op_create(keep, NULL, MPJ_INT, 0, NULL), MPJ_ERR_ARG, "op is NULL");
  failed += MUST(MPJ_Op_create(keep, NULL, MPJ_DATATYPE_NULL, 0, &op), MPJ_ERR_TYPE, "elemtype");
  failed += MUST(MPJ_Op_create(keep, NULL, raw, 0, &op), MPJ_ERR_TYPE, "elemtype");
  failed += MUST(MPJ_Op_create(keep, NULL, none, 0, &op), MPJ_ERR_ARG, "elemtype has no data");
  failed += MUST(MPJ_Op_create(keep, NULL, below, 0, &op), MPJ_ERR_ARG, "elemtype begins at -4");
  failed += FACT(op == MPJ_SUM);
  failed += MUST(MPJ_Op_free(&op), MPJ_ERR_OP, "op is MPJ_SUM, which is never freed");
  op = MPJ_OP_NULL;
  failed += MUST(MPJ_Op_free(&op), MPJ_ERR_OP, "op is MPJ_OP_NULL");
  failed += MUST(MPJ_Op_free(NULL), MPJ_ERR_ARG, "op is NULL");
  MPJ_Type_free(&raw);
  MPJ_Type_free(&none);
  MPJ_Type_free(&below);
  return failed;
}

const struct misuse reduction_misuses[] = {
    {"operations_that_are_none", operations_that_are_none},
    {"operations_that_do_not_apply", operations_that_do_not_apply},
    {"operation_null_on_one", operation_null_on_one},
    {"no_multiple_of_elemtype", no_multiple_of_elemtype},
    {"sides_that_differ", sides_that_differ},
    {"parts_roots_and_types", parts_roots_and_types},
    {"reduction_in_place_in_the_wrong_place", in_place_in_the_wrong_place},
    {"operations_that_cannot_be_made", operations_that_cannot_be_made},
    {NULL, NULL}};
