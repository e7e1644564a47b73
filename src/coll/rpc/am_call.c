/* This file calls C functions on other ranks: the arguments travel by their types,
 * are laid out as the function wants them, and go in through libffi. */
#include <mpj/am.h>

#include "base/entry.h"
#include "base/status.h"
#include "coll/rpc/am.h"
#include "coll/run/wait_turn.h"

#ifdef MPJ_HAVE_FFI
#include <ffi.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>

#include <mpj/pack.h>

#include "base/memory.h"
#include "coll/threads/hold.h"
#include "net/am/am_begin.h"
#include "net/am/wire.h"
#include "types/basic.h"
#include "types/type.h"

enum { ARGUMENT_ALIGNMENT = 64, RESULT_BYTES = MPJ_AM_HEADER_MAX };

/* A registered function. Its arguments lie one behind the other in one block of
 * memory, argument i at displs[i], and `whole` describes them all there. */
struct function {
  struct mpj_am_function owned; /* first */
  void (*fn)(void);             /* NULL: of other ranks only */
  int nargs;
  bool by_value[MPJ_AM_ARGS_MAX];
  MPJ_Datatype types[MPJ_AM_ARGS_MAX]; /* owned where not basic */
  MPJ_Aint displs[MPJ_AM_ARGS_MAX];
  size_t bytes;       /* of the block */
  uint32_t shape;     /* digest of arguments and result, which caller and called must share */
  MPJ_Datatype whole; /* owned; MPJ_DATATYPE_NULL without arguments */
  size_t result_bytes;
  ffi_cif cif;
  ffi_type *ffi_args[MPJ_AM_ARGS_MAX];
};

/* A call that is waited for. */
struct call {
  struct mpj_am_outcome outcome; /* first */
  int done, sent;
  unsigned char result[RESULT_BYTES];
};

static ffi_type *integer_of(size_t bytes, bool is_signed)
{
  switch (bytes) {
  case 1:
    return is_signed ? &ffi_type_sint8 : &ffi_type_uint8;
  case 2:
    return is_signed ? &ffi_type_sint16 : &ffi_type_uint16;
  case 4:
    return is_signed ? &ffi_type_sint32 : &ffi_type_uint32;
  case 8:
    return is_signed ? &ffi_type_sint64 : &ffi_type_uint64;
  default:
    return NULL;
  }
}

static ffi_type *complex_of(size_t bytes)
{
#ifdef FFI_TARGET_HAS_COMPLEX_TYPE
  if (bytes == 2 * sizeof(float)) return &ffi_type_complex_float;
  if (bytes == 2 * sizeof(double)) return &ffi_type_complex_double;
  return bytes == 2 * sizeof(long double) ? &ffi_type_complex_longdouble : NULL;
#else
  (void)bytes;
  return NULL;
#endif
}

/* The C type of a basic type, as libffi names it; NULL if there is none. */
static ffi_type *ffi_of(int basic)
{
  const struct mpj_basic *b = &mpj_basics[basic];
  switch (b->class) {
  case MPJ_CLASS_SIGNED:
    return integer_of((size_t)b->size, true);
  case MPJ_CLASS_BYTE:
  case MPJ_CLASS_UNSIGNED:
  case MPJ_CLASS_BOOL:
    return integer_of((size_t)b->size, false);
  case MPJ_CLASS_REAL:
    if (b->size == (int)sizeof(float)) return &ffi_type_float;
    if (b->size == (int)sizeof(double)) return &ffi_type_double;
    return b->size == (int)sizeof(long double) ? &ffi_type_longdouble : NULL;
  case MPJ_CLASS_COMPLEX:
    return complex_of((size_t)b->size);
  default:
    return NULL;
  }
}

static void add_to_shape(struct function *f, const struct mpj_type *object, bool by_value)
{
  const struct mpj_view view = mpj_type_view(object);
  const struct mpj_signature s = mpj_view_signature(&view);
  const uint64_t digest = mpj_signature_digest(&s) + by_value;
  f->shape = (f->shape ^ (uint32_t)(digest ^ digest >> 32)) * UINT32_C(0x01000193) + 1;
}

static int describe_result(struct function *f, MPJ_Datatype result, ffi_type **ffi)
{
  *ffi = &ffi_type_void;
  if (result == MPJ_DATATYPE_NULL) return MPJ_SUCCESS;
  const int basic = mpj_basic_of_handle(result);
  if (basic < 0) return mpj_error(MPJ_ERR_TYPE, "result is no basic type");
  *ffi = ffi_of(basic);
  f->result_bytes = (size_t)mpj_basics[basic].size;
  struct mpj_type *object;
  const int status = mpj_type_resolve_committed(result, "result", &object);
  if (status != MPJ_SUCCESS) return status;
  add_to_shape(f, object, true);
  if (*ffi) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_UNSUPPORTED, "result is %s, which no C function returns",
                   mpj_basics[basic].name);
}

static int describe_argument(struct function *f, int i, MPJ_Datatype type)
{
  const int basic = mpj_basic_of_handle(type);
  MPJ_Aint lb, extent;
  char name[24];
  struct mpj_type *object;
  f->by_value[i] = basic >= 0;
  f->ffi_args[i] = basic >= 0 ? ffi_of(basic) : &ffi_type_pointer;
  if (!f->ffi_args[i])
    return mpj_error(MPJ_ERR_UNSUPPORTED, "args[%d] is %s, which no C function takes", i,
                     mpj_basics[basic].name);
  snprintf(name, sizeof name, "args[%d]", i);
  int status = mpj_type_resolve_committed(type, name, &object);
  if (status == MPJ_SUCCESS) status = MPJ_Type_get_true_extent(type, &lb, &extent);
  if (status == MPJ_SUCCESS && lb < 0)
    status =
        mpj_error(MPJ_ERR_ARG, "args[%d] begins at displacement %td, before its pointer", i, lb);
  if (status == MPJ_SUCCESS && basic < 0) status = MPJ_Type_dup(type, &f->types[i]);
  if (status != MPJ_SUCCESS) return status;
  if (basic >= 0) f->types[i] = type;
  add_to_shape(f, object, basic >= 0);
  f->nargs = i + 1;
  f->displs[i] = (MPJ_Aint)f->bytes;
  f->bytes +=
      ((size_t)(lb + extent) + ARGUMENT_ALIGNMENT - 1) / ARGUMENT_ALIGNMENT * ARGUMENT_ALIGNMENT;
  return basic < 0 ? MPJ_Type_commit(&f->types[i]) : MPJ_SUCCESS;
}

static int describe_whole(struct function *f)
{
  MPJ_Count ones[MPJ_AM_ARGS_MAX];
  for (int i = 0; i < f->nargs; i++)
    ones[i] = 1;
  if (f->nargs == 0) return MPJ_SUCCESS;
  const int status = MPJ_Type_create_struct(f->nargs, ones, f->displs, f->types, &f->whole);
  return status == MPJ_SUCCESS ? MPJ_Type_commit(&f->whole) : status;
}

static void free_function(struct mpj_am_function *owned)
{
  struct function *f = (struct function *)owned;
  for (int i = 0; i < f->nargs; i++)
    if (!f->by_value[i]) MPJ_Type_free(&f->types[i]);
  if (f->whole != MPJ_DATATYPE_NULL) MPJ_Type_free(&f->whole);
  mpj_free(f);
}

/* On the rank that is called */

static void run_function(const struct function *f, MPJ_Am_message m)
{
  void *pointers[MPJ_AM_ARGS_MAX], *values[MPJ_AM_ARGS_MAX];
  alignas(16) unsigned char result[2 * RESULT_BYTES] = {0};
  size_t at = 0;
  for (int i = 0; i < f->nargs; i++) {
    pointers[i] = (char *)m->scratch + f->displs[i];
    values[i] = f->by_value[i] ? pointers[i] : &pointers[i];
  }
  ffi_call((ffi_cif *)(uintptr_t)&f->cif, f->fn, result, values);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  if (f->result_bytes < sizeof(ffi_arg) && f->cif.rtype->type != FFI_TYPE_FLOAT)
    at = sizeof(ffi_arg) - f->result_bytes; /* small integers come widened */
#endif
  MPJ_Am_reply(m, m->handler, result + at, (int)f->result_bytes, NULL, MPJ_DATATYPE_NULL, NULL,
               NULL);
}

static void take_result(MPJ_Am_message m, const MPJ_Am_info *info)
{
  struct mpj_am_record *r = mpj_am_record_of(m);
  struct call *call = (struct call *)(void *)r->outcome;
  if (!call) return;
  r->outcome = NULL;
  memcpy(call->result, info->header, (size_t)info->header_bytes);
  call->done = 1;
}

/* Whether the caller has registered the same types. */
static bool has_shape(const struct function *f, const MPJ_Am_info *info)
{
  return info->header_bytes == (int)sizeof f->shape &&
         memcmp(info->header, &f->shape, sizeof f->shape) == 0;
}

/* Memory for the arguments; without, the call is refused when it completes. */
static int on_call(void *ctx, MPJ_Am_message m, const MPJ_Am_info *info, MPJ_Am_target *target)
{
  const struct function *f = ctx;
  if (m->reply || !f->fn || !has_shape(f, info)) return MPJ_AM_DROP_PAYLOAD;
  m->scratch = mpj_alloc(f->bytes);
  if (!m->scratch) return MPJ_AM_DROP_PAYLOAD;
  *target = (MPJ_Am_target){m->scratch, f->whole};
  return MPJ_AM_TAKE;
}

static void on_arguments(void *ctx, MPJ_Am_message m, const MPJ_Am_info *info, int status)
{
  const struct function *f = ctx;
  if (m->reply) {
    take_result(m, info);
    return;
  }
  int code = MPJ_SUCCESS;
  if (!f->fn)
    code = MPJ_ERR_ARG;
  else if (!has_shape(f, info) || mpj_am_registered_anew(m))
    code = MPJ_ERR_SIGNATURE;
  else if (!m->scratch)
    code = MPJ_ERR_NO_MEM;
  if (status == MPJ_SUCCESS && code == MPJ_SUCCESS) run_function(f, m);
  if (status == MPJ_SUCCESS && code != MPJ_SUCCESS)
    mpj_am_refuse(m->am, info->source, m->number, code);
}

static int make_function(void (*fn)(void), int nargs, const MPJ_Datatype args[],
                         MPJ_Datatype result, struct function **out)
{
  ffi_type *ffi_result = NULL;
  struct function *f = mpj_alloc_array(1, sizeof *f);
  if (!f) return mpj_error(MPJ_ERR_NO_MEM, "no memory for a function of %d arguments", nargs);
  f->owned.free = free_function;
  f->fn = fn;
  f->shape = (uint32_t)nargs;
  f->whole = MPJ_DATATYPE_NULL;
  int status = describe_result(f, result, &ffi_result);
  for (int i = 0; status == MPJ_SUCCESS && i < nargs; i++)
    status = describe_argument(f, i, args[i]);
  if (status == MPJ_SUCCESS) status = describe_whole(f);
  if (status == MPJ_SUCCESS &&
      ffi_prep_cif(&f->cif, FFI_DEFAULT_ABI, (unsigned)nargs, ffi_result, f->ffi_args) != FFI_OK)
    status = mpj_error(MPJ_ERR_UNSUPPORTED, "libffi cannot call a function of these types");
  if (status == MPJ_SUCCESS)
    *out = f;
  else
    free_function(&f->owned);
  return status;
}

int MPJ_Am_register_function(int handler, void (*fn)(void), int nargs, const MPJ_Datatype args[],
                             MPJ_Datatype result)
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_am *am;
  struct function *f = NULL;
  struct mpj_context *context = mpj_context_current();
  int status = mpj_am_outside(&am);
  if (status == MPJ_SUCCESS) status = mpj_am_check_handler(handler);
  if (status == MPJ_SUCCESS && (nargs < 0 || nargs > MPJ_AM_ARGS_MAX))
    status = mpj_error(MPJ_ERR_ARG, "nargs is %d, must be 0 to %d", nargs, MPJ_AM_ARGS_MAX);
  if (status == MPJ_SUCCESS && nargs > 0 && !args) status = mpj_error(MPJ_ERR_ARG, "args is NULL");
  if (status == MPJ_SUCCESS && !context->functions &&
      !(context->functions = mpj_alloc_array(MPJ_AM_HANDLERS_MAX, sizeof *context->functions)))
    status = mpj_error(MPJ_ERR_NO_MEM, "no memory for functions that can be called");
  if (status == MPJ_SUCCESS) status = make_function(fn, nargs, args, result, &f);
  if (status != MPJ_SUCCESS) return status;
  mpj_am_forget_function(context, handler);
  context->functions[handler] = &f->owned;
  const struct mpj_am_handler h = {.on_header = on_call, .on_complete = on_arguments, .ctx = f};
  mpj_am_set_handler(am, handler, &h);
  return MPJ_SUCCESS;
}

/* On the rank that calls */

static void note_sent(void *arg, int status)
{
  (void)status;
  ((struct call *)arg)->sent = 1;
}

static int await(struct mpj_am *am, struct call *call)
{
  enum { PATIENCE = 1024 }; /* idle rounds before the others are asked once where things are */
  struct mpj_pause pause = {0};
  unsigned rounds = 0;
  while (!call->sent || (!call->done && call->outcome.status == MPJ_SUCCESS)) {
    mpj_wait_step(mpj_context_current(), &pause);
    if (pause.idle > 0 && ++rounds % PATIENCE == 0) mpj_am_ask_for_acks(am, rounds == PATIENCE);
  }
  return call->done ? MPJ_SUCCESS : call->outcome.status;
}

/* Lay the arguments out in one block. */
static int gather(const struct function *f, const void *const args[], char *block)
{
  int status = MPJ_SUCCESS;
  for (int i = 0; status == MPJ_SUCCESS && i < f->nargs; i++)
    status = MPJ_Copy(args[i], f->types[i], block + f->displs[i], f->types[i]);
  return status;
}

static int call(struct mpj_am *am, const struct function *f, int dest, int handler,
                const void *const args[], void *block, void *result)
{
  struct call c = {.outcome = {MPJ_SUCCESS, NULL}};
  const size_t result_bytes = f->result_bytes; /* f may be registered anew while this waits */
  const uint32_t shape = f->shape;
  struct mpj_am_wanted w = {.dest = dest,
                            .handler = handler,
                            .header = &shape,
                            .header_bytes = sizeof shape,
                            .sent = note_sent,
                            .arg = &c,
                            .outcome = &c.outcome};
  int status = gather(f, args, block);
  if (status == MPJ_SUCCESS) status = mpj_am_data_of(block, f->whole, &w.data, &w.digest);
  if (status == MPJ_SUCCESS) status = mpj_am_post_request(am, &w);
  if (status == MPJ_SUCCESS) status = await(am, &c);
  if (status == MPJ_SUCCESS && result) memcpy(result, c.result, result_bytes);
  return status;
}

int MPJ_Am_call(int dest, int handler, const void *const args[], void *result)
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_am *am;
  const struct function *f = NULL;
  int status = mpj_am_outside(&am);
  if (status == MPJ_SUCCESS) status = mpj_am_check_handler(handler);
  if (status == MPJ_SUCCESS) status = mpj_am_check_dest(am, "dest", dest);
  if (status != MPJ_SUCCESS) return status;
  const struct mpj_context *context = mpj_context_current();
  if (context->functions) f = (struct function *)context->functions[handler];
  if (!f) return mpj_error(MPJ_ERR_ARG, "handler is %d, which is no registered function", handler);
  if (!args && f->nargs > 0) return mpj_error(MPJ_ERR_ARG, "args is NULL");
  void *block = mpj_alloc(f->bytes);
  if (!block) return mpj_error(MPJ_ERR_NO_MEM, "no memory for %zu bytes of arguments", f->bytes);
  status = call(am, f, dest, handler, args, block, result);
  mpj_free(block);
  return status;
}

#else

int MPJ_Am_register_function(int handler, void (*fn)(void), int nargs, const MPJ_Datatype args[],
                             MPJ_Datatype result)
{
  MPJ_ENTRY;
  (void)handler;
  (void)fn;
  (void)nargs;
  (void)args;
  (void)result;
  return mpj_error(MPJ_ERR_UNSUPPORTED, "functions: built without libffi");
}

int MPJ_Am_call(int dest, int handler, const void *const args[], void *result)
{
  MPJ_ENTRY;
  (void)dest;
  (void)handler;
  (void)args;
  (void)result;
  return mpj_error(MPJ_ERR_UNSUPPORTED, "functions: built without libffi");
}

#endif
