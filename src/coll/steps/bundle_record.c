/* This file reads the records of bundles. */
#include "coll/steps/bundle_record.h"

#include <string.h>

#include "types/signature.h"

bool mpj_bundle_record_at(const unsigned char *bundle, size_t size, size_t at,
                          struct mpj_bundle_record *record)
{
  if (at > size || size - at < sizeof *record) return false;
  memcpy(record, bundle + at, sizeof *record);
  return record->bytes >= 0 && (uint64_t)record->bytes <= size - at &&
         mpj_bundle_record_bytes(record->bytes) <= size - at;
}

bool mpj_bundle_find(const unsigned char *bundle, size_t size, int first, int end, size_t *at,
                     size_t *bytes)
{
  struct mpj_bundle_record record;
  int64_t next = first; /* tag */
  for (size_t here = 0; next < end; here += mpj_bundle_record_bytes(record.bytes)) {
    if (!mpj_bundle_record_at(bundle, size, here, &record)) return false;
    if (record.tag == next) {
      if (next == first) *at = here;
      *bytes = here + mpj_bundle_record_bytes(record.bytes) - *at;
      next++;
    } else if (next > first) {
      return false;
    }
  }
  return true;
}

uint64_t mpj_bundle_digest(size_t size)
{
  const struct mpj_signature signature = {
      .bytes = (MPJ_Count)size, .elements = (MPJ_Count)size, .hash = 0x62756e646c65};
  return mpj_signature_digest(&signature);
}
