/* This file tests that types survive being written as text. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/suite.h"
#include "types/alike.h"
#include "types/random_type.h"
#include "types/wanted.h"

static char *print(MPJ_Datatype type)
{
  MPJ_Count length, again;
  must(MPJ_Type_print(type, NULL, 0, &length));
  char *text = malloc((size_t)length + 1);
  ck_assert_ptr_nonnull(text);
  must(MPJ_Type_print(type, text, length + 1, &again));
  ck_assert(again == length && strlen(text) == (size_t)length);
  return text;
}

static MPJ_Datatype parse(const char *text)
{
  MPJ_Datatype type = MPJ_DATATYPE_NULL;
  int status = MPJ_Type_parse(text, &type);
  ck_assert_msg(status == MPJ_SUCCESS, "%s: %s", text, MPJ_Error_detail());
  return type;
}

static void free_unless_basic(MPJ_Datatype *type)
{
  if (object_of(*type)->basic < 0) must(MPJ_Type_free(type));
}

static void round_trip(MPJ_Datatype type)
{
  char *text = print(type);
  MPJ_Datatype parsed = parse(text);
  must_be_alike(type, parsed, text, parts_of(type) < 100 ? 1 : 0);
  char *again = print(parsed);
  ck_assert_str_eq(text, again);
  free(again);
  free(text);
  free_unless_basic(&parsed);
}

START_TEST(random_types_survive)
{
  struct mpj_random rng = {277};
  for (int n = 0; n < types_wanted; n++) {
    struct mpj_random_options options = {.depth = n % 9};
    struct mpj_random_type t;
    mpj_random_type_make(&rng, &options, &t);
    round_trip(t.type);
    if (t.ref->nparts > 0) {
      MPJ_Aint displ;
      MPJ_Datatype part;
      must(MPJ_Type_part(t.type, t.ref->nparts - 1, &displ, &part));
      round_trip(part);
      must(MPJ_Type_free(&part));
    }
    mpj_random_type_free(&t);
  }
  nothing_lives();
}
END_TEST

static void must_print(MPJ_Datatype type, const char *expected)
{
  char *text = print(type);
  ck_assert_str_eq(text, expected);
  free(text);
  round_trip(type);
  free_unless_basic(&type);
}

START_TEST(texts_are_short_and_readable)
{
  const MPJ_Count lens[] = {2, 2, 2, 2, 1, 5}, displs[] = {0, 8, 16, 24, -3, 99};
  const MPJ_Count n[] = {1000, 777}, dflt[] = {MPJ_DISTRIBUTE_DFLT_DARG, 4};
  const int deal[] = {MPJ_DISTRIBUTE_BLOCK, MPJ_DISTRIBUTE_CYCLIC}, grid[] = {4, 2};
  MPJ_Datatype t, over;
  must_print(MPJ_UNSIGNED_LONG, "unsigned_long");
  must_print(MPJ_2INT, "2int");
  must_print(contiguous(5, MPJ_INT), "contiguous(5,int)");
  must_print(vector(3, 2, 4, MPJ_DOUBLE), "vector(3,2,4,double)");
  must_print(indexed(6, lens, displs, MPJ_INT), "indexed([2*4,1,5],[0+8*4,-3,99],int)");
  must_print(resized(MPJ_INT, -4, 16), "resized(-4,16,int)");
  must(MPJ_Type_create_distribution(2, n, deal, dflt, grid, MPJ_ORDER_FORTRAN, MPJ_INT, &t));
  must_print(t, "distribution([1000,777],[block,cyclic],[dflt,4],[4,2],F,int)");
  t = contiguous(2, MPJ_SHORT);
  const MPJ_Aint bytes[] = {0, 16, 32, 40};
  const MPJ_Datatype types[] = {t, t, t, MPJ_FLOAT16};
  must(MPJ_Type_create_struct(4, lens, bytes, types, &over));
  must(MPJ_Type_free(&t));
  must_print(over, "struct([2*4],[0+16*3,40],[contiguous(2,short)*3,float16])");
  nothing_lives();
}
END_TEST

START_TEST(buckets_are_lists_of_their_own)
{
  MPJ_Datatype t = parse("bucket_index([5,0,2],[2,0,1,2*3],[0+10*6],int)");
  ck_assert_int_eq(parts_of(t), 6);
  must_print(t, "bucket_index([5,0,2],[2,0+1*3,2,2],[0+10*6],int)");
  must_print(parse("hbucket_index([3,1],[1,0],[-4,99],float)"),
             "hbucket_index([3,1],[1,0],[-4,99],float)");
  must_print(parse("bucket_struct([3,1],[int,dup(char)],[1,0,0],[0,8,90])"),
             "bucket_struct([3,1],[int,dup(char)],[1,0,0],[0,8,90])");
  must_print(parse("bucket_index([],[],[],int)"), "bucket_index([],[],[],int)");
  must_print(parse("bucket_struct([1],[int],[],[])"), "bucket_struct([1],[int],[],[])");
  must_fail(MPJ_Type_parse("bucket_index([5,2],[0],[0,1],int)", &t), MPJ_ERR_FORMAT,
            "text has a list of 2 before position 28, where others have 1");
  must_fail(MPJ_Type_parse("bucket_struct([5,2],[int],[0],[1])", &t), MPJ_ERR_FORMAT,
            "text has a list of 1");
  must_fail(MPJ_Type_parse("bucket_index([5,2],[2],[0],int)", &t), MPJ_ERR_ARG,
            "bucket_of_block[0] is 2");
  must_fail(MPJ_Type_parse("bucket_index([5,2],[4294967296],[0],int)", &t), MPJ_ERR_ARG,
            "bucket_of_block[0] is -1");
  nothing_lives();
}
END_TEST

START_TEST(general_blocks_are_listed)
{
  MPJ_Datatype t = parse("distribution([4,5,6],[general,block,general],[0,dflt,0],[2,2,3],C,"
                         "[1,3,2,0,4],int)");
  ck_assert_int_eq(parts_of(t), 12);
  must_print(t,
             "distribution([4+1*3],[general,block,general],[0,dflt,0],[2,2,3],C,[1,3,2,0,4],int)");
  t = parse(" darray ( 6, 5, [ 4 , 6 ], [block*2], [dflt*2], [2,3], C, double ) ");
  must_print(t, "darray(6,5,[4,6],[block,block],[dflt,dflt],[2,3],C,double)");
  nothing_lives();
}
END_TEST

START_TEST(many_regular_blocks_are_a_short_text)
{
  MPJ_Datatype t = parse("indexed([3*30000],[7+5*30000],double)");
  ck_assert_int_eq(parts_of(t), 30000);
  must_print(t, "indexed([3*30000],[7+5*30000],double)");
}
END_TEST

/* As round_trip, of a type of too many parts to compare. */
static void must_survive(MPJ_Datatype type)
{
  char *text = print(type);
  MPJ_Datatype parsed = parse(text);
  ck_assert(same_map(type, parsed) && parts_of(type) == parts_of(parsed));
  char *again = print(parsed);
  ck_assert(strcmp(text, again) == 0);
  free(again);
  free(text);
  must(MPJ_Type_free(&parsed));
  must(MPJ_Type_free(&type));
}

/* What arrays can describe, text can: there is no bound of its own. */
START_TEST(lists_are_as_long_as_arrays)
{
  must_survive(parse("indexed([3*3000000],[7+5*3000000],double)"));
  must_survive(parse("struct([1*1500000],[0+8*1500000],[int*700000,char*800000])"));
  must_survive(parse("segment([2*1100000,3*1100000],char)"));
  nothing_lives();
}
END_TEST

START_TEST(long_irregular_lists_survive)
{
  enum { N = 1200000 };
  MPJ_Count *lens = malloc(N * sizeof *lens), *displs = malloc(N * sizeof *displs);
  uint64_t state = 12345;
  ck_assert(lens && displs);
  for (int i = 0; i < N; i++) {
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    lens[i] = 3 + (MPJ_Count)(state >> 60) / 15;
    displs[i] = 7 * (MPJ_Count)i + (MPJ_Count)(state >> 62);
  }
  MPJ_Datatype t = indexed(N, lens, displs, MPJ_DOUBLE);
  free(displs);
  free(lens);
  must_survive(t);
}
END_TEST

START_TEST(distributions_of_many_shapes_survive)
{
  enum { N = 300 };
  MPJ_Count sizes[2] = {0, 0}, lens[N];
  const MPJ_Count *const blocks[2] = {lens, lens}, dargs[2] = {0, 0};
  const int deals[2] = {MPJ_DISTRIBUTE_GENERAL, MPJ_DISTRIBUTE_GENERAL}, grid[2] = {N, N};
  MPJ_Datatype t;
  for (int i = 0; i < N; i++)
    sizes[0] += lens[i] = i;
  sizes[1] = sizes[0];
  must(MPJ_Type_create_general_distribution(2, sizes, deals, dargs, blocks, grid, MPJ_ORDER_C,
                                            MPJ_INT, &t));
  must_survive(t);
}
END_TEST

/* A type that holds two of the one before, apart: its text doubles, not its memory. */
static MPJ_Datatype doubling(int levels)
{
  MPJ_Datatype t = contiguous(2, MPJ_SHORT), over;
  for (int i = 0; i < levels; i++) {
    const MPJ_Count lens[] = {1, 1, 1};
    const MPJ_Aint displs[] = {0, (MPJ_Aint)8 << i, (MPJ_Aint)9 << i};
    const MPJ_Datatype types[] = {t, MPJ_CHAR, t};
    must(MPJ_Type_create_struct(3, lens, displs, types, &over));
    must(MPJ_Type_free(&t));
    t = over;
  }
  return t;
}

START_TEST(types_used_twice_are_printed_twice)
{
  MPJ_Datatype t = doubling(10);
  MPJ_Count length;
  round_trip(t);
  must(MPJ_Type_free(&t));
  t = doubling(30);
  must_fail(MPJ_Type_print(t, NULL, 0, &length), MPJ_ERR_UNSUPPORTED, "longer than");
  must(MPJ_Type_free(&t));
  nothing_lives();
}
END_TEST

/* A struct of n blocks of the four types by turns. */
static MPJ_Datatype by_turns(MPJ_Count n)
{
  MPJ_Datatype four[4], t, *types = calloc((size_t)n, sizeof *types);
  MPJ_Count *lens = calloc((size_t)n, sizeof *lens);
  MPJ_Aint *displs = calloc((size_t)n, sizeof *displs);
  for (int i = 0; i < 4; i++)
    must(MPJ_Type_vector(3 + i, 1, 2, i % 2 ? MPJ_INT : MPJ_DOUBLE, &four[i]));
  for (MPJ_Count i = 0; i < n; i++) {
    types[i] = four[i % 4];
    lens[i] = 1;
    displs[i] = 1000 * i;
  }
  must(MPJ_Type_create_struct(n, lens, displs, types, &t));
  for (int i = 0; i < 4; i++)
    must(MPJ_Type_free(&four[i]));
  free(types);
  free(lens);
  free(displs);
  return t;
}

START_TEST(types_that_come_again_are_parsed_to_one)
{
  MPJ_Datatype t = by_turns(400), parsed;
  MPJ_Count bytes, again, memory, memory_again;
  char *text = print(t);
  must(MPJ_Type_parse(text, &parsed));
  must(MPJ_Type_encode(t, NULL, 0, &bytes));
  must(MPJ_Type_encode(parsed, NULL, 0, &again));
  ck_assert_int_eq(again, bytes);
  must(MPJ_Type_memory(t, &memory));
  must(MPJ_Type_memory(parsed, &memory_again));
  ck_assert_int_le(memory_again, memory + memory / 10 + 1024);
  free(text);
  must(MPJ_Type_free(&parsed));
  must(MPJ_Type_free(&t));
  nothing_lives();
}
END_TEST

/* A struct of two types, which are given up. */
static MPJ_Datatype pair_of(MPJ_Datatype a, MPJ_Datatype b)
{
  MPJ_Datatype t, types[2] = {a, b};
  const MPJ_Count lens[2] = {1, 1};
  const MPJ_Aint displs[2] = {0, 4096};
  must(MPJ_Type_create_struct(2, lens, displs, types, &t));
  must(MPJ_Type_free(&types[0]));
  if (a != b) must(MPJ_Type_free(&types[1]));
  return t;
}

START_TEST(neighbours_of_equal_text_are_one_item)
{
  MPJ_Datatype t = pair_of(contiguous(2, MPJ_INT), contiguous(2, MPJ_INT));
  must_print(t, "struct([1,1],[0,4096],[contiguous(2,int)*2])");
  nothing_lives();
}
END_TEST

/* What is dropped has old types of its own, which come again elsewhere. */
START_TEST(old_types_of_equal_neighbours_are_copied_from_where_they_are)
{
  MPJ_Datatype t, once = contiguous(2, MPJ_INT), again = contiguous(2, MPJ_INT), all[6];
  const MPJ_Count lens[6] = {1, 1, 1, 1, 1, 1};
  MPJ_Aint displs[6];
  for (int i = 0; i < 6; i++)
    displs[i] = 64 * (MPJ_Aint)(i * i);
  must(MPJ_Type_vector(2, 1, 2, once, &all[0]));
  must(MPJ_Type_vector(2, 1, 2, again, &all[1]));
  must(MPJ_Type_contiguous(1, MPJ_CHAR, &all[2]));
  all[3] = again;
  all[4] = all[1];
  all[5] = all[0];
  must(MPJ_Type_create_struct(6, lens, displs, all, &t));
  must_print(t, "struct([1*6],[0,64,256,576,1024,1600],[vector(2,1,2,contiguous(2,int))*2,"
                "contiguous(1,char),contiguous(2,int),vector(2,1,2,contiguous(2,int))*2])");
  for (int i = 0; i < 3; i++)
    must(MPJ_Type_free(&all[i]));
  must(MPJ_Type_free(&once));
  must(MPJ_Type_free(&again));
  nothing_lives();
}
END_TEST

START_TEST(texts_are_cut_to_the_room_there_is)
{
  MPJ_Datatype t = contiguous(5, MPJ_INT);
  char text[8] = "unset";
  MPJ_Count length;
  must(MPJ_Type_print(t, text, sizeof text, &length));
  ck_assert(length == 17 && strcmp(text, "contigu") == 0);
  must_fail(MPJ_Type_print(t, NULL, 5, &length), MPJ_ERR_ARG, "text is NULL");
  must_fail(MPJ_Type_print(t, text, -1, &length), MPJ_ERR_ARG, "size is -1");
  must_fail(MPJ_Type_print(t, text, 5, NULL), MPJ_ERR_ARG, "length is NULL");
  must_fail(MPJ_Type_print(MPJ_DATATYPE_NULL, text, 5, &length), MPJ_ERR_TYPE, "type is");
  must(MPJ_Type_free(&t));
}
END_TEST

START_TEST(mistakes_are_found_where_they_are)
{
  MPJ_Datatype t;
#define refuse(text, code, detail) must_fail(MPJ_Type_parse(text, &t), code, detail)
  refuse("", MPJ_ERR_FORMAT, "position 0, expected a type");
  refuse("integer", MPJ_ERR_FORMAT, "'integer' at position 0, expected a type");
  refuse("int int", MPJ_ERR_FORMAT, "'int' at position 4, expected nothing more");
  refuse("contiguous 5,int)", MPJ_ERR_FORMAT, "position 11, expected '('");
  refuse("contiguous(x,int)", MPJ_ERR_FORMAT, "position 11, expected a number");
  refuse("contiguous(5 int)", MPJ_ERR_FORMAT, "position 13, expected ','");
  refuse("contiguous(5,int", MPJ_ERR_FORMAT, "position 16, expected ')'");
  refuse("contiguous(-,int)", MPJ_ERR_FORMAT, "expected a number");
  refuse("contiguous(9223372036854775808,int)", MPJ_ERR_FORMAT, "a number of 64 bits");
  refuse("contiguous(-1,int)", MPJ_ERR_ARG, "text at position 0: count is -1");
  refuse("dup(contiguous(-1,int))", MPJ_ERR_ARG, "text at position 4: count is -1");
  refuse("indexed([1,2],[3],int)", MPJ_ERR_FORMAT, "list of 1 before position 17, where others");
  refuse("indexed([1,2,[3],int)", MPJ_ERR_FORMAT, "expected a number");
  refuse("indexed([1*0],[],int)", MPJ_ERR_FORMAT, "expected a repetition");
  refuse("indexed([1*2000000],[],int)", MPJ_ERR_FORMAT, "a list of 0");
  refuse("indexed([1*9000000000000000000],[],int)", MPJ_ERR_NO_MEM, "9000000000000000000 more");
  refuse("indexed([1,1,1],[9223372036854775807+1*3],int)", MPJ_ERR_FORMAT, "numbers of 64 bits");
  refuse("indexed([1,1],[0+8,9],int)", MPJ_ERR_FORMAT, "position 18, expected '*'");
  refuse("struct([1,1],[0,8],[contiguous(2,int),])", MPJ_ERR_FORMAT, "expected a type");
  refuse("subarray([4],[2],[1],Z,int)", MPJ_ERR_FORMAT, "expected a number");
  refuse("subarray([4],[2],[3],C,int)", MPJ_ERR_ARG, "starts[0] is 3");
  refuse("vector(9000000000000000000,1,9,int)", MPJ_ERR_OVERFLOW, "text at position 0");
  must_fail(MPJ_Type_parse(NULL, &t), MPJ_ERR_ARG, "text is NULL");
  must_fail(MPJ_Type_parse("int", NULL), MPJ_ERR_ARG, "newtype is NULL");
#undef refuse
  nothing_lives();
}
END_TEST

START_TEST(endless_nesting_is_refused)
{
  enum { N = 100000 };
  char *text = malloc(4 * N + 1);
  MPJ_Datatype t;
  ck_assert_ptr_nonnull(text);
  for (int i = 0; i < N; i++)
    memcpy(text + 4 * i, "dup(", 4);
  text[4 * N] = '\0';
  must_fail(MPJ_Type_parse(text, &t), MPJ_ERR_UNSUPPORTED, "more than 1000 constructors");
  free(text);
}
END_TEST

START_TEST(every_failed_allocation_is_survived)
{
  struct mpj_random rng = {280};
  for (int n = 0; n < types_wanted / 20; n++) {
    struct mpj_random_options options = {.depth = 4};
    struct mpj_random_type t;
    MPJ_Datatype parsed;
    MPJ_Count length;
    mpj_random_type_make(&rng, &options, &t);
    char *text = print(t.type);
    long before = mpj_memory_outstanding();
    int status = MPJ_ERR_NO_MEM;
    for (long successes = 0; status == MPJ_ERR_NO_MEM; successes++) {
      mpj_memory_fail_after(successes);
      status = MPJ_Type_print(t.type, NULL, 0, &length);
      mpj_memory_fail_after(-1);
      ck_assert_int_eq(mpj_memory_outstanding(), before);
    }
    must(status);
    status = MPJ_ERR_NO_MEM;
    for (long successes = 0; status == MPJ_ERR_NO_MEM; successes++) {
      mpj_memory_fail_after(successes);
      status = MPJ_Type_parse(text, &parsed);
      mpj_memory_fail_after(-1);
      if (status) ck_assert_int_eq(mpj_memory_outstanding(), before);
    }
    must(status);
    free(text);
    free_unless_basic(&parsed);
    mpj_random_type_free(&t);
  }
  nothing_lives();
}
END_TEST

int main(int argc, char **argv)
{
  read_wanted(argc, argv, 1200);
  return RUN_SUITE("text", random_types_survive, texts_are_short_and_readable,
                   buckets_are_lists_of_their_own, general_blocks_are_listed,
                   many_regular_blocks_are_a_short_text, lists_are_as_long_as_arrays,
                   long_irregular_lists_survive, distributions_of_many_shapes_survive,
                   types_used_twice_are_printed_twice, types_that_come_again_are_parsed_to_one,
                   neighbours_of_equal_text_are_one_item,
                   old_types_of_equal_neighbours_are_copied_from_where_they_are,
                   texts_are_cut_to_the_room_there_is, mistakes_are_found_where_they_are,
                   endless_nesting_is_refused, every_failed_allocation_is_survived);
}
