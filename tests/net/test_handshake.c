/* This file tests handshakes between a rank, a peer, and those who do not know the secret. */
#include <mpj/base.h>

#include <string.h>

#include "base/suite.h"
#include "net/far/handshake.h"

enum { NUMBER_AT_ASKER = 7, NUMBER_AT_ANSWERER = 3 };

/* Two ranks of a job, asker 0 and answerer 1, and what they have said. */
struct talk {
  struct mpj_identity self[2];
  struct mpj_hello ask, answer, proof;
  struct mpj_keys keys[2];
};

static void fill_secret(unsigned char secret[MPJ_SECRET_BYTES], int job)
{
  memset(secret, job, MPJ_SECRET_BYTES);
}

static void meet(struct talk *t, int job)
{
  unsigned char secret[MPJ_SECRET_BYTES];
  fill_secret(secret, job);
  for (int rank = 0; rank < 2; rank++)
    ck_assert_int_eq(mpj_identity_make(rank, secret, &t->self[rank]), MPJ_SUCCESS);
}

/* As mpj_hello_read gives it after a journey. */
static struct mpj_hello sent(const struct mpj_hello *hello)
{
  struct mpj_hello came;
  ck_assert(mpj_hello_read(hello, sizeof *hello, &came));
  return came;
}

static void shake_hands(struct talk *t, int job)
{
  meet(t, job);
  mpj_hello_ask(&t->self[0], NUMBER_AT_ASKER, &t->ask);
  t->ask = sent(&t->ask);
  mpj_hello_answer(&t->self[1], NUMBER_AT_ANSWERER, &t->ask, &t->answer);
  t->answer = sent(&t->answer);
  ck_assert(mpj_hello_prove(&t->self[0], NUMBER_AT_ASKER, &t->answer, &t->proof, &t->keys[0]));
  t->proof = sent(&t->proof);
  ck_assert(mpj_hello_accept(&t->self[1], &t->proof, &t->keys[1]));
}

START_TEST(both_know_the_others_keys_and_number)
{
  struct talk t;
  shake_hands(&t, 1);
  ck_assert(t.keys[0].out == t.keys[1].in && t.keys[0].in == t.keys[1].out);
  ck_assert(t.keys[0].in != t.keys[0].out);
  ck_assert_uint_eq(t.keys[0].connection, NUMBER_AT_ANSWERER);
  ck_assert_uint_eq(t.keys[1].connection, NUMBER_AT_ASKER);
}
END_TEST

START_TEST(both_find_the_same_keys_if_both_ask)
{
  struct talk t;
  struct mpj_hello ask, answer, proof;
  struct mpj_keys other[2];
  shake_hands(&t, 1);
  mpj_hello_ask(&t.self[1], NUMBER_AT_ANSWERER, &ask);
  mpj_hello_answer(&t.self[0], NUMBER_AT_ASKER, &ask, &answer);
  ck_assert(mpj_hello_prove(&t.self[1], NUMBER_AT_ANSWERER, &answer, &proof, &other[1]));
  ck_assert(mpj_hello_accept(&t.self[0], &proof, &other[0]));
  for (int rank = 0; rank < 2; rank++)
    ck_assert(other[rank].in == t.keys[rank].in && other[rank].out == t.keys[rank].out &&
              other[rank].connection == t.keys[rank].connection);
}
END_TEST

/* Whether either end takes this for an answer or a proof. */
static bool is_believed(const struct talk *t, const struct mpj_hello *hello)
{
  struct mpj_keys keys = {0};
  struct mpj_hello proof, came;
  if (!mpj_hello_read(hello, sizeof *hello, &came)) return false;
  bool believed = false;
  for (int rank = 0; rank < 2; rank++)
    believed |= mpj_hello_prove(&t->self[rank], 0, &came, &proof, &keys) ||
                mpj_hello_accept(&t->self[rank], &came, &keys);
  return believed;
}

START_TEST(a_message_with_any_bit_changed_proves_nothing)
{
  struct talk t;
  shake_hands(&t, 1);
  const struct mpj_hello *said[] = {&t.answer, &t.proof};
  for (int i = 0; i < 2; i++)
    for (size_t bit = 0; bit < 8 * sizeof(struct mpj_hello); bit++) {
      struct mpj_hello changed = *said[i];
      ((unsigned char *)&changed)[bit / 8] ^= (unsigned char)(1u << bit % 8);
      ck_assert_msg(!is_believed(&t, &changed), "message %d, bit %zu", i + 1, bit);
    }
}
END_TEST

START_TEST(who_does_not_know_the_secret_proves_nothing)
{
  struct talk t, thief;
  struct mpj_hello answer, proof;
  struct mpj_keys keys;
  shake_hands(&t, 1);
  meet(&thief, 2);
  mpj_hello_answer(&thief.self[1], 0, &t.ask, &answer);
  ck_assert(!mpj_hello_prove(&t.self[0], 0, &answer, &proof, &keys));
  memcpy(thief.self[0].nonce, t.self[0].nonce, MPJ_NONCE_BYTES);
  mpj_hello_answer(&thief.self[1], 0, &t.ask, &answer);
  ck_assert(mpj_hello_prove(&thief.self[0], 0, &answer, &proof, &keys));
  memcpy(proof.answerer, t.self[1].nonce, MPJ_NONCE_BYTES);
  ck_assert(!mpj_hello_accept(&t.self[1], &proof, &keys));
  memset(proof.mac, 0, sizeof proof.mac);
  ck_assert(!mpj_hello_accept(&t.self[1], &proof, &keys));
}
END_TEST

START_TEST(no_message_is_taken_for_another_or_for_its_receivers_own)
{
  struct talk t;
  struct mpj_keys keys;
  struct mpj_hello proof, m;
  shake_hands(&t, 1);
  ck_assert(!mpj_hello_accept(&t.self[1], &t.answer, &keys));
  ck_assert(!mpj_hello_prove(&t.self[0], 0, &t.proof, &proof, &keys));
  m = t.answer; /* sent back to its maker as a proof of the other's */
  m.kind = MPJ_HELLO_PROOF;
  m.from = 0;
  ck_assert(!mpj_hello_accept(&t.self[1], &m, &keys));
  m = t.proof;
  m.kind = MPJ_HELLO_ANSWER;
  m.from = 1;
  ck_assert(!mpj_hello_prove(&t.self[0], 0, &m, &proof, &keys));
  m = t.proof; /* in a third rank's name */
  m.from = 2;
  ck_assert(!mpj_hello_accept(&t.self[1], &m, &keys));
}
END_TEST

/* Of a job that had the same secret, even. */
START_TEST(what_was_recorded_of_an_endpoint_proves_nothing_to_the_next)
{
  struct talk old, now;
  struct mpj_hello proof;
  struct mpj_keys keys;
  shake_hands(&old, 1);
  shake_hands(&now, 1);
  ck_assert_mem_ne(old.self[1].nonce, now.self[1].nonce, MPJ_NONCE_BYTES);
  ck_assert(!mpj_hello_prove(&now.self[0], 0, &old.answer, &proof, &keys));
  ck_assert(!mpj_hello_accept(&now.self[1], &old.proof, &keys));
  ck_assert(old.keys[0].out != now.keys[0].out && old.keys[0].in != now.keys[0].in);
}
END_TEST

START_TEST(what_is_no_message_is_not_read)
{
  struct talk t;
  struct mpj_hello came, wrong;
  shake_hands(&t, 1);
  for (size_t bytes = 0; bytes < sizeof t.ask; bytes++)
    ck_assert(!mpj_hello_read(&t.ask, bytes, &came));
  wrong = t.ask;
  wrong.kind = MPJ_HELLO_PROOF + 1;
  ck_assert(!mpj_hello_read(&wrong, sizeof wrong, &came));
  wrong = t.ask;
  wrong.magic++;
  ck_assert(!mpj_hello_read(&wrong, sizeof wrong, &came));
}
END_TEST

int main(void)
{
  return RUN_SUITE(
      "handshake", both_know_the_others_keys_and_number, both_find_the_same_keys_if_both_ask,
      a_message_with_any_bit_changed_proves_nothing, who_does_not_know_the_secret_proves_nothing,
      no_message_is_taken_for_another_or_for_its_receivers_own,
      what_was_recorded_of_an_endpoint_proves_nothing_to_the_next, what_is_no_message_is_not_read);
}
