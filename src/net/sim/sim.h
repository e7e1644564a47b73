/* This header declares a simulated machine under way: its ranks are endpoints of this process, its
 * time is a queue of events. A run is a function of the machine, the seed and what the ranks call.
 *
 * Whoever drives it makes an endpoint, and over it a context, for each rank; says when the ranks
 * do something (mpj_sim_at); and then takes one piece of news after another (mpj_sim_next), binds
 * the rank's context to the thread, and lets it make progress. A rank has no stack: it only ever
 * starts operations and tests them. All of one machine belongs to one thread.
 *
 *   state of a rank  event                             next
 *   AWAY             mpj_sim_enter                     IN_CALL, with what has come meanwhile
 *   AWAY             something comes                   AWAY; it waits
 *   IN_CALL          something comes                   IN_CALL; it is news
 *   either           mpj_sim_kill, or its endpoint     GONE: what comes is dropped, its data cannot
 *                    is closed                         be had, the others know after notice_ps
 *
 * Early-arrival slots are unlimited: no send finds no room. */
#ifndef MPJ_SRC_NET_SIM_SIM_H
#define MPJ_SRC_NET_SIM_SIM_H

#include "net/net.h"
#include "net/sim/counts.h"
#include "net/sim/fetch.h"
#include "net/sim/machine.h"
#include "net/sim/virtual.h"

struct mpj_sim;

/* Errors: MPJ_ERR_ARG (machine), MPJ_ERR_NO_MEM. The machine is copied. */
int mpj_sim_create(const struct mpj_sim_machine *machine, uint64_t seed, struct mpj_sim **sim);
/* After all endpoints have been closed. */
void mpj_sim_free(struct mpj_sim *sim);

/* The endpoint of a rank, which the machine must outlive; closed by mpj_net_close.
 *   eager_bytes  the largest payload of an eager message
 * Errors: MPJ_ERR_NO_MEM. */
int mpj_sim_open(struct mpj_sim *sim, int rank, long eager_bytes, struct mpj_net **net);

/* The machine's virtual buffers, which are its to end; none until mpj_sim_virtual_begin. */
struct mpj_sim_virtual *mpj_sim_virtual(struct mpj_sim *sim);

/* What a rank is to be told. TIMER: mpj_sim_at's; NEWS: look again. */
enum mpj_sim_what { MPJ_SIM_TIMER, MPJ_SIM_NEWS };
struct mpj_sim_news {
  enum mpj_sim_what what;
  int rank;
  int64_t time; /* ps */
};

/* Let there be a TIMER for the rank at `time`. */
void mpj_sim_at(struct mpj_sim *sim, int rank, int64_t time);
/* The next news. false: nothing will ever happen again, or the machine has stopped
 * (mpj_sim_status). */
bool mpj_sim_next(struct mpj_sim *sim, struct mpj_sim_news *news);
/* MPJ_SUCCESS; MPJ_ERR_NO_MEM; MPJ_ERR_UNSUPPORTED: virtual data was to be sent eagerly. */
int mpj_sim_status(const struct mpj_sim *sim);

/* The rank is in a call from `time` on, or from when its core is free. */
void mpj_sim_enter(struct mpj_sim *sim, int rank, int64_t time);
/* Whether something is here that the rank has not looked at. */
bool mpj_sim_waits(const struct mpj_sim *sim, int rank);
/* The rank dies; cause as mpj_net_peer_state. */
void mpj_sim_kill(struct mpj_sim *sim, int rank, int cause);

/* All ranks that are left go at once, in good order: what they still wait for ends. */
void mpj_sim_stop(struct mpj_sim *sim);

/* The rank's own time: when its core is free, ps. */
int64_t mpj_sim_time(const struct mpj_sim *sim, int rank);

/* Combine `bytes` bytes: busy the core of the rank whose clock the thread goes by. */
void mpj_sim_reduces(struct mpj_sim *sim, int64_t bytes);

void mpj_sim_count(const struct mpj_sim *sim, struct mpj_sim_counts *counts);

/* What a rank has sent and received, messages and pulled data. */
struct mpj_sim_rank_counts mpj_sim_rank_count(const struct mpj_sim *sim, int rank);

/* Call `fetch` in every stage of each rank that is about to be told something. Where times differ
 * from rank to rank, who is next is not known, and nothing is called. */
void mpj_sim_fetch_by(struct mpj_sim *sim, mpj_sim_fetch_fn *fetch, void *ctx);

/* Call `see` for every message. NULL: nobody. */
void mpj_sim_watch(struct mpj_sim *sim, mpj_sim_see_fn *see, void *ctx);

#endif
