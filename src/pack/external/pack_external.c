/* This file implements packing in the external32 format: a walk over the typed
 * program, converting run by run. */
#include <mpj/pack.h>

#include "base/checked.h"
#include "base/entry.h"
#include "pack/external/external.h"
#include "pack/operand.h"
#include "pack/program/compile.h"
#include "pack/program/walk.h"
#include "pack/run/address.h"
#include "types/basic.h"

static bool program_size(const struct mpj_program *p, MPJ_Count *size);

static bool run_size(MPJ_Count bytes, int basic, MPJ_Count *size)
{
  return mpj_mul_count(bytes / mpj_basics[basic].size, mpj_external_of(basic).size, size);
}

static bool seq_size(const struct mpj_program *p, MPJ_Count *size)
{
  *size = 0;
  for (MPJ_Count i = 0; i < p->u.seq.npieces; i++) {
    const struct mpj_program_item item = mpj_program_item(p, i);
    MPJ_Count one;
    bool fits =
        item.program ? program_size(item.program, &one) : run_size(item.bytes, item.basic, &one);
    if (!fits || !mpj_add_count(*size, one, size)) return false;
  }
  return true;
}

/* External bytes of a typed program with data. */
static bool program_size(const struct mpj_program *p, MPJ_Count *size)
{
  if (p->basic >= 0) return run_size(p->bytes, p->basic, size);
  if (p->kind == MPJ_PROGRAM_SEQ) return seq_size(p, size);
  const struct mpj_program *child =
      p->kind == MPJ_PROGRAM_LOOP ? p->u.loop.child : p->u.index.child;
  MPJ_Count one;
  return program_size(child, &one) && mpj_mul_count(p->bytes / child->bytes, one, size);
}

/* A layout's typed program and its external bytes; *typed is NULL if it is empty. */
static int measure(const struct mpj_layout *layout, const struct mpj_program **typed,
                   MPJ_Count *size)
{
  *typed = NULL;
  *size = 0;
  if (layout->signature.bytes == 0) return MPJ_SUCCESS;
  int status = mpj_program_typed_of(layout, typed);
  if (status) return status;
  if (!program_size(*typed, size))
    return mpj_error(MPJ_ERR_OVERFLOW, "external size of the type overflows");
  return MPJ_SUCCESS;
}

/* Convert n elements, to or from the stream at `packed`. */
static int convert(char *at, char *packed, MPJ_Count n, int basic, bool packing)
{
  struct mpj_external form = mpj_external_of(basic);
  mpj_external_fn *fn = packing ? form.pack : form.unpack;
  const char *name = mpj_basics[basic].name;
  if (!fn) return mpj_error(MPJ_ERR_UNSUPPORTED, "%s has no external form in this build", name);
  if (packing ? fn(at, packed, n) : fn(packed, at, n)) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_OVERFLOW, "an %s does not fit the %d bytes of its external form", name,
                   form.size);
}

static int convert_all(const struct mpj_typed_buffer *o, const struct mpj_program *typed,
                       char *packed, bool packing)
{
  struct mpj_walk w;
  int status = MPJ_SUCCESS;
  mpj_walk_begin(&w, typed, 1, 0, mpj_at(o->base, o->view.displ), 0);
  for (MPJ_Count left = o->bytes; left > 0 && status == MPJ_SUCCESS;) {
    struct mpj_span *s = mpj_walk_span(&w);
    MPJ_Count n = s->block / mpj_basics[s->basic].size, block = s->block;
    int basic = s->basic;
    status = convert(s->at, packed, n, basic, packing);
    packed += n * mpj_external_of(basic).size;
    mpj_span_consume(s, block);
    left -= block;
  }
  return status;
}

int MPJ_Pack_external_size(MPJ_Datatype type, MPJ_Count *bytes)
{
  MPJ_ENTRY;
  struct mpj_type *object;
  const struct mpj_program *typed;
  MPJ_Count size = 0;
  if (!bytes) return mpj_error(MPJ_ERR_ARG, "bytes is NULL");
  int status = mpj_type_resolve(type, "type", &object);
  if (status == MPJ_SUCCESS) status = measure(object->map.layout, &typed, &size);
  if (status == MPJ_SUCCESS) *bytes = size;
  return status;
}

/* Both directions. packed is only written where packing. */
static int move_external(const void *buf, MPJ_Datatype type, const void *packed, MPJ_Count size,
                         MPJ_Count *position, bool packing)
{
  struct mpj_typed_buffer o;
  const struct mpj_program *typed;
  MPJ_Count bytes = 0;
  int status = mpj_typed_buffer_resolve(&o, "buf", buf, "type", type);
  if (status == MPJ_SUCCESS) status = mpj_packed_check(packed, size, "size");
  if (status == MPJ_SUCCESS) status = measure(o.view.layout, &typed, &bytes);
  if (status == MPJ_SUCCESS) status = mpj_position_check(position, size, bytes);
  if (status || bytes == 0) return status;
  status = convert_all(&o, typed, (char *)packed + *position, packing);
  if (status == MPJ_SUCCESS) *position += bytes;
  return status;
}

int MPJ_Pack_external(const void *buf, MPJ_Datatype type, void *packed, MPJ_Count size,
                      MPJ_Count *position)
{
  MPJ_ENTRY;
  return move_external(buf, type, packed, size, position, true);
}

int MPJ_Unpack_external(const void *packed, MPJ_Count size, MPJ_Count *position, void *buf,
                        MPJ_Datatype type)
{
  MPJ_ENTRY;
  return move_external(buf, type, packed, size, position, false);
}
