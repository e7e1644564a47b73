/* This header declares what a bundle consists of: records, one after another. A record is a head,
 * its data, and zeros up to a multiple of 8 bytes. Records and their bytes come from other ranks,
 * so they may say anything. */
#ifndef MPJ_SRC_COLL_STEPS_BUNDLE_RECORD_H
#define MPJ_SRC_COLL_STEPS_BUNDLE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mpj_bundle_record {
  uint32_t tag, zero;
  int64_t bytes;   /* of data */
  uint64_t digest; /* of its signature */
};
enum { MPJ_BUNDLE_ALIGN = 8 };

/* Bytes of a record with this much data. */
static inline size_t mpj_bundle_record_bytes(int64_t bytes)
{
  const size_t units = ((size_t)bytes + MPJ_BUNDLE_ALIGN - 1) / MPJ_BUNDLE_ALIGN;
  return sizeof(struct mpj_bundle_record) + units * MPJ_BUNDLE_ALIGN;
}

/* The head of the record at `at` of a bundle of `size` bytes; false: what is there is no record
 * that lies within the bundle. */
bool mpj_bundle_record_at(const unsigned char *bundle, size_t size, size_t at,
                          struct mpj_bundle_record *record);

/* Find the records of the tags first, .., end - 1, which must follow one another: they are the
 * bytes [*at, *at + *bytes), a bundle by themselves. False: there are none such. */
bool mpj_bundle_find(const unsigned char *bundle, size_t size, int first, int end, size_t *at,
                     size_t *bytes);

/* The digest of a bundle of so many bytes: from outside all bundles of a length are alike, as their
 * records are compared. */
uint64_t mpj_bundle_digest(size_t size);

#endif
