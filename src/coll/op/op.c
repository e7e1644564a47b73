/* This file makes operations, and fits them to the data of a call. */
#include "coll/op/op.h"

#include "base/entry.h"
#include "base/pool.h"
#include "base/status.h"
#include "types/basic.h"
#include "types/introspect/letters.h"
#include "types/layout/intern.h"

enum { OP_MARK = 0x4d504f70 };

static struct mpj_pool pool = MPJ_POOL_INITIALIZER(OP_MARK, struct mpj_op);

static const char *const names[MPJ_REDUCE_OPS] = {
    "MPJ_SUM", "MPJ_PROD", "MPJ_MIN",  "MPJ_MAX",     "MPJ_LAND",   "MPJ_BAND",  "MPJ_LOR",
    "MPJ_BOR", "MPJ_LXOR", "MPJ_BXOR", "MPJ_REPLACE", "MPJ_MINLOC", "MPJ_MAXLOC"};

#define PREDEFINED(n)                                                                              \
  {                                                                                                \
    .mark = OP_MARK, .predefined = (n), .commutative = (n) != MPJ_REDUCE_REPLACE                   \
  }
static const struct mpj_op predefined[MPJ_REDUCE_OPS] = {
    PREDEFINED(0),  PREDEFINED(1),  PREDEFINED(2), PREDEFINED(3), PREDEFINED(4),
    PREDEFINED(5),  PREDEFINED(6),  PREDEFINED(7), PREDEFINED(8), PREDEFINED(9),
    PREDEFINED(10), PREDEFINED(11), PREDEFINED(12)};

int mpj_op_resolve(MPJ_Op handle, const struct mpj_op **op)
{
  const uintptr_t n = (uintptr_t)handle - 0x40;
  if (handle == MPJ_OP_NULL) return mpj_error(MPJ_ERR_OP, "op is MPJ_OP_NULL");
  if (n < MPJ_REDUCE_OPS) {
    *op = &predefined[n];
    return MPJ_SUCCESS;
  }
  if (!mpj_pool_is_live(&pool, handle))
    return mpj_error(MPJ_ERR_OP, "op %p %s", (void *)handle,
                     mpj_pool_has(&pool, handle) ? "has been freed" : "is no operation");
  *op = handle;
  return MPJ_SUCCESS;
}

static int check_element(MPJ_Datatype elemtype, struct mpj_type **type)
{
  const int status = mpj_type_resolve_committed(elemtype, "elemtype", type);
  if (status != MPJ_SUCCESS) return status;
  if ((*type)->map.layout->signature.bytes == 0)
    return mpj_error(MPJ_ERR_ARG, "elemtype has no data");
  const MPJ_Aint first = (*type)->map.displ + (*type)->map.layout->true_lb;
  if (first < 0 || (*type)->ub < (*type)->lb)
    return mpj_error(MPJ_ERR_ARG, "elemtype begins at %td bytes and has extent %td: no array of it",
                     first, (*type)->ub - (*type)->lb);
  return MPJ_SUCCESS;
}

static int make(MPJ_User_function *fn, void *ctx, const struct mpj_type *type, int commutative,
                MPJ_Op *op)
{
  struct mpj_op *made = mpj_pool_take(&pool);
  if (!made) return mpj_error(MPJ_ERR_NO_MEM, "no memory for an operation");
  made->predefined = -1;
  made->commutative = commutative != 0;
  made->fn = fn;
  made->ctx = ctx;
  made->element = (struct mpj_piece){mpj_layout_retain(type->map.layout), type->map.displ};
  made->lb = type->lb;
  made->extent = type->ub - type->lb;
  *op = made;
  return MPJ_SUCCESS;
}

int MPJ_Op_create(MPJ_User_function *fn, void *ctx, MPJ_Datatype elemtype, int commutative,
                  MPJ_Op *op)
{
  MPJ_ENTRY;
  struct mpj_type *type = NULL;
  if (!fn) return mpj_error(MPJ_ERR_ARG, "fn is NULL");
  if (!op) return mpj_error(MPJ_ERR_ARG, "op is NULL");
  const int status = check_element(elemtype, &type);
  return status == MPJ_SUCCESS ? make(fn, ctx, type, commutative, op) : status;
}

/* One basic type, and nothing around it. */
static int check_scalar(MPJ_Datatype elemtype, struct mpj_type **type)
{
  const int status = check_element(elemtype, type);
  if (status != MPJ_SUCCESS) return status;
  const struct mpj_layout *l = (*type)->map.layout;
  const MPJ_Aint extent = (*type)->ub - (*type)->lb;
  if (l->kind == MPJ_LAYOUT_RUN && l->u.run.count == 1 && (*type)->map.displ == 0 &&
      extent == l->signature.bytes)
    return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_TYPE,
                   "elemtype has %lld elements and extent %td, must be one element and no more",
                   (long long)l->signature.elements, extent);
}

int MPJ_Op_lift(void (*scalar_fn)(void), MPJ_Datatype elemtype, int commutative, MPJ_Op *op)
{
  MPJ_ENTRY;
  struct mpj_type *type = NULL;
  struct mpj_lift *lift = NULL;
  if (!scalar_fn) return mpj_error(MPJ_ERR_ARG, "scalar_fn is NULL");
  if (!op) return mpj_error(MPJ_ERR_ARG, "op is NULL");
  int status = check_scalar(elemtype, &type);
  if (status == MPJ_SUCCESS)
    status = mpj_lift_create(scalar_fn, type->map.layout->u.run.basic, &lift);
  if (status != MPJ_SUCCESS) return status;
  status = make(mpj_lift_apply, lift, type, commutative, op);
  if (status == MPJ_SUCCESS)
    (*op)->lift = lift;
  else
    mpj_lift_release(lift);
  return status;
}

void mpj_op_keep(const struct mpj_op *op, struct mpj_op *copy)
{
  *copy = *op;
  mpj_layout_retain(copy->element.layout);
  mpj_lift_retain(copy->lift);
}

void mpj_op_drop(struct mpj_op *copy)
{
  mpj_layout_release(copy->element.layout);
  mpj_lift_release(copy->lift);
}

int mpj_op_share(MPJ_Op op, MPJ_Op *handle)
{
  const struct mpj_op *found = NULL;
  const int status = mpj_op_resolve(op, &found);
  if (status != MPJ_SUCCESS) return status;
  if (found->predefined < 0) {
    struct mpj_op *copy = mpj_pool_take(&pool);
    if (!copy) return mpj_error(MPJ_ERR_NO_MEM, "no memory for an operation");
    const uint32_t mark = copy->mark;
    mpj_op_keep(found, copy);
    copy->mark = mark;
    op = copy;
  }
  *handle = op;
  return MPJ_SUCCESS;
}

void mpj_op_unshare(MPJ_Op handle)
{
  const struct mpj_op *found = NULL;
  if (mpj_op_resolve(handle, &found) || found->predefined >= 0) return;
  mpj_op_drop(handle);
  mpj_pool_give(&pool, handle);
}

int MPJ_Op_free(MPJ_Op *op)
{
  MPJ_ENTRY;
  const struct mpj_op *found = NULL;
  if (!op) return mpj_error(MPJ_ERR_ARG, "op is NULL");
  const int status = mpj_op_resolve(*op, &found);
  if (status != MPJ_SUCCESS) return status;
  if (found->predefined >= 0)
    return mpj_error(MPJ_ERR_OP, "op is %s, which is never freed", names[found->predefined]);
  mpj_op_unshare(*op);
  *op = MPJ_OP_NULL;
  return MPJ_SUCCESS;
}

int MPJ_Op_get_contents(MPJ_Op op, MPJ_Op_contents *contents)
{
  MPJ_ENTRY;
  const struct mpj_op *found = NULL;
  if (!contents) return mpj_error(MPJ_ERR_ARG, "contents is NULL");
  const int status = mpj_op_resolve(op, &found);
  if (status != MPJ_SUCCESS) return status;
  *contents = (MPJ_Op_contents){0};
  if (found->predefined >= 0) return MPJ_SUCCESS;
  *contents = (MPJ_Op_contents){.fn = found->fn,
                                .ctx = found->ctx,
                                .element_bytes = found->element.layout->signature.bytes,
                                .element_extent = found->extent,
                                .commutative = found->commutative};
  return MPJ_SUCCESS;
}

size_t mpj_op_live(void)
{
  return mpj_pool_live(&pool);
}

const char *mpj_op_name(int number)
{
  if (number < -1) return "a user's operation";
  return number >= 0 && number < MPJ_REDUCE_OPS ? names[number] : "none";
}

/* The first of the basic types that no signature tells from this one, so that
 * ranks that call them differently (long, int64_t) see the same data alike. */
static int first_alike(int basic)
{
  static _Atomic unsigned char known[MPJ_BASIC_COUNT]; /* 1 + the answer, once found */
  int first = atomic_load_explicit(&known[basic], memory_order_relaxed);
  if (first > 0) return first - 1;
  while (mpj_basics[first].letter != mpj_basics[basic].letter)
    first++;
  atomic_store_explicit(&known[basic], (unsigned char)(1 + first), memory_order_relaxed);
  return first;
}

/* The set of basic types (a bit each, of the first alike) that a layout's data
 * is made of. */
static uint64_t basics_of(const struct mpj_layout *layout)
{
  uint64_t set = 0;
  for (uint64_t rest = layout->basics; rest; rest &= rest - 1)
    set |= UINT64_C(1) << first_alike(__builtin_ctzll(rest));
  return set;
}

/* The basic type that all of the data is of, by its signature alone, which is the same on all
 * ranks; -1: it is of several, or there is none. `set` has those of the layout. */
static int only_basic(const struct mpj_signature *data, uint64_t set)
{
  for (uint64_t rest = data->bytes > 0 ? set : 0; rest; rest &= rest - 1) {
    const int basic = __builtin_ctzll(rest);
    const struct mpj_signature one = mpj_signature_of_basic(basic);
    const struct mpj_signature all = mpj_signature_repeat(one, data->bytes / one.bytes);
    if (mpj_signature_equal(data, &all)) return basic;
  }
  return -1;
}

static int prepare_predefined(const struct mpj_op *op, const struct mpj_type *type,
                              const char *argument, struct mpj_call *call)
{
  char text[MPJ_LETTERS_SUBJECT];
  const uint64_t set = basics_of(type->map.layout);
  for (uint64_t rest = set; rest; rest &= rest - 1) {
    const int basic = __builtin_ctzll(rest);
    if (!mpj_reduce_kernel_of((enum mpj_reduce_op)op->predefined, basic))
      return mpj_error(MPJ_ERR_OP, "op %s does not apply to %s, which %s contains",
                       names[op->predefined], mpj_basics[basic].name,
                       mpj_letters_argument(argument, type, text));
  }
  call->reduce = 1 + op->predefined;
  const int basic = only_basic(&type->map.layout->signature, set);
  if (basic < 0) return MPJ_SUCCESS;
  call->temp = mpj_layout_of_basic(basic);
  call->unit = call->temp->signature.bytes;
  return MPJ_SUCCESS;
}

static int prepare_user(const struct mpj_op *op, const struct mpj_type *type, const char *argument,
                        struct mpj_call *call)
{
  const struct mpj_signature *data = &type->map.layout->signature;
  const struct mpj_signature *element = &op->element.layout->signature;
  char text[MPJ_LETTERS_SUBJECT];
  const struct mpj_signature whole = mpj_signature_repeat(*element, data->bytes / element->bytes);
  if (!mpj_signature_equal(data, &whole))
    return mpj_error(
        MPJ_ERR_SIGNATURE,
        "%s has %lld bytes in %lld elements, which is no whole number of op's elemtype "
        "of %lld bytes in %lld elements",
        mpj_letters_argument(argument, type, text), (long long)data->bytes,
        (long long)data->elements, (long long)element->bytes, (long long)element->elements);
  call->op = op;
  call->unit = element->bytes;
  return MPJ_SUCCESS;
}

int mpj_op_prepare(const struct mpj_op *op, const struct mpj_type *type, const char *argument,
                   struct mpj_call *call)
{
  if (op->predefined >= 0) return prepare_predefined(op, type, argument, call);
  return prepare_user(op, type, argument, call);
}
