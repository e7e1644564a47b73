/* This file unpacks and adds doubles through the library's internal cursor, for
 * the worker that is linked with internal names visible. */
#include "shim.h"

#include <stdio.h>
#include <stdlib.h>

#include "pack/run/cursor.h"
#include "types/type.h"

const bool pack_has_sum = true;

void pack_unpack_sum(const void *packed, size_t bytes, void *mem, pack_type type)
{
  struct mpj_type *t;
  struct mpj_cursor c;
  int status = mpj_type_resolve_committed((MPJ_Datatype)type, "type", &t);
  if (status == MPJ_SUCCESS) {
    struct mpj_view view = mpj_type_view(t);
    status = mpj_cursor_begin(&c, &view, mem);
  }
  if (status == MPJ_SUCCESS) {
    status = mpj_cursor_reduce(&c, packed, (MPJ_Count)bytes, MPJ_REDUCE_SUM);
    mpj_cursor_end(&c);
  }
  if (status == MPJ_SUCCESS) return;
  fprintf(stderr, "mpj: unpack and add: %s\n", MPJ_Error_detail());
  exit(1);
}
