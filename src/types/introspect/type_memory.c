/* This file tells how many bytes a type keeps. */
#include "base/entry.h"
#include "base/memory.h"
#include "base/status.h"
#include "types/introspect/annex.h"
#include "types/layout/footprint.h"
#include "types/type.h"

int MPJ_Type_memory(MPJ_Datatype type, MPJ_Count *bytes)
{
  MPJ_ENTRY;
  struct mpj_type *t;
  struct mpj_footprint f = {.bytes = 0};
  int status = mpj_need(bytes, "bytes");
  if (!status) status = mpj_type_resolve(type, "type", &t);
  if (status) return status;
  if (t->basic < 0) {
    const struct mpj_type_spec spec = mpj_type_spec_of(t);
    f.bytes = mpj_type_slot_bytes();
    mpj_footprint_spec(&f, &spec);
    mpj_annex_measure(t, &f);
  }
  mpj_free(f.seen);
  mpj_free(f.specs);
  if (f.failed)
    return mpj_error(MPJ_ERR_NO_MEM, "list of %zu objects could not be allocated", f.n + 1);
  *bytes = (MPJ_Count)f.bytes;
  return MPJ_SUCCESS;
}
