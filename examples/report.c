/* This file tells the user of matrix_gather what its ranks did. */
#include "report.h"

#include <stdio.h>
#include <stdlib.h>

#include "compute.h"
#include "picture.h"

/* What each rank gives (`one`) and what root gets: p of them, which are p parts. */
static int create_times_types(const struct rank *r, MPJ_Datatype *one, MPJ_Datatype *all)
{
  int rc = MPJ_Type_contiguous((MPJ_Count)STEPS * r->options->repeat, MPJ_DOUBLE, one);
  if (rc == MPJ_SUCCESS) rc = MPJ_Type_contiguous(r->size, *one, all);
  if (rc == MPJ_SUCCESS) rc = MPJ_Type_commit(one);
  if (rc == MPJ_SUCCESS) rc = MPJ_Type_commit(all);
  return rc;
}

int report_times(struct rank *r)
{
  MPJ_Datatype one = MPJ_DATATYPE_NULL, all = MPJ_DATATYPE_NULL;
  size_t ranks = r->number == ROOT ? (size_t)r->size : 1;
  struct times *times = calloc(ranks * (size_t)r->options->repeat, sizeof *times);
  if (!times) return rank_say(r, "times", "no memory");
  int rc = create_times_types(r, &one, &all);
  if (rc == MPJ_SUCCESS) rc = MPJ_Gather(r->times, one, times, all, ROOT, MPJ_COMM_WORLD);
  int failed = rank_check(r, "times", rc);
  if (!failed && r->number == ROOT)
    times_print(times, r->size, r->options->repeat, npy_bytes(&r->result));
  rank_free_type(&all);
  rank_free_type(&one);
  free(times);
  return failed;
}

/* owners := at root, each element's owner, as the types themselves see it: every
 * rank fills its block with its own number and the numbers go where the elements
 * went. */
static int gather_owners(const struct rank *r, uint16_t *numbers, uint16_t *owners)
{
  MPJ_Datatype whole = MPJ_DATATYPE_NULL, mine = MPJ_DATATYPE_NULL;
  for (MPJ_Count i = 0; i < r->count; i++)
    numbers[i] = (uint16_t)r->number;
  int rc = rank_create_types(r, MPJ_UINT16, &whole, &mine);
  if (rc == MPJ_SUCCESS) rc = MPJ_Gather(numbers, mine, owners, whole, ROOT, MPJ_COMM_WORLD);
  int failed = rank_check(r, "owners", rc);
  rank_free_type(&mine);
  rank_free_type(&whole);
  return failed;
}

static int draw(const struct rank *r, const uint16_t *owners)
{
  char title[80], why[NPY_WHY], tiles[40] = "block";
  if (r->options->cyclic > 0) snprintf(tiles, sizeof tiles, "cyclic:%ld", r->options->cyclic);
  snprintf(title, sizeof title, "owners: %d x %d grid, %s", r->grid[0], r->grid[1], tiles);
  if (picture_write(r->options->picture, &r->result, owners, r->size, title, why) != 0)
    return rank_say(r, r->options->picture, why);
  return 0;
}

int report_picture(struct rank *r)
{
  size_t elements = r->number == ROOT ? (size_t)(r->result.rows * r->result.cols) : 1;
  uint16_t *numbers = calloc((size_t)r->count + 1, sizeof *numbers);
  uint16_t *owners = calloc(elements + 1, sizeof *owners);
  int failed =
      numbers && owners ? gather_owners(r, numbers, owners) : rank_say(r, "owners", "no memory");
  if (!failed && r->number == ROOT) failed = draw(r, owners);
  free(owners);
  free(numbers);
  return failed;
}

int report_check(struct rank *r)
{
  int64_t elements = r->matrix.rows * r->matrix.cols;
  compute(r->matrix.type, r->matrix.data, elements);
  int64_t equal = npy_count_equal(&r->matrix, &r->result);
  printf("check: %ld of %ld elements equal\n", equal, elements);
  return equal == elements ? 0 : -1;
}

int report_result(struct rank *r)
{
  char why[NPY_WHY];
  if (npy_write(r->options->out, &r->result, why) != 0) return rank_say(r, r->options->out, why);
  return 0;
}
