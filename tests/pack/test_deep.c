/* This file tests that types that nest a thousand levels need no more stack than a small
 * thread has, whatever is done with them, and that deeper ones are refused. */
#include <mpj/mpj.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/suite.h"
#include "types/made.h"

/* The sanitizers' frames are several times as large. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { STACK_BYTES = 1536 << 10 };
#else
enum { STACK_BYTES = 256 << 10 };
#endif

enum { LEVELS = 1000, BOX = 1 << 22, PIECE = 4096, BEYOND = 100000 };

/* One more level over `old`, the level'th; MPJ_SUCCESS or why there are no more. */
typedef int (*level_fn)(int level, MPJ_Datatype old, MPJ_Datatype *out);

static int pair(int level, MPJ_Datatype old, MPJ_Datatype *out)
{
  const MPJ_Count lens[] = {1, 1};
  const MPJ_Aint displs[] = {0, 8 + 8 * level};
  const MPJ_Datatype types[] = {old, level % 2 ? MPJ_CHAR : MPJ_DOUBLE};
  return MPJ_Type_create_struct(2, lens, displs, types, out);
}

/* A sequence that is too long to be opened inside the next one. */
static int long_struct(int level, MPJ_Datatype old, MPJ_Datatype *out)
{
  enum { N = 70 };
  MPJ_Count lens[N] = {1};
  MPJ_Aint displs[N] = {0};
  MPJ_Datatype types[N] = {old};
  for (int i = 1; i < N; i++) {
    lens[i] = 1;
    displs[i] = 8 + 8 * (MPJ_Aint)(N * level + i) + 8 * (i * i % 5);
    types[i] = (i + level) % 2 ? MPJ_CHAR : MPJ_SHORT;
  }
  return MPJ_Type_create_struct(N, lens, displs, types, out);
}

/* Constructors that keep the map, over one another. */
static int wrapped(int level, MPJ_Datatype old, MPJ_Datatype *out)
{
  const MPJ_Count one = 1;
  switch (level % 4) {
  case 0:
    return MPJ_Type_dup(old, out);
  case 1:
    return MPJ_Type_create_resized(old, -8, 16 + level, out);
  case 2:
    return MPJ_Type_contiguous(1, old, out);
  default:
    return MPJ_Type_create_segment(1, &one, old, out);
  }
}

/* One constructor after another, the map growing only by a little. */
static int any(int level, MPJ_Datatype old, MPJ_Datatype *out)
{
  const MPJ_Count zero = 0, lens[] = {1, 0, 1}, displs[] = {0, 3, 0};
  const int numbers[] = {0};
  const MPJ_Count size = 1;
  switch (level % 6) {
  case 0:
    return MPJ_Type_create_subarray(1, &size, &size, &zero, MPJ_ORDER_C, old, out);
  case 1:
    return MPJ_Type_create_bucket_index(1, 1, &size, numbers, &zero, old, out);
  case 2:
    return MPJ_Type_indexed(level % 60 == 2 && level < 600 ? 3 : 2, lens, displs, old, out);
  case 3:
    return MPJ_Type_create_bucket_struct(1, 1, &size, &old, numbers, &zero, out);
  case 4:
    return MPJ_Type_create_hvector(1, 1, 64, old, out);
  default:
    return MPJ_Type_create_resized(old, 0, 16, out);
  }
}

/* The deepest copy program: a loop, a sequence, a loop, ... over the same few bytes. */
static int doubled(int level, MPJ_Datatype old, MPJ_Datatype *out)
{
  const MPJ_Count lens[] = {1, 1};
  const MPJ_Aint displs[] = {0, 64 + 2 * level};
  const MPJ_Datatype types[] = {old, MPJ_CHAR};
  if (level >= 2 * 58) return MPJ_ERR_UNSUPPORTED;
  return level % 2 ? MPJ_Type_create_struct(2, lens, displs, types, out)
                   : MPJ_Type_create_hvector(2, 1, 2 + level % 3, old, out);
}

/* As deep as it goes; *level is how many there are. */
static MPJ_Datatype nest(level_fn one_more, int *level)
{
  MPJ_Datatype type = MPJ_INT, next;
  for (*level = 0; *level < BEYOND && one_more(*level, type, &next) == MPJ_SUCCESS; ++*level) {
    if (*level > 0) must(MPJ_Type_free(&type));
    type = next;
  }
  return type;
}

struct job {
  level_fn one_more;
  int least; /* levels */
};

static void move(MPJ_Datatype type, MPJ_Datatype same)
{
  MPJ_Count bytes, position = 0, n, m;
  char *box = calloc(1, BOX), *again = calloc(1, BOX), *packed = malloc(BOX);
  ck_assert(box && again && packed);
  for (int i = 0; i < BOX; i++)
    box[i] = (char)(i % 251);
  must(MPJ_Type_size(type, &bytes));
  must(MPJ_Pack_range(box, type, bytes / 3, packed, bytes / 3 < PIECE ? bytes / 3 : PIECE));
  must(MPJ_Unpack_range(packed, bytes / 3 < PIECE ? bytes / 3 : PIECE, again, type, bytes / 3));
  must(MPJ_Type_iov_len(type, PIECE, &n, &m));
  if (bytes <= BOX) {
    must(MPJ_Pack(box, type, packed, BOX, &position));
    ck_assert(position == bytes);
    position = 0;
    must(MPJ_Unpack(packed, bytes, &position, again, same));
    must(MPJ_Copy(box, type, again, same));
    char *second = malloc(BOX);
    ck_assert_ptr_nonnull(second);
    position = 0;
    must(MPJ_Pack(again, type, second, BOX, &position));
    ck_assert(memcmp(packed, second, (size_t)bytes) == 0);
    position = 0;
    must(MPJ_Pack_external(box, type, packed, BOX, &position));
    free(second);
  }
  free(packed);
  free(again);
  free(box);
}

static MPJ_Datatype encoded(MPJ_Datatype type)
{
  MPJ_Count bytes;
  MPJ_Datatype decoded;
  must(MPJ_Type_encode(type, NULL, 0, &bytes));
  void *message = malloc((size_t)bytes);
  ck_assert_ptr_nonnull(message);
  must(MPJ_Type_encode(type, message, bytes, &bytes));
  must(MPJ_Type_decode(message, bytes, &decoded));
  free(message);
  return decoded;
}

static MPJ_Datatype printed(MPJ_Datatype type)
{
  MPJ_Count length;
  MPJ_Datatype parsed;
  must(MPJ_Type_print(type, NULL, 0, &length));
  char *text = malloc((size_t)length + 1);
  ck_assert_ptr_nonnull(text);
  must(MPJ_Type_print(type, text, length + 1, &length));
  must(MPJ_Type_parse(text, &parsed));
  free(text);
  return parsed;
}

static void *use(void *arg)
{
  const struct job *job = arg;
  int levels;
  MPJ_Count bytes;
  MPJ_Aint displ;
  MPJ_Datatype type = nest(job->one_more, &levels), made[5];
  ck_assert_msg(levels >= job->least, "%d levels: %s", levels, MPJ_Error_detail());
  must(MPJ_Type_commit(&type));
  must(MPJ_Type_memory(type, &bytes));
  made[0] = encoded(type);
  made[1] = printed(type);
  must(MPJ_Type_part(type, 0, &displ, &made[2]));
  must(MPJ_Type_dup(made[1], &made[3]));
  must(MPJ_Type_size(type, &bytes));
  must(MPJ_Type_create_slice(type, bytes / 16, 1, &made[4]));
  for (int i = 0; i < 2; i++) {
    ck_assert(same_map(type, made[i]));
    must(MPJ_Type_commit(&made[i]));
  }
  move(type, made[0]);
  free_types(5, made);
  must(MPJ_Type_free(&type));
  nothing_lives();
  return NULL;
}

static void run_small(level_fn one_more, int least)
{
  struct job job = {one_more, least};
  pthread_attr_t attributes;
  pthread_t thread;
  ck_assert_int_eq(pthread_attr_init(&attributes), 0);
  ck_assert_int_eq(pthread_attr_setstacksize(&attributes, STACK_BYTES), 0);
  ck_assert_int_eq(pthread_create(&thread, &attributes, use, &job), 0);
  ck_assert_int_eq(pthread_join(thread, NULL), 0);
  pthread_attr_destroy(&attributes);
}

/* One level is left for what is built of them. */
static int but_one(level_fn one_more, int level, MPJ_Datatype old, MPJ_Datatype *out)
{
  return level < LEVELS - 1 ? one_more(level, old, out) : MPJ_ERR_UNSUPPORTED;
}

#define LEAVING_ONE(name)                                                                          \
  static int name##s(int level, MPJ_Datatype old, MPJ_Datatype *out)                               \
  {                                                                                                \
    return but_one(name, level, old, out);                                                         \
  }
LEAVING_ONE(pair)
LEAVING_ONE(long_struct)
LEAVING_ONE(wrapped)
LEAVING_ONE(any)
#undef LEAVING_ONE

START_TEST(nested_pairs_need_little_stack)
{
  run_small(pairs, LEVELS - 1);
}
END_TEST

START_TEST(nested_long_structs_need_little_stack)
{
  run_small(long_structs, LEVELS - 1);
}
END_TEST

START_TEST(wrapped_types_need_little_stack)
{
  run_small(wrappeds, LEVELS - 1);
}
END_TEST

START_TEST(any_constructors_need_little_stack)
{
  run_small(anys, LEVELS - 1);
}
END_TEST

START_TEST(the_deepest_programs_need_little_stack)
{
  run_small(doubled, 2 * 58);
}
END_TEST

START_TEST(more_levels_are_refused)
{
  const level_fn all[] = {pair, wrapped, any};
  for (int i = 0; i < 3; i++) {
    int levels;
    MPJ_Datatype type = nest(all[i], &levels), next;
    ck_assert_int_eq(levels, LEVELS);
    must_fail(all[i](LEVELS, type, &next), MPJ_ERR_UNSUPPORTED, "1000 constructors deep");
    must(MPJ_Type_free(&type));
  }
  nothing_lives();
}
END_TEST

/* Sequences are opened rather than nested on. */
START_TEST(sequences_nest_to_a_bound)
{
  int levels;
  MPJ_Datatype type = nest(long_structs, &levels);
  ck_assert_int_le(object_of(type)->map.layout->depth, MPJ_LAYOUT_SEQ_DEPTH + 2);
  must(MPJ_Type_free(&type));
  nothing_lives();
}
END_TEST

int main(void)
{
  return RUN_SUITE("deep", nested_pairs_need_little_stack, nested_long_structs_need_little_stack,
                   wrapped_types_need_little_stack, any_constructors_need_little_stack,
                   the_deepest_programs_need_little_stack, more_levels_are_refused,
                   sequences_nest_to_a_bound);
}
