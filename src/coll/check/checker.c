/* This file keeps the records of calls of a communicator that is checked. */
#include "coll/check/checker.h"

#include "base/config/config.h"
#include "base/memory.h"
#include "base/status.h"

/* `one` of `bytes` bytes, and `each` of as many as ranks. */
static int make_types(int size, size_t bytes, MPJ_Datatype *one, MPJ_Datatype *each)
{
  int status = MPJ_Type_contiguous((MPJ_Count)bytes, MPJ_BYTE, one);
  if (status == MPJ_SUCCESS) status = MPJ_Type_commit(one);
  if (status == MPJ_SUCCESS) status = MPJ_Type_contiguous(size, *one, each);
  if (status == MPJ_SUCCESS) status = MPJ_Type_commit(each);
  return status;
}

int mpj_checker_make(int size, struct mpj_checker **checker)
{
  *checker = NULL;
  if (!mpj_config()->check || size == 1) return MPJ_SUCCESS;
  const size_t bytes = mpj_said_bytes(size);
  struct mpj_checker *c = mpj_alloc_array(1, sizeof *c);
  MPJ_Datatype explanation = MPJ_DATATYPE_NULL;
  int status = MPJ_SUCCESS;
  if (c) c->mine = mpj_alloc_array(1, bytes);
  if (c) c->all = mpj_alloc_array((size_t)size, bytes);
  if (c) c->tell = mpj_alloc_array((size_t)size, sizeof *c->tell);
  if (c) c->told = mpj_alloc_array((size_t)size, sizeof *c->told);
  if (!c || !c->mine || !c->all || !c->tell || !c->told)
    status = mpj_error(MPJ_ERR_NO_MEM, "no memory for the records of calls of %d ranks", size);
  if (status == MPJ_SUCCESS) status = make_types(size, bytes, &c->one, &c->each);
  if (status == MPJ_SUCCESS)
    status = make_types(size, sizeof *c->told, &explanation, &c->explained);
  if (explanation != MPJ_DATATYPE_NULL) MPJ_Type_free(&explanation);
  if (status == MPJ_SUCCESS)
    *checker = c;
  else
    mpj_checker_free(c);
  return status;
}

void mpj_checker_free(struct mpj_checker *c)
{
  if (!c) return;
  if (c->one != MPJ_DATATYPE_NULL) MPJ_Type_free(&c->one);
  if (c->each != MPJ_DATATYPE_NULL) MPJ_Type_free(&c->each);
  if (c->explained != MPJ_DATATYPE_NULL) MPJ_Type_free(&c->explained);
  mpj_free(c->tell);
  mpj_free(c->told);
  mpj_free(c->mine);
  mpj_free(c->all);
  mpj_free(c);
}

struct mpj_called mpj_checked_call(const struct mpj_checker *c)
{
  const uint8_t operation = (uint8_t)c->mine->operation;
  return (struct mpj_called){.operation = c->mine->init ? MPJ_OPERATION_INIT : operation,
                             .algorithm = c->mine->init ? operation : 0,
                             .root = c->mine->root};
}

bool mpj_check_refused(const struct mpj_checker *c)
{
  return c && c->refused;
}
