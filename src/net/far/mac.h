/* This header declares message authentication codes: what a rank that knows the job's secret can
 * make of a few bytes, and nobody else. The codes are libsodium's crypto_auth (HMAC-SHA-512,
 * cut to 256 bits); the library is loaded when the first job needs it. */
#ifndef MPJ_SRC_NET_FAR_MAC_H
#define MPJ_SRC_NET_FAR_MAC_H

#include <stdbool.h>
#include <stddef.h>

enum { MPJ_SECRET_BYTES = 32, MPJ_MAC_BYTES = 32 };

/* Load the library, once for the process; before the calls below. Errors: MPJ_ERR_UNSUPPORTED
 * (it is not there). Threads: any. */
int mpj_mac_load(void);

/* mac := the code of `bytes` bytes under this secret. */
void mpj_mac_make(unsigned char mac[MPJ_MAC_BYTES], const void *data, size_t bytes,
                  const unsigned char secret[MPJ_SECRET_BYTES]);

/* Whether mac is that code, in a time that does not depend on where they differ. */
bool mpj_mac_is_of(const unsigned char mac[MPJ_MAC_BYTES], const void *data, size_t bytes,
                   const unsigned char secret[MPJ_SECRET_BYTES]);

/* Fill with random bytes that nobody can foresee. Errors: MPJ_ERR_INTERNAL (the system has none).
 * Threads: any. */
int mpj_random_draw(void *bytes, size_t size);

#endif
