/* This file tests how errors are told: by one sentence, which begins with the function that the
 * program called and the rank that called it. MPJ_ERRORS=abort prints the same. */
#include <mpj/am.h>
#include <mpj/introspect.h>
#include <mpj/mpj.h>

#include "base/child.h"
#include "base/suite.h"

#define WORLD MPJ_COMM_WORLD
#define NONE MPJ_DATATYPE_NULL

static int n;
static MPJ_Count bytes, at;
static MPJ_Aint lb;
static char data[64], more[64];
static int flag, which_one, no_ranks[] = {7};
static void *value;
static MPJ_Datatype type;
static MPJ_Comm made;
static MPJ_Op op;
static MPJ_Request request, none;
static MPJ_Am_region region;
static MPJ_Op_contents contents;
static struct iovec iov[2];

/* Mistakes, by families of calls. */
#define TYPES(X)                                                                                   \
  X(MPJ_Type_contiguous(-1, MPJ_INT, &type))                                                       \
  X(MPJ_Type_vector(2, -3, 4, MPJ_INT, &type))                                                     \
  X(MPJ_Type_vector(2, 1, INT64_MAX, MPJ_DOUBLE, &type))                                           \
  X(MPJ_Type_create_struct(1, NULL, NULL, NULL, &type))                                            \
  X(MPJ_Type_create_resized(NONE, 0, 8, &type))                                                    \
  X(MPJ_Type_create_segment(1, &(MPJ_Count){-1}, MPJ_INT, &type))                                  \
  X(MPJ_Type_create_slice(MPJ_INT, 0, 2, &type))                                                   \
  X(MPJ_Type_parse("vector(1, 2, int", &type))                                                     \
  X(MPJ_Type_decode("junk", 4, &type))                                                             \
  X(MPJ_Type_size(NONE, &bytes))                                                                   \
  X(MPJ_Type_get_extent(MPJ_INT, &lb, NULL))                                                       \
  X(MPJ_Type_free(&type))                                                                          \
  X(MPJ_Type_commit(NULL))                                                                         \
  X(MPJ_Type_create_gathered(NONE, MPJ_ALL, WORLD, &type))
#define PACKS(X)                                                                                   \
  X(MPJ_Pack(data, NONE, more, 64, &at))                                                           \
  X(MPJ_Pack(data, MPJ_DOUBLE, more, 4, &at))                                                      \
  X(MPJ_Unpack(data, 4, &at, more, MPJ_DOUBLE))                                                    \
  X(MPJ_Unpack(data, 8, NULL, more, MPJ_DOUBLE))                                                   \
  X(MPJ_Pack_range(data, MPJ_INT, 2, more, 4))                                                     \
  X(MPJ_Unpack_range(data, 4, more, MPJ_INT, -1))                                                  \
  X(MPJ_Pack_size(MPJ_INT, NULL))                                                                  \
  X(MPJ_Copy(data, MPJ_INT, more, MPJ_FLOAT))                                                      \
  X(MPJ_Type_iov_len(NONE, 1, &bytes, &at))                                                        \
  X(MPJ_Type_iov(data, MPJ_INT, -1, iov, 2, &bytes))                                               \
  X(MPJ_Pack_external(data, NONE, more, 64, &at))                                                  \
  X(MPJ_Unpack_external(data, 1, &at, more, MPJ_INT))
#define COLLECTIVES(X)                                                                             \
  X(MPJ_Barrier(MPJ_COMM_NULL))                                                                    \
  X(MPJ_Bcast(data, MPJ_INT, 9, WORLD))                                                            \
  X(MPJ_Ibcast(data, NONE, 0, WORLD, &request))                                                    \
  X(MPJ_Gather(data, MPJ_INT, NULL, MPJ_INT, 0, WORLD))                                            \
  X(MPJ_Scatter(data, MPJ_INT, more, NONE, 0, WORLD))                                              \
  X(MPJ_Allgather(data, MPJ_INT, more, MPJ_DOUBLE, WORLD))                                         \
  X(MPJ_Alltoall(NULL, MPJ_INT, more, MPJ_INT, WORLD))                                             \
  X(MPJ_Reduce(data, MPJ_INT, more, MPJ_INT, MPJ_OP_NULL, 0, WORLD))                               \
  X(MPJ_Allreduce(data, MPJ_INT, more, MPJ_FLOAT, MPJ_SUM, WORLD))                                 \
  X(MPJ_Iallreduce(data, MPJ_INT, more, MPJ_INT, MPJ_OP_NULL, WORLD, &request))                    \
  X(MPJ_Reduce_scatter(data, MPJ_INT, more, MPJ_DOUBLE_INT, MPJ_SUM, WORLD))                       \
  X(MPJ_Scan(data, MPJ_FLOAT, more, MPJ_FLOAT, MPJ_BAND, WORLD))                                   \
  X(MPJ_Exscan(data, NONE, more, MPJ_INT, MPJ_SUM, WORLD))                                         \
  X(MPJ_Igather(data, MPJ_INT, more, MPJ_INT, -1, WORLD, &request))                                \
  X(MPJ_Ibarrier(WORLD, NULL))                                                                     \
  X(MPJ_Bcast_init(data, MPJ_INT, 1, WORLD, &request))                                             \
  X(MPJ_Allreduce_init(data, MPJ_INT, more, MPJ_INT, MPJ_SUM, WORLD, NULL))
#define REQUESTS(X)                                                                                \
  X(MPJ_Wait(NULL))                                                                                \
  X(MPJ_Test(&none, NULL))                                                                         \
  X(MPJ_Waitall(-1, &none))                                                                        \
  X(MPJ_Testall(1, NULL, &flag))                                                                   \
  X(MPJ_Waitany(1, &none, NULL))                                                                   \
  X(MPJ_Testany(1, &none, &which_one, NULL))                                                       \
  X(MPJ_Waitsome(1, &none, NULL, &which_one))                                                      \
  X(MPJ_Testsome(1, &none, &which_one, NULL))                                                      \
  X(MPJ_Start(&none))                                                                              \
  X(MPJ_Startall(1, &none))                                                                        \
  X(MPJ_Request_free(&none))                                                                       \
  X(MPJ_Request_free(NULL))
#define COMMS(X)                                                                                   \
  X(MPJ_Comm_rank(MPJ_COMM_NULL, &n))                                                              \
  X(MPJ_Comm_size(WORLD, NULL))                                                                    \
  X(MPJ_Comm_dup(MPJ_COMM_NULL, &made))                                                            \
  X(MPJ_Comm_dup(WORLD, NULL))                                                                     \
  X(MPJ_Comm_split(WORLD, -3, 0, &made))                                                           \
  X(MPJ_Comm_create(WORLD, 1, no_ranks, &made))                                                    \
  X(MPJ_Comm_free(&(MPJ_Comm){WORLD}))                                                             \
  X(MPJ_Comm_compare(WORLD, WORLD, NULL))                                                          \
  X(MPJ_Comm_translate(WORLD, 1, no_ranks, WORLD, &n))                                             \
  X(MPJ_Comm_set_name(WORLD, NULL))                                                                \
  X(MPJ_Comm_get_attr(WORLD, 77, &value, &flag))                                                   \
  X(MPJ_Comm_free_keyval(&flag))                                                                   \
  X(MPJ_Abort(MPJ_COMM_NULL, 1))                                                                   \
  X(MPJ_Init(NULL, NULL))                                                                          \
  X(MPJ_Alloc_mem(-1, &value))                                                                     \
  X(MPJ_Free_mem(NULL))
#define MESSAGES(X)                                                                                \
  X(MPJ_Am_register(-1, NULL, NULL, NULL))                                                         \
  X(MPJ_Am_send(3, 0, NULL, 0, NULL, NONE, NULL, NULL))                                            \
  X(MPJ_Am_send(0, 99999, NULL, 0, NULL, NONE, NULL, NULL))                                        \
  X(MPJ_Am_send(0, 0, NULL, 4, NULL, NONE, NULL, NULL))                                            \
  X(MPJ_Am_reply(NULL, 0, NULL, 0, NULL, NONE, NULL, NULL))                                        \
  X(MPJ_Am_accept(NULL, NULL, NONE))                                                               \
  X(MPJ_Am_wait(NULL, 1))                                                                          \
  X(MPJ_Am_wait(&n, 1))                                                                            \
  X(MPJ_Am_register_function(0, NULL, -1, NULL, MPJ_INT))                                          \
  X(MPJ_Am_call(0, 5, NULL, NULL))                                                                 \
  X(MPJ_Am_expose(data, NONE, &region))                                                            \
  X(MPJ_Am_withdraw(NULL))                                                                         \
  X(MPJ_Am_put(data, MPJ_INT, NULL, NULL, NULL))                                                   \
  X(MPJ_Am_get(data, NONE, &region, NULL, NULL))
#define OPS(X)                                                                                     \
  X(MPJ_Op_create(NULL, NULL, MPJ_INT, 1, &op))                                                    \
  X(MPJ_Op_lift(NULL, MPJ_INT, 1, &op))                                                            \
  X(MPJ_Op_free(&op))                                                                              \
  X(MPJ_Op_get_contents(MPJ_OP_NULL, &contents))                                                   \
  X(MPJ_Reduce_local(data, more, MPJ_FLOAT, MPJ_BXOR))                                             \
  X(MPJ_Unpack_reduce(data, 2, &at, more, MPJ_INT, MPJ_SUM))

static const char *const calls[] = {
#define NAME(call) #call,
    TYPES(NAME) PACKS(NAME) COLLECTIVES(NAME) REQUESTS(NAME) COMMS(NAME) MESSAGES(NAME) OPS(NAME)};
enum { CALLS = sizeof calls / sizeof *calls };

static int make(int which)
{
  int i = 0;
#define RUN(call)                                                                                  \
  if (i++ == which) return call;
  TYPES(RUN)
  PACKS(RUN) COLLECTIVES(RUN) REQUESTS(RUN) COMMS(RUN) MESSAGES(RUN) OPS(RUN) return MPJ_SUCCESS;
}

/* Rank 1 is sent what its type does not describe; rank 0 hears nothing of it. */
static int two_ranks(void *arg)
{
  int rank, status;
  (void)arg;
  MPJ_Comm_rank(WORLD, &rank);
  status = MPJ_Bcast(data, rank == 0 ? MPJ_INT : MPJ_FLOAT, 0, WORLD);
  if (rank == 1 && status != MPJ_SUCCESS) fprintf(stderr, "%s", MPJ_Error_detail());
  return 0;
}

/* Rank 1 receives into a temporary what rank 0 has not described. */
static int five_ranks(void *arg)
{
  const MPJ_Count lens[] = {7, 8};
  const MPJ_Aint displs[] = {0, 28};
  int rank, status;
  MPJ_Datatype mixed;
  (void)arg;
  MPJ_Comm_rank(WORLD, &rank);
  MPJ_Type_create_struct(2, lens, displs,
                         (MPJ_Datatype[]){MPJ_INT, rank == 0 ? MPJ_INT : MPJ_FLOAT}, &mixed);
  MPJ_Type_commit(&mixed);
  char in[64] = {0}, out[64];
  status = MPJ_Scan(in, mixed, out, mixed, MPJ_SUM, WORLD);
  if (rank == 1 && status != MPJ_SUCCESS) fprintf(stderr, "%s", MPJ_Error_detail());
  MPJ_Type_free(&mixed);
  return 0;
}

/* In the child: the sentence goes to stderr, whether the library prints it or this. */
static int act(const char *argument)
{
  char code[64];
  const int which = atoi(argument);
  if (which == CALLS) return MPJ_Run_threads(2, two_ranks, NULL) ? 1 : 0;
  if (which == CALLS + 1) return MPJ_Run_threads(5, five_ranks, NULL) ? 1 : 0;
  if (MPJ_Init(NULL, NULL) != MPJ_SUCCESS) return 99;
  const int status = make(which);
  snprintf(code, sizeof code, "%s", MPJ_Error_string(status));
  code[strcspn(code, ":")] = '\0';
  if (status != MPJ_SUCCESS) fprintf(stderr, "mpj: %s: %s\n", code, MPJ_Error_detail());
  MPJ_Finalize();
  return 0;
}

static struct child_outcome run(int which, char *setting)
{
  char argument[16];
  snprintf(argument, sizeof argument, "%d", which);
  return run_child(argument, (char *[]){setting, NULL});
}

/* "mpj: CODE: MPJ_Function on rank 0: a sentence". */
static void check_title(const char *text, const char *call)
{
  char title[80];
  snprintf(title, sizeof title, ": %.*s on rank 0: ", (int)strcspn(call, "("), call);
  ck_assert_msg(strstr(text, title) != NULL, "%s: %s", call, text);
}

START_TEST(abort_prints_what_the_detail_says)
{
  char returns[] = "MPJ_ERRORS=return", aborts[] = "MPJ_ERRORS=abort";
  for (int i = 0; i < CALLS; i++) {
    const struct child_outcome told = run(i, returns), printed = run(i, aborts);
    ck_assert_msg(told.status == 0 && printed.status == 1, "%s: %d %d", calls[i], told.status,
                  printed.status);
    check_title(told.text, calls[i]);
    ck_assert_str_eq(printed.text, told.text);
  }
}
END_TEST

START_TEST(a_mismatch_names_the_call_and_its_rank)
{
  const char *sentence = "MPJ_Bcast on rank 1: rank 0 sent 1 int; type describes 1 float: they "
                         "differ at element 0 (operation 0)";
  char returns[] = "MPJ_ERRORS=return", aborts[] = "MPJ_ERRORS=abort";
  const struct child_outcome told = run(CALLS, returns), printed = run(CALLS, aborts);
  ck_assert_str_eq(told.text, sentence);
  ck_assert_int_eq(printed.status, 1);
  ck_assert_ptr_nonnull(strstr(printed.text, sentence));
}
END_TEST

START_TEST(what_goes_to_a_temporary_is_told_by_the_users_type)
{
  ck_assert_str_eq(
      run(CALLS + 1, NULL).text,
      "MPJ_Scan on rank 1: rank 0 sent 15 int; recvtype describes 7 int, then 8 float: "
      "they differ at element 7 (operation 0)");
}
END_TEST

int main(int argc, char **argv)
{
  if (argc > 1) return act(argv[1]);
  return RUN_SUITE("coll/told", abort_prints_what_the_detail_says,
                   a_mismatch_names_the_call_and_its_rank,
                   what_goes_to_a_temporary_is_told_by_the_users_type);
}
