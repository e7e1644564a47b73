/* This file feeds bytes to MPJ_Type_decode, as they are and as the body of a
 * message whose header is right; what is decoded must hold its invariants and
 * survive encoding. */
#include "fuzz/fuzz.h"

#include "base/memory.h"
#include "types/basic.h"
#include "types/encoded/encode.h"
#include "types/encoded/message.h"
#include "types/type.h"

static void release(MPJ_Datatype type)
{
  if (mpj_basic_of_handle(type) < 0) must_hold(MPJ_Type_free(&type) == MPJ_SUCCESS, "free");
}

/* The check visits shared subtrees each time it meets them. */
static int may_check(const struct mpj_type *t)
{
  return t->map.layout->depth < 6 && t->parts->count < 256;
}

static void use(MPJ_Datatype type)
{
  struct mpj_type *t;
  void *message;
  MPJ_Count bytes;
  MPJ_Datatype again;
  int same;
  must_hold(mpj_type_resolve(type, "type", &t) == MPJ_SUCCESS, "handle");
  if (may_check(t)) must_hold(mpj_type_check(t), "invariants");
  must_hold(mpj_type_encode(type, &message, &bytes) == MPJ_SUCCESS, "encode");
  if (MPJ_Type_decode(message, bytes, &again) == MPJ_SUCCESS) {
    must_hold(MPJ_Type_match(type, again, NULL, &same) == MPJ_SUCCESS && same, "same map");
    release(again);
  } else {
    must_hold(0, MPJ_Error_detail());
  }
  mpj_free(message);
}

static void decode(const void *message, size_t bytes)
{
  MPJ_Datatype type;
  if (MPJ_Type_decode(message, (MPJ_Count)bytes, &type) != MPJ_SUCCESS) return;
  use(type);
  release(type);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  void *message;
  size_t bytes;
  const long before = mpj_memory_outstanding();
  decode(size ? (const void *)data : "", size);
  must_hold(mpj_message_make(data, size, &message, &bytes) == MPJ_SUCCESS, "message");
  decode(message, bytes);
  mpj_free(message);
  must_hold(mpj_memory_outstanding() == before && mpj_type_live() == 0, "leak");
  return 0;
}
