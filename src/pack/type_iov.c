/* This file implements the public lists of segments. */
#include <mpj/pack.h>

#include "base/entry.h"
#include "pack/operand.h"
#include "pack/run/cursor.h"

int MPJ_Type_iov_len(MPJ_Datatype type, MPJ_Count max_bytes, MPJ_Count *nsegments, MPJ_Count *bytes)
{
  MPJ_ENTRY;
  struct mpj_type *object;
  struct mpj_cursor c;
  if (!nsegments || !bytes)
    return mpj_error(MPJ_ERR_ARG, "%s is NULL", nsegments ? "bytes" : "nsegments");
  if (max_bytes < -1) return mpj_error(MPJ_ERR_ARG, "max_bytes is %" PRId64, max_bytes);
  int status = mpj_type_resolve_committed(type, "type", &object);
  if (status) return status;
  struct mpj_view view = mpj_type_view(object);
  status = mpj_cursor_begin(&c, &view, NULL);
  if (status) return status;
  *nsegments = mpj_cursor_pass(&c, INT64_MAX, max_bytes < 0 ? c.bytes : max_bytes, bytes);
  mpj_cursor_end(&c);
  return MPJ_SUCCESS;
}

static int check_list(const struct iovec *iov, MPJ_Count max, const MPJ_Count *n)
{
  if (!n) return mpj_error(MPJ_ERR_ARG, "n is NULL");
  if (max < 0) return mpj_error(MPJ_ERR_ARG, "max is %" PRId64, max);
  if (!iov && max > 0) return mpj_error(MPJ_ERR_ARG, "iov is NULL, max is %" PRId64, max);
  return MPJ_SUCCESS;
}

/* Begin a cursor on the arguments. */
static int begin(const void *buf, MPJ_Datatype type, const struct iovec *iov, MPJ_Count max,
                 const MPJ_Count *n, struct mpj_cursor *c)
{
  struct mpj_typed_buffer o;
  int status = mpj_typed_buffer_resolve(&o, "buf", buf, "type", type);
  if (status == MPJ_SUCCESS) status = check_list(iov, max, n);
  return status == MPJ_SUCCESS ? mpj_cursor_begin(c, &o.view, o.base) : status;
}

static int list(struct mpj_cursor *c, struct iovec iov[], MPJ_Count max, MPJ_Count *n)
{
  MPJ_Count bytes;
  *n = (MPJ_Count)mpj_cursor_iov(c, iov, (size_t)max, mpj_cursor_remaining(c), &bytes);
  return MPJ_SUCCESS;
}

static int seek_segment(struct mpj_cursor *c, MPJ_Count first)
{
  MPJ_Count bytes;
  if (first < 0) return mpj_error(MPJ_ERR_ARG, "first_segment is %" PRId64, first);
  MPJ_Count passed = mpj_cursor_pass(c, first, c->bytes, &bytes);
  if (passed < first)
    return mpj_error(MPJ_ERR_ARG, "first_segment is %" PRId64 ", the type has %" PRId64 " segments",
                     first, passed);
  return MPJ_SUCCESS;
}

int MPJ_Type_iov(const void *buf, MPJ_Datatype type, MPJ_Count first_segment, struct iovec iov[],
                 MPJ_Count max, MPJ_Count *n)
{
  MPJ_ENTRY;
  struct mpj_cursor c;
  int status = begin(buf, type, iov, max, n, &c);
  if (status) return status;
  status = seek_segment(&c, first_segment);
  if (status == MPJ_SUCCESS) status = list(&c, iov, max, n);
  mpj_cursor_end(&c);
  return status;
}

static int seek_byte(struct mpj_cursor *c, MPJ_Count offset)
{
  if (offset < 0 || offset > c->bytes)
    return mpj_error(MPJ_ERR_ARG, "offset is %" PRId64 ", the type has %" PRId64 " bytes", offset,
                     c->bytes);
  mpj_cursor_seek(c, offset);
  return MPJ_SUCCESS;
}

int MPJ_Type_iov_at(const void *buf, MPJ_Datatype type, MPJ_Count offset, struct iovec iov[],
                    MPJ_Count max, MPJ_Count *n)
{
  MPJ_ENTRY;
  struct mpj_cursor c;
  int status = begin(buf, type, iov, max, n, &c);
  if (status) return status;
  status = seek_byte(&c, offset);
  if (status == MPJ_SUCCESS) status = list(&c, iov, max, n);
  mpj_cursor_end(&c);
  return status;
}
