/* This file implements the public packing calls. */
#include <mpj/pack.h>

#include <inttypes.h>

#include "base/status.h"
#include "pack/address.h"
#include "pack/cursor.h"
#include "pack/exec.h"
#include "types/type.h"

/* What a call moves: a committed type's data at a base address. */
struct operand {
  void *base;
  struct mpj_view view;
  MPJ_Count bytes; /* of data */
};

/* No data lies below this address, so a NULL base with such a displacement is a
 * mistake rather than an absolute address. */
enum { FIRST_PAGE = 4096 };

static int resolve(struct operand *o, const char *name, const void *base, const char *type_name,
                   MPJ_Datatype handle)
{
  struct mpj_type *type;
  int status = mpj_type_resolve_committed(handle, type_name, &type);
  if (status) return status;
  o->base = (void *)base;
  o->view = mpj_type_view(type);
  o->bytes = mpj_view_bytes(&o->view);
  if (base || o->bytes == 0 || o->view.displ >= FIRST_PAGE || o->view.displ <= -FIRST_PAGE)
    return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_ARG, "%s is NULL, and %s's data begins at displacement %td", name,
                   type_name, o->view.displ);
}

static int check_packed(const void *packed, MPJ_Count size, const char *size_name)
{
  if (size < 0) return mpj_error(MPJ_ERR_ARG, "%s is %" PRId64, size_name, size);
  if (!packed && size > 0)
    return mpj_error(MPJ_ERR_ARG, "packed is NULL, %s is %" PRId64, size_name, size);
  return MPJ_SUCCESS;
}

static int check_position(const MPJ_Count *position, MPJ_Count size, MPJ_Count bytes)
{
  if (!position) return mpj_error(MPJ_ERR_ARG, "position is NULL");
  if (*position < 0 || *position > size)
    return mpj_error(MPJ_ERR_ARG, "position is %" PRId64 ", size is %" PRId64, *position, size);
  if (size - *position < bytes)
    return mpj_error(MPJ_ERR_TRUNCATE,
                     "packed has %" PRId64 " bytes from position %" PRId64
                     " on, the type has %" PRId64,
                     size - *position, *position, bytes);
  return MPJ_SUCCESS;
}

static int check_range(MPJ_Count offset, MPJ_Count bytes, MPJ_Count whole)
{
  if (offset < 0 || offset > whole || bytes > whole - offset)
    return mpj_error(MPJ_ERR_ARG,
                     "offset is %" PRId64 " and bytes %" PRId64 ", the type has %" PRId64 " bytes",
                     offset, bytes, whole);
  return MPJ_SUCCESS;
}

/* Move bytes [offset, offset + bytes) of the operand's stream. */
static int move(const struct operand *o, const struct mpj_moves *moves, MPJ_Count offset,
                char *packed, MPJ_Count bytes)
{
  const struct mpj_program *program;
  int status = mpj_program_of(o->view.layout, &program);
  if (status) return status;
  struct mpj_exec x = {moves, false};
  mpj_exec(&x, program, 1, 0, mpj_at(o->base, o->view.displ), mpj_at(packed, -offset), offset,
           offset + bytes);
  return MPJ_SUCCESS;
}

static int pack(const struct operand *o, MPJ_Count offset, char *packed, MPJ_Count bytes)
{
  return move(o, &mpj_kernels()->pack, offset, packed, bytes);
}

static int unpack(const struct operand *o, MPJ_Count offset, const char *packed, MPJ_Count bytes)
{
  return move(o, &mpj_kernels()->unpack, offset, (char *)packed, bytes);
}

int MPJ_Pack(const void *buf, MPJ_Datatype type, void *packed, MPJ_Count size, MPJ_Count *position)
{
  struct operand o;
  int status = resolve(&o, "buf", buf, "type", type);
  if (status == MPJ_SUCCESS) status = check_packed(packed, size, "size");
  if (status == MPJ_SUCCESS) status = check_position(position, size, o.bytes);
  if (status || o.bytes == 0) return status;
  status = pack(&o, 0, (char *)packed + *position, o.bytes);
  if (status == MPJ_SUCCESS) *position += o.bytes;
  return status;
}

int MPJ_Unpack(const void *packed, MPJ_Count size, MPJ_Count *position, void *buf,
               MPJ_Datatype type)
{
  struct operand o;
  int status = resolve(&o, "buf", buf, "type", type);
  if (status == MPJ_SUCCESS) status = check_packed(packed, size, "size");
  if (status == MPJ_SUCCESS) status = check_position(position, size, o.bytes);
  if (status || o.bytes == 0) return status;
  status = unpack(&o, 0, (const char *)packed + *position, o.bytes);
  if (status == MPJ_SUCCESS) *position += o.bytes;
  return status;
}

int MPJ_Pack_range(const void *buf, MPJ_Datatype type, MPJ_Count offset, void *packed,
                   MPJ_Count bytes)
{
  struct operand o;
  int status = resolve(&o, "buf", buf, "type", type);
  if (status == MPJ_SUCCESS) status = check_packed(packed, bytes, "bytes");
  if (status == MPJ_SUCCESS) status = check_range(offset, bytes, o.bytes);
  if (status || bytes == 0) return status;
  return pack(&o, offset, packed, bytes);
}

int MPJ_Unpack_range(const void *packed, MPJ_Count bytes, void *buf, MPJ_Datatype type,
                     MPJ_Count offset)
{
  struct operand o;
  int status = resolve(&o, "buf", buf, "type", type);
  if (status == MPJ_SUCCESS) status = check_packed(packed, bytes, "bytes");
  if (status == MPJ_SUCCESS) status = check_range(offset, bytes, o.bytes);
  if (status || bytes == 0) return status;
  return unpack(&o, offset, packed, bytes);
}

static int check_signatures(const struct operand *src, const struct operand *dst)
{
  struct mpj_signature s = mpj_view_signature(&src->view), d = mpj_view_signature(&dst->view);
  if (mpj_signature_equal(&s, &d)) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_SIGNATURE,
                   "srctype has %" PRId64 " elements in %" PRId64 " bytes, dsttype %" PRId64
                   " in %" PRId64 "%s",
                   s.elements, s.bytes, d.elements, d.bytes,
                   s.elements == d.elements && s.bytes == d.bytes ? ", of other basic types" : "");
}

static int copy(const struct operand *src, const struct operand *dst)
{
  struct mpj_cursor from, to;
  int status = mpj_cursor_begin(&from, &src->view, src->base);
  if (status) return status;
  status = mpj_cursor_begin(&to, &dst->view, dst->base);
  if (status == MPJ_SUCCESS) {
    mpj_cursor_copy(&to, &from, src->bytes);
    mpj_cursor_end(&to);
  }
  mpj_cursor_end(&from);
  return status;
}

int MPJ_Copy(const void *src, MPJ_Datatype srctype, void *dst, MPJ_Datatype dsttype)
{
  struct operand from, to;
  int status = resolve(&from, "src", src, "srctype", srctype);
  if (status == MPJ_SUCCESS) status = resolve(&to, "dst", dst, "dsttype", dsttype);
  if (status == MPJ_SUCCESS) status = check_signatures(&from, &to);
  if (status || from.bytes == 0) return status;
  return copy(&from, &to);
}
