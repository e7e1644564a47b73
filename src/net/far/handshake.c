/* This file makes and checks the messages of a handshake. */
#include "net/far/handshake.h"

#include <assert.h>
#include <string.h>

enum { MAGIC = 0x31486a6d, KEY = MPJ_HELLO_PROOF + 1 }; /* "mjH1" as bytes */

/* What a code is over. `kind` says what it is for: a message, or the KEY from asker to answerer. */
struct said {
  uint32_t magic, kind;
  int32_t asker_rank, answerer_rank;
  uint32_t connection, unused;
  unsigned char asker[MPJ_NONCE_BYTES], answerer[MPJ_NONCE_BYTES];
};
static_assert(sizeof(struct said) == 24 + 2 * MPJ_NONCE_BYTES, "no byte of it is left undefined");

int mpj_identity_make(int rank, const unsigned char secret[MPJ_SECRET_BYTES],
                      struct mpj_identity *identity)
{
  const int status = mpj_mac_load();
  if (status != 0) return status;
  identity->rank = rank;
  memcpy(identity->secret, secret, MPJ_SECRET_BYTES);
  return mpj_random_draw(identity->nonce, MPJ_NONCE_BYTES);
}

void mpj_identity_wipe(struct mpj_identity *identity)
{
  explicit_bzero(identity, sizeof *identity);
}

bool mpj_hello_read(const void *came, size_t bytes, struct mpj_hello *hello)
{
  if (bytes != sizeof *hello) return false;
  memcpy(hello, came, bytes);
  return hello->magic == MAGIC && hello->kind <= MPJ_HELLO_PROOF;
}

/* What the code of this message of `asker` and `answerer` is over. */
static struct said said_in(const struct mpj_hello *hello, int asker, int answerer)
{
  struct said s = {.magic = MAGIC,
                   .kind = hello->kind,
                   .asker_rank = asker,
                   .answerer_rank = answerer,
                   .connection = hello->connection};
  memcpy(s.asker, hello->asker, MPJ_NONCE_BYTES);
  memcpy(s.answerer, hello->answerer, MPJ_NONCE_BYTES);
  return s;
}

static struct mpj_hello hello_of(const struct mpj_identity *self, enum mpj_hello_kind kind,
                                 uint32_t connection)
{
  return (struct mpj_hello){
      .magic = MAGIC, .kind = kind, .from = self->rank, .connection = connection};
}

static void sign(const struct mpj_identity *self, struct mpj_hello *hello, int asker, int answerer)
{
  const struct said s = said_in(hello, asker, answerer);
  mpj_mac_make(hello->mac, &s, sizeof s, self->secret);
}

static bool is_signed(const struct mpj_identity *self, const struct mpj_hello *hello, int asker,
                      int answerer)
{
  const struct said s = said_in(hello, asker, answerer);
  return mpj_mac_is_of(hello->mac, &s, sizeof s, self->secret);
}

static uint64_t key_of(const struct mpj_identity *self, int from, const unsigned char *from_nonce,
                       int to, const unsigned char *to_nonce)
{
  struct said s = {.magic = MAGIC, .kind = KEY, .asker_rank = from, .answerer_rank = to};
  unsigned char mac[MPJ_MAC_BYTES];
  uint64_t key;
  memcpy(s.asker, from_nonce, MPJ_NONCE_BYTES);
  memcpy(s.answerer, to_nonce, MPJ_NONCE_BYTES);
  mpj_mac_make(mac, &s, sizeof s, self->secret);
  memcpy(&key, mac, sizeof key);
  return key;
}

/* The keys of a connection to hello's sender, whose nonce this is. */
static struct mpj_keys keys_with(const struct mpj_identity *self, const struct mpj_hello *hello,
                                 const unsigned char *nonce)
{
  return (struct mpj_keys){.in = key_of(self, hello->from, nonce, self->rank, self->nonce),
                           .out = key_of(self, self->rank, self->nonce, hello->from, nonce),
                           .connection = hello->connection};
}

void mpj_hello_ask(const struct mpj_identity *self, uint32_t connection, struct mpj_hello *ask)
{
  *ask = hello_of(self, MPJ_HELLO_ASK, connection);
  memcpy(ask->asker, self->nonce, MPJ_NONCE_BYTES);
}

void mpj_hello_answer(const struct mpj_identity *self, uint32_t connection,
                      const struct mpj_hello *ask, struct mpj_hello *answer)
{
  *answer = hello_of(self, MPJ_HELLO_ANSWER, connection);
  memcpy(answer->asker, ask->asker, MPJ_NONCE_BYTES);
  memcpy(answer->answerer, self->nonce, MPJ_NONCE_BYTES);
  sign(self, answer, ask->from, self->rank);
}

bool mpj_hello_prove(const struct mpj_identity *self, uint32_t connection,
                     const struct mpj_hello *answer, struct mpj_hello *proof, struct mpj_keys *keys)
{
  if (answer->kind != MPJ_HELLO_ANSWER) return false;
  if (memcmp(answer->asker, self->nonce, MPJ_NONCE_BYTES) != 0) return false; /* no secret */
  if (!is_signed(self, answer, self->rank, answer->from)) return false;
  *proof = hello_of(self, MPJ_HELLO_PROOF, connection);
  memcpy(proof->asker, self->nonce, MPJ_NONCE_BYTES);
  memcpy(proof->answerer, answer->answerer, MPJ_NONCE_BYTES);
  sign(self, proof, self->rank, answer->from);
  *keys = keys_with(self, answer, answer->answerer);
  return true;
}

bool mpj_hello_accept(const struct mpj_identity *self, const struct mpj_hello *proof,
                      struct mpj_keys *keys)
{
  if (proof->kind != MPJ_HELLO_PROOF) return false;
  if (memcmp(proof->answerer, self->nonce, MPJ_NONCE_BYTES) != 0) return false;
  if (!is_signed(self, proof, proof->from, self->rank)) return false;
  *keys = keys_with(self, proof, proof->asker);
  return true;
}
