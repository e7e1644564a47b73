/* This file moves long data on the simulated machine: a pull is a request to the port of the
 * owner's node, which reads the owner's layout at that moment and sends the bytes off. */
#include "base/memory.h"
#include "base/status.h"
#include "net/sim/state.h"

enum { NONE = INT32_MAX, FIRST_ROOM = 64, REQUEST_BYTES = 32, PIECE = 4096 };

/* The table grows, and its new places are listed as free. */
static bool make_room(struct mpj_sim *sim)
{
  const unsigned n = sim->nexposures, room = n > 0 ? 2 * n : FIRST_ROOM;
  struct mpj_sim_exposure *all = mpj_alloc_array(room, sizeof *all);
  if (!all) return false;
  if (n > 0) memcpy(all, sim->exposures, n * sizeof *all);
  mpj_free(sim->exposures);
  for (unsigned i = n; i < room; i++)
    all[i] = (struct mpj_sim_exposure){.next = i + 1 < room ? i + 1 : NONE};
  sim->exposures = all;
  sim->free_exposure = n;
  sim->nexposures = room;
  return true;
}

static void drop_put(struct mpj_sim_exposure *e)
{
  mpj_free(e->put);
  e->put = NULL;
  mpj_sim_extents_end(&e->extents);
}

static void set_free(struct mpj_sim *sim, struct mpj_sim_exposure *e)
{
  drop_put(e);
  e->used = false;
  sim->ranks[e->owner].offers--;
  e->next = sim->free_exposure;
  sim->free_exposure = (unsigned)(e - sim->exposures);
}

/* What is put leaves its owner's memory for good. */
static bool take_along(struct mpj_sim_rank *r, struct mpj_sim_exposure *e, unsigned i)
{
  const MPJ_Count bytes = mpj_view_bytes(&e->view);
  struct mpj_cursor src;
  if (mpj_cursor_begin(&src, &e->view, e->base) != MPJ_SUCCESS) return false;
  const bool is_virtual = mpj_sim_is_virtual(&r->sim->virtual, src.origin);
  e->put = mpj_alloc(is_virtual ? 1 : (size_t)bytes + 1);
  if (!e->put || (is_virtual && mpj_sim_virtual_take(&r->sim->virtual, src.origin, bytes,
                                                     &e->extents) != MPJ_SUCCESS)) {
    drop_put(e);
    return false;
  }
  if (!is_virtual) mpj_cursor_pack(&src, e->put, bytes);
  mpj_cursor_end(&src);
  e->pulls = 1;
  r->putting = i + 1;
  return true;
}

int mpj_sim_keep(struct mpj_sim *sim, const void *from, const void *to, MPJ_Count bytes)
{
  mpj_sim_forget(sim);
  sim->kept.at = to;
  return mpj_sim_virtual_take(&sim->virtual, from, bytes, &sim->kept.extents);
}

void mpj_sim_forget(struct mpj_sim *sim)
{
  mpj_sim_extents_end(&sim->kept.extents);
  sim->kept.at = NULL;
}

/* What is kept is for one offer, whether that succeeds or not: the next one from this address may
 * be of memory that has been freed and taken again. */
static struct mpj_sim_extents take_kept(struct mpj_sim *sim, const void *base)
{
  struct mpj_sim_extents kept = {0};
  if (sim->kept.at == base) {
    kept = sim->kept.extents;
    sim->kept.extents = (struct mpj_sim_extents){0};
  }
  mpj_sim_forget(sim);
  return kept;
}

MPJ_Count mpj_sim_put_bytes(const struct mpj_sim_rank *r)
{
  return r->putting > 0 ? mpj_view_bytes(&r->sim->exposures[r->putting - 1].view) : 0;
}

static void tell_sent(struct mpj_sim *sim, int owner, const struct mpj_am_remote *remote,
                      int64_t left)
{
  struct mpj_sim_item *sent = mpj_sim_new_item(sim);
  if (!sent) return; /* the machine stops */
  sent->kind = MPJ_SIM_SENT;
  sent->from = sent->to = owner;
  sent->remote = *remote;
  mpj_sim_deliver_at(sim, sent, left);
}

void mpj_sim_put_left(struct mpj_sim_rank *r, int64_t left)
{
  if (r->putting == 0) return;
  const unsigned i = r->putting - 1;
  const struct mpj_am_remote remote = {.id = (uint64_t)r->sim->exposures[i].generation << 32 | i};
  r->putting = 0;
  tell_sent(r->sim, r->net.rank, &remote, left);
}

int mpj_sim_expose(struct mpj_transport *t, const struct mpj_view *view, void *base, unsigned pulls,
                   mpj_am_complete_fn *sent, void *arg, struct mpj_am_remote *remote)
{
  struct mpj_sim_rank *r = mpj_sim_rank_of(t);
  struct mpj_sim *sim = r->sim;
  const bool full = sim->nexposures == 0 || sim->free_exposure == NONE;
  struct mpj_sim_extents kept = take_kept(sim, base);
  if (full && !make_room(sim)) {
    mpj_sim_extents_end(&kept);
    return mpj_error(MPJ_ERR_NO_MEM, "no memory for another piece of data that is offered");
  }
  const unsigned i = sim->free_exposure;
  struct mpj_sim_exposure *e = &sim->exposures[i];
  sim->free_exposure = e->next;
  *e = (struct mpj_sim_exposure){.generation = e->generation + 1,
                                 .used = true,
                                 .pulls = pulls,
                                 .owner = r->net.rank,
                                 .view = *view,
                                 .base = base,
                                 .sent = sent,
                                 .arg = arg,
                                 .extents = kept};
  r->offers++;
  if (pulls == MPJ_PULLS_PUT && !take_along(r, e, i)) {
    set_free(sim, e);
    return mpj_error(MPJ_ERR_NO_MEM, "no memory for data that is put");
  }
  *remote = (struct mpj_am_remote){.id = (uint64_t)e->generation << 32 | i};
  return MPJ_SUCCESS;
}

/* What `owner` offers under this id, or NULL. */
static struct mpj_sim_exposure *find(struct mpj_sim *sim, int owner, uint64_t id)
{
  const uint32_t i = (uint32_t)id;
  if (i >= sim->nexposures) return NULL;
  struct mpj_sim_exposure *e = &sim->exposures[i];
  return e->used && e->generation == id >> 32 && e->owner == owner ? e : NULL;
}

int mpj_sim_withdraw(struct mpj_transport *t, const struct mpj_am_remote *remote, bool known)
{
  struct mpj_sim_rank *r = mpj_sim_rank_of(t);
  struct mpj_sim_exposure *e = find(r->sim, r->net.rank, remote->id);
  (void)known;
  if (e) set_free(r->sim, e);
  if (e && r->putting == (unsigned)(e - r->sim->exposures) + 1) r->putting = 0;
  return MPJ_SUCCESS;
}

void mpj_sim_withdraw_all(struct mpj_sim *sim, int rank)
{
  for (unsigned i = 0; i < sim->nexposures && sim->ranks[rank].offers > 0; i++)
    if (sim->exposures[i].used && sim->exposures[i].owner == rank) {
      if (sim->exposures[i].put)
        sim->exposures[i].sent = NULL; /* it is on its way */
      else
        set_free(sim, &sim->exposures[i]);
    }
}

/* Extents for a layout: only a dense virtual one takes them. */
static int lay(struct mpj_sim *sim, struct mpj_cursor *dst, const struct mpj_sim_extents *extents)
{
  if (dst->program || !mpj_sim_is_virtual(&sim->virtual, dst->origin))
    return mpj_error(MPJ_ERR_UNSUPPORTED, "virtual payload meets a buffer that is not virtual");
  return mpj_sim_virtual_lay(&sim->virtual, dst->origin + dst->offset, mpj_cursor_remaining(dst),
                             extents);
}

/* What has been put is here: it came with the message that said so. */
static int take_put(struct mpj_sim *sim, struct mpj_sim_exposure *e, struct mpj_cursor *dst,
                    const struct mpj_pull_how *how)
{
  const MPJ_Count bytes = mpj_view_bytes(&e->view);
  const bool fits = mpj_cursor_remaining(dst) == bytes;
  int status = MPJ_SUCCESS;
  if (fits && e->extents.at)
    status = lay(sim, dst, &e->extents);
  else if (fits && how && how->take)
    for (MPJ_Count at = 0; at < bytes; at += PIECE)
      how->take(how->arg, e->put + at, bytes - at < PIECE ? bytes - at : PIECE);
  else if (fits)
    mpj_cursor_unpack(dst, e->put, bytes);
  drop_put(e);
  if (!e->sent) set_free(sim, e);
  return fits ? status
              : mpj_error(MPJ_ERR_SIGNATURE, "a put of %lld bytes met others", (long long)bytes);
}

int mpj_sim_pull(struct mpj_transport *t, int source, const struct mpj_am_remote *remote,
                 struct mpj_cursor *dst, const struct mpj_pull_how *how,
                 mpj_am_complete_fn *complete, void *arg)
{
  struct mpj_sim_rank *r = mpj_sim_rank_of(t);
  struct mpj_sim_exposure *e = find(r->sim, source, remote->id);
  t->mover = "port";
  if (e && e->put && dst) return take_put(r->sim, e, dst, how);
  if (r->state != MPJ_RANK_ACTIVE) /* the machine has stopped, and nothing goes its way any more */
    return dst ? mpj_error(MPJ_ERR_PEER, "rank %d pulls no more", r->net.rank) : MPJ_SUCCESS;
  struct mpj_sim_item *item = mpj_sim_new_item(r->sim);
  if (!item) return mpj_error(MPJ_ERR_NO_MEM, "no memory for a pull");
  item->kind = dst ? MPJ_SIM_REQUEST : MPJ_SIM_DECLINE;
  item->from = r->net.rank;
  item->to = source;
  item->wire_bytes = REQUEST_BYTES;
  item->remote = *remote;
  item->dst = dst;
  item->how = how ? *how : (struct mpj_pull_how){0};
  item->complete = complete;
  item->arg = arg;
  item->begun = r->now;
  mpj_sim_busy(r, r->sim->machine.o_ps);
  mpj_sim_send(r->sim, item, r->now);
  return dst ? MPJ_AM_PENDING : MPJ_SUCCESS;
}

static int move_virtual(struct mpj_sim *sim, const struct mpj_sim_exposure *e,
                        const struct mpj_cursor *src, struct mpj_cursor *dst)
{
  struct mpj_sim_extents moved = {0};
  int status = MPJ_SUCCESS;
  if (!e->extents.at) status = mpj_sim_virtual_take(&sim->virtual, src->origin, src->bytes, &moved);
  if (status != MPJ_SUCCESS) return status;
  status = lay(sim, dst, e->extents.at ? &e->extents : &moved);
  mpj_sim_extents_end(&moved);
  mpj_cursor_seek(dst, dst->bytes);
  return status;
}

/* The bytes, straight from layout to layout, or to who takes them piece by piece. */
static int move(struct mpj_sim *sim, const struct mpj_sim_exposure *e, struct mpj_sim_item *item)
{
  _Alignas(64) unsigned char piece[PIECE];
  const MPJ_Count bytes = mpj_view_bytes(&e->view), room = mpj_cursor_remaining(item->dst);
  struct mpj_cursor src;
  if (bytes != room)
    return mpj_error(MPJ_ERR_SIGNATURE, "a pull of %lld bytes met %lld bytes of data",
                     (long long)room, (long long)bytes);
  const int status = mpj_cursor_begin(&src, &e->view, e->base);
  if (status != MPJ_SUCCESS) return status;
  if (e->extents.at || mpj_sim_is_virtual(&sim->virtual, src.origin))
    return move_virtual(sim, e, &src, item->dst);
  if (!item->how.take) mpj_cursor_copy(item->dst, &src, bytes);
  for (MPJ_Count left = item->how.take ? bytes : 0; left > 0;) {
    const MPJ_Count n = left < PIECE ? left : PIECE;
    mpj_cursor_pack(&src, piece, n);
    item->how.take(item->how.arg, piece, n);
    left -= n;
  }
  mpj_cursor_seek(item->dst, item->dst->bytes);
  mpj_cursor_end(&src);
  return MPJ_SUCCESS;
}

/* One of the pulls has been: the last lets the owner know, once the bytes have left. */
static void count_pull(struct mpj_sim *sim, const struct mpj_am_remote *remote,
                       struct mpj_sim_exposure *e, int64_t left)
{
  if (e->pulls == 0 || --e->pulls > 0) return;
  tell_sent(sim, e->owner, remote, left);
}

void mpj_sim_sent(struct mpj_sim *sim, const struct mpj_sim_item *item)
{
  struct mpj_sim_exposure *e = find(sim, item->to, item->remote.id);
  if (!e || !e->sent) return; /* withdrawn meanwhile */
  const struct mpj_sim_exposure ended = *e;
  e->sent = NULL;
  if (!e->put) set_free(sim, e);
  ended.sent(ended.arg, MPJ_SUCCESS);
}

void mpj_sim_serve(struct mpj_sim *sim, struct mpj_sim_item *item)
{
  const int owner = item->to;
  const int64_t now = item->time;
  struct mpj_sim_exposure *e = find(sim, owner, item->remote.id);
  if (item->kind == MPJ_SIM_DECLINE) {
    if (e && e->put) { /* it has been told that its data has left, or is about to be */
      drop_put(e);
      if (!e->sent) set_free(sim, e);
      e = NULL;
    }
    if (e) count_pull(sim, &item->remote, e, now);
    mpj_sim_drop_item(sim, item);
    return;
  }
  if (sim->ranks[item->from].state != MPJ_RANK_ACTIVE) { /* its layouts may be gone */
    if (e) count_pull(sim, &item->remote, e, now);
    item->kind = MPJ_SIM_PULLED;
    item->to = item->from;
    mpj_sim_deliver_at(sim, item, now);
    return;
  }
  if (sim->ranks[owner].state == MPJ_RANK_DEAD) { /* no answer comes, but the news of its death */
    const int64_t noticed = sim->ranks[owner].noticed_ps;
    item->status = MPJ_ERR_PEER;
    item->kind = MPJ_SIM_PULLED;
    item->to = item->from;
    item->from = owner;
    mpj_sim_deliver_at(sim, item, now > noticed ? now : noticed);
    return;
  }
  const MPJ_Count bytes = mpj_cursor_remaining(item->dst);
  if (e && (e->pulls == 0 || sim->ranks[owner].state != MPJ_RANK_ACTIVE))
    e = NULL; /* as many as were announced have been, or its memory is gone */
  if (e)
    item->status = move(sim, e, item);
  else if (sim->ranks[owner].state == MPJ_RANK_ACTIVE)
    item->status = MPJ_ERR_INTERNAL; /* withdrawn */
  else
    item->status = MPJ_ERR_PEER;
  item->kind = MPJ_SIM_PULLED;
  item->to = item->from;
  item->from = owner;
  item->wire_bytes = e && item->status == MPJ_SUCCESS ? bytes : REQUEST_BYTES;
  sim->counts.pulls++;
  const struct mpj_am_remote remote = item->remote;
  const int64_t left = mpj_sim_send(sim, item, now);
  if (e) count_pull(sim, &remote, e, left);
}
