/* This file makes a datatype of bytes that anyone may have written: every number
 * is checked before it is used, and arrays are only as long as the bytes that
 * are there can fill. */
#include <inttypes.h>

#include "base/entry.h"
#include "base/memory.h"
#include "base/status.h"
#include "types/basic.h"
#include "types/encoded/message.h"
#include "types/encoded/numbers.h"
#include "types/introspect/contents.h"

/* Shapes of parts that the distributions in one message may have together: so
 * many, and so many more for each byte of the body. */
enum { SHAPES_FREE = 4096, SHAPES_A_BYTE = 4 };

/* Bytes of the shortest node. */
enum { NODE_MIN = 3 };

struct decoder {
  struct mpj_reader in;
  MPJ_Datatype *nodes; /* [n], owned; the handles, too, where not basic */
  uint64_t n, made;
  MPJ_Count shapes;
};

/* The arguments of one node. */
struct node {
  struct mpj_contents n;
  MPJ_Count *counts;
  MPJ_Aint *addresses;
  MPJ_Datatype *types;
};

static int too_short(const struct decoder *d)
{
  return mpj_error(MPJ_ERR_FORMAT,
                   "message ends or has a bad number in type %" PRIu64 " of %" PRIu64, d->made,
                   d->n);
}

static int decode_basic(struct decoder *d, MPJ_Datatype *out)
{
  const int basic = mpj_read_byte(&d->in), size = mpj_read_byte(&d->in);
  if (d->in.failed) return too_short(d);
  if (basic >= MPJ_BASIC_COUNT)
    return mpj_error(MPJ_ERR_UNSUPPORTED, "message has basic type %d, the last known is %d", basic,
                     MPJ_BASIC_COUNT - 1);
  if (size != mpj_basics[basic].size)
    return mpj_error(MPJ_ERR_UNSUPPORTED, "message has %s of %d bytes, here it has %d",
                     mpj_basics[basic].name, size, mpj_basics[basic].size);
  *out = MPJ_BASIC_((uintptr_t)basic);
  return MPJ_SUCCESS;
}

/* Whether arrays of so many numbers can be in what is left. */
static bool numbers_fit(const struct decoder *d, uint64_t counts, uint64_t addresses,
                        uint64_t types)
{
  return !d->in.failed && mpj_numbers_fit(&d->in, counts) && mpj_numbers_fit(&d->in, addresses) &&
         types <= mpj_reader_left(&d->in);
}

static int make_arrays(struct node *node, uint64_t counts, uint64_t addresses, uint64_t types)
{
  node->n = (struct mpj_contents){(MPJ_Count)counts, (MPJ_Count)addresses, (MPJ_Count)types};
  node->counts = mpj_alloc_array((size_t)counts, sizeof *node->counts);
  node->addresses = mpj_alloc_array((size_t)addresses, sizeof *node->addresses);
  node->types = mpj_alloc_array((size_t)types, sizeof *node->types);
  if (node->counts && node->addresses && node->types) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_NO_MEM, "arrays of %" PRIu64 " numbers could not be allocated",
                   counts + addresses + types);
}

static int read_types(struct decoder *d, struct node *node)
{
  for (MPJ_Count i = 0; i < node->n.types; i++) {
    const uint64_t distance = mpj_read_number(&d->in);
    if (d->in.failed) return too_short(d);
    if (distance < 1 || distance > d->made)
      return mpj_error(MPJ_ERR_FORMAT,
                       "message has type %" PRIu64 " refer to the one %" PRIu64 " before", d->made,
                       distance);
    node->types[i] = d->nodes[d->made - distance];
  }
  return MPJ_SUCCESS;
}

static int read_node(struct decoder *d, struct node *node)
{
  const uint64_t counts = mpj_read_number(&d->in), addresses = mpj_read_number(&d->in);
  const uint64_t types = mpj_read_number(&d->in);
  if (!numbers_fit(d, counts, addresses, types)) return too_short(d);
  int status = make_arrays(node, counts, addresses, types);
  if (status) return status;
  mpj_read_numbers(&d->in, node->counts, counts);
  mpj_read_numbers(&d->in, node->addresses, addresses);
  return read_types(d, node);
}

/* What a constructor finds wrong is wrong with the message. */
static int blame_message(const struct decoder *d, int status)
{
  if (status == MPJ_SUCCESS || status == MPJ_ERR_NO_MEM) return status;
  return mpj_error_context(status == MPJ_ERR_UNSUPPORTED ? status : MPJ_ERR_FORMAT,
                           "message, type %" PRIu64 " of %" PRIu64, d->made, d->n);
}

static int decode_node(struct decoder *d, MPJ_Datatype *out)
{
  const int combiner = mpj_read_byte(&d->in);
  struct node node = {.counts = NULL};
  if (d->in.failed) return too_short(d);
  if (combiner == MPJ_COMBINER_NAMED) return decode_basic(d, out);
  int status = read_node(d, &node);
  if (!status)
    status = blame_message(d, mpj_contents_make(combiner, &node.n, node.counts, node.addresses,
                                                node.types, &d->shapes, out));
  mpj_free(node.types);
  mpj_free(node.addresses);
  mpj_free(node.counts);
  return status;
}

static void free_handle(MPJ_Datatype *type)
{
  if (mpj_basic_of_handle(*type) < 0) MPJ_Type_free(type);
}

/* Decode all nodes; the last one is the type. */
static int decode_nodes(struct decoder *d, MPJ_Datatype *out)
{
  d->n = mpj_read_number(&d->in);
  if (d->in.failed || d->n < 1 || d->n > mpj_reader_left(&d->in) / NODE_MIN)
    return mpj_error(MPJ_ERR_FORMAT, "message has %" PRIu64 " types in %zu bytes", d->n,
                     mpj_reader_left(&d->in));
  d->nodes = mpj_alloc_array((size_t)d->n, sizeof *d->nodes);
  if (!d->nodes) return mpj_error(MPJ_ERR_NO_MEM, "%" PRIu64 " types could not be allocated", d->n);
  int status = MPJ_SUCCESS;
  while (d->made < d->n && !status) {
    status = decode_node(d, &d->nodes[d->made]);
    d->made += !status;
  }
  if (!status && mpj_reader_left(&d->in) > 0)
    status = mpj_error(MPJ_ERR_FORMAT, "message has %zu bytes after its last type",
                       mpj_reader_left(&d->in));
  if (!status) *out = d->nodes[--d->made];
  while (d->made > 0)
    free_handle(&d->nodes[--d->made]);
  mpj_free(d->nodes);
  return status;
}

int MPJ_Type_decode(const void *message, MPJ_Count bytes, MPJ_Datatype *newtype)
{
  MPJ_ENTRY;
  struct decoder d = {.nodes = NULL};
  void *inflated = NULL;
  MPJ_Datatype made = MPJ_DATATYPE_NULL;
  int status = mpj_need(message, "message");
  if (!status) status = mpj_need(newtype, "newtype");
  if (!status && bytes < 0)
    status = mpj_error(MPJ_ERR_ARG, "bytes is %" PRId64 ", must not be negative", bytes);
  if (!status) status = mpj_message_open(message, (size_t)bytes, &d.in, &inflated);
  if (status) return status;
  d.shapes = SHAPES_FREE + SHAPES_A_BYTE * (MPJ_Count)mpj_reader_left(&d.in);
  status = decode_nodes(&d, &made);
  mpj_free(inflated);
  if (status) return status;
  *newtype = made;
  return MPJ_SUCCESS;
}
