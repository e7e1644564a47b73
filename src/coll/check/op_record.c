/* This file compares operations that ranks call with. */
#include "coll/check/op_record.h"

#include <dlfcn.h>
#include <string.h>

#include "coll/op/op_lift.h"

/* Where a function lies: the file, by a hash of its name, and the bytes from its start. */
static void fill_function(struct mpj_op_record *said, const struct mpj_op *op)
{
  Dl_info info;
  void *address;
  mpj_lifted_function *fn = op->lift ? mpj_lift_function(op->lift) : (mpj_lifted_function *)op->fn;
  static_assert(sizeof address == sizeof fn, "a function's address is an object's");
  memcpy(&address, &fn, sizeof address);
  if (!dladdr(address, &info) || !info.dli_fname) return;
  said->file = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
  for (const char *c = info.dli_fname; *c; c++)
    said->file = (said->file ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
  said->function = (uint64_t)((uintptr_t)address - (uintptr_t)info.dli_fbase);
}

void mpj_op_record_fill(struct mpj_op_record *said, const struct mpj_op *op)
{
  *said = (struct mpj_op_record){.reduce = op->predefined < 0 ? -1 : 1 + op->predefined};
  if (op->predefined >= 0) return;
  const struct mpj_signature *signature = &op->element.layout->signature;
  said->commutative = op->commutative;
  said->element = (struct mpj_data_record){signature->bytes, mpj_signature_digest(signature)};
  fill_function(said, op);
}

const char *mpj_op_record_difference(const struct mpj_op_record *a, const struct mpj_op_record *b)
{
  if (a->reduce != b->reduce) return "";
  if (a->reduce >= 0) return NULL;
  if (a->element.bytes != b->element.bytes || a->element.digest != b->element.digest)
    return " of another elemtype";
  if (a->commutative != b->commutative)
    return b->commutative ? " that commutes" : " that does not commute";
  return a->file == b->file && a->function != b->function ? " with another function" : NULL;
}
