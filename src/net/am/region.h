/* This header declares regions: memory of a rank that the others put to and get from.
 *
 * A put is a request for the handler MPJ_AM_PUT, with the data as its payload: the
 * owner takes it into the region's layout. A get is a request for MPJ_AM_GET, answered
 * by a reply with the region's data, which the sender takes into its own layout. So
 * both go by whichever way the data goes best, and long data moves once, straight
 * between the two layouts where the transport can do that.
 *
 * A region at its owner:
 *   state    event                          next
 *   FREE     expose                         OPEN, with a new serial
 *   OPEN     a put or get of that serial    OPEN, one user more, until it has ended
 *   OPEN     withdraw                       CLOSING: later puts and gets are refused
 *   CLOSING  no users are left              FREE */
#ifndef MPJ_SRC_NET_AM_REGION_H
#define MPJ_SRC_NET_AM_REGION_H

#include "net/am/requests.h"

struct mpj_am_exposed {
  uint64_t serial; /* 0: FREE */
  bool closing;
  unsigned users; /* puts and gets under way */
  uint64_t digest;
  struct mpj_am_data data; /* owns a reference to its layout */
  struct mpj_am *am;
};

/* Make data (retained) a region. Errors: MPJ_ERR_NO_MEM. */
int mpj_am_open_region(struct mpj_am *am, const struct mpj_am_data *data, uint64_t digest,
                       MPJ_Am_region *region);

/* Refuse what comes from now on. Errors: MPJ_ERR_ARG (it is none of this rank's). */
int mpj_am_close_region(struct mpj_am *am, const MPJ_Am_region *region,
                        struct mpj_am_exposed **exposed);

/* Whether a closing region is free now that nobody uses it. */
bool mpj_am_free_region(struct mpj_am_exposed *exposed);

/* Post a get into `into` (retained): contract as mpj_am_request; done(arg, status) will
 * be called from progress, if this returns MPJ_SUCCESS. */
int mpj_am_request_get(struct mpj_am *am, const MPJ_Am_region *region,
                       const struct mpj_am_data *into, uint64_t digest, MPJ_Am_sent_function *done,
                       void *arg);
/* Post a put of data: contract as mpj_am_request. */
int mpj_am_request_put(struct mpj_am *am, const MPJ_Am_region *region,
                       const struct mpj_am_data *data, uint64_t digest, MPJ_Am_sent_function *sent,
                       void *arg);

/* The two handlers. */
extern const struct mpj_am_own_handlers mpj_am_of_regions;

/* When the runtime ends: forget the get that a record waits for; all regions. */
void mpj_am_drop_get(struct mpj_am_record *r);
void mpj_am_forget_regions(struct mpj_am *am);

#endif
