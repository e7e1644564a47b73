/* This file tests the conversion of operations. */
#include <mpj/coll.h>
#include <string.h>

#include "base/suite.h"
#include "mpi/convert/op.h"

START_TEST(predefined_operations_are_ours)
{
  const struct {
    MPI_Op mpi;
    MPI_Datatype type;
    MPJ_Op op;
  } same[] = {{MPI_SUM, MPI_DOUBLE, MPJ_SUM},         {MPI_PROD, MPI_C_DOUBLE_COMPLEX, MPJ_PROD},
              {MPI_MIN, MPI_LONG, MPJ_MIN},           {MPI_MAX, MPI_FLOAT, MPJ_MAX},
              {MPI_LAND, MPI_C_BOOL, MPJ_LAND},       {MPI_BOR, MPI_BYTE, MPJ_BOR},
              {MPI_BXOR, MPI_INTEGER, MPJ_BXOR},      {MPI_MINLOC, MPI_2INT, MPJ_MINLOC},
              {MPI_MAXLOC, MPI_FLOAT_INT, MPJ_MAXLOC}};
  for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
    MPJ_Op op = MPJ_OP_NULL;
    ck_assert_int_eq(MPJ_Op_from_mpi(same[i].mpi, same[i].type, &op), MPJ_SUCCESS);
    ck_assert_msg(op == same[i].op, "row %zu", i);
  }
}
END_TEST

START_TEST(what_mpi_forbids_is_an_error)
{
  MPJ_Op op = MPJ_SUM;
  MPI_Datatype derived;
  PMPI_Type_contiguous(2, MPI_INT, &derived);
  ck_assert_int_eq(MPJ_Op_from_mpi(MPI_OP_NULL, MPI_INT, &op), MPJ_ERR_OP);
  ck_assert_int_eq(MPJ_Op_from_mpi(MPI_BAND, MPI_DOUBLE, &op), MPJ_ERR_OP);
  ck_assert_int_eq(MPJ_Op_from_mpi(MPI_SUM, MPI_CHAR, &op), MPJ_ERR_OP);
  ck_assert_int_eq(MPJ_Op_from_mpi(MPI_SUM, derived, &op), MPJ_ERR_OP);
  ck_assert_ptr_nonnull(strstr(MPJ_Error_detail(), "elemtype"));
  ck_assert_int_eq(MPJ_Op_from_mpi(MPI_SUM, MPI_INT, NULL), MPJ_ERR_ARG);
  ck_assert(op == MPJ_SUM);
  PMPI_Type_free(&derived);
}
END_TEST

/* MPI 4.1, 6.9.2 and 6.9.4, as the standard's text has them: on which types each operation is. A
 * letter a group: C integer, Fortran integer (F), multi-language, floating point, logical, complex,
 * byte, pair; - what no operation is on. */
static const struct {
  MPI_Op op;
  const char *on;
} operations[] = {{MPI_MAX, "imfF"}, {MPI_MIN, "imfF"},  {MPI_SUM, "imfFc"}, {MPI_PROD, "imfFc"},
                  {MPI_LAND, "il"},  {MPI_LOR, "il"},    {MPI_LXOR, "il"},   {MPI_BAND, "imFb"},
                  {MPI_BOR, "imFb"}, {MPI_BXOR, "imFb"}, {MPI_MINLOC, "p"},  {MPI_MAXLOC, "p"},
                  {MPI_REPLACE, ""}, {MPI_NO_OP, ""}};

#define OF(type, group)                                                                            \
  {                                                                                                \
    type, #type, group                                                                             \
  }
static const struct {
  MPI_Datatype type;
  const char *name;
  char group;
} predefined[] = {
    OF(MPI_INT, 'i'),
    OF(MPI_LONG, 'i'),
    OF(MPI_SHORT, 'i'),
    OF(MPI_UNSIGNED_SHORT, 'i'),
    OF(MPI_UNSIGNED, 'i'),
    OF(MPI_UNSIGNED_LONG, 'i'),
    OF(MPI_LONG_LONG_INT, 'i'),
    OF(MPI_LONG_LONG, 'i'),
    OF(MPI_UNSIGNED_LONG_LONG, 'i'),
    OF(MPI_SIGNED_CHAR, 'i'),
    OF(MPI_UNSIGNED_CHAR, 'i'),
    OF(MPI_INT8_T, 'i'),
    OF(MPI_INT16_T, 'i'),
    OF(MPI_INT32_T, 'i'),
    OF(MPI_INT64_T, 'i'),
    OF(MPI_UINT8_T, 'i'),
    OF(MPI_UINT16_T, 'i'),
    OF(MPI_UINT32_T, 'i'),
    OF(MPI_UINT64_T, 'i'),
    OF(MPI_INTEGER, 'F'),
    OF(MPI_INTEGER1, 'F'),
    OF(MPI_INTEGER2, 'F'),
    OF(MPI_INTEGER4, 'F'),
    OF(MPI_INTEGER8, 'F'),
    OF(MPI_AINT, 'm'),
    OF(MPI_OFFSET, 'm'),
    OF(MPI_COUNT, 'm'),
    OF(MPI_FLOAT, 'f'),
    OF(MPI_DOUBLE, 'f'),
    OF(MPI_REAL, 'f'),
    OF(MPI_DOUBLE_PRECISION, 'f'),
    OF(MPI_LONG_DOUBLE, 'f'),
    OF(MPI_REAL4, 'f'),
    OF(MPI_REAL8, 'f'),
    OF(MPI_REAL16, 'f'),
    OF(MPI_LOGICAL, 'l'),
    OF(MPI_C_BOOL, 'l'),
    OF(MPI_CXX_BOOL, 'l'),
    OF(MPI_COMPLEX, 'c'),
    OF(MPI_C_COMPLEX, 'c'),
    OF(MPI_C_FLOAT_COMPLEX, 'c'),
    OF(MPI_C_DOUBLE_COMPLEX, 'c'),
    OF(MPI_C_LONG_DOUBLE_COMPLEX, 'c'),
    OF(MPI_CXX_FLOAT_COMPLEX, 'c'),
    OF(MPI_CXX_DOUBLE_COMPLEX, 'c'),
    OF(MPI_CXX_LONG_DOUBLE_COMPLEX, 'c'),
    OF(MPI_DOUBLE_COMPLEX, 'c'),
    OF(MPI_COMPLEX8, 'c'),
    OF(MPI_COMPLEX16, 'c'),
    OF(MPI_COMPLEX32, 'c'),
    OF(MPI_BYTE, 'b'),
    OF(MPI_FLOAT_INT, 'p'),
    OF(MPI_DOUBLE_INT, 'p'),
    OF(MPI_LONG_INT, 'p'),
    OF(MPI_2INT, 'p'),
    OF(MPI_SHORT_INT, 'p'),
    OF(MPI_LONG_DOUBLE_INT, 'p'),
    OF(MPI_2REAL, 'p'),
    OF(MPI_2DOUBLE_PRECISION, 'p'),
    OF(MPI_2INTEGER, 'p'),
    OF(MPI_CHAR, '-'),
    OF(MPI_CHARACTER, '-'),
    OF(MPI_WCHAR, '-'),
    OF(MPI_PACKED, '-'),
#ifdef MPI_INTEGER16
    OF(MPI_INTEGER16, 'F'),
#endif
#ifdef MPI_REAL2
    OF(MPI_REAL2, 'f'),
#endif
#ifdef MPI_COMPLEX4
    OF(MPI_COMPLEX4, 'c'),
#endif
};

/* What MPI does not define is an error that names both; what it does can be used, if this library
 * has it. */
static void check_operation(size_t i, size_t t)
{
  static _Alignas(16) char in[64], inout[64];
  const MPI_Datatype type = predefined[t].type;
  const bool defined = strchr(operations[i].on, predefined[t].group) != NULL;
  const char *name = mpi_op_name(operations[i].op);
  char type_name[MPI_MAX_OBJECT_NAME] = "";
  int length;
  MPJ_Op op = MPJ_OP_NULL;
  PMPI_Type_get_name(type, type_name, &length);
  const bool had = !PMPI_Allreduce(in, inout, 1, type, operations[i].op, mpi_quiet());
  const int status = MPJ_Op_from_mpi(operations[i].op, type, &op);
  ck_assert_msg(status == (defined && had ? MPJ_SUCCESS : MPJ_ERR_OP), "%s on %s: %d", name,
                predefined[t].name, status);
  if (status == MPJ_SUCCESS) return;
  ck_assert_msg(op == MPJ_OP_NULL, "%s on %s", name, predefined[t].name);
  ck_assert_msg(strstr(MPJ_Error_detail(), type_name) && strstr(MPJ_Error_detail(), name), "%s",
                MPJ_Error_detail());
}

START_TEST(operations_are_those_that_mpi_defines)
{
  for (size_t t = 0; t < sizeof predefined / sizeof predefined[0]; t++)
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
      if (predefined[t].type != MPI_DATATYPE_NULL) check_operation(i, t);
  MPJ_Op op = MPJ_OP_NULL;
  ck_assert_int_eq(MPJ_Op_from_mpi(MPI_SUM, MPI_DOUBLE_INT, &op), MPJ_ERR_OP);
  ck_assert_int_eq(MPJ_Op_from_mpi(MPI_SUM, MPI_DATATYPE_NULL, &op), MPJ_ERR_TYPE);
}
END_TEST

/* 2 x 2 matrices: not commutative. */
static void multiply(void *in, void *inout, int *n, MPI_Datatype *type)
{
  double *a = in, *b = inout;
  (void)type;
  for (int i = 0; i < *n; i++, a += 4, b += 4) {
    const double c[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3],
                         a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]};
    memcpy(b, c, sizeof c);
  }
}

enum { RANKS = 3, ELEMENTS = 50 };

struct reduction {
  MPJ_Op op;
  MPJ_Datatype type; /* ELEMENTS of them */
  const char *in;    /* [RANKS] inputs of `bytes` bytes */
  char *out;
  size_t bytes;
};

static int reduce_on_rank(void *arg)
{
  const struct reduction *r = arg;
  int rank;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  return MPJ_Reduce(r->in + (size_t)rank * r->bytes, r->type, r->out, r->type, r->op, 0,
                    MPJ_COMM_WORLD);
}

/* A reduction of the ranks' inputs is what MPI makes of them, from the last to the first. */
static void compare_reduction(MPI_Op mpi, MPI_Datatype elemtype, const char *in, char *out,
                              char *wanted, size_t bytes)
{
  struct reduction r = {.in = in, .out = out, .bytes = bytes};
  MPJ_Datatype element;
  ck_assert_msg(MPJ_Op_from_mpi(mpi, elemtype, &r.op) == MPJ_SUCCESS, "%s", MPJ_Error_detail());
  ck_assert_int_eq(MPJ_Type_from_mpi(elemtype, &element), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Type_contiguous(ELEMENTS, element, &r.type), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Type_commit(&r.type), MPJ_SUCCESS);
  ck_assert_msg(MPJ_Run_threads(RANKS, reduce_on_rank, &r) == MPJ_SUCCESS, "%s",
                MPJ_Error_detail());
  memcpy(wanted, in + (RANKS - 1) * bytes, bytes);
  for (int rank = RANKS - 2; rank >= 0; rank--)
    PMPI_Reduce_local(in + (size_t)rank * bytes, wanted, ELEMENTS, elemtype, mpi);
  MPJ_Type_free(&r.type);
  mpi_release(&element);
}

START_TEST(users_operations_keep_the_order_of_ranks)
{
  static double in[RANKS][ELEMENTS][4], out[ELEMENTS][4], wanted[ELEMENTS][4];
  MPI_Datatype matrix;
  MPI_Op product;
  for (int rank = 0; rank < RANKS; rank++)
    for (int i = 0; i < ELEMENTS * 4; i++)
      in[rank][i / 4][i % 4] = (rank * ELEMENTS * 4 + i) % 7 - 3;
  PMPI_Type_contiguous(4, MPI_DOUBLE, &matrix);
  PMPI_Type_commit(&matrix);
  PMPI_Op_create(multiply, 0, &product);
  compare_reduction(product, matrix, (const char *)in, (char *)out, (char *)wanted, sizeof out);
  ck_assert_mem_eq(out, wanted, sizeof out);
  PMPI_Op_free(&product);
  PMPI_Type_free(&matrix);
}
END_TEST

START_TEST(pairs_with_padding_are_compared_by_mpi)
{
  struct pair {
    double value;
    int index;
  };
  static struct pair in[RANKS][ELEMENTS], out[ELEMENTS], wanted[ELEMENTS];
  for (int rank = 0; rank < RANKS; rank++)
    for (int i = 0; i < ELEMENTS; i++)
      in[rank][i] = (struct pair){(rank * ELEMENTS + i) * 37 % 11, rank * ELEMENTS + i};
  compare_reduction(MPI_MAXLOC, MPI_DOUBLE_INT, (const char *)in, (char *)out, (char *)wanted,
                    sizeof out);
  for (int i = 0; i < ELEMENTS; i++) {
    ck_assert_double_eq(out[i].value, wanted[i].value);
    ck_assert_int_eq(out[i].index, wanted[i].index);
  }
}
END_TEST

/* One operation for one function and type map, however often it is asked for. */
START_TEST(operations_are_made_once)
{
  MPI_Op product;
  MPJ_Op first, again;
  MPI_Datatype pair, twin;
  PMPI_Op_create(multiply, 1, &product);
  PMPI_Type_contiguous(4, MPI_DOUBLE, &pair);
  PMPI_Type_vector(4, 1, 1, MPI_DOUBLE, &twin);
  PMPI_Type_commit(&pair);
  PMPI_Type_commit(&twin);
  ck_assert_int_eq(MPJ_Op_from_mpi(product, pair, &first), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Op_from_mpi(product, twin, &again), MPJ_SUCCESS);
  ck_assert(first == again);
  PMPI_Type_free(&pair);
  PMPI_Type_free(&twin);
  PMPI_Op_free(&product);
}
END_TEST

/* x := a x + b, composed with another of its kind, modulo the context: not commutative. */
struct line {
  long a, b;
};

static void compose(void *ctx, const void *in, void *inout, MPJ_Count n)
{
  const struct line *first = in;
  struct line *second = inout;
  const long modulus = *(const long *)ctx;
  for (MPJ_Count i = 0; i < n; i++) {
    const struct line f = first[i], g = second[i];
    second[i] = (struct line){f.a * g.a % modulus, (f.a * g.b + f.b) % modulus};
  }
}

static void make_lines(struct line lines[], int n, int seed)
{
  for (int i = 0; i < n; i++)
    lines[i] = (struct line){(i + seed) % 13 + 1, (3 * i + seed) % 7};
}

/* MPI applies what MPJ applies; of a type of several elements, to each of them. */
static void compare_lines(MPJ_Op op, long modulus, MPI_Datatype type, int count, int n)
{
  struct line in[12], inout[12], wanted[12];
  MPI_Op mpi = MPI_OP_NULL;
  make_lines(in, n, 1);
  make_lines(inout, n, 5);
  make_lines(wanted, n, 5);
  compose(&modulus, in, wanted, n);
  ck_assert_msg(MPJ_Op_to_mpi(op, &mpi) == MPJ_SUCCESS, "%s", MPJ_Error_detail());
  ck_assert_int_eq(PMPI_Reduce_local(in, inout, count, type, mpi), MPI_SUCCESS);
  ck_assert_mem_eq(inout, wanted, (size_t)n * sizeof *wanted);
}

START_TEST(operations_with_a_context_are_applied_by_mpi)
{
  long moduli[2] = {97, 1009};
  MPJ_Datatype line;
  MPI_Datatype one, three;
  ck_assert_int_eq(MPJ_Type_contiguous(2, MPJ_LONG, &line), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Type_commit(&line), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Type_to_mpi(line, &one), MPJ_SUCCESS);
  PMPI_Type_contiguous(3, one, &three);
  PMPI_Type_commit(&three);
  for (int i = 0; i < 4; i++) {
    MPJ_Op op;
    MPI_Op mpi, again;
    int commutative = -1;
    ck_assert_int_eq(MPJ_Op_create(compose, &moduli[i / 2], line, i % 2, &op), MPJ_SUCCESS);
    compare_lines(op, moduli[i / 2], one, 12, 12);
    compare_lines(op, moduli[i / 2], three, 4, 12);
    ck_assert_int_eq(MPJ_Op_to_mpi(op, &mpi), MPJ_SUCCESS);
    ck_assert_int_eq(MPJ_Op_to_mpi(op, &again), MPJ_SUCCESS);
    ck_assert_int_eq(PMPI_Op_commutative(mpi, &commutative), MPI_SUCCESS);
    ck_assert(mpi == again && !commutative == !(i % 2));
    MPJ_Op_free(&op);
  }
  PMPI_Type_free(&three);
  PMPI_Type_free(&one);
  MPJ_Type_free(&line);
}
END_TEST

static double hypotenuse(double x, double y)
{
  return x * x + y;
}

START_TEST(lifted_and_predefined_operations_become_mpis)
{
  const double in[3] = {1, 2, 3};
  double inout[3] = {10, 20, 30};
  MPJ_Op op = MPJ_OP_NULL;
  MPI_Op mpi = MPI_OP_NULL;
  ck_assert_int_eq(MPJ_Op_to_mpi(MPJ_OP_NULL, &mpi), MPJ_ERR_OP);
  ck_assert_int_eq(MPJ_Op_to_mpi(MPJ_SUM, NULL), MPJ_ERR_ARG);
  ck_assert_int_eq(MPJ_Op_to_mpi(MPJ_SUM, &mpi), MPJ_SUCCESS);
  ck_assert(mpi == MPI_SUM);
  ck_assert_int_eq(MPJ_Op_to_mpi(MPJ_MAXLOC, &mpi), MPJ_SUCCESS);
  ck_assert(mpi == MPI_MAXLOC);
  ck_assert_int_eq(MPJ_Op_to_mpi(MPJ_REPLACE, &mpi), MPJ_SUCCESS);
  ck_assert(mpi == MPI_REPLACE);
  ck_assert_int_eq(MPJ_Op_lift((void (*)(void))hypotenuse, MPJ_DOUBLE, 0, &op), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Op_to_mpi(op, &mpi), MPJ_SUCCESS);
  ck_assert_int_eq(PMPI_Reduce_local(in, inout, 3, MPI_DOUBLE, mpi), MPI_SUCCESS);
  ck_assert(inout[0] == 11 && inout[1] == 24 && inout[2] == 39);
  MPJ_Op_free(&op);
}
END_TEST

int main(void)
{
  int threads;
  PMPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &threads);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int status = RUN_SUITE(
      "mpi ops", predefined_operations_are_ours, what_mpi_forbids_is_an_error,
      operations_are_those_that_mpi_defines, users_operations_keep_the_order_of_ranks,
      pairs_with_padding_are_compared_by_mpi, operations_are_made_once,
      operations_with_a_context_are_applied_by_mpi, lifted_and_predefined_operations_become_mpis);
  PMPI_Finalize();
  return status;
}
