/* This file lists what happens when two sides of a transfer describe different
 * data: the receiver gets MPJ_ERR_SIGNATURE and keeps its buffer as it was, the
 * others get what they should. */
#include <mpj/mpj.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "coll/cases.h"

enum { ODD_ONE = 1, GAP = 3 };

#define WORLD MPJ_COMM_WORLD

/* Inline, eager, long. */
static const MPJ_Count sizes[] = {3, 500, 9000};

/* How the odd one differs. */
enum difference { FEWER, MORE, OTHER_TYPE, NOTHING_AT_ALL, DIFFERENCES };

/* What rank `rank` uses: elements, layout, basic type; here n int32 in the end. */
struct shape {
  MPJ_Count n;
  MPJ_Datatype basic;
  int stride; /* elements; 1: dense */
};

static MPJ_Datatype make(struct shape s)
{
  MPJ_Datatype made;
  MPJ_Type_vector(s.n, 1, s.stride, s.basic, &made);
  MPJ_Type_commit(&made);
  return made;
}

static struct shape differ(struct shape s, enum difference how)
{
  if (how == FEWER) s.n--;
  if (how == MORE) s.n++;
  if (how == OTHER_TYPE) s.basic = MPJ_FLOAT;
  if (how == NOTHING_AT_ALL) s.n = 0;
  return s;
}

struct data {
  MPJ_Count elements;
  int32_t *values; /* owned */
};

/* Room for `copies` of a shape and a little more; value i is first + i. */
static struct data fill(struct shape s, int copies, int32_t first)
{
  struct data d = {.elements = (s.n + 2) * s.stride * copies};
  d.values = calloc((size_t)d.elements, sizeof *d.values);
  if (!d.values) exit(2);
  for (MPJ_Count i = 0; i < d.elements; i++)
    d.values[i] = first + (int32_t)i;
  return d;
}

static bool is_filled(const struct data *d, MPJ_Count begin, MPJ_Count end, int32_t first)
{
  for (MPJ_Count i = begin; i < end; i++)
    if (d->values[i] != first + (int32_t)i) return false;
  return true;
}

static const char *sent_text(int source)
{
  static _Thread_local char text[40];
  snprintf(text, sizeof text, "rank %d sent", source);
  return text;
}

/* A broadcast from rank 0 in which ODD_ONE expects other data. */
static int bcast_once(const struct ranks *r, struct shape s, enum difference how)
{
  const bool odd = r->rank == ODD_ONE;
  const struct shape mine = odd ? differ(s, how) : s;
  struct data d = fill(s, 1, r->rank == 0 ? 1000 : -1);
  MPJ_Datatype type = make(mine);
  const int status = MPJ_Bcast(d.values, type, 0, WORLD);
  int failed = 0;
  if (odd) {
    failed += EXPECT(status, MPJ_ERR_SIGNATURE, sent_text(0));
    failed += EXPECT_FACT(is_filled(&d, 0, d.elements, -1));
  } else { /* told, if sizes differ so that algorithms do; or the odd one was to forward */
    failed += EXPECT_EITHER(status, MPJ_ERR_SIGNATURE, "rank ");
    if (status == MPJ_SUCCESS) failed += EXPECT_FACT(d.values[0] == 1000);
  }
  MPJ_Type_free(&type);
  free(d.values);
  return failed;
}

/* The root's type: part i is shape s, the odd one's part another; parts are
 * (s.n + 2) * stride elements apart. */
static MPJ_Datatype make_parts(const struct ranks *r, struct shape s, int odd, enum difference how)
{
  MPJ_Count *lens = calloc((size_t)r->size, sizeof *lens);
  MPJ_Aint *displs = calloc((size_t)r->size, sizeof *displs);
  MPJ_Datatype *types = calloc((size_t)r->size, sizeof(MPJ_Datatype)), made;
  if (!lens || !displs || !types) exit(2);
  for (int i = 0; i < r->size; i++) {
    lens[i] = 1;
    displs[i] = i * (s.n + 2) * s.stride * (MPJ_Aint)sizeof(int32_t);
    types[i] = make(i == odd ? differ(s, how) : s);
  }
  MPJ_Type_create_struct(r->size, lens, displs, types, &made);
  MPJ_Type_commit(&made);
  for (int i = 0; i < r->size; i++)
    MPJ_Type_free(&types[i]);
  free(types);
  free(displs);
  free(lens);
  return made;
}

/* A gather to `root` whose type has another part for `odd`. */
static int gather_once(const struct ranks *r, struct shape s, enum difference how, int root,
                       int odd)
{
  const struct shape dense = {s.n, s.basic, 1};
  struct data mine = fill(dense, 1, 1000 * r->rank), all = fill(s, r->size, -1);
  MPJ_Datatype type = make(dense), parts = make_parts(r, s, odd, how);
  const int status = MPJ_Gather(mine.values, type, all.values, parts, root, WORLD);
  const MPJ_Count step = (s.n + 2) * s.stride;
  int failed = 0;
  if (r->rank != root) {
    failed += EXPECT(status, MPJ_SUCCESS, "");
  } else {
    failed += EXPECT(status, MPJ_ERR_SIGNATURE, odd == root ? "type describes" : sent_text(odd));
    failed += EXPECT_FACT(is_filled(&all, odd * step, (odd + 1) * step, -1));
    for (int i = 0; i < r->size; i++)
      if (i != odd) failed += EXPECT_FACT(all.values[i * step] == 1000 * i);
  }
  MPJ_Type_free(&parts);
  MPJ_Type_free(&type);
  free(all.values);
  free(mine.values);
  return failed;
}

static int scatter_once(const struct ranks *r, struct shape s, enum difference how, int root,
                        int odd)
{
  struct data mine = fill(s, 1, -1), all = fill(s, r->size, 1000);
  MPJ_Datatype type = make(r->rank == odd ? differ(s, how) : s), parts = make_parts(r, s, -1, how);
  const int status = MPJ_Scatter(all.values, parts, mine.values, type, root, WORLD);
  int failed = 0;
  if (r->rank == odd) {
    failed += EXPECT(status, MPJ_ERR_SIGNATURE, odd == root ? "type describes" : sent_text(root));
    failed += EXPECT_FACT(is_filled(&mine, 0, mine.elements, -1));
  } else {
    failed += EXPECT(status, MPJ_SUCCESS, "");
    failed += EXPECT_FACT(mine.values[0] == 1000 + r->rank * (int32_t)((s.n + 2) * s.stride));
  }
  MPJ_Type_free(&parts);
  MPJ_Type_free(&type);
  free(all.values);
  free(mine.values);
  return failed;
}

/* Every size and difference, dense and with gaps. */
static int for_all(const struct ranks *r,
                   int (*once)(const struct ranks *, struct shape, enum difference))
{
  int failed = 0;
  for (unsigned size = 0; size < 3; size++)
    for (int stride = 1; stride <= GAP; stride += GAP - 1)
      for (int how = 0; how < DIFFERENCES; how++)
        failed += once(r, (struct shape){sizes[size], MPJ_INT32, stride}, (enum difference)how);
  return failed;
}

static int bcast_signatures_differ(const struct ranks *r)
{
  return for_all(r, bcast_once);
}

static int gather_other(const struct ranks *r, struct shape s, enum difference how)
{
  return gather_once(r, s, how, 0, ODD_ONE) + gather_once(r, s, how, r->size - 1, 0);
}

static int gather_signatures_differ(const struct ranks *r)
{
  return for_all(r, gather_other);
}

static int gather_own(const struct ranks *r, struct shape s, enum difference how)
{
  return gather_once(r, s, how, 0, 0) + gather_once(r, s, how, ODD_ONE, ODD_ONE);
}

static int gather_own_part_differs(const struct ranks *r)
{
  return for_all(r, gather_own);
}

static int scatter_other(const struct ranks *r, struct shape s, enum difference how)
{
  return scatter_once(r, s, how, 0, ODD_ONE) + scatter_once(r, s, how, r->size - 1, 0);
}

static int scatter_signatures_differ(const struct ranks *r)
{
  return for_all(r, scatter_other);
}

static int scatter_own(const struct ranks *r, struct shape s, enum difference how)
{
  return scatter_once(r, s, how, 0, 0) + scatter_once(r, s, how, ODD_ONE, ODD_ONE);
}

static int scatter_own_part_differs(const struct ranks *r)
{
  return for_all(r, scatter_own);
}

const struct wrong_case signature_cases[] = {
    {"bcast_signatures_differ", bcast_signatures_differ, false},
    {"gather_signatures_differ", gather_signatures_differ, false},
    {"gather_own_part_differs", gather_own_part_differs, false},
    {"scatter_signatures_differ", scatter_signatures_differ, false},
    {"scatter_own_part_differs", scatter_own_part_differs, false},
    {NULL, NULL, false}};
