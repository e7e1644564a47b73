/* This file packs past the caches. */
#include "base/least.h"
#include "base/stream.h"
#include "pack/run/cursor.h"

#include <stdalign.h>

/* Bytes of a layout with gaps that are packed, within the first-level cache, before they go on. */
enum { STEP = 2048, LINE = 64 };

void mpj_cursor_pack_past(struct mpj_cursor *c, void *packed, MPJ_Count bytes)
{
  alignas(LINE) char step[STEP];
  char *to = packed;
  if (!c->program) {
    mpj_stream_copy(to, c->origin + c->offset, (size_t)bytes);
    mpj_cursor_seek(c, c->offset + bytes);
    return;
  }
  for (MPJ_Count done = 0; done < bytes; done += STEP) {
    const MPJ_Count n = mpj_least(bytes - done, STEP);
    mpj_cursor_pack(c, step, n);
    mpj_stream_add(to + done, step, (size_t)n);
  }
  mpj_stream_end();
}
