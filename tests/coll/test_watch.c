/* This file tests what MPJ_STATS prints and MPJ_TRACE writes. */
#include <mpj/am.h>
#include <mpj/mpj.h>

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/suite.h"

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

/* Run with stderr in `file`, which is then read into text. */
static void run_noted(char *text, size_t size)
{
  FILE *file = tmpfile();
  const int kept = dup(STDERR_FILENO);
  ck_assert_ptr_nonnull(file);
  fflush(stderr);
  dup2(fileno(file), STDERR_FILENO);
  const int status = MPJ_Run_threads(RANKS, talk, NULL);
  fflush(stderr);
  dup2(kept, STDERR_FILENO);
  close(kept);
  rewind(file);
  text[fread(text, 1, size - 1, file)] = '\0';
  fclose(file);
  ck_assert_int_eq(status, 0);
}

/* How many events of that name and track there are; all must be well formed. */
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
    n += tid == rank && !strcmp(what, name);
  }
  return n;
}

START_TEST(counts_are_printed_and_the_trace_is_json_with_a_track_for_each_rank)
{
  char file[] = "/tmp/mpj-trace-XXXXXX", text[20000], line[40];
  const int fd = mkstemp(file);
  ck_assert_int_ge(fd, 0);
  ck_assert_int_eq(write(fd, "left over", 9), 9);
  close(fd);
  setenv("MPJ_TRACE", file, 1);
  setenv("MPJ_STATS", "1", 1);
  run_noted(text, sizeof text);
  json_error_t error;
  json_t *trace = json_load_file(file, 0, &error);
  ck_assert_msg(trace && json_is_array(trace), "%s", error.text);
  for (int rank = 0; rank < RANKS; rank++) {
    ck_assert_int_eq(events(trace, "thread_name", rank), 1);
    ck_assert_int_ge(events(trace, "handler", rank), MESSAGES);
    ck_assert_int_ge(events(trace, "eager", rank), 1);
    ck_assert_int_ge(events(trace, "short", rank), 1);
    snprintf(line, sizeof line, "mpj: rank %d: ", rank);
    ck_assert_ptr_nonnull(strstr(text, line));
  }
  ck_assert_ptr_nonnull(strstr(text, "handler    4"));
  json_decref(trace);
  unlink(file);
}
END_TEST

int main(void)
{
  return RUN_SUITE("coll/watch",
                   counts_are_printed_and_the_trace_is_json_with_a_track_for_each_rank);
}
