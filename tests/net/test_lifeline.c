/* This file tests lifelines: who is told of whose end, and of what nobody is. */
#include <mpj/mpj.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/suite.h"
#include "net/mpi/lifeline.h"

enum { RANKS = 4, CROWD = 24, STRANGERS = 24 }; /* a crowd is more than find room at a time */
static const double patience_s = 10;

struct crew {
  int n;
  struct mpj_lifelines *of[CROWD];
  int lost[CROWD][CROWD]; /* [who was told][of whom]: the error */
  long outstanding;
  int telling; /* whose poll it is */
};

static void note(void *ctx, int peer, int error)
{
  struct crew *c = ctx;
  ck_assert_int_eq(c->lost[c->telling][peer], 0);
  c->lost[c->telling][peer] = error;
}

static void poll_all(struct crew *c)
{
  for (int i = 0; i < c->n; i++) {
    c->telling = i;
    if (c->of[i]) mpj_lifelines_poll(c->of[i], note, c);
  }
}

static void open_all(struct crew *c, int n)
{
  memset(c, 0, sizeof *c);
  c->n = n;
  c->outstanding = mpj_memory_outstanding();
  for (int i = 0; i < c->n; i++) {
    c->of[i] = mpj_lifelines_open(i, n);
    ck_assert_ptr_nonnull(c->of[i]);
    ck_assert_int_gt(mpj_lifelines_card(c->of[i])->addresses, 0);
  }
}

static void tie_all(struct crew *c)
{
  for (int i = 0; i < c->n; i++)
    for (int k = 0; k < c->n; k++)
      if (i != k) mpj_lifelines_tie(c->of[i], k, mpj_lifelines_card(c->of[k]));
}

static bool any_loose(const struct crew *c)
{
  bool loose = false;
  for (int i = 0; i < c->n; i++)
    loose |= c->of[i] && mpj_lifelines_loose(c->of[i]);
  return loose;
}

static void close_one(struct crew *c, int i)
{
  mpj_lifelines_close(c->of[i]);
  c->of[i] = NULL;
}

static void close_all(struct crew *c)
{
  for (int i = 0; i < c->n; i++)
    close_one(c, i);
  ck_assert_int_eq(mpj_memory_outstanding(), c->outstanding);
}

START_TEST(all_hear_of_an_end_once_and_of_no_other)
{
  static const int order[] = {2, 0, 3};
  struct crew c;
  open_all(&c, RANKS);
  tie_all(&c);
  const double until = MPJ_Wtime() + patience_s;
  while (any_loose(&c) && MPJ_Wtime() < until)
    poll_all(&c);
  ck_assert(!any_loose(&c));
  for (int k = 0; k < 3; k++) {
    int told = 0;
    close_one(&c, order[k]);
    while (told < RANKS - 1 - k && MPJ_Wtime() < until) {
      poll_all(&c);
      told = 0;
      for (int i = 0; i < RANKS; i++)
        told += c.of[i] && c.lost[i][order[k]] == ECONNRESET;
    }
    ck_assert_int_eq(told, RANKS - 1 - k);
  }
  for (int i = 0; i < RANKS; i++)
    ck_assert_int_eq(c.lost[i][1], 0);
  close_all(&c);
}
END_TEST

/* As where the address is that of another host, on which somebody listens. */
START_TEST(who_does_not_know_the_token_is_nobody)
{
  struct crew c;
  open_all(&c, RANKS);
  struct mpj_lifeline_card other = *mpj_lifelines_card(c.of[1]), none = other;
  other.token[3] ^= 1;
  none.addresses = none.port = 0;
  mpj_lifelines_tie(c.of[0], 1, &other);
  mpj_lifelines_tie(c.of[1], 0, mpj_lifelines_card(c.of[0]));
  mpj_lifelines_tie(c.of[2], 3, &none);
  const double until = MPJ_Wtime() + patience_s;
  while (mpj_lifelines_loose(c.of[0]) && MPJ_Wtime() < until)
    poll_all(&c);
  ck_assert(!mpj_lifelines_loose(c.of[0]));
  ck_assert(mpj_lifelines_loose(c.of[1]));
  ck_assert(!mpj_lifelines_loose(c.of[2]));
  close_one(&c, 1);
  for (int i = 0; i < 1000; i++)
    poll_all(&c);
  ck_assert_int_eq(c.lost[0][1], 0);
  close_all(&c);
}
END_TEST

START_TEST(a_crowd_comes_in_one_after_the_other)
{
  struct crew c;
  open_all(&c, CROWD);
  tie_all(&c);
  const double until = MPJ_Wtime() + patience_s;
  while (any_loose(&c) && MPJ_Wtime() < until)
    poll_all(&c);
  ck_assert(!any_loose(&c));
  close_one(&c, CROWD - 1);
  int told = 0;
  while (told < CROWD - 1 && MPJ_Wtime() < until) {
    poll_all(&c);
    told = 0;
    for (int i = 0; i < CROWD - 1; i++)
      told += c.lost[i][CROWD - 1] == ECONNRESET;
  }
  ck_assert_int_eq(told, CROWD - 1);
  close_all(&c);
}
END_TEST

static int knock(const struct mpj_lifeline_card *card)
{
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in to = {.sin_family = AF_INET,
                           .sin_port = htons(card->port),
                           .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  ck_assert_int_ge(fd, 0);
  ck_assert_int_eq(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
  return fd;
}

START_TEST(strangers_are_let_go_and_keep_nobody_out)
{
  struct crew c;
  int fd[STRANGERS];
  char nonsense[64];
  memset(nonsense, 0x5a, sizeof nonsense);
  open_all(&c, RANKS);
  for (int i = 0; i < STRANGERS; i++) {
    fd[i] = knock(mpj_lifelines_card(c.of[3]));
    const size_t bytes = (size_t)i % 3 * 20; /* nothing, too little, a greeting's worth */
    ck_assert_int_eq(send(fd[i], nonsense, bytes, MSG_NOSIGNAL), (ssize_t)bytes);
    poll_all(&c);
  }
  tie_all(&c);
  const double until = MPJ_Wtime() + patience_s;
  while (any_loose(&c) && MPJ_Wtime() < until)
    poll_all(&c);
  ck_assert(!any_loose(&c));
  for (int i = 0; i < STRANGERS; i++)
    close(fd[i]);
  for (int i = 0; i < 100; i++)
    poll_all(&c);
  for (int i = 0; i < RANKS; i++)
    for (int k = 0; k < RANKS; k++)
      ck_assert_int_eq(c.lost[i][k], 0);
  close_all(&c);
}
END_TEST

int main(void)
{
  return RUN_SUITE("net/lifeline", all_hear_of_an_end_once_and_of_no_other,
                   who_does_not_know_the_token_is_nobody, a_crowd_comes_in_one_after_the_other,
                   strangers_are_let_go_and_keep_nobody_out);
}
