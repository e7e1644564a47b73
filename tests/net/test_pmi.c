/* This file tests the PMI-1 client against a launcher that speaks the protocol
 * as MPICH's mpiexec does, but for one reply, which is what a test wants. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <mpj/base.h>

#include "base/memory.h"
#include "base/suite.h"
#include "net/boot/boot.h"
#include "net/boot/launch.h"
#include "net/boot/node.h"

enum { PAIRS = 64, LINE = 4096, REQUEST = 1024, NEVER = -1, REPLIES = 6 };

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
  char request[REQUEST + 1], reply[LINE];
  for (int n = 0;; n++) {
    const ssize_t got = read(f->end, request, REQUEST);
    if (got <= 0) break;
    ck_assert_msg(request[got - 1] == '\n', "a request is longer than Slurm reads at once");
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

/* A session of one rank that publishes `bytes` bytes and fetches them back to room for `room`. */
static int play_in(int fd, size_t bytes, size_t room)
{
  static unsigned char blob[MPJ_BLOB_MAX], back[MPJ_BLOB_MAX];
  struct mpj_launch *l;
  size_t got = 0;
  fill(blob, bytes);
  memset(back, 0xee, sizeof back);
  int status = mpj_launch_pmi(fd, 0, 2, &l);
  if (status != MPJ_SUCCESS) {
    close(fd);
    return status;
  }
  status = mpj_launch_publish(l, blob, bytes);
  if (status == MPJ_SUCCESS) status = mpj_launch_fence(l);
  if (status == MPJ_SUCCESS) status = mpj_launch_fetch(l, 0, back, room, &got);
  if (status == MPJ_SUCCESS) ck_assert_uint_eq(got, bytes);
  if (status == MPJ_SUCCESS) ck_assert_int_eq(memcmp(blob, back, bytes), 0);
  mpj_launch_end(l);
  for (size_t i = room; i < sizeof back; i++)
    ck_assert_uint_eq(back[i], 0xee);
  return status;
}

static int play(int fd, size_t bytes)
{
  return play_in(fd, bytes, MPJ_BLOB_MAX);
}

START_TEST(blobs_of_any_length_come_back)
{
  static const size_t bytes[] = {0, 1, 470, 471, 472, 473, 507, 508, 2000, MPJ_BLOB_MAX};
  const long before = mpj_memory_outstanding();
  for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
    struct fake f;
    ck_assert_int_eq(play(begin(&f, NEVER, NULL), bytes[i]), MPJ_SUCCESS);
    pthread_join(f.thread, NULL);
  }
  ck_assert_int_eq(mpj_memory_outstanding(), before);
}
END_TEST

START_TEST(a_blob_longer_than_the_room_for_it_is_refused)
{
  static const size_t rooms[] = {0, 1, 99, 100};
  for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
    struct fake f;
    const int status = play_in(begin(&f, NEVER, NULL), 100, rooms[i]);
    ck_assert_int_eq(status, rooms[i] < 100 ? MPJ_ERR_FORMAT : MPJ_SUCCESS);
    pthread_join(f.thread, NULL);
  }
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

/* What a launcher's variables must not be; fd "open" is a descriptor that is open. */
static const struct {
  const char *fd, *size, *rank, *named;
} environments[] = {
    {"77", "2", "0", "PMI_FD is 77, which is not open"},
    {"-1", "2", "0", "PMI_FD is \"-1\""},
    {"", "2", "0", "PMI_FD is \"\""},
    {"three", "2", "0", "PMI_FD is \"three\""},
    {"3x", "2", "0", "PMI_FD is \"3x\""},
    {"99999999999999999999999999999999999999999999", "2", "0", "PMI_FD is \"999"},
    {"open", NULL, "0", "PMI_SIZE is not set"},
    {"open", "0", "0", "PMI_SIZE is \"0\""},
    {"open", "1000001", "0", "PMI_SIZE is \"1000001\""},
    {"open", "2", NULL, "PMI_RANK is not set"},
    {"open", "2", "2", "PMI_RANK is 2, PMI_SIZE is 2"},
    {"open", "2", "-1", "PMI_RANK is \"-1\""},
};
enum { ENVIRONMENTS = sizeof environments / sizeof *environments };

static void set(const char *name, const char *value)
{
  if (value)
    setenv(name, value, 1);
  else
    unsetenv(name);
}

START_TEST(environments_that_make_no_sense_are_named)
{
  const long before = mpj_memory_outstanding();
  setenv("MPJ_BOOT", "pmi", 1);
  close(77);
  for (int i = 0; i < ENVIRONMENTS; i++) {
    struct mpj_net *net = NULL;
    set("PMI_FD", strcmp(environments[i].fd, "open") ? environments[i].fd : "2");
    set("PMI_SIZE", environments[i].size);
    set("PMI_RANK", environments[i].rank);
    ck_assert_int_eq(mpj_boot_open(&net), MPJ_ERR_ARG);
    ck_assert_msg(strstr(MPJ_Error_detail(), environments[i].named), "%d: %s", i,
                  MPJ_Error_detail());
    ck_assert_ptr_null(net);
  }
  ck_assert_int_eq(mpj_memory_outstanding(), before);
}
END_TEST

/* Start this process as rank 0 of 2 by a launcher whose reply `odd` is `text`. */
static int boot(int odd, const char *text)
{
  struct fake f;
  struct mpj_net *net = NULL;
  char number[16];
  snprintf(number, sizeof number, "%d", begin(&f, odd, text));
  setenv("MPJ_BOOT", "pmi", 1);
  setenv("PMI_FD", number, 1);
  setenv("PMI_SIZE", "2", 1);
  setenv("PMI_RANK", "0", 1);
  const int status = mpj_boot_open(&net);
  ck_assert_ptr_null(net);
  close(atoi(number)); /* where the session did not get as far as to own it */
  pthread_join(f.thread, NULL);
  return status;
}

/* The session of a whole job: 0 init, 1 get_maxes, 2 get_my_kvsname, 3 and 4 put, 5 barrier,
 * 6 and on the cards, of which there is none of rank 1. */
START_TEST(a_job_whose_launcher_errs_does_not_begin)
{
  const long before = mpj_memory_outstanding();
  ck_assert_int_eq(boot(NEVER, NULL), MPJ_ERR_FORMAT); /* no card of rank 1 */
  ck_assert_ptr_nonnull(strstr(MPJ_Error_detail(), "key_not_found"));
  ck_assert_int_eq(boot(6, "cmd=get_result rc=0 value=00000004deadbeef\n"), MPJ_ERR_FORMAT);
  ck_assert_ptr_nonnull(strstr(MPJ_Error_detail(), "another version"));
  ck_assert_int_eq(boot(0, "no\n"), MPJ_ERR_FORMAT);
  for (int i = 0; i < REPLIES; i++)
    ck_assert_int_eq(boot(i, NULL), MPJ_ERR_PEER);
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
  return RUN_SUITE("net/pmi", blobs_of_any_length_come_back,
                   a_blob_longer_than_the_room_for_it_is_refused,
                   replies_that_make_no_sense_are_refused, endless_line_is_refused,
                   launcher_that_goes_away_is_an_error, environments_that_make_no_sense_are_named,
                   a_job_whose_launcher_errs_does_not_begin, node_names_this_machine);
}
