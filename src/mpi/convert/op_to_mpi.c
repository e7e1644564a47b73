/* This file makes MPI operations of users' operations. MPI's functions get no context, so
 * each operation gets a function of its own, a closure made by libffi. */
#include "mpi/convert/op.h"

#ifdef MPJ_HAVE_FFI

#include <ffi.h>
#include <pthread.h>
#include <string.h>

/* Kept until the process ends, as MPI does not say when an operation was last used. */
struct bound {
  struct bound *next;
  MPJ_Op_contents contents;
  ffi_cif cif;
  ffi_type *parameters[4];
  ffi_closure *closure;
  MPI_Op mpi;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct bound *all;

/* MPI_User_function(in, inout, len, datatype), with the operation it belongs to. */
static void call(ffi_cif *cif, void *result, void **arguments, void *user)
{
  const struct bound *b = user;
  const void *in;
  void *inout;
  const int *len;
  const MPI_Datatype *type;
  MPI_Count bytes = 0;
  (void)cif, (void)result;
  memcpy(&in, arguments[0], sizeof in);
  memcpy(&inout, arguments[1], sizeof inout);
  memcpy(&len, arguments[2], sizeof len);
  memcpy(&type, arguments[3], sizeof type);
  PMPI_Type_size_x(*type, &bytes);
  if (b->contents.element_bytes > 0)
    b->contents.fn(b->contents.ctx, in, inout, *len * (bytes / b->contents.element_bytes));
}

static bool same(const MPJ_Op_contents *a, const MPJ_Op_contents *b)
{
  return a->fn == b->fn && a->ctx == b->ctx && a->element_bytes == b->element_bytes &&
         !a->commutative == !b->commutative;
}

static int bind(struct bound *b)
{
  MPI_User_function *function;
  void *code = NULL;
  for (int i = 0; i < 4; i++)
    b->parameters[i] = &ffi_type_pointer;
  b->closure = ffi_closure_alloc(sizeof *b->closure, &code);
  if (!b->closure) return mpi_report(MPJ_ERR_NO_MEM, "no memory for an operation's function");
  if (ffi_prep_cif(&b->cif, FFI_DEFAULT_ABI, 4, &ffi_type_void, b->parameters) != FFI_OK ||
      ffi_prep_closure_loc(b->closure, &b->cif, call, b, code) != FFI_OK)
    return mpi_report(MPJ_ERR_INTERNAL, "libffi makes no function of four pointers");
  memcpy(&function, &code, sizeof function);
  return mpi_check(PMPI_Op_create(function, b->contents.commutative, &b->mpi), "MPI_Op_create");
}

/* The lock is held. */
static int add(const MPJ_Op_contents *contents, struct bound **made)
{
  struct bound *b = calloc(1, sizeof *b);
  if (!b) return mpi_report(MPJ_ERR_NO_MEM, "no memory for an operation");
  b->contents = *contents;
  const int status = bind(b);
  if (status) {
    if (b->closure) ffi_closure_free(b->closure);
    free(b);
    return status;
  }
  b->next = all;
  all = *made = b;
  return MPJ_SUCCESS;
}

static int of_contents(const MPJ_Op_contents *contents, MPI_Op *mpi)
{
  int status = MPJ_SUCCESS;
  pthread_mutex_lock(&lock);
  struct bound *b = all;
  while (b && !same(&b->contents, contents))
    b = b->next;
  if (!b) status = add(contents, &b);
  pthread_mutex_unlock(&lock);
  if (!status) *mpi = b->mpi;
  return status;
}

#else

static int of_contents(const MPJ_Op_contents *contents, MPI_Op *mpi)
{
  (void)contents;
  (void)mpi;
  return mpi_report(MPJ_ERR_UNSUPPORTED, "op is a user's, and this library was built without "
                                         "libffi");
}

#endif

int MPJ_Op_to_mpi(MPJ_Op op, MPI_Op *mpi)
{
  MPJ_ENTRY;
  MPJ_Op_contents contents;
  if (!mpi) return mpi_report(MPJ_ERR_ARG, "mpi is NULL");
  int status = mpi_usable();
  if (!status) status = MPJ_Op_get_contents(op, &contents);
  if (status) return status;
  if (contents.fn) return of_contents(&contents, mpi);
  *mpi = mpi_op_of_predefined(op);
  return MPJ_SUCCESS;
}
