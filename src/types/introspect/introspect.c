/* This file answers how a datatype was made. */
#include <inttypes.h>

#include "base/entry.h"
#include "base/memory.h"
#include "base/status.h"
#include "types/introspect/contents.h"
#include "types/introspect/contents_read.h"
#include "types/type.h"

/* A handle on the described type: a basic type's own, or a new one that the
 * caller frees, not committed. Errors: MPJ_ERR_NO_MEM. */
static int handle_of(const struct mpj_type_spec *spec, MPJ_Datatype *out)
{
  if (spec->combiner == MPJ_COMBINER_NAMED) {
    *out = MPJ_BASIC_((uintptr_t)spec->map.layout->u.run.basic);
    return MPJ_SUCCESS;
  }
  struct mpj_type_spec own = mpj_spec_retain(spec);
  return mpj_type_create(&own, out);
}

int MPJ_Type_get_envelope(MPJ_Datatype type, MPJ_Count *ncounts, MPJ_Count *naddresses,
                          MPJ_Count *ntypes, int *combiner)
{
  MPJ_ENTRY;
  struct mpj_type *t;
  int status = mpj_need(ncounts, "ncounts");
  if (!status) status = mpj_need(naddresses, "naddresses");
  if (!status) status = mpj_need(ntypes, "ntypes");
  if (!status) status = mpj_need(combiner, "combiner");
  if (!status) status = mpj_type_resolve(type, "type", &t);
  if (status) return status;
  const struct mpj_type_spec spec = mpj_type_spec_of(t);
  const struct mpj_contents n = mpj_contents_of(&spec);
  *ncounts = n.counts;
  *naddresses = n.addresses;
  *ntypes = n.types;
  *combiner = (int)spec.combiner;
  return MPJ_SUCCESS;
}

static int check_room(MPJ_Count max, MPJ_Count wanted, const void *array, const char *argument)
{
  if (max < wanted)
    return mpj_error(MPJ_ERR_TRUNCATE, "%s has room for %" PRId64 ", the type has %" PRId64,
                     argument, max, wanted);
  return wanted == 0 ? MPJ_SUCCESS : mpj_need(array, argument);
}

/* Handles on the n old types; all or none. */
static int old_handles(const struct mpj_type_spec *spec, MPJ_Count n, MPJ_Datatype types[])
{
  const struct mpj_type_spec *olds[MPJ_LAYOUT_FRAME];
  int status = MPJ_SUCCESS;
  MPJ_Count made = 0;
  while (made < n && !status) {
    const MPJ_Count first = made, left = n - made;
    const MPJ_Count now = left < MPJ_LAYOUT_FRAME ? left : MPJ_LAYOUT_FRAME;
    mpj_contents_types(spec, first, now, olds);
    for (; made < first + now && !status; made += !status)
      status = handle_of(olds[made - first], &types[made]);
  }
  while (status && made > 0) {
    struct mpj_type *old;
    made--;
    if (!mpj_type_resolve(types[made], "type", &old) && old->basic < 0) MPJ_Type_free(&types[made]);
  }
  return status;
}

int MPJ_Type_get_contents(MPJ_Datatype type, MPJ_Count max_counts, MPJ_Count max_addresses,
                          MPJ_Count max_types, MPJ_Count counts[], MPJ_Aint addresses[],
                          MPJ_Datatype types[])
{
  MPJ_ENTRY;
  struct mpj_type *t;
  int status = mpj_type_resolve(type, "type", &t);
  if (status) return status;
  const struct mpj_type_spec spec = mpj_type_spec_of(t);
  const struct mpj_contents n = mpj_contents_of(&spec);
  status = check_room(max_counts, n.counts, counts, "counts");
  if (!status) status = check_room(max_addresses, n.addresses, addresses, "addresses");
  if (!status) status = check_room(max_types, n.types, types, "types");
  if (!status) status = old_handles(&spec, n.types, types);
  if (status) return status;
  if (n.counts > 0) mpj_contents_counts(&spec, 0, n.counts, counts);
  mpj_contents_addresses(&spec, 0, n.addresses, addresses);
  return MPJ_SUCCESS;
}

int MPJ_Type_get_alignment(MPJ_Datatype type, int *bytes)
{
  MPJ_ENTRY;
  struct mpj_type *t;
  int status = mpj_need(bytes, "bytes");
  if (!status) status = mpj_type_resolve(type, "type", &t);
  if (!status) *bytes = t->alignment;
  return status;
}

int MPJ_Type_get_element_count(MPJ_Datatype type, MPJ_Count *elements)
{
  MPJ_ENTRY;
  struct mpj_type *t;
  int status = mpj_need(elements, "elements");
  if (!status) status = mpj_type_resolve(type, "type", &t);
  if (!status) *elements = t->map.layout->signature.elements;
  return status;
}
