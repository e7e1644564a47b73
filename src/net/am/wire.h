/* This header declares what users' active messages look like between ranks, in the
 * byte order of the machine: a head of 16 bytes in a short or eager header, then
 *   INLINE   header, payload
 *   EAGER    header; the payload is the eager message's
 *   ADVERT   bytes 8, exposure 16, header if it has at most 16 bytes; a longer one
 *            came before, in a PREFIX
 *   PREFIX   header of the sender's next message
 *   ACK      detail: numbers that are free again, a bit each
 *   REFUSED  number; detail: the error
 *   FLUSH    send ACKs soon */
#ifndef MPJ_SRC_NET_AM_WIRE_H
#define MPJ_SRC_NET_AM_WIRE_H

#include "net/am/requests.h"

enum mpj_am_kind {
  MPJ_AM_KIND_INLINE,
  MPJ_AM_KIND_EAGER,
  MPJ_AM_KIND_ADVERT,
  MPJ_AM_KIND_PREFIX,
  MPJ_AM_KIND_ACK,
  MPJ_AM_KIND_REFUSED,
  MPJ_AM_KIND_FLUSH,
  MPJ_AM_KIND_REPLY = 0x80 /* with the first three: it answers `number` */
};

struct mpj_am_head {
  uint8_t kind, handler, number, header_bytes;
  uint32_t detail;
  uint64_t digest; /* of the payload's signature */
};

struct mpj_am_wire {
  struct mpj_am_head head;
  unsigned char data[MPJ_AM_SMALL];
};
_Static_assert(sizeof(struct mpj_am_wire) == MPJ_AM_SHORT_MAX, "the head and the data fill a cell");
_Static_assert(sizeof(struct mpj_am_head) + MPJ_AM_HEADER_MAX <= MPJ_AM_EAGER_HEADER_MAX,
               "any header fits an eager message");

struct mpj_am_advert {
  MPJ_Count bytes;
  struct mpj_am_remote remote;
};
enum { MPJ_AM_ADVERT_HEADER = MPJ_AM_SMALL - sizeof(struct mpj_am_advert) };

/* Send a message of a head alone, or with bytes of data. MPJ_SUCCESS or AGAIN. */
static inline int mpj_am_send_wire(struct mpj_am *am, int peer, const struct mpj_am_wire *w,
                                   size_t data_bytes)
{
  return mpj_net_short(am->net, peer, MPJ_AM_USERS, w,
                       (unsigned)(sizeof(struct mpj_am_head) + data_bytes));
}

#endif
