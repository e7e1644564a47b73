/* This file lists misuses of MPJ_Allgather and MPJ_Alltoall. */
#include <stdio.h>
#include <stdlib.h>

#include "coll/misuse.h"

static int types_that_are_none(const struct run *run)
{
  int a[MISUSE_RANKS] = {0}, b[MISUSE_RANKS], failed = 0;
  const MPJ_Datatype null = MPJ_DATATYPE_NULL;
  MPJ_Datatype parts = misuse_parts(run->size, 1, MPJ_INT);
  const char *in = "sendtype is MPJ_DATATYPE_NULL", *out = "recvtype is MPJ_DATATYPE_NULL";
  failed += MUST(MPJ_Allgather(a, null, b, parts, WORLD), MPJ_ERR_TYPE, in);
  failed += MUST(MPJ_Allgather(a, MPJ_INT, b, null, WORLD), MPJ_ERR_TYPE, out);
  failed += MUST(MPJ_Allgather(MPJ_IN_PLACE, null, b, null, WORLD), MPJ_ERR_TYPE, out);
  failed += MUST(MPJ_Alltoall(a, null, b, parts, WORLD), MPJ_ERR_TYPE, in);
  failed += MUST(MPJ_Alltoall(a, parts, b, null, WORLD), MPJ_ERR_TYPE, out);
  MPJ_Type_free(&parts);
  return failed;
}

static int parts_that_do_not_fit(const struct run *run)
{
  int a[MISUSE_RANKS] = {0}, b[MISUSE_RANKS], failed = 0;
  char text[80];
  const int n = run->size;
  MPJ_Datatype parts = misuse_parts(n, 1, MPJ_INT), more = misuse_parts(n + 1, 1, MPJ_INT);
  snprintf(text, sizeof text, "recvtype has %d parts, comm has %d ranks", n + 1, n);
  failed += MUST(MPJ_Allgather(a, MPJ_INT, b, more, WORLD), MPJ_ERR_PARTS, text);
  failed += MUST(MPJ_Alltoall(a, parts, b, more, WORLD), MPJ_ERR_PARTS, text);
  snprintf(text, sizeof text, "MPJ_Alltoall on rank %d: sendtype has %d parts, comm has %d ranks",
           run->rank, n + 1, n);
  failed += MUST(MPJ_Alltoall(a, more, b, parts, WORLD), MPJ_ERR_PARTS, text);
  MPJ_Type_free(&more);
  MPJ_Type_free(&parts);
  return failed;
}

static int parts_that_do_not_fit_on_one(const struct run *run)
{
  int a[MISUSE_RANKS] = {0}, b[MISUSE_RANKS], failed = 0;
  MPJ_Datatype parts = misuse_parts(run->size, 1, MPJ_INT);
  MPJ_Datatype more = misuse_parts(run->size + 1, 1, MPJ_INT);
  if (run->rank == CULPRIT) {
    failed += MUST(MPJ_Alltoall(a, parts, b, more, WORLD), MPJ_ERR_PARTS, "recvtype has");
    failed += MUST(MPJ_Allgather(a, MPJ_INT, b, more, WORLD), MPJ_ERR_PARTS, "recvtype has");
  } else {
    failed += MUST(MPJ_Alltoall(a, parts, b, parts, WORLD), MPJ_ERR_PARTS, "rank 1 failed");
    failed += MUST(MPJ_Allgather(a, MPJ_INT, b, parts, WORLD), MPJ_ERR_PARTS, "rank 1 failed");
  }
  MPJ_Type_free(&more);
  MPJ_Type_free(&parts);
  return failed;
}

static int in_place_in_the_wrong_place(const struct run *run)
{
  int a[MISUSE_RANKS] = {0}, failed = 0;
  MPJ_Datatype parts = misuse_parts(run->size, 1, MPJ_INT);
  const char *text = "recvbuf is MPJ_IN_PLACE";
  failed += MUST(MPJ_Allgather(a, MPJ_INT, MPJ_IN_PLACE, parts, WORLD), MPJ_ERR_ARG, text);
  failed += MUST(MPJ_Alltoall(a, parts, MPJ_IN_PLACE, parts, WORLD), MPJ_ERR_ARG, text);
  failed += MUST(MPJ_Alltoall(MPJ_IN_PLACE, parts, MPJ_IN_PLACE, parts, WORLD), MPJ_ERR_ARG, text);
  MPJ_Type_free(&parts);
  return failed;
}

/* Signatures that differ between two ranks: inline, eager, long. */

static const MPJ_Count sizes[] = {3, 500, 9000};

/* Parts of n ints, but part `odd` of one more; n + 1 ints apart. */
static MPJ_Datatype odd_parts(const struct run *run, MPJ_Count n, int odd)
{
  MPJ_Count *lens = calloc((size_t)run->size, sizeof *lens);
  MPJ_Count *displs = calloc((size_t)run->size, sizeof *displs);
  MPJ_Datatype made = MPJ_DATATYPE_NULL;
  if (!lens || !displs) exit(2);
  for (int i = 0; i < run->size; i++) {
    lens[i] = n + (i == odd);
    displs[i] = i * (n + 1);
  }
  if (MPJ_Type_indexed(run->size, lens, displs, MPJ_INT, &made) == MPJ_SUCCESS)
    MPJ_Type_commit(&made);
  free(displs);
  free(lens);
  return made;
}

static int *ints(MPJ_Count n, int value)
{
  int *made = calloc((size_t)n, sizeof *made);
  if (!made) exit(2);
  for (MPJ_Count i = 0; i < n; i++)
    made[i] = value;
  return made;
}

/* Part i is from rank i in full, or (i the odd one) untouched. */
static int check_parts(const struct run *run, const int *got, MPJ_Count n, int odd)
{
  int failed = 0;
  for (int i = 0; i < run->size; i++) {
    const int *part = got + i * (n + 1), value = i == odd ? -1 : i;
    failed += FACT(part[0] == value && part[n - 1] == value && part[n] == -1);
  }
  return failed;
}

/* The culprit gives one more than the others expect of it. */
static int allgather_once(const struct run *run, MPJ_Count n)
{
  const bool odd = run->rank == CULPRIT;
  int failed = 0, *mine = ints(n + 1, run->rank), *all = ints((n + 1) * run->size, -1);
  MPJ_Datatype type = misuse_parts(1, n + odd, MPJ_INT), parts = odd_parts(run, n, -1);
  const int status = MPJ_Allgather(mine, type, all, parts, WORLD);
  failed += MUST(status, MPJ_ERR_SIGNATURE, odd ? "type describes" : "rank 1");
  if (!odd) failed += check_parts(run, all, n, CULPRIT);
  MPJ_Type_free(&parts);
  MPJ_Type_free(&type);
  free(all);
  free(mine);
  return failed;
}

static int allgather_signatures_differ(const struct run *run)
{
  int failed = 0;
  for (int i = 0; i < 3; i++)
    failed += allgather_once(run, sizes[i]);
  return failed;
}

/* Rank 0 sends the culprit one more than that expects. */
static int alltoall_once(const struct run *run, MPJ_Count n)
{
  const MPJ_Count all = (n + 1) * run->size;
  int failed = 0, *from = ints(all, run->rank), *to = ints(all, -1);
  MPJ_Datatype out = odd_parts(run, n, run->rank == 0 ? CULPRIT : -1), in = odd_parts(run, n, -1);
  const int status = MPJ_Alltoall(from, out, to, in, WORLD);
  if (run->rank == CULPRIT) {
    failed += MUST(status, MPJ_ERR_SIGNATURE, "rank 0 sent");
    failed += check_parts(run, to, n, 0);
  } else {
    failed += MAY(status, MPJ_ERR_SIGNATURE, "rank 1");
    if (status == MPJ_SUCCESS) failed += check_parts(run, to, n, -1);
  }
  MPJ_Type_free(&in);
  MPJ_Type_free(&out);
  free(to);
  free(from);
  return failed;
}

static int alltoall_signatures_differ(const struct run *run)
{
  int failed = 0;
  for (int i = 0; i < 3; i++)
    failed += alltoall_once(run, sizes[i]);
  return failed;
}

/* In place: both ends of the pair get the error and keep their parts. */
static int alltoall_in_place_once(const struct run *run, MPJ_Count n)
{
  int failed = 0, *data = ints((n + 1) * run->size, run->rank);
  MPJ_Datatype type = odd_parts(run, n, run->rank == 0 ? CULPRIT : -1);
  const int status = MPJ_Alltoall(MPJ_IN_PLACE, MPJ_DATATYPE_NULL, data, type, WORLD);
  if (run->rank > CULPRIT) {
    failed += MAY(status, MPJ_ERR_SIGNATURE, "rank");
  } else {
    const int *part = data + (1 - run->rank) * (n + 1);
    failed += MUST(status, MPJ_ERR_SIGNATURE, run->rank == 0 ? "rank 1" : "rank 0");
    for (MPJ_Count i = 0; i <= n && !failed; i++)
      failed += FACT(part[i] == run->rank);
  }
  MPJ_Type_free(&type);
  free(data);
  return failed;
}

static int alltoall_in_place_signatures_differ(const struct run *run)
{
  int failed = 0;
  for (int i = 0; i < 3; i++)
    failed += alltoall_in_place_once(run, sizes[i]);
  return failed;
}

const struct misuse exchange_misuses[] = {
    {"exchange_types_that_are_none", types_that_are_none},
    {"exchange_parts_that_do_not_fit", parts_that_do_not_fit},
    {"exchange_parts_that_do_not_fit_on_one", parts_that_do_not_fit_on_one},
    {"exchange_in_place_in_the_wrong_place", in_place_in_the_wrong_place},
    {"allgather_signatures_differ", allgather_signatures_differ},
    {"alltoall_signatures_differ", alltoall_signatures_differ},
    {"alltoall_in_place_signatures_differ", alltoall_in_place_signatures_differ},
    {NULL, NULL}};
