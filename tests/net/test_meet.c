/* This file tests how the far transport meets its peers, over a carrier that notes what it is told.
 */
#include <mpj/mpj.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/suite.h"
#include "net/endpoints.h"
#include "net/far/far.h"
#include "net/far/far_connect.h"
#include "net/route/route.h"
#include "net/threads/threads.h"

enum { RANKS = 6, SELF = 1, MUTE = 4 }; /* MUTE has no address */

/* A carrier whose connections stand only when the test says so. */
struct notes {
  struct mpj_carrier head; /* first */
  struct mpj_segment *segment;
  struct mpj_net *net;
  struct mpj_far *far;
  int connected[RANKS], posted[RANKS][MPJ_FAR_KINDS];
  bool stands[RANKS];
  int refuses; /* the status of the next connect */
  long outstanding;
};

static struct notes *notes_of(struct mpj_carrier *c)
{
  return (struct notes *)c;
}

static int note_connect(struct mpj_carrier *c, int peer, const void *address, size_t bytes)
{
  struct notes *n = notes_of(c);
  const int status = n->refuses;
  n->refuses = MPJ_SUCCESS;
  if (status != MPJ_SUCCESS) return mpj_error(status, "refused");
  ck_assert_uint_eq(bytes, sizeof peer);
  ck_assert_int_eq(memcmp(address, &peer, sizeof peer), 0);
  n->connected[peer]++;
  return MPJ_SUCCESS;
}

static int note_post(struct mpj_carrier *c, int peer, const struct mpj_far_head *head,
                     struct mpj_cursor *payload, MPJ_Count bytes, bool urgent)
{
  struct notes *n = notes_of(c);
  (void)payload, (void)bytes, (void)urgent;
  ck_assert_int_eq(n->connected[peer], 1);
  if (!n->stands[peer]) return MPJ_AM_AGAIN;
  n->posted[peer][head->kind]++;
  return MPJ_SUCCESS;
}

static bool note_poll(struct mpj_carrier *c)
{
  (void)c;
  return false;
}

static void note_flush(struct mpj_carrier *c, double seconds)
{
  (void)c, (void)seconds;
}

static void come(struct notes *n, int peer, enum mpj_far_kind kind, const void *body, size_t bytes)
{
  struct mpj_far_head head = {.kind = (uint8_t)kind, .bytes = (uint8_t)bytes};
  if (bytes > 0) memcpy(head.body, body, bytes);
  mpj_far_receive(n->far, peer, &head, MPJ_FAR_FIXED + bytes, NULL, 0);
}

static void note_sleep(struct mpj_carrier *c, int ms, struct mpj_net *net)
{
  struct notes *n = notes_of(c);
  (void)ms, (void)net;
  for (int peer = 0; peer < RANKS; peer++) {
    if (n->connected[peer] > 0) n->stands[peer] = true; /* late, as it may be */
    if (n->posted[peer][MPJ_FAR_BYE] > 0) come(n, peer, MPJ_FAR_BYE_SEEN, NULL, 0);
  }
}

static void note_close(struct mpj_carrier *c)
{
  (void)c;
}

static const struct mpj_carrier_ops note_ops = {.name = "notes",
                                                .connect = note_connect,
                                                .post = note_post,
                                                .poll = note_poll,
                                                .flush = note_flush,
                                                .sleep = note_sleep,
                                                .close = note_close};

static void open_notes(struct notes *n)
{
  const int self = SELF;
  struct mpj_net *local;
  int fd;
  memset(n, 0, sizeof *n);
  n->outstanding = mpj_memory_outstanding();
  n->head.ops = &note_ops;
  ck_assert_int_eq(mpj_threads_segment_create(1, &n->segment), MPJ_SUCCESS);
  ck_assert_int_eq(mpj_threads_open(n->segment, 0, &local), MPJ_SUCCESS);
  ck_assert_int_eq(mpj_far_open(&n->head, SELF, RANKS, &n->far), MPJ_SUCCESS);
  ck_assert_int_eq(mpj_directory_create(RANKS, &n->far->directory, &fd), MPJ_SUCCESS);
  close(fd);
  for (int rank = 0; rank < RANKS; rank++)
    if (rank != SELF && rank != MUTE)
      mpj_directory_enter(n->far->directory, rank, &rank, sizeof rank);
  ck_assert_int_eq(mpj_route_open(local, &self, true, n->far, SELF, RANKS, RANKS, &n->net),
                   MPJ_SUCCESS);
}

static void close_notes(struct notes *n)
{
  mpj_net_close(n->net, MPJ_RANK_FINALIZED, 0);
  mpj_threads_segment_free(n->segment);
  ck_assert_int_eq(mpj_memory_outstanding(), n->outstanding);
}

static int send_to(struct notes *n, int peer)
{
  return mpj_net_short(n->net, peer, MPJ_AM_FIRST_FREE, "hello", 5);
}

START_TEST(the_first_message_connects_and_no_other_does)
{
  struct notes n;
  open_notes(&n);
  ck_assert_uint_eq(*n.net->connections, 0);
  ck_assert_int_eq(send_to(&n, 3), MPJ_AM_AGAIN);
  ck_assert_int_eq(send_to(&n, 3), MPJ_AM_AGAIN);
  ck_assert_int_eq(n.connected[3], 1);
  n.stands[3] = true;
  ck_assert_int_eq(send_to(&n, 3), MPJ_SUCCESS);
  ck_assert_uint_eq(*n.net->connections, 1);
  close_notes(&n);
}
END_TEST

START_TEST(who_asks_is_met)
{
  struct notes n;
  open_notes(&n);
  ck_assert(mpj_far_meet(n.far, 5));
  ck_assert_int_eq(n.connected[5], 1);
  ck_assert_uint_eq(*n.net->connections, 1);
  close_notes(&n);
}
END_TEST

START_TEST(only_those_who_were_met_are_told_of_the_end)
{
  struct notes n;
  open_notes(&n);
  send_to(&n, 0); /* its connection stands only while this rank leaves */
  send_to(&n, 2);
  n.stands[2] = true;
  mpj_net_close(n.net, MPJ_RANK_FINALIZED, 0);
  mpj_threads_segment_free(n.segment);
  for (int peer = 0; peer < RANKS; peer++)
    ck_assert_int_eq(n.posted[peer][MPJ_FAR_BYE], peer == 0 || peer == 2);
}
END_TEST

START_TEST(a_peer_without_an_address_is_lost_and_named)
{
  struct notes n;
  struct warnings w;
  char said[400];
  int cause = 0;
  open_notes(&n);
  warnings_begin(&w);
  ck_assert_int_eq(send_to(&n, MUTE), MPJ_AM_AGAIN);
  ck_assert_int_eq(send_to(&n, MUTE), MPJ_AM_AGAIN);
  warnings_end(&w, said, sizeof said);
  ck_assert_ptr_nonnull(strstr(said, "cannot reach rank 4: rank 4 has no network address"));
  ck_assert_ptr_null(strstr(strstr(said, "cannot") + 1, "cannot")); /* once */
  const double begun = MPJ_Wtime();
  while (mpj_net_peer_state(n.net, MUTE, &cause) != MPJ_RANK_DEAD && MPJ_Wtime() - begun < 5)
    mpj_net_poll(n.net);
  ck_assert_int_eq(mpj_net_peer_state(n.net, MUTE, &cause), MPJ_RANK_DEAD);
  ck_assert_int_eq(cause, MPJ_CAUSE_LOST | EADDRNOTAVAIL);
  ck_assert_uint_eq(*n.net->connections, 0);
  close_notes(&n);
}
END_TEST

START_TEST(lack_of_memory_passes)
{
  struct notes n;
  open_notes(&n);
  n.refuses = MPJ_ERR_NO_MEM;
  ck_assert_int_eq(send_to(&n, 3), MPJ_AM_AGAIN);
  ck_assert_int_eq(n.connected[3], 0);
  ck_assert_int_eq(send_to(&n, 3), MPJ_AM_AGAIN);
  ck_assert_int_eq(n.connected[3], 1);
  close_notes(&n);
}
END_TEST

START_TEST(who_died_before_it_was_met_is_never_connected)
{
  struct notes n;
  const struct mpj_far_died died = {.rank = 3, .cause = 9};
  open_notes(&n);
  n.net->node_ranks = 2; /* 0 1, 2 3, 4 5 */
  ck_assert(mpj_far_meet(n.far, 2));
  come(&n, 2, MPJ_FAR_DIED, &died, sizeof died);
  ck_assert_int_eq(send_to(&n, 3), MPJ_AM_AGAIN);
  ck_assert_int_eq(n.connected[3], 0);
  const double begun = MPJ_Wtime();
  while (mpj_net_peer_state(n.net, 3, NULL) != MPJ_RANK_DEAD && MPJ_Wtime() - begun < 5)
    mpj_net_poll(n.net);
  ck_assert_int_eq(mpj_net_peer_state(n.net, 3, NULL), MPJ_RANK_DEAD);
  close_notes(&n);
}
END_TEST

int main(void)
{
  return RUN_SUITE("net/meet", the_first_message_connects_and_no_other_does, who_asks_is_met,
                   only_those_who_were_met_are_told_of_the_end,
                   a_peer_without_an_address_is_lost_and_named, lack_of_memory_passes,
                   who_died_before_it_was_met_is_never_connected);
}
