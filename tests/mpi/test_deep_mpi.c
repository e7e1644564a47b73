/* This file tests the conversion of datatypes that nest as deep as they may, on threads with the
 * smallest stacks. */
#include <pthread.h>
#include <string.h>

#include "base/suite.h"
#include "mpi/compare.h"
#include "mpi/convert/interop.h"
#include "types/make/spec.h"

enum { LEVELS = MPJ_DEPTH_MAX - 1, STACK_BYTES = 64 << 10 };

/* Structs of the one before and a double or a char behind it, which do not fold. */
static void make_deep_mpi(MPI_Datatype *type)
{
  *type = MPI_INT;
  for (int i = 0; i < LEVELS; i++) {
    const int ones[2] = {1, 1};
    const MPI_Aint displs[2] = {0, 8 + 8 * i};
    const MPI_Datatype types[2] = {*type, i % 2 ? MPI_CHAR : MPI_DOUBLE};
    MPI_Datatype next;
    ck_assert_int_eq(PMPI_Type_create_struct(2, ones, displs, types, &next), MPI_SUCCESS);
    mpi_drop(type);
    *type = next;
  }
}

static MPJ_Datatype make_deep(void)
{
  MPJ_Datatype type = MPJ_INT, next;
  for (int i = 0; i < LEVELS; i++) {
    const MPJ_Count ones[2] = {1, 1};
    const MPJ_Aint displs[2] = {0, 8 + 8 * i};
    const MPJ_Datatype types[2] = {type, i % 2 ? MPJ_CHAR : MPJ_DOUBLE};
    ck_assert_int_eq(MPJ_Type_create_struct(2, ones, displs, types, &next), MPJ_SUCCESS);
    if (i > 0) MPJ_Type_free(&type);
    type = next;
  }
  return type;
}

struct conversion {
  MPI_Datatype mpi;
  MPJ_Datatype type;
  int status;
};

static void *from_mpi(void *arg)
{
  struct conversion *c = arg;
  c->status = MPJ_Type_from_mpi(c->mpi, &c->type);
  return NULL;
}

static void *to_mpi(void *arg)
{
  struct conversion *c = arg;
  c->status = MPJ_Type_to_mpi(c->type, &c->mpi);
  return NULL;
}

static void run_on_small_stack(void *(*run)(void *), struct conversion *c)
{
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  ck_assert_int_eq(pthread_attr_setstacksize(&attributes, STACK_BYTES), 0);
  ck_assert_int_eq(pthread_create(&thread, &attributes, run, c), 0);
  pthread_join(thread, NULL);
  pthread_attr_destroy(&attributes);
}

START_TEST(a_deep_type_comes_from_mpi_on_a_small_stack)
{
  struct conversion c = {.status = -1};
  make_deep_mpi(&c.mpi);
  run_on_small_stack(from_mpi, &c);
  ck_assert_int_eq(c.status, MPJ_SUCCESS);
  PMPI_Type_commit(&c.mpi);
  compare_with_mpi(c.type, c.mpi, "a deep type from MPI");
  MPJ_Type_free(&c.type);
  mpi_drop(&c.mpi);
}
END_TEST

START_TEST(a_deep_type_becomes_one_of_mpi_on_a_small_stack)
{
  struct conversion c = {.type = make_deep(), .status = -1};
  run_on_small_stack(to_mpi, &c);
  ck_assert_int_eq(c.status, MPJ_SUCCESS);
  PMPI_Type_commit(&c.mpi);
  ck_assert_int_eq(MPJ_Type_commit(&c.type), MPJ_SUCCESS);
  compare_with_mpi(c.type, c.mpi, "a deep type to MPI");
  MPJ_Type_free(&c.type);
  mpi_drop(&c.mpi);
}
END_TEST

static void *slice_to_mpi(void *arg)
{
  struct conversion *c = arg;
  c->status = mpi_make(c->type, &c->mpi);
  ck_assert_int_eq(c->status, MPJ_ERR_UNSUPPORTED);
  ck_assert_ptr_nonnull(strstr(MPJ_Error_detail(), "more than 32 constructors"));
  return NULL;
}

/* Without its first element: every constructor is cut. */
START_TEST(a_deep_slice_is_refused_and_a_flat_one_of_it_is_not)
{
  struct conversion c = {.status = -1};
  MPJ_Datatype deep = make_deep();
  MPJ_Count elements;
  ck_assert_int_eq(MPJ_Type_get_element_count(deep, &elements), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Type_create_slice(deep, 1, elements - 1, &c.type), MPJ_SUCCESS);
  run_on_small_stack(slice_to_mpi, &c);
  MPJ_Type_free(&c.type);
  ck_assert_int_eq(MPJ_Type_create_slice(deep, elements - 1, 1, &c.type), MPJ_SUCCESS);
  run_on_small_stack(to_mpi, &c);
  ck_assert_int_eq(c.status, MPJ_SUCCESS);
  mpi_drop(&c.mpi);
  MPJ_Type_free(&c.type);
  MPJ_Type_free(&deep);
}
END_TEST

int main(void)
{
  int threads;
  PMPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &threads);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int status = RUN_SUITE("mpi deep types", a_deep_type_comes_from_mpi_on_a_small_stack,
                               a_deep_type_becomes_one_of_mpi_on_a_small_stack,
                               a_deep_slice_is_refused_and_a_flat_one_of_it_is_not);
  PMPI_Finalize();
  return status;
}
