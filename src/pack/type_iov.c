/* This file implements the public lists of segments. */
#include <mpj/pack.h>

#include "pack/cursor.h"
#include "pack/operand.h"

enum { AT_ONCE = 256 }; /* segments of a count */

/* Count whole segments within max_bytes bytes from the cursor's place on. */
static void count_segments(struct mpj_cursor *c, MPJ_Count max_bytes, MPJ_Count *nsegments,
                           MPJ_Count *bytes)
{
  struct iovec iov[AT_ONCE];
  *nsegments = 0;
  *bytes = 0;
  while (mpj_cursor_remaining(c) > 0) {
    MPJ_Count listed;
    size_t n = mpj_cursor_iov(c, iov, AT_ONCE, mpj_cursor_remaining(c), &listed);
    for (size_t i = 0; i < n; i++) {
      if ((MPJ_Count)iov[i].iov_len > max_bytes - *bytes) return;
      *bytes += (MPJ_Count)iov[i].iov_len;
      ++*nsegments;
    }
  }
}

int MPJ_Type_iov_len(MPJ_Datatype type, MPJ_Count max_bytes, MPJ_Count *nsegments, MPJ_Count *bytes)
{
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
  count_segments(&c, max_bytes < 0 ? c.bytes : max_bytes, nsegments, bytes);
  mpj_cursor_end(&c);
  return MPJ_SUCCESS;
}

static int check_list(MPJ_Count offset, MPJ_Count whole, const struct iovec *iov, MPJ_Count max,
                      const MPJ_Count *n)
{
  if (!n) return mpj_error(MPJ_ERR_ARG, "n is NULL");
  if (max < 0) return mpj_error(MPJ_ERR_ARG, "max is %" PRId64, max);
  if (!iov && max > 0) return mpj_error(MPJ_ERR_ARG, "iov is NULL, max is %" PRId64, max);
  if (offset < 0 || offset > whole)
    return mpj_error(MPJ_ERR_ARG, "offset is %" PRId64 ", the type has %" PRId64 " bytes", offset,
                     whole);
  return MPJ_SUCCESS;
}

int MPJ_Type_iov(const void *buf, MPJ_Datatype type, MPJ_Count offset, struct iovec iov[],
                 MPJ_Count max, MPJ_Count *n)
{
  struct mpj_operand o;
  struct mpj_cursor c;
  MPJ_Count listed;
  int status = mpj_operand_resolve(&o, "buf", buf, "type", type);
  if (status == MPJ_SUCCESS) status = check_list(offset, o.bytes, iov, max, n);
  if (status == MPJ_SUCCESS) status = mpj_cursor_begin(&c, &o.view, o.base);
  if (status) return status;
  mpj_cursor_seek(&c, offset);
  *n = (MPJ_Count)mpj_cursor_iov(&c, iov, (size_t)max, mpj_cursor_remaining(&c), &listed);
  mpj_cursor_end(&c);
  return MPJ_SUCCESS;
}
