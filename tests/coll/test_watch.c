/* This file tests what MPJ_STATS prints and MPJ_TRACE writes. */
#include <mpj/am.h>
#include <mpj/mpj.h>

#include <jansson.h>
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/suite.h"
#include "net/message.h"
#include "net/trace.h"

enum { RANKS = 3, MESSAGES = 20 };

static void count(void *ctx, MPJ_Am_message m, const MPJ_Am_info *info, int status)
{
  (void)m;
  (void)info;
  *(int *)ctx += status == MPJ_SUCCESS;
}

static int talk(void *arg)
{
  (void)arg;
  int came = 0, rank;
  static const char data[1000];
  MPJ_Datatype type;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  MPJ_Type_contiguous(sizeof data, MPJ_BYTE, &type);
  MPJ_Type_commit(&type);
  int wrong = MPJ_Am_register(0, NULL, count, &came);
  for (int i = 0; i < MESSAGES; i++)
    wrong += MPJ_Am_send((rank + 1) % RANKS, 0, NULL, 0, data, type, NULL, NULL);
  wrong += MPJ_Am_wait(&came, MESSAGES);
  wrong += MPJ_Am_flush();
  wrong += MPJ_Barrier(MPJ_COMM_WORLD);
  MPJ_Type_free(&type);
  return wrong;
}

enum { CALLS = 12, LONG = 100000 };

/* Collectives of each length, so often that the short ones run in order, and a barrier. */
static int call(void *arg)
{
  (void)arg;
  static char data[RANKS][LONG];
  int rank, wrong = 0;
  MPJ_Datatype type;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  MPJ_Type_contiguous(LONG, MPJ_BYTE, &type);
  MPJ_Type_commit(&type);
  for (int i = 0; i < CALLS; i++)
    wrong += MPJ_Bcast(data[rank], MPJ_INT, 0, MPJ_COMM_WORLD);
  wrong += MPJ_Bcast(data[rank], type, 0, MPJ_COMM_WORLD);
  wrong += MPJ_Barrier(MPJ_COMM_WORLD);
  MPJ_Type_free(&type);
  return wrong;
}

/* Run with stderr in `file`, which is then read into text. */
static void run_noted(int (*fn)(void *arg), char *text, size_t size)
{
  FILE *file = tmpfile();
  const int kept = dup(STDERR_FILENO);
  ck_assert_ptr_nonnull(file);
  fflush(stderr);
  dup2(fileno(file), STDERR_FILENO);
  const int status = MPJ_Run_threads(RANKS, fn, NULL);
  fflush(stderr);
  dup2(kept, STDERR_FILENO);
  close(kept);
  rewind(file);
  text[fread(text, 1, size - 1, file)] = '\0';
  fclose(file);
  ck_assert_int_eq(status, 0);
}

/* The trace that the ranks write, running fn, over what the file had before; what they print is in
 * text. The caller's. */
static json_t *trace_of(int (*fn)(void *arg), char *text, size_t size)
{
  char file[] = "/tmp/mpj-trace-XXXXXX";
  json_error_t error;
  const int fd = mkstemp(file);
  ck_assert_int_ge(fd, 0);
  ck_assert_int_eq(write(fd, "left over", 9), 9);
  close(fd);
  setenv("MPJ_TRACE", file, 1);
  run_noted(fn, text, size);
  json_t *trace = json_load_file(file, 0, &error);
  ck_assert_msg(trace && json_is_array(trace), "%s", error.text);
  unlink(file);
  return trace;
}

/* How many events of that name there are on the rank's tracks; all must be well formed. */
static int events(const json_t *trace, const char *name, int rank)
{
  int n = 0;
  for (size_t i = 0; i < json_array_size(trace); i++) {
    json_t *e = json_array_get(trace, i);
    const char *kind, *what;
    int pid, tid;
    ck_assert_int_eq(
        json_unpack(e, "{ss ss si si}", "ph", &kind, "name", &what, "pid", &pid, "tid", &tid), 0);
    if (!strcmp(kind, "X")) {
      double ts, dur;
      ck_assert_int_eq(json_unpack(e, "{sF sF}", "ts", &ts, "dur", &dur), 0);
      ck_assert(ts > 0 && dur >= 0);
    }
    n += tid % MPJ_TRACE_RANKS == rank && !strcmp(what, name);
  }
  return n;
}

START_TEST(counts_are_printed_and_the_trace_is_json_with_a_track_for_each_rank)
{
  char text[20000], line[40];
  setenv("MPJ_STATS", "1", 1);
  json_t *trace = trace_of(talk, text, sizeof text);
  for (int rank = 0; rank < RANKS; rank++) {
    ck_assert_int_ge(events(trace, "thread_name", rank), 1);
    ck_assert_int_ge(events(trace, "handler", rank), MESSAGES);
    ck_assert_int_ge(events(trace, "eager", rank), 1);
    ck_assert_int_ge(events(trace, "short", rank), 1);
    snprintf(line, sizeof line, "mpj: rank %d: ", rank);
    ck_assert_ptr_nonnull(strstr(text, line));
  }
  snprintf(line, sizeof line, "handler %4d", MPJ_AM_USERS);
  ck_assert_ptr_nonnull(strstr(text, line));
  json_decref(trace);
}
END_TEST

/* The event's number in "args", or -1. */
static int argument(const json_t *event, const char *key)
{
  const json_t *value = json_object_get(json_object_get(event, "args"), key);
  return json_is_integer(value) ? (int)json_integer_value(value) : -1;
}

/* Every arrow that comes in has left one other rank, not later than it came; how many there are. */
static int arrows(const json_t *trace)
{
  int n = 0;
  for (size_t i = 0; i < json_array_size(trace); i++) {
    const json_t *in = json_array_get(trace, i);
    if (strcmp(json_string_value(json_object_get(in, "ph")), "f") != 0) continue;
    int sources = 0;
    for (size_t k = 0; k < json_array_size(trace); k++) {
      const json_t *out = json_array_get(trace, k);
      if (strcmp(json_string_value(json_object_get(out, "ph")), "s") != 0) continue;
      if (!json_equal(json_object_get(in, "id"), json_object_get(out, "id"))) continue;
      ck_assert(!json_equal(json_object_get(in, "tid"), json_object_get(out, "tid")));
      ck_assert(json_number_value(json_object_get(out, "ts")) <=
                json_number_value(json_object_get(in, "ts")));
      sources++;
    }
    ck_assert_int_eq(sources, 1);
    n++;
  }
  return n;
}

START_TEST(collectives_are_counted_by_how_they_ran_and_traced_with_steps_and_arrows)
{
  char text[20000];
  setenv("MPJ_STATS", "1", 1);
  setenv("MPJ_COLL_BCAST", "chain", 1);
  setenv("MPJ_COLL_BARRIER", "dissemination", 1);
  json_t *trace = trace_of(call, text, sizeof text);
  for (int rank = 0; rank < RANKS; rank++) {
    ck_assert_int_eq(events(trace, "MPJ_Bcast", rank), CALLS + 1);
    ck_assert_int_eq(events(trace, "MPJ_Barrier", rank), 1);
    ck_assert_int_eq(events(trace, "signal", rank), 2); /* two rounds for three ranks */
    ck_assert_int_eq(events(trace, "await", rank), 2);
    ck_assert_int_eq(events(trace, "send", rank), rank < RANKS - 1 ? CALLS + 1 : 0);
    ck_assert_int_eq(events(trace, "receive", rank), rank > 0 ? CALLS + 1 : 0);
  }
  ck_assert_int_eq(arrows(trace), 2 * (CALLS + 1) + 2 * RANKS);
  for (size_t i = 0; i < json_array_size(trace); i++) {
    const json_t *e = json_array_get(trace, i);
    const char *name = json_string_value(json_object_get(e, "name"));
    if (strcmp(name, "MPJ_Bcast") != 0) continue;
    const json_t *algorithm = json_object_get(json_object_get(e, "args"), "algorithm");
    ck_assert_str_eq(json_string_value(algorithm), "chain");
    ck_assert_int_ge(argument(e, "operation"), 0);
    ck_assert_int_le(argument(e, "operation"), CALLS);
  }
  const char *row = strstr(text, "  MPJ_Bcast ");
  unsigned long calls, plans, walked, listed, inlined, eager, longs;
  ck_assert_ptr_nonnull(row);
  ck_assert_int_eq(sscanf(row, " MPJ_Bcast %lu %lu %lu %lu %lu %lu %lu", &calls, &plans, &walked,
                          &listed, &inlined, &eager, &longs),
                   7);
  ck_assert_uint_eq(calls, CALLS + 1);
  ck_assert_uint_eq(walked + listed, calls);
  ck_assert_uint_eq(plans, 2); /* of the short type and of the long one */
  ck_assert_ptr_nonnull(strstr(text, "pulled by copy"));
  json_decref(trace);
}
END_TEST

enum { SUMS = 40, EXCHANGES = 10, BLOCK = 20000 };

/* Collectives whose steps overlap: one post for all ranks, and blocks under way at once. */
static int overlap(void *arg)
{
  (void)arg;
  static char from[RANKS][RANKS * BLOCK], to[RANKS][RANKS * BLOCK];
  int rank, sum, wrong = 0;
  MPJ_Datatype block, blocks;
  MPJ_Request request;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  MPJ_Type_contiguous(BLOCK, MPJ_BYTE, &block);
  MPJ_Type_contiguous(RANKS, block, &blocks);
  MPJ_Type_commit(&blocks);
  for (int i = 0; i < SUMS; i++) {
    wrong += MPJ_Iallreduce(&rank, MPJ_INT, &sum, MPJ_INT, MPJ_SUM, MPJ_COMM_WORLD, &request);
    wrong += MPJ_Wait(&request) + (sum != RANKS * (RANKS - 1) / 2);
  }
  for (int i = 0; i < EXCHANGES; i++) {
    wrong += MPJ_Ialltoall(from[rank], blocks, to[rank], blocks, MPJ_COMM_WORLD, &request);
    wrong += MPJ_Wait(&request);
  }
  MPJ_Type_free(&block);
  MPJ_Type_free(&blocks);
  return wrong;
}

START_TEST(no_arrow_goes_back_in_time_where_steps_overlap)
{
  char text[20000];
  setenv("MPJ_STATS", "0", 1);
  setenv("MPJ_COLL_ALLREDUCE", "flat", 1);
  setenv("MPJ_COLL_ALLTOALL", "flat", 1);
  json_t *trace = trace_of(overlap, text, sizeof text);
  ck_assert_int_eq(arrows(trace), (SUMS + EXCHANGES) * RANKS * (RANKS - 1));
  json_decref(trace);
}
END_TEST

enum { SEVERAL = 12 };

/* Collectives that are under way together and end in another order; and other functions' own. */
static int several(void *arg)
{
  (void)arg;
  static char data[RANKS][SEVERAL][LONG];
  int rank, wrong = 0;
  MPJ_Datatype type[2] = {MPJ_INT};
  MPJ_Request requests[SEVERAL];
  MPJ_Comm copy;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  MPJ_Type_contiguous(LONG, MPJ_BYTE, &type[1]);
  MPJ_Type_commit(&type[1]);
  for (int n = 0; n < CALLS; n++) {
    for (int i = 0; i < SEVERAL; i++)
      wrong +=
          MPJ_Ibcast(data[rank][i], type[(i + n) % 2], i % RANKS, MPJ_COMM_WORLD, &requests[i]);
    for (int i = SEVERAL; i-- > 0;)
      wrong += MPJ_Wait(&requests[i]);
  }
  wrong += MPJ_Comm_dup(MPJ_COMM_WORLD, &copy);
  wrong += MPJ_Bcast_init(data[rank][0], type[1], 0, copy, &requests[0]);
  wrong += MPJ_Request_free(&requests[0]) || MPJ_Comm_free(&copy);
  MPJ_Type_free(&type[1]);
  return wrong;
}

static double number(const json_t *event, const char *key)
{
  return json_number_value(json_object_get(event, key));
}

static bool same_track(const json_t *a, const json_t *b)
{
  return json_equal(json_object_get(a, "tid"), json_object_get(b, "tid"));
}

/* A viewer drops what is partly inside another event of its track, and arrows outside of all: here
 * each is inside the whole of the last earlier one that has not ended. In units of .001 us. */
static void ck_assert_nested(const json_t *trace)
{
  for (size_t i = 0; i < json_array_size(trace); i++) {
    const json_t *e = json_array_get(trace, i);
    const char *kind = json_string_value(json_object_get(e, "ph"));
    if (strcmp(kind, "M") == 0) continue;
    const long long begin = llround(number(e, "ts") * 1000);
    const long long end = begin + llround(number(e, "dur") * 1000);
    bool inside = false;
    for (size_t k = i; k-- > 0;) {
      const json_t *outer = json_array_get(trace, k);
      if (strcmp(json_string_value(json_object_get(outer, "ph")), "X") || !same_track(e, outer))
        continue;
      const long long begun = llround(number(outer, "ts") * 1000);
      const long long ended = begun + llround(number(outer, "dur") * 1000);
      ck_assert(begun <= begin && (ended <= begin || ended >= end));
      inside |= ended > begin;
    }
    ck_assert(inside || strcmp(kind, "X") == 0);
  }
}

static void trace_several(const char *progress)
{
  char text[20000];
  setenv("MPJ_STATS", "1", 1);
  setenv("MPJ_PROGRESS", progress, 1);
  json_t *trace = trace_of(several, text, sizeof text);
  for (int rank = 0; rank < RANKS; rank++)
    ck_assert(events(trace, "MPJ_Bcast", rank) == CALLS * SEVERAL &&
              events(trace, "MPJ_Comm_dup", rank) > 0 &&
              events(trace, "MPJ_Bcast_init", rank) == 1);
  ck_assert_ptr_null(strstr(text, "MPJ_Allreduce")); /* no call of the program's own */
  ck_assert_nested(trace);
  json_decref(trace);
}

START_TEST(events_of_a_track_lie_inside_one_another_or_apart)
{
  trace_several("calls");
}
END_TEST

START_TEST(so_they_do_if_a_progress_thread_runs)
{
  trace_several("thread");
}
END_TEST

enum { INNER = 1 };

/* Of a chain of three the inner rank calls a short and a long broadcast once the last has it. */
static int relay(void *arg)
{
  static atomic_int through;
  (void)arg;
  static char data[RANKS][LONG];
  int rank, wrong = 0;
  MPJ_Datatype type[2];
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  MPJ_Type_contiguous(1, MPJ_INT, &type[0]);
  MPJ_Type_contiguous(LONG, MPJ_BYTE, &type[1]);
  for (int i = 0; i < 2; i++) {
    MPJ_Type_commit(&type[i]);
    wrong += MPJ_Barrier(MPJ_COMM_WORLD);
    for (int ms = 0; rank == INNER && atomic_load(&through) <= i && ms < 30000; ms++)
      usleep(1000);
    wrong += MPJ_Bcast(data[rank], type[i], 0, MPJ_COMM_WORLD);
    if (rank == INNER + 1) atomic_fetch_add(&through, 1);
    MPJ_Type_free(&type[i]);
  }
  return wrong;
}

START_TEST(what_a_relay_sends_is_counted_and_has_an_arrow)
{
  char text[20000];
  setenv("MPJ_STATS", "1", 1);
  setenv("MPJ_PROGRESS", "thread", 1);
  setenv("MPJ_COLL_BCAST", "chain", 1);
  setenv("MPJ_COLL_BARRIER", "dissemination", 1);
  json_t *trace = trace_of(relay, text, sizeof text);
  unsetenv("MPJ_PROGRESS");
  for (int rank = 0; rank < RANKS; rank++)
    ck_assert_int_eq(events(trace, "relay", rank), rank == INNER ? 2 : 0);
  ck_assert_int_eq(arrows(trace), 2 * 2 + 2 * 2 * RANKS);
  int counted = 0;
  for (const char *row = text; (row = strstr(row, "  MPJ_Bcast ")); row++) {
    unsigned long calls, operations, bytes;
    ck_assert_int_eq(sscanf(row, " MPJ_Bcast %lu %*u %*u %*u %*u %*u %*u %*u %*u %*u %lu %lu",
                            &calls, &operations, &bytes),
                     3);
    ck_assert_uint_eq(calls, 2);
    if (operations == 0) continue;
    ck_assert_uint_eq(operations, 2);
    ck_assert_uint_eq(bytes, LONG + sizeof(int));
    counted++;
  }
  ck_assert_int_eq(counted, 1);
  json_decref(trace);
}
END_TEST

/* The same with a scatter of bytes: LONG to the inner rank, 3 to the last one, none to the root. */
static int relay_parts(void *arg)
{
  static atomic_int through;
  static char data[RANKS][LONG], all[LONG + 3];
  const MPJ_Count lengths[RANKS] = {0, LONG, 3};
  int rank;
  MPJ_Datatype parts, mine;
  (void)arg;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  MPJ_Type_create_segment(RANKS, lengths, MPJ_BYTE, &parts);
  MPJ_Type_contiguous(lengths[rank], MPJ_BYTE, &mine);
  MPJ_Type_commit(&parts);
  MPJ_Type_commit(&mine);
  int wrong = MPJ_Barrier(MPJ_COMM_WORLD);
  for (int ms = 0; rank == INNER && !atomic_load(&through) && ms < 30000; ms++)
    usleep(1000);
  wrong += MPJ_Scatter(all, parts, data[rank], mine, 0, MPJ_COMM_WORLD);
  if (rank == INNER + 1) atomic_store(&through, 1);
  MPJ_Type_free(&parts);
  MPJ_Type_free(&mine);
  return wrong;
}

/* The last rank's record: a head of 24 bytes, and its data up to a multiple of 8. */
START_TEST(of_a_scatter_a_relay_sends_each_child_its_parts)
{
  char text[20000];
  unsigned long operations, bytes;
  int counted = 0;
  setenv("MPJ_STATS", "1", 1);
  setenv("MPJ_PROGRESS", "thread", 1);
  setenv("MPJ_COLL_SCATTER", "kary:1", 1);
  json_t *trace = trace_of(relay_parts, text, sizeof text);
  unsetenv("MPJ_PROGRESS");
  ck_assert_int_eq(events(trace, "relay", INNER), 1);
  for (const char *row = text; (row = strstr(row, "  MPJ_Scatter ")); row++) {
    ck_assert_int_eq(sscanf(row, " MPJ_Scatter 1 %*u %*u %*u %*u %*u %*u %*u %*u %*u %lu %lu",
                            &operations, &bytes),
                     2);
    if (operations == 0) continue;
    ck_assert_uint_eq(operations, 1);
    ck_assert_uint_eq(bytes, 32);
    counted++;
  }
  ck_assert_int_eq(counted, 1);
  json_decref(trace);
}
END_TEST

int main(void)
{
  return RUN_SUITE(
      "coll/watch", counts_are_printed_and_the_trace_is_json_with_a_track_for_each_rank,
      collectives_are_counted_by_how_they_ran_and_traced_with_steps_and_arrows,
      no_arrow_goes_back_in_time_where_steps_overlap,
      events_of_a_track_lie_inside_one_another_or_apart, so_they_do_if_a_progress_thread_runs,
      what_a_relay_sends_is_counted_and_has_an_arrow,
      of_a_scatter_a_relay_sends_each_child_its_parts);
}
