/* This file lifts a C function of two scalars to arrays, through libffi. */
#include "coll/op/op_lift.h"

#include "base/memory.h"
#include "base/status.h"
#include "types/basic.h"

#ifdef MPJ_HAVE_FFI
#include <ffi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

struct mpj_lift {
  _Atomic int64_t references;
  void (*fn)(void);
  int size;    /* of an element, bytes */
  bool widens; /* an integer shorter than a register: returned as an ffi_arg */
  ffi_type *type, *arguments[2];
  ffi_cif cif;
};

/* The type as libffi calls it, or NULL. */
static ffi_type *ffi_type_of(const struct mpj_basic *b)
{
  static ffi_type *const signeds[] = {&ffi_type_sint8, &ffi_type_sint16, &ffi_type_sint32,
                                      &ffi_type_sint64};
  static ffi_type *const unsigneds[] = {&ffi_type_uint8, &ffi_type_uint16, &ffi_type_uint32,
                                        &ffi_type_uint64};
  static ffi_type *const reals[] = {NULL, &ffi_type_float, &ffi_type_double, &ffi_type_longdouble};
  const int log2_size = __builtin_ctz((unsigned)b->size);
  switch (b->class) {
  case MPJ_CLASS_SIGNED:
    return signeds[log2_size];
  case MPJ_CLASS_UNSIGNED:
  case MPJ_CLASS_BOOL:
    return unsigneds[log2_size];
  case MPJ_CLASS_REAL:
    return reals[log2_size - 1];
#ifdef FFI_TARGET_HAS_COMPLEX_TYPE
  case MPJ_CLASS_COMPLEX:
    return b->size == 2 * sizeof(float)    ? &ffi_type_complex_float
           : b->size == 2 * sizeof(double) ? &ffi_type_complex_double
                                           : &ffi_type_complex_longdouble;
#endif
  default:
    return NULL;
  }
}

static int no_argument(const struct mpj_basic *b)
{
  return mpj_error(MPJ_ERR_TYPE, "elemtype is %s, which no C function takes as a scalar", b->name);
}

int mpj_lift_create(void (*fn)(void), int basic, struct mpj_lift **lift)
{
  const struct mpj_basic *b = &mpj_basics[basic];
  ffi_type *type = ffi_type_of(b);
  if (!type) return no_argument(b);
  struct mpj_lift *l = mpj_alloc_array(1, sizeof *l);
  if (!l) return mpj_error(MPJ_ERR_NO_MEM, "no memory to lift a function");
  atomic_init(&l->references, 1);
  l->fn = fn;
  l->size = b->size;
  l->widens = (size_t)b->size < sizeof(ffi_arg) && b->class != MPJ_CLASS_REAL;
  l->type = type;
  l->arguments[0] = l->arguments[1] = type;
  if (ffi_prep_cif(&l->cif, FFI_DEFAULT_ABI, 2, type, l->arguments) != FFI_OK) {
    mpj_free(l);
    return no_argument(b);
  }
  *lift = l;
  return MPJ_SUCCESS;
}

struct mpj_lift *mpj_lift_retain(struct mpj_lift *lift)
{
  if (lift) atomic_fetch_add_explicit(&lift->references, 1, memory_order_relaxed);
  return lift;
}

void mpj_lift_release(struct mpj_lift *lift)
{
  if (lift && atomic_fetch_sub_explicit(&lift->references, 1, memory_order_acq_rel) == 1)
    mpj_free(lift);
}

/* What libffi returned as a whole register, at its own size. */
static void store_narrow(ffi_arg value, int size, void *element)
{
  const uint8_t one = (uint8_t)value;
  const uint16_t two = (uint16_t)value;
  const uint32_t four = (uint32_t)value;
  memcpy(element,
         size == 1   ? (const void *)&one
         : size == 2 ? (const void *)&two
                     : &four,
         (size_t)size);
}

mpj_lifted_function *mpj_lift_function(const struct mpj_lift *lift)
{
  return lift->fn;
}

void mpj_lift_apply(void *ctx, const void *in, void *inout, MPJ_Count n)
{
  struct mpj_lift *l = ctx;
  union {
    ffi_arg narrow;
    _Alignas(MPJ_BASIC_ALIGN_MAX) unsigned char whole[2 * sizeof(long double)];
  } result;
  for (MPJ_Count i = 0; i < n; i++) {
    char *a = (char *)(uintptr_t)in + i * l->size, *b = (char *)inout + i * l->size;
    void *values[2] = {a, b};
    ffi_call(&l->cif, l->fn, &result, values);
    if (l->widens)
      store_narrow(result.narrow, l->size, b);
    else
      memcpy(b, result.whole, (size_t)l->size);
  }
}

#else

int mpj_lift_create(void (*fn)(void), int basic, struct mpj_lift **lift)
{
  (void)fn;
  (void)lift;
  return mpj_error(MPJ_ERR_UNSUPPORTED, "functions of %s cannot be lifted: built without libffi",
                   mpj_basics[basic].name);
}

struct mpj_lift *mpj_lift_retain(struct mpj_lift *lift)
{
  return lift;
}

void mpj_lift_release(struct mpj_lift *lift)
{
  (void)lift;
}

mpj_lifted_function *mpj_lift_function(const struct mpj_lift *lift)
{
  (void)lift;
  return NULL;
}

void mpj_lift_apply(void *ctx, const void *in, void *inout, MPJ_Count n)
{
  (void)ctx, (void)in, (void)inout, (void)n;
}
#endif
