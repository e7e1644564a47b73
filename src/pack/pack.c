/* This file implements the public packing calls. */
#include <mpj/pack.h>

#include "base/entry.h"
#include "pack/kernels/kernels_choose.h"
#include "pack/operand.h"
#include "pack/program/compile.h"
#include "pack/run/address.h"
#include "pack/run/cursor.h"
#include "pack/run/exec.h"
#include "pack/run/exec_run.h"
#include "types/introspect/letters.h"

static int check_range(MPJ_Count offset, MPJ_Count bytes, MPJ_Count whole)
{
  if (offset < 0 || offset > whole || bytes > whole - offset)
    return mpj_error(MPJ_ERR_ARG,
                     "offset is %" PRId64 " and bytes %" PRId64 ", the type has %" PRId64 " bytes",
                     offset, bytes, whole);
  return MPJ_SUCCESS;
}

/* Move bytes [offset, offset + bytes) of the operand's stream. */
static int move(const struct mpj_typed_buffer *o, const struct mpj_moves *moves, MPJ_Count offset,
                char *packed, MPJ_Count bytes)
{
  const struct mpj_program *program;
  int status = mpj_program_of(o->view.layout, &program);
  if (status) return status;
  struct mpj_exec x = {moves, false, bytes};
  mpj_exec(&x, program, 1, 0, mpj_at(o->base, o->view.displ), mpj_at(packed, -offset), offset,
           offset + bytes);
  return MPJ_SUCCESS;
}

static int pack(const struct mpj_typed_buffer *o, MPJ_Count offset, char *packed, MPJ_Count bytes)
{
  return move(o, &mpj_kernels()->pack, offset, packed, bytes);
}

static int unpack(const struct mpj_typed_buffer *o, MPJ_Count offset, const char *packed,
                  MPJ_Count bytes)
{
  return move(o, &mpj_kernels()->unpack, offset, (char *)packed, bytes);
}

/* Whether it is an address of memory: neither NULL nor MPJ_IN_PLACE, 0 and -1. */
static inline bool is_memory(const void *buf)
{
  return (uintptr_t)buf + 1 > 1;
}

/* A committed type's program, where a call can go at once: a type that is no basic
 * one, at addresses of memory. Else NULL, and the call says what is wrong or
 * finds another way. */
static inline const struct mpj_program *quick(MPJ_Datatype handle, const void *buf,
                                              const void *packed, char **mem)
{
  const struct mpj_type *type = mpj_type_quick(handle);
  if (!type || !is_memory(buf) || !packed) return NULL;
  *mem = mpj_at(buf, type->map.displ);
  return (const struct mpj_program *)atomic_load_explicit(
      &type->map.layout->attachments[MPJ_ATTACH_PROGRAM], memory_order_acquire);
}

/* The same for a whole message that fits, with its place in the packed buffer;
 * *position is advanced. */
static inline const struct mpj_program *whole(const void *buf, MPJ_Datatype handle,
                                              const void *packed, MPJ_Count size,
                                              MPJ_Count *position, char **mem, char **other)
{
  const struct mpj_program *program = quick(handle, buf, packed, mem);
  if (!program || !position) return NULL;
  MPJ_Count at = *position;
  if (at < 0 || at > size || program->bytes > size - at) return NULL;
  *other = mpj_at(packed, at);
  *position = at + program->bytes;
  return program->bytes > 0 ? program : NULL;
}

/* And for bytes [offset, offset + bytes) that are there. */
static inline const struct mpj_program *range(const void *buf, MPJ_Datatype handle,
                                              const void *packed, MPJ_Count offset, MPJ_Count bytes,
                                              char **mem)
{
  const struct mpj_program *program = quick(handle, buf, packed, mem);
  if (!program || offset < 0 || bytes <= 0) return NULL;
  return offset <= program->bytes && bytes <= program->bytes - offset ? program : NULL;
}

int MPJ_Pack_size(MPJ_Datatype type, MPJ_Count *bytes)
{
  MPJ_ENTRY;
  struct mpj_type *object;
  if (!bytes) return mpj_error(MPJ_ERR_ARG, "bytes is NULL");
  int status = mpj_type_resolve(type, "type", &object);
  if (status == MPJ_SUCCESS) *bytes = object->map.layout->signature.bytes;
  return status;
}

/* Any other. */
static __attribute__((noinline)) int pack_checked(const void *buf, MPJ_Datatype type, void *packed,
                                                  MPJ_Count size, MPJ_Count *position)
{
  struct mpj_typed_buffer o;
  int status = mpj_typed_buffer_resolve(&o, "buf", buf, "type", type);
  if (status == MPJ_SUCCESS) status = mpj_packed_check(packed, size, "size");
  if (status == MPJ_SUCCESS) status = mpj_position_check(position, size, o.bytes);
  if (status || o.bytes == 0) return status;
  status = pack(&o, 0, (char *)packed + *position, o.bytes);
  if (status == MPJ_SUCCESS) *position += o.bytes;
  return status;
}

static __attribute__((noinline)) int unpack_checked(const void *packed, MPJ_Count size,
                                                    MPJ_Count *position, void *buf,
                                                    MPJ_Datatype type)
{
  struct mpj_typed_buffer o;
  int status = mpj_typed_buffer_resolve(&o, "buf", buf, "type", type);
  if (status == MPJ_SUCCESS) status = mpj_packed_check(packed, size, "size");
  if (status == MPJ_SUCCESS) status = mpj_position_check(position, size, o.bytes);
  if (status || o.bytes == 0) return status;
  status = unpack(&o, 0, (const char *)packed + *position, o.bytes);
  if (status == MPJ_SUCCESS) *position += o.bytes;
  return status;
}

int MPJ_Pack(const void *buf, MPJ_Datatype type, void *packed, MPJ_Count size, MPJ_Count *position)
{
  char *mem, *other;
  const struct mpj_program *program = whole(buf, type, packed, size, position, &mem, &other);
  if (!program) {
    MPJ_ENTRY;
    return pack_checked(buf, type, packed, size, position);
  }
  mpj_exec_whole(&mpj_kernels()->pack, program, mem, other);
  return MPJ_SUCCESS;
}

int MPJ_Unpack(const void *packed, MPJ_Count size, MPJ_Count *position, void *buf,
               MPJ_Datatype type)
{
  char *mem, *other;
  const struct mpj_program *program = whole(buf, type, packed, size, position, &mem, &other);
  if (!program) {
    MPJ_ENTRY;
    return unpack_checked(packed, size, position, buf, type);
  }
  mpj_exec_whole(&mpj_kernels()->unpack, program, mem, other);
  return MPJ_SUCCESS;
}

static __attribute__((noinline)) int pack_range_checked(const void *buf, MPJ_Datatype type,
                                                        MPJ_Count offset, void *packed,
                                                        MPJ_Count bytes)
{
  struct mpj_typed_buffer o;
  int status = mpj_typed_buffer_resolve(&o, "buf", buf, "type", type);
  if (status == MPJ_SUCCESS) status = mpj_packed_check(packed, bytes, "bytes");
  if (status == MPJ_SUCCESS) status = check_range(offset, bytes, o.bytes);
  if (status || bytes == 0) return status;
  return pack(&o, offset, packed, bytes);
}

static __attribute__((noinline)) int unpack_range_checked(const void *packed, MPJ_Count bytes,
                                                          void *buf, MPJ_Datatype type,
                                                          MPJ_Count offset)
{
  struct mpj_typed_buffer o;
  int status = mpj_typed_buffer_resolve(&o, "buf", buf, "type", type);
  if (status == MPJ_SUCCESS) status = mpj_packed_check(packed, bytes, "bytes");
  if (status == MPJ_SUCCESS) status = check_range(offset, bytes, o.bytes);
  if (status || bytes == 0) return status;
  return unpack(&o, offset, packed, bytes);
}

int MPJ_Pack_range(const void *buf, MPJ_Datatype type, MPJ_Count offset, void *packed,
                   MPJ_Count bytes)
{
  char *mem;
  const struct mpj_program *program = range(buf, type, packed, offset, bytes, &mem);
  if (!program) {
    MPJ_ENTRY;
    return pack_range_checked(buf, type, offset, packed, bytes);
  }
  mpj_exec_range(&mpj_kernels()->pack, program, mem, mpj_at(packed, -offset), offset,
                 offset + bytes);
  return MPJ_SUCCESS;
}

int MPJ_Unpack_range(const void *packed, MPJ_Count bytes, void *buf, MPJ_Datatype type,
                     MPJ_Count offset)
{
  char *mem;
  const struct mpj_program *program = range(buf, type, packed, offset, bytes, &mem);
  if (!program) {
    MPJ_ENTRY;
    return unpack_range_checked(packed, bytes, buf, type, offset);
  }
  mpj_exec_range(&mpj_kernels()->unpack, program, mem, mpj_at(packed, -offset), offset,
                 offset + bytes);
  return MPJ_SUCCESS;
}

static int check_signatures(const struct mpj_typed_buffer *src, MPJ_Datatype srctype,
                            const struct mpj_typed_buffer *dst, MPJ_Datatype dsttype)
{
  struct mpj_signature s = mpj_view_signature(&src->view), d = mpj_view_signature(&dst->view);
  char one[MPJ_LETTERS_SUBJECT], other[MPJ_LETTERS_SUBJECT];
  if (mpj_signature_equal(&s, &d)) return MPJ_SUCCESS;
  return mpj_letters_refuse(
      mpj_letters_subject("srctype", mpj_type_find(srctype), "describes", one), &src->view,
      mpj_letters_subject("dsttype", mpj_type_find(dsttype), "describes", other), &dst->view);
}

static int copy(const struct mpj_typed_buffer *src, const struct mpj_typed_buffer *dst)
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

static __attribute__((noinline)) int copy_checked(const void *src, MPJ_Datatype srctype, void *dst,
                                                  MPJ_Datatype dsttype)
{
  struct mpj_typed_buffer from, to;
  int status = mpj_typed_buffer_resolve(&from, "src", src, "srctype", srctype);
  if (status == MPJ_SUCCESS) status = mpj_typed_buffer_resolve(&to, "dst", dst, "dsttype", dsttype);
  if (status == MPJ_SUCCESS) status = check_signatures(&from, srctype, &to, dsttype);
  if (status || from.bytes == 0) return status;
  return copy(&from, &to);
}

static bool is_loop_of_blocks(const struct mpj_program *p)
{
  return p && p->kind == MPJ_PROGRAM_LOOP && p->plain;
}

/* As many blocks of one size on both sides: one call of a kernel. False, with nothing
 * done, where it is not so. */
static inline bool copy_at_once(const void *src, MPJ_Datatype srctype, void *dst,
                                MPJ_Datatype dsttype)
{
  char *from = NULL, *to = NULL;
  const struct mpj_program *s = quick(srctype, src, dst, &from);
  const struct mpj_program *d = quick(dsttype, dst, src, &to);
  if (!is_loop_of_blocks(s) || !is_loop_of_blocks(d)) return false;
  const MPJ_Count block = mpj_program_block(d);
  if (mpj_program_block(s) != block || s->u.loop.count != d->u.loop.count) return false;
  if (!mpj_signature_equal(&srctype->map.layout->signature, &dsttype->map.layout->signature))
    return false;
  mpj_kernels()->unpack.strided[d->block_class](to, d->u.loop.stride, from, s->u.loop.stride, block,
                                                d->u.loop.count);
  return true;
}

int MPJ_Copy(const void *src, MPJ_Datatype srctype, void *dst, MPJ_Datatype dsttype)
{
  if (copy_at_once(src, srctype, dst, dsttype)) return MPJ_SUCCESS;
  MPJ_ENTRY;
  return copy_checked(src, srctype, dst, dsttype);
}
