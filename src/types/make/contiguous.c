/* This file makes contiguous types: copies of the old type, one extent apart. */
#include "base/entry.h"
#include "types/make/build.h"
#include "types/parts/tables.h"

int MPJ_Type_contiguous(MPJ_Count count, MPJ_Datatype oldtype, MPJ_Datatype *newtype)
{
  MPJ_ENTRY;
  struct mpj_type_spec old, spec;
  int status = mpj_build_begin(count, oldtype, newtype, &old);
  if (!status) status = mpj_spec_contiguous(count, &old, &spec);
  return status ? status : mpj_type_create(&spec, newtype);
}
