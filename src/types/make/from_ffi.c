/* This file makes datatypes of C types that are described to libffi. */
#include "base/entry.h"
#include "base/status.h"

#ifdef MPJ_HAVE_FFI
#include <ffi.h>
#include <inttypes.h>

#include "base/checked.h"
#include "base/memory.h"
#include "types/basic.h"

/* Size and alignment in bytes of a described type; of a struct that libffi has not
 * laid out yet, as it would: each element at the next multiple of its alignment,
 * the whole a multiple of the strictest. */
struct shape {
  size_t size, alignment;
};

/* C promises 63 levels of structs (C11, 5.2.4.1); this is the recursion here. */
enum { NESTED_MAX = 250 };

static int too_deep(void)
{
  return mpj_error(MPJ_ERR_UNSUPPORTED, "ffi nests more than %d structs", NESTED_MAX);
}

static bool align(size_t *offset, size_t alignment)
{
  const size_t excess = *offset % alignment;
  return excess == 0 || !__builtin_add_overflow(*offset, alignment - excess, offset);
}

static int overflow(void)
{
  return mpj_error(MPJ_ERR_OVERFLOW, "ffi describes a struct whose size overflows");
}

/* Lay an element after *offset bytes: *offset is then where it ends. */
static int lay(const struct shape *element, size_t *offset, size_t *at)
{
  if (!align(offset, element->alignment)) return overflow();
  *at = *offset;
  return __builtin_add_overflow(*offset, element->size, offset) ? overflow() : MPJ_SUCCESS;
}

static int shape_of(const ffi_type *ffi, int depth, struct shape *out)
{
  struct shape whole = {0, 1};
  size_t at = 0;
  int status = MPJ_SUCCESS;
  if (!ffi) return mpj_error(MPJ_ERR_ARG, "ffi has an element that is NULL");
  if (depth > NESTED_MAX) return too_deep();
  if (ffi->type != FFI_TYPE_STRUCT) {
    if (ffi->alignment == 0)
      return mpj_error(MPJ_ERR_ARG, "ffi has a type of code %d without alignment", ffi->type);
    *out = (struct shape){ffi->size, ffi->alignment};
    return MPJ_SUCCESS;
  }
  if (!ffi->elements) return mpj_error(MPJ_ERR_ARG, "ffi has a struct whose elements are NULL");
  for (ffi_type **e = ffi->elements; *e && !status; e++) {
    struct shape element = {0, 1};
    status = shape_of(*e, depth + 1, &element);
    if (!status) status = lay(&element, &whole.size, &at);
    if (!status && element.alignment > whole.alignment) whole.alignment = element.alignment;
  }
  if (!status && (!align(&whole.size, whole.alignment) || whole.size > PTRDIFF_MAX))
    status = overflow();
  if (!status) *out = whole;
  return status;
}

static MPJ_Datatype complex_of(const ffi_type *ffi)
{
  if (!ffi->elements || !ffi->elements[0]) return MPJ_DATATYPE_NULL;
  switch (ffi->elements[0]->type) {
  case FFI_TYPE_FLOAT:
    return MPJ_C_FLOAT_COMPLEX;
  case FFI_TYPE_DOUBLE:
    return MPJ_C_DOUBLE_COMPLEX;
  case FFI_TYPE_LONGDOUBLE:
    return MPJ_C_LONG_DOUBLE_COMPLEX;
  default:
    return MPJ_DATATYPE_NULL;
  }
}

/* The basic type of a code, or MPJ_DATATYPE_NULL. Addresses travel as numbers. */
static MPJ_Datatype basic_of(const ffi_type *ffi)
{
  static const MPJ_Datatype basics[] = {
      [FFI_TYPE_INT] = MPJ_INT,       [FFI_TYPE_FLOAT] = MPJ_FLOAT,
      [FFI_TYPE_DOUBLE] = MPJ_DOUBLE, [FFI_TYPE_LONGDOUBLE] = MPJ_LONG_DOUBLE,
      [FFI_TYPE_UINT8] = MPJ_UINT8,   [FFI_TYPE_SINT8] = MPJ_INT8,
      [FFI_TYPE_UINT16] = MPJ_UINT16, [FFI_TYPE_SINT16] = MPJ_INT16,
      [FFI_TYPE_UINT32] = MPJ_UINT32, [FFI_TYPE_SINT32] = MPJ_INT32,
      [FFI_TYPE_UINT64] = MPJ_UINT64, [FFI_TYPE_SINT64] = MPJ_INT64,
      [FFI_TYPE_POINTER] = MPJ_AINT};
  if (ffi->type == FFI_TYPE_COMPLEX) return complex_of(ffi);
  return ffi->type < sizeof basics / sizeof basics[0] ? basics[ffi->type] : MPJ_DATATYPE_NULL;
}

static int make_type(const ffi_type *ffi, int depth, MPJ_Datatype *out);

/* The blocks of a struct: elements that repeat the one before, as an array is
 * described, are one block. */
struct blocks {
  MPJ_Count n;
  MPJ_Count *lens;
  MPJ_Aint *displs;
  MPJ_Datatype *types; /* owned where not basic */
};

static void free_blocks(struct blocks *b)
{
  for (MPJ_Count i = 0; b->types && i < b->n; i++)
    if (mpj_basic_of_handle(b->types[i]) < 0) MPJ_Type_free(&b->types[i]);
  mpj_free(b->types);
  mpj_free(b->displs);
  mpj_free(b->lens);
}

static int make_blocks(const ffi_type *ffi, int depth, struct blocks *b)
{
  const ffi_type *before = NULL;
  struct shape shape = {0, 1};
  size_t offset = 0, at = 0;
  int status = MPJ_SUCCESS;
  for (ffi_type **e = ffi->elements; *e && !status; before = *e++) {
    if (*e != before) status = shape_of(*e, depth + 1, &shape);
    if (!status) status = lay(&shape, &offset, &at);
    if (!status && *e == before) {
      b->lens[b->n - 1]++;
    } else if (!status) {
      status = make_type(*e, depth + 1, &b->types[b->n]);
      b->lens[b->n] = 1;
      b->displs[b->n] = (MPJ_Aint)at;
      b->n += !status;
    }
  }
  return status;
}

static int make_struct(const ffi_type *ffi, int depth, size_t size, MPJ_Datatype *out)
{
  size_t n = 0;
  MPJ_Datatype plain;
  while (ffi->elements[n])
    n++;
  struct blocks b = {0, mpj_alloc_array(n, sizeof(MPJ_Count)), mpj_alloc_array(n, sizeof(MPJ_Aint)),
                     mpj_alloc_array(n, sizeof(MPJ_Datatype))};
  int status = MPJ_SUCCESS;
  if (!b.lens || !b.displs || !b.types)
    status = mpj_error(MPJ_ERR_NO_MEM, "struct of %zu elements could not be allocated", n);
  if (!status) status = make_blocks(ffi, depth, &b);
  if (!status) status = MPJ_Type_create_struct(b.n, b.lens, b.displs, b.types, &plain);
  if (!status) {
    status = MPJ_Type_create_resized(plain, 0, (MPJ_Aint)size, out);
    MPJ_Type_free(&plain);
  }
  free_blocks(&b);
  return status;
}

static int make_type(const ffi_type *ffi, int depth, MPJ_Datatype *out)
{
  struct shape shape = {0, 1};
  int status = shape_of(ffi, depth, &shape);
  if (status) return status;
  if (ffi->type == FFI_TYPE_STRUCT) return make_struct(ffi, depth, shape.size, out);
  const MPJ_Datatype basic = basic_of(ffi);
  if (basic == MPJ_DATATYPE_NULL)
    return mpj_error(MPJ_ERR_ARG, "ffi has a type of code %d, which holds no data", ffi->type);
  if ((size_t)mpj_basics[mpj_basic_of_handle(basic)].size != shape.size)
    return mpj_error(MPJ_ERR_ARG, "ffi has a type of code %d and %zu bytes, which no C type has",
                     ffi->type, shape.size);
  *out = basic;
  return MPJ_SUCCESS;
}

int MPJ_Type_from_ffi(const struct _ffi_type *ffi, MPJ_Datatype *newtype)
{
  MPJ_ENTRY;
  MPJ_Datatype whole = MPJ_DATATYPE_NULL;
  int status = mpj_need(ffi, "ffi");
  if (!status) status = mpj_need(newtype, "newtype");
  if (!status) status = make_type(ffi, 0, &whole);
  if (status) return status;
  if (ffi->type != FFI_TYPE_STRUCT) {
    *newtype = whole;
    return MPJ_SUCCESS;
  }
  status = MPJ_Type_contiguous(1, whole, newtype);
  MPJ_Type_free(&whole);
  return status;
}

#else

int MPJ_Type_from_ffi(const struct _ffi_type *ffi, MPJ_Datatype *newtype)
{
  MPJ_ENTRY;
  int status = mpj_need(ffi, "ffi");
  if (!status) status = mpj_need(newtype, "newtype");
  return status ? status : mpj_error(MPJ_ERR_UNSUPPORTED, "ffi: built without libffi");
}

#endif
