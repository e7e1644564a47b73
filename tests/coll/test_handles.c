/* This file passes words that are no handles of the kind that is wanted: uninitialised, freed, of
 * another kind, or beside one. Each call says so. */
#include <mpj/am.h>
#include <mpj/mpj.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suite.h"

enum { WORDS_MAX = 64, RANDOM_WORDS = 2000 };

/* Handles of every kind, live and freed, and memory that is none's. */
struct fixture {
  MPJ_Datatype type, freed_type;
  MPJ_Op op, freed_op;
  MPJ_Request request, freed_request;
  MPJ_Context context;
  uintptr_t words[WORDS_MAX];
  int n;
};

static double in = 1, out;
static char heap[4096];

static void add(struct fixture *f, uintptr_t word)
{
  ck_assert_int_lt(f->n, WORDS_MAX);
  f->words[f->n++] = word;
}

static void keep_first(void *ctx, const void *a, void *b, MPJ_Count n)
{
  (void)ctx;
  (void)a;
  (void)b;
  (void)n;
}

static void make_request(MPJ_Request *request)
{
  ck_assert_int_eq(
      MPJ_Allreduce_init(&in, MPJ_DOUBLE, &out, MPJ_DOUBLE, MPJ_SUM, MPJ_COMM_WORLD, request),
      MPJ_SUCCESS);
}

static void begin(struct fixture *f)
{
  static uintptr_t zeros[8];
  *f = (struct fixture){.n = 0};
  ck_assert_int_eq(MPJ_Init(NULL, NULL), MPJ_SUCCESS);
  MPJ_Type_contiguous(3, MPJ_INT, &f->type);
  MPJ_Type_commit(&f->type);
  MPJ_Type_contiguous(4, MPJ_INT, &f->freed_type);
  MPJ_Op_create(keep_first, NULL, MPJ_DOUBLE, 1, &f->op);
  MPJ_Op_create(keep_first, NULL, MPJ_DOUBLE, 1, &f->freed_op);
  make_request(&f->request);
  make_request(&f->freed_request);
  MPJ_Context_get(&f->context);
  MPJ_Datatype type = f->freed_type;
  MPJ_Op op = f->freed_op;
  MPJ_Request request = f->freed_request;
  MPJ_Type_free(&type);
  MPJ_Op_free(&op);
  MPJ_Request_free(&request);
  const uintptr_t plain[] = {
      1,    UINTPTR_MAX, 0xdeadbeef,         0xdeadbee0,         0xdeadbeefdeadbee0,
      4096, 65536,       (uintptr_t)1 << 47, (uintptr_t)1 << 48, (uintptr_t)-4096};
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
    add(f, plain[i]);
  const uintptr_t objects[] = {(uintptr_t)f->type, (uintptr_t)f->op, (uintptr_t)f->request,
                               (uintptr_t)f->context};
  for (int i = 0; i < 4; i++)
    for (int k = -3; k <= 3; k++)
      if (k != 0) add(f, objects[i] + (uintptr_t)(k * 16) + (uintptr_t)(k == 3));
  add(f, (uintptr_t)zeros);
  add(f, (uintptr_t)f);
  add(f, (uintptr_t)heap);
  add(f, (uintptr_t)&keep_first);
}

static void end(struct fixture *f)
{
  MPJ_Type_free(&f->type);
  MPJ_Op_free(&f->op);
  MPJ_Request_free(&f->request);
  ck_assert_int_eq(MPJ_Finalize(), MPJ_SUCCESS);
}

/* What fails must say which word it got. */
static void expect(int status, int code, uintptr_t word)
{
  char text[32];
  snprintf(text, sizeof text, "%p", (void *)word);
  ck_assert_msg(status == code, "%s: status %d: %s", text, status, MPJ_Error_detail());
  ck_assert_msg(strstr(MPJ_Error_detail(), text) != NULL, "%s: %s", text, MPJ_Error_detail());
}

static void as_request(uintptr_t word)
{
  MPJ_Request r = (MPJ_Request)word, two[2] = {MPJ_REQUEST_NULL, (MPJ_Request)word};
  int done, index, indices[2];
  expect(MPJ_Test(&r, &done), MPJ_ERR_REQUEST, word);
  expect(MPJ_Wait(&r), MPJ_ERR_REQUEST, word);
  expect(MPJ_Waitall(2, two), MPJ_ERR_REQUEST, word);
  expect(MPJ_Testall(2, two, &done), MPJ_ERR_REQUEST, word);
  expect(MPJ_Waitany(2, two, &index), MPJ_ERR_REQUEST, word);
  expect(MPJ_Testany(2, two, &index, &done), MPJ_ERR_REQUEST, word);
  expect(MPJ_Waitsome(2, two, &index, indices), MPJ_ERR_REQUEST, word);
  expect(MPJ_Testsome(2, two, &index, indices), MPJ_ERR_REQUEST, word);
  expect(MPJ_Start(&r), MPJ_ERR_REQUEST, word);
  expect(MPJ_Request_free(&r), MPJ_ERR_REQUEST, word);
  ck_assert(r == (MPJ_Request)word);
}

static void as_op(uintptr_t word)
{
  MPJ_Op op = (MPJ_Op)word;
  MPJ_Op_contents contents;
  expect(MPJ_Op_free(&op), MPJ_ERR_OP, word);
  expect(MPJ_Op_get_contents(op, &contents), MPJ_ERR_OP, word);
  expect(MPJ_Allreduce(&in, MPJ_DOUBLE, &out, MPJ_DOUBLE, op, MPJ_COMM_WORLD), MPJ_ERR_OP, word);
}

static void as_type(uintptr_t word)
{
  MPJ_Datatype type = (MPJ_Datatype)word, made;
  MPJ_Count bytes, at = 0;
  expect(MPJ_Type_size(type, &bytes), MPJ_ERR_TYPE, word);
  expect(MPJ_Type_free(&type), MPJ_ERR_TYPE, word);
  expect(MPJ_Type_contiguous(2, type, &made), MPJ_ERR_TYPE, word);
  expect(MPJ_Pack(&in, type, heap, sizeof heap, &at), MPJ_ERR_TYPE, word);
  expect(MPJ_Bcast(&in, type, 0, MPJ_COMM_WORLD), MPJ_ERR_TYPE, word);
}

static void as_the_rest(uintptr_t word)
{
  char buf[8];
  expect(MPJ_Context_adopt((MPJ_Context)word), MPJ_ERR_ARG, word);
  expect(MPJ_Am_accept((MPJ_Am_message)word, buf, MPJ_BYTE), MPJ_ERR_REQUEST, word);
  expect(MPJ_Am_reply((MPJ_Am_message)word, 0, NULL, 0, NULL, MPJ_DATATYPE_NULL, NULL, NULL),
         MPJ_ERR_REQUEST, word);
  MPJ_Comm comm = (MPJ_Comm)word;
  if (word <= 4096) return; /* 1 is MPJ_COMM_WORLD */
  expect(MPJ_Barrier(comm), MPJ_ERR_COMM, word);
  expect(MPJ_Comm_free(&comm), MPJ_ERR_COMM, word);
}

static bool is_small(uintptr_t word)
{
  return word < 4096; /* predefined handles are such numbers */
}

START_TEST(words_that_are_no_handles_are_errors)
{
  struct fixture f;
  begin(&f);
  for (int i = 0; i < f.n; i++) {
    as_request(f.words[i]);
    as_the_rest(f.words[i]);
    if (is_small(f.words[i])) continue;
    as_op(f.words[i]);
    as_type(f.words[i]);
  }
  end(&f);
}
END_TEST

START_TEST(handles_of_another_kind_are_errors)
{
  struct fixture f;
  begin(&f);
  const uintptr_t type = (uintptr_t)f.type, op = (uintptr_t)f.op, request = (uintptr_t)f.request,
                  context = (uintptr_t)f.context;
  as_request(type);
  as_request(op);
  as_request(context);
  as_op(type);
  as_op(request);
  as_op(context);
  as_type(op);
  as_type(request);
  as_type(context);
  as_the_rest(type);
  as_the_rest(op);
  as_the_rest(request);
  end(&f);
}
END_TEST

START_TEST(freed_handles_are_errors_that_say_so)
{
  struct fixture f;
  begin(&f);
  as_request((uintptr_t)f.freed_request);
  ck_assert_ptr_nonnull(strstr(MPJ_Error_detail(), "freed"));
  as_op((uintptr_t)f.freed_op);
  expect(MPJ_Op_free(&f.freed_op), MPJ_ERR_OP, (uintptr_t)f.freed_op);
  ck_assert_ptr_nonnull(strstr(MPJ_Error_detail(), "freed"));
  as_type((uintptr_t)f.freed_type);
  ck_assert_ptr_nonnull(strstr(MPJ_Error_detail(), "freed"));
  end(&f);
}
END_TEST

START_TEST(random_words_are_errors)
{
  struct fixture f;
  uint64_t state = 1;
  begin(&f);
  for (int i = 0; i < RANDOM_WORDS; i++) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    /* Of all lengths, and about as often near what is an object. */
    uintptr_t word = (uintptr_t)(state >> (state >> 40) % 48);
    if (i % 2) word = (uintptr_t)f.type ^ (word & 0xffffff);
    if (is_small(word) || word == (uintptr_t)f.type || word == (uintptr_t)f.op ||
        word == (uintptr_t)f.request || word == (uintptr_t)f.context)
      continue;
    as_request(word);
    as_op(word);
    as_type(word);
    as_the_rest(word);
  }
  end(&f);
}
END_TEST

int main(void)
{
  return RUN_SUITE("handles", words_that_are_no_handles_are_errors,
                   handles_of_another_kind_are_errors, freed_handles_are_errors_that_say_so,
                   random_words_are_errors);
}
