/* This file tests the PMI-1 client against a launcher that speaks the protocol
 * as MPICH's mpiexec does, but for one reply, which is what a test wants. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <mpj/base.h>

#include "base/memory.h"
#include "base/suite.h"
#include "net/boot/launch.h"
#include "net/boot/node.h"

enum { PAIRS = 64, LINE = 4096, NEVER = -1, REPLIES = 6 };

/* A launcher on the other end of a socket pair. */
struct fake {
  int end;          /* its own end */
  int odd;          /* number of the reply that is odd; NEVER: none */
  const char *text; /* which is this; NULL: it closes the connection instead */
  const char *values_max;
  int npairs;
  char key[PAIRS][64], value[PAIRS][1024];
  pthread_t thread;
};

static void answer(struct fake *f, const char *request, char *reply)
{
  char key[64] = "", value[1024] = "";
  if (strncmp(request, "cmd=init", 8) == 0) {
    strcpy(reply, "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n");
  } else if (strncmp(request, "cmd=get_maxes", 13) == 0) {
    sprintf(reply, "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=%s\n", f->values_max);
  } else if (strncmp(request, "cmd=get_my_kvsname", 18) == 0) {
    strcpy(reply, "cmd=my_kvsname kvsname=kvs_1_0\n");
  } else if (sscanf(request, "cmd=put kvsname=kvs_1_0 key=%63s value=%1023s", key, value) == 2) {
    ck_assert_int_lt(f->npairs, PAIRS);
    strcpy(f->key[f->npairs], key);
    strcpy(f->value[f->npairs++], value);
    strcpy(reply, "cmd=put_result rc=0 msg=success\n");
  } else if (sscanf(request, "cmd=get kvsname=kvs_1_0 key=%63s", key) == 1) {
    strcpy(reply, "cmd=get_result rc=-1 msg=key_not_found value=unknown\n");
    for (int i = 0; i < f->npairs; i++)
      if (strcmp(f->key[i], key) == 0)
        sprintf(reply, "cmd=get_result rc=0 msg=success value=%s\n", f->value[i]);
  } else if (strncmp(request, "cmd=barrier_in", 14) == 0) {
    strcpy(reply, "cmd=barrier_out\n");
  } else {
    strcpy(reply, "cmd=finalize_ack\n");
  }
}

static void *launch(void *arg)
{
  struct fake *f = arg;
  char request[LINE], reply[LINE];
  for (int n = 0;; n++) {
    const ssize_t got = read(f->end, request, sizeof request - 1);
    if (got <= 0) break;
    request[got] = 0;
    answer(f, request, reply);
    if (n == f->odd && !f->text) break;
    const char *text = n == f->odd ? f->text : reply;
    if (send(f->end, text, strlen(text), MSG_NOSIGNAL) < 0) break;
  }
  close(f->end);
  return NULL;
}

/* The client's end of a session. */
static int begin(struct fake *f, int odd, const char *text)
{
  int ends[2];
  ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  *f = (struct fake){.end = ends[1], .odd = odd, .text = text, .values_max = "1024"};
  ck_assert_int_eq(pthread_create(&f->thread, NULL, launch, f), 0);
  return ends[0];
}

static void fill(unsigned char *blob, size_t bytes)
{
  for (size_t i = 0; i < bytes; i++)
    blob[i] = (unsigned char)(i * 7 + i / 256);
}

/* A session of one rank that publishes `bytes` bytes and fetches them back. */
static int play(int fd, size_t bytes)
{
  static unsigned char blob[MPJ_BLOB_MAX], back[MPJ_BLOB_MAX];
  struct mpj_launch *l;
  size_t got = 0;
  fill(blob, bytes);
  memset(back, 0, sizeof back);
  int status = mpj_launch_pmi(fd, 0, 2, &l);
  if (status != MPJ_SUCCESS) {
    close(fd);
    return status;
  }
  status = mpj_launch_publish(l, blob, bytes);
  if (status == MPJ_SUCCESS) status = mpj_launch_fence(l);
  if (status == MPJ_SUCCESS) status = mpj_launch_fetch(l, 0, back, sizeof back, &got);
  if (status == MPJ_SUCCESS) ck_assert_uint_eq(got, bytes);
  if (status == MPJ_SUCCESS) ck_assert_int_eq(memcmp(blob, back, bytes), 0);
  mpj_launch_end(l);
  return status;
}

START_TEST(blobs_of_any_length_come_back)
{
  static const size_t bytes[] = {0, 1, 507, 508, 2000, MPJ_BLOB_MAX};
  const long before = mpj_memory_outstanding();
  for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
    struct fake f;
    ck_assert_int_eq(play(begin(&f, NEVER, NULL), bytes[i]), MPJ_SUCCESS);
    pthread_join(f.thread, NULL);
  }
  ck_assert_int_eq(mpj_memory_outstanding(), before);
}
END_TEST

/* Replies that make no sense, by their number in the session: 0 init, 1 get_maxes,
 * 2 get_my_kvsname, 3 put, 4 barrier, 5 get. */
static const struct {
  int odd;
  const char *text;
} nonsense[] = {
    {0, "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=-1\n"},
    {0, "cmd=maxes rc=0\n"},
    {0, "\n"},
    {0, "cmd=response_to_init rc=0\ncmd=maxes\n"}, /* more than was asked for */
    {1, "cmd=maxes kvsname_max=256 keylen_max=8 vallen_max=1024\n"},
    {1, "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=-5\n"},
    {1, "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=99999999999999999999\n"},
    {1, "cmd=maxes kvsname_max=256 keylen_max=64\n"},
    {2, "cmd=my_kvsname\n"},
    {2, "cmd=my_kvsname kvsname=\n"},
    {3, "cmd=put_result rc=1 msg=full\n"},
    {4, "cmd=barrier_in\n"},
    {5, "cmd=get_result rc=0 msg=success\n"},
    {5, "cmd=get_result rc=0 value=\n"},
    {5, "cmd=get_result rc=0 value=zz\n"},
    {5, "cmd=get_result rc=0 value=0000000200ffff\n"}, /* longer than it says */
    {5, "cmd=get_result rc=0 value=ffffffff00\n"},     /* longer than fits */
    {5, "cmd=get_result rc=0 value=000000020\n"},      /* then no second piece */
};
enum { NONSENSE = sizeof nonsense / sizeof *nonsense };

START_TEST(replies_that_make_no_sense_are_refused)
{
  const long before = mpj_memory_outstanding();
  for (int i = 0; i < NONSENSE; i++) {
    struct fake f;
    ck_assert_int_eq(play(begin(&f, nonsense[i].odd, nonsense[i].text), 16), MPJ_ERR_FORMAT);
    ck_assert_ptr_nonnull(strstr(MPJ_Error_detail(), "PMI launcher"));
    pthread_join(f.thread, NULL);
  }
  ck_assert_int_eq(mpj_memory_outstanding(), before);
}
END_TEST

START_TEST(endless_line_is_refused)
{
  static char line[3 * LINE];
  memset(line, 'x', sizeof line - 1);
  for (int i = 0; i < REPLIES; i++) {
    struct fake f;
    ck_assert_int_eq(play(begin(&f, i, line), 16), MPJ_ERR_FORMAT);
    pthread_join(f.thread, NULL);
  }
}
END_TEST

START_TEST(launcher_that_goes_away_is_an_error)
{
  const long before = mpj_memory_outstanding();
  for (int i = 0; i < REPLIES; i++) {
    struct fake f;
    ck_assert_int_eq(play(begin(&f, i, NULL), 16), MPJ_ERR_PEER);
    pthread_join(f.thread, NULL);
  }
  ck_assert_int_eq(mpj_memory_outstanding(), before);
}
END_TEST

START_TEST(node_names_this_machine)
{
  struct mpj_node a, b;
  char host[65] = "";
  mpj_node_identify(&a);
  mpj_node_identify(&b);
  gethostname(host, sizeof host - 1);
  ck_assert_int_eq(memcmp(&a, &b, sizeof a), 0);
  ck_assert_ptr_nonnull(strstr(a.text, a.machine));
  ck_assert_ptr_nonnull(strstr(a.text, "ipc:["));
  ck_assert_ptr_nonnull(strstr(a.text, host));
}
END_TEST

int main(void)
{
  return RUN_SUITE("net/pmi", blobs_of_any_length_come_back, replies_that_make_no_sense_are_refused,
                   endless_line_is_refused, launcher_that_goes_away_is_an_error,
                   node_names_this_machine);
}
