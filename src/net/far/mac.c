/* This file loads libsodium and makes message authentication codes with it. */
#include "net/far/mac.h"

#include <assert.h>
#include <pthread.h>
#include <sodium/core.h>
#include <sodium/crypto_auth.h>
#include <string.h>

#include "base/library/library.h"
#include "base/status.h"

static_assert(MPJ_SECRET_BYTES == crypto_auth_KEYBYTES, "a secret is a key of crypto_auth");
static_assert(MPJ_MAC_BYTES == crypto_auth_BYTES, "and a code is what it makes");

static struct {
  __typeof__(sodium_init) *init;
  __typeof__(crypto_auth) *make;
  __typeof__(crypto_auth_verify) *verify;
} call;
static char why_not[MPJ_LIBRARY_WHY]; /* empty: it is loaded */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
  static const char *const names[] = {"sodium_init", "crypto_auth", "crypto_auth_verify"};
  if (mpj_library_load(MPJ_SODIUM_LIBRARY, false, names, sizeof names / sizeof *names, &call,
                       why_not) &&
      call.init() < 0)
    strcpy(why_not, "it does not start");
}

int mpj_mac_load(void)
{
  pthread_once(&once, load);
  if (!why_not[0]) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_UNSUPPORTED,
                   "libsodium, by which ranks prove who they are over a network, cannot be "
                   "loaded: %s",
                   why_not);
}

void mpj_mac_make(unsigned char mac[MPJ_MAC_BYTES], const void *data, size_t bytes,
                  const unsigned char secret[MPJ_SECRET_BYTES])
{
  call.make(mac, data, bytes, secret);
}

bool mpj_mac_is_of(const unsigned char mac[MPJ_MAC_BYTES], const void *data, size_t bytes,
                   const unsigned char secret[MPJ_SECRET_BYTES])
{
  return call.verify(mac, data, bytes, secret) == 0;
}
