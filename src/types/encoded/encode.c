/* This file writes a datatype as bytes: its constructors with their arguments,
 * old types first, as spec/datatypes-encoding.md says. */
#include <inttypes.h>
#include <string.h>

#include "base/entry.h"
#include "base/memory.h"
#include "base/status.h"
#include "types/basic.h"
#include "types/encoded/encode.h"
#include "types/encoded/message.h"
#include "types/encoded/nodes.h"
#include "types/encoded/numbers.h"
#include "types/introspect/contents.h"
#include "types/introspect/contents_read.h"
#include "types/type.h"

typedef void (*read_fn)(const struct mpj_type_spec *spec, MPJ_Count first, MPJ_Count n,
                        int64_t out[]);

/* The array that `read` reads, n numbers long. */
static void write_array(struct mpj_writer *w, const struct mpj_type_spec *spec, MPJ_Count n,
                        read_fn read)
{
  int64_t values[MPJ_NUMBERS_FRAME], last = 0;
  for (MPJ_Count first = 0; first < n && !w->failed; first += MPJ_NUMBERS_FRAME) {
    const MPJ_Count left = n - first;
    const MPJ_Count now = left < MPJ_NUMBERS_FRAME ? left : MPJ_NUMBERS_FRAME;
    read(spec, first, now, values);
    if (n >= MPJ_NUMBERS_FRAMED) {
      mpj_write_frame(w, values, (size_t)now, &last);
      continue;
    }
    for (MPJ_Count i = 0; i < now; i++)
      mpj_write_signed(w, values[i]);
  }
}

/* The old types of node `number`, each by how far before it comes. */
static void write_types(struct mpj_writer *w, const struct mpj_nodes *nodes, size_t number,
                        MPJ_Count n)
{
  enum { CHUNK = 64 };
  const struct mpj_type_spec *olds[CHUNK], *before = NULL;
  size_t distance = 0;
  for (MPJ_Count first = 0; first < n && !w->failed; first += CHUNK) {
    const MPJ_Count now = n - first < CHUNK ? n - first : CHUNK;
    mpj_contents_types(&nodes->specs[number], first, now, olds);
    for (MPJ_Count i = 0; i < now; before = olds[i++]) {
      if (olds[i] != before) distance = number - mpj_nodes_number(nodes, olds[i]);
      mpj_write_number(w, distance);
    }
  }
}

static void write_node(struct mpj_writer *w, const struct mpj_nodes *nodes, size_t number)
{
  const struct mpj_type_spec *spec = &nodes->specs[number];
  mpj_write_byte(w, (uint8_t)spec->combiner);
  if (spec->combiner == MPJ_COMBINER_NAMED) {
    const int basic = spec->map.layout->u.run.basic;
    mpj_write_byte(w, (uint8_t)basic);
    mpj_write_byte(w, (uint8_t)mpj_basics[basic].size);
    return;
  }
  const struct mpj_contents n = mpj_contents_of(spec);
  mpj_write_number(w, (uint64_t)n.counts);
  mpj_write_number(w, (uint64_t)n.addresses);
  mpj_write_number(w, (uint64_t)n.types);
  write_array(w, spec, n.counts, mpj_contents_counts);
  write_array(w, spec, n.addresses, mpj_contents_addresses);
  write_types(w, nodes, number, n.types);
}

static int write_body(const struct mpj_type_spec *spec, struct mpj_writer *w)
{
  struct mpj_nodes nodes = {.specs = NULL};
  int status = mpj_nodes_collect(&nodes, spec);
  if (!status) {
    mpj_write_number(w, nodes.n);
    for (size_t i = 0; i < nodes.n; i++)
      write_node(w, &nodes, i);
    if (w->failed)
      status = mpj_error(MPJ_ERR_NO_MEM, "encoded type of %zu bytes could not be allocated", w->n);
  }
  mpj_nodes_free(&nodes);
  return status;
}

int mpj_type_encode(MPJ_Datatype type, void **message, MPJ_Count *bytes)
{
  struct mpj_type *t;
  struct mpj_writer w = {.bytes = NULL};
  size_t length = 0;
  int status = mpj_type_resolve(type, "type", &t);
  if (status) return status;
  const struct mpj_type_spec spec = mpj_type_spec_of(t);
  status = write_body(&spec, &w);
  if (!status) status = mpj_message_make(w.bytes, w.n, message, &length);
  mpj_writer_free(&w);
  if (!status) *bytes = (MPJ_Count)length;
  return status;
}

int MPJ_Type_encode(MPJ_Datatype type, void *out, MPJ_Count size, MPJ_Count *needed)
{
  MPJ_ENTRY;
  void *message;
  MPJ_Count bytes;
  int status = mpj_need(needed, "needed");
  if (!status && size < 0)
    status = mpj_error(MPJ_ERR_ARG, "size is %" PRId64 ", must not be negative", size);
  if (!status && size > 0) status = mpj_need(out, "out");
  if (!status) status = mpj_type_encode(type, &message, &bytes);
  if (status) return status;
  *needed = bytes;
  if (size >= bytes)
    memcpy(out, message, (size_t)bytes);
  else if (size > 0)
    status =
        mpj_error(MPJ_ERR_TRUNCATE, "size is %" PRId64 ", the encoded type takes %" PRId64 " bytes",
                  size, bytes);
  mpj_free(message);
  return status;
}
