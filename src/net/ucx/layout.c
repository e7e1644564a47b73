/* This file makes a cursor's stream UCX's generic datatype: UCX packs straight
 * from the layout into what it sends, and unpacks straight into the layout. */
#include <string.h>

#include "base/least.h"
#include "base/status.h"
#include "net/ucx/state.h"

static void *start_pack(void *context, const void *buffer, size_t count)
{
  (void)context;
  (void)count;
  return (void *)(uintptr_t)buffer;
}

static void *start_unpack(void *context, void *buffer, size_t count)
{
  (void)context;
  (void)count;
  return buffer;
}

static size_t packed_size(void *state)
{
  return (size_t)((const struct mpj_ucx_stream *)state)->bytes;
}

static size_t pack(void *state, size_t offset, void *dest, size_t room)
{
  struct mpj_ucx_stream *s = state;
  const MPJ_Count n = mpj_least((MPJ_Count)room, s->bytes - (MPJ_Count)offset);
  if (s->packed) {
    memcpy(dest, s->packed + offset, (size_t)n);
  } else {
    mpj_cursor_seek(s->cursor, s->first + (MPJ_Count)offset);
    mpj_cursor_pack(s->cursor, dest, n);
  }
  return (size_t)n;
}

static ucs_status_t unpack(void *state, size_t offset, const void *src, size_t bytes)
{
  struct mpj_ucx_stream *s = state;
  if (offset > (size_t)s->bytes || bytes > (size_t)s->bytes - offset)
    return UCS_ERR_MESSAGE_TRUNCATED;
  mpj_cursor_seek(s->cursor, s->first + (MPJ_Count)offset);
  mpj_cursor_unpack(s->cursor, src, (MPJ_Count)bytes);
  return UCS_OK;
}

static void finish(void *state)
{
  (void)state; /* the stream belongs to the message or the move */
}

int mpj_ucx_make_layout(struct mpj_ucx *ucx)
{
  static const ucp_generic_dt_ops_t ops = {.start_pack = start_pack,
                                           .start_unpack = start_unpack,
                                           .packed_size = packed_size,
                                           .pack = pack,
                                           .unpack = unpack,
                                           .finish = finish};
  if (ucx->call->ucp_dt_create_generic(&ops, NULL, &ucx->layout) == UCS_OK) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_NO_MEM, "no memory for UCX's datatype");
}
