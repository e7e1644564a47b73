/* This file moves long data between nodes: the receiver asks, the owner gives,
 * and the stream goes from layout to layout (far.h has the states). */
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "net/cells/exposure.h"
#include "net/far/far.h"

/* The receiver's side */

static struct mpj_far *far_of(const struct mpj_pulls *t)
{
  return (struct mpj_far *)t->transport;
}

static bool is_withdrawn(const struct mpj_far *far, int source, uint64_t exposure)
{
  const uint32_t *known = far->peers[source].withdrawn;
  return known && known[mpj_exposure_index(exposure)] == mpj_exposure_generation(exposure);
}

static bool ask(struct mpj_far *far, struct mpj_pull *p)
{
  const struct mpj_far_request m = {p->remote.id, mpj_pull_id(&far->pulls, p),
                                    mpj_cursor_remaining(p->dst)};
  if (mpj_far_post(far, p->source, MPJ_FAR_REQUEST, &m, sizeof m, false) != MPJ_SUCCESS)
    return false;
  p->step = MPJ_FAR_WAIT;
  return true;
}

/* The data is here, or will never be: tell the owner, and end. */
static int conclude(struct mpj_far *far, struct mpj_pull *p)
{
  const struct mpj_far_request m = {.exposure = p->remote.id, .pull = mpj_pull_id(&far->pulls, p)};
  if (mpj_far_post(far, p->source, MPJ_FAR_TAKEN, &m, sizeof m, true) != MPJ_SUCCESS)
    return MPJ_AM_PENDING;
  if (p->status == MPJ_SUCCESS) mpj_cursor_seek(p->dst, p->dst->bytes);
  return p->status == MPJ_ERR_PEER ? mpj_pull_lost(&far->pulls, p->source) : p->status;
}

static bool stands(const struct mpj_pull *p)
{
  return p->step == MPJ_FAR_ASK || p->step == MPJ_FAR_WAIT;
}

static int move(struct mpj_pulls *t, struct mpj_pull *p, bool *moved)
{
  struct mpj_far *far = far_of(t);
  if (stands(p) && mpj_far_is_gone(far, p->source)) return mpj_pull_lost(t, p->source);
  if (p->step == MPJ_FAR_MOVED) return conclude(far, p);
  if (p->step == MPJ_FAR_ASK) *moved |= ask(far, p);
  return MPJ_AM_PENDING;
}

static const struct mpj_mover network = {
    .name = "network", .why = "the source is on another node", .move = move};
static const struct mpj_mover *const movers[] = {&network, NULL};

void mpj_far_pulls_begin(struct mpj_far *far)
{
  far->pulls.rank = far->rank;
  far->pulls.transport = &far->head;
  far->pulls.movers = movers;
}

static int decline(struct mpj_far *far, int source, const struct mpj_am_remote *remote)
{
  const struct mpj_far_request m = {.exposure = remote->id};
  return mpj_far_post(far, source, MPJ_FAR_DECLINE, &m, sizeof m, true);
}

int mpj_far_pull(struct mpj_transport *t, int source, const struct mpj_am_remote *remote,
                 struct mpj_cursor *dst, const struct mpj_pull_how *how,
                 mpj_am_complete_fn *complete, void *arg)
{
  struct mpj_far *far = (struct mpj_far *)t;
  if (!dst || mpj_cursor_remaining(dst) == 0) return decline(far, source, remote);
  if (mpj_exposure_index(remote->id) < MPJ_EXPOSURES && is_withdrawn(far, source, remote->id))
    return mpj_pull_withdrawn(&far->pulls, source);
  return mpj_pulls_begin(&far->pulls, source, remote, dst, how, complete, arg);
}

static void on_moved(void *arg, int status)
{
  struct mpj_pull *p = arg;
  p->step = MPJ_FAR_MOVED;
  p->status = status;
}

bool mpj_far_take(struct mpj_far *far, struct mpj_pull *p, void *offer)
{
  p->step = MPJ_FAR_MOVING;
  return far->carrier->ops->take(far->carrier, offer, p->dst, on_moved, p) == MPJ_SUCCESS;
}

void mpj_far_on_gone(struct mpj_far *far, int source, const struct mpj_far_request *m)
{
  struct mpj_pull *p = mpj_pull_by_id(&far->pulls, m->pull, source);
  if (p && p->step == MPJ_FAR_WAIT)
    mpj_pull_end(&far->pulls, p, mpj_pull_withdrawn(&far->pulls, source));
}

void mpj_far_on_withdrawn(struct mpj_far *far, int source, const struct mpj_far_request *m)
{
  struct mpj_far_peer *peer = &far->peers[source];
  const unsigned index = mpj_exposure_index(m->exposure);
  if (index >= MPJ_EXPOSURES) return;
  if (!peer->withdrawn) peer->withdrawn = mpj_alloc_array(MPJ_EXPOSURES, sizeof *peer->withdrawn);
  if (peer->withdrawn) peer->withdrawn[index] = mpj_exposure_generation(m->exposure);
  for (unsigned i = 0; i < far->pulls.top; i++) {
    struct mpj_pull *p = &far->pulls.pull[i];
    if (p->mover && stands(p) && p->source == source && p->remote.id == m->exposure)
      mpj_pull_end(&far->pulls, p, mpj_pull_withdrawn(&far->pulls, source));
  }
}

/* The owner's side */

static struct mpj_exposure *exposure_of(struct mpj_far *far, uint64_t id)
{
  return mpj_segment_exposure(far->home->segment, far->home->rank, mpj_exposure_index(id));
}

void mpj_far_tell_withdrawn(struct mpj_far *far, uint64_t exposure)
{
  const struct mpj_far_request m = {.exposure = exposure};
  for (const struct mpj_far_peer *p = far->known; p; p = p->next)
    if (p->met) mpj_far_post(far, p->rank, MPJ_FAR_WITHDRAWN, &m, sizeof m, true);
}

void mpj_far_on_decline(struct mpj_far *far, const struct mpj_far_request *m)
{
  if (mpj_exposure_index(m->exposure) < MPJ_EXPOSURES)
    mpj_exposure_take(exposure_of(far, m->exposure), mpj_exposure_generation(m->exposure));
}

/* A request for which no serve is free: the data of some has arrived, so their peers ask for more,
 * and the carrier has still to say that it has left. */
struct mpj_far_late {
  struct mpj_far_late *next;
  int source;
  struct mpj_far_request request;
};

static struct mpj_far_serve *free_serve(struct mpj_far *far)
{
  for (unsigned i = 0; i < far->top_serve; i++)
    if (far->serves[i].state == MPJ_FAR_SERVE_FREE) return &far->serves[i];
  return far->top_serve < far->nserves ? &far->serves[far->top_serve++] : NULL;
}

static void keep_for_later(struct mpj_far *far, int source, const struct mpj_far_request *r)
{
  struct mpj_far_late **link = &far->late;
  struct mpj_far_late *late = far->nlate < far->nserves ? mpj_alloc(sizeof *late) : NULL;
  if (!late) {
    mpj_warn("rank %d dropped a request of rank %d, which has more open than it may", far->rank,
             source);
    return;
  }
  *late = (struct mpj_far_late){.source = source, .request = *r};
  while (*link)
    link = &(*link)->next;
  *link = late;
  far->nlate++;
}

void mpj_far_free_late(struct mpj_far *far)
{
  while (far->late) {
    struct mpj_far_late *late = far->late;
    far->late = late->next;
    mpj_free(late);
  }
}

static void serve(struct mpj_far *far, struct mpj_far_serve *s, int source,
                  const struct mpj_far_request *r)
{
  *s = (struct mpj_far_serve){.state = MPJ_FAR_REFUSE,
                              .peer = source,
                              .exposure = r->exposure,
                              .pull = r->pull,
                              .far = far};
  far->active_serves++;
  const struct mpj_cells_exposed *x = mpj_cells_exposed_by_id(far->home, r->exposure);
  if (!x || mpj_view_bytes(&x->view) != r->bytes) return;
  if (mpj_cursor_begin(&s->cursor, &x->view, x->base) == MPJ_SUCCESS) s->state = MPJ_FAR_GIVE;
}

void mpj_far_on_request(struct mpj_far *far, int source, const struct mpj_far_request *r)
{
  struct mpj_far_serve *s = far->late ? NULL : free_serve(far);
  if (s)
    serve(far, s, source, r);
  else
    keep_for_later(far, source, r);
}

/* Serve the oldest that had to wait; false: there is none, or still no serve for it. */
static bool serve_late(struct mpj_far *far)
{
  struct mpj_far_late *late = far->late;
  struct mpj_far_serve *s = late ? free_serve(far) : NULL;
  if (!s) return false;
  far->late = late->next;
  far->nlate--;
  serve(far, s, late->source, &late->request);
  mpj_free(late);
  return true;
}

static void end_serve(struct mpj_far_serve *s)
{
  if (s->state != MPJ_FAR_REFUSE) mpj_cursor_end(&s->cursor);
  s->state = MPJ_FAR_SERVE_FREE;
  s->far->active_serves--;
}

/* However it ended, it was one of the exposure's pulls. */
static void end_gift(struct mpj_far_serve *s)
{
  mpj_exposure_end_read(exposure_of(s->far, s->exposure), mpj_exposure_generation(s->exposure),
                        true);
  end_serve(s);
}

static void on_given(void *arg, int status)
{
  struct mpj_far_serve *s = arg;
  s->left = true;
  if (s->taken || status != MPJ_SUCCESS) end_gift(s);
}

void mpj_far_on_taken(struct mpj_far *far, int source, const struct mpj_far_request *m)
{
  for (unsigned i = 0; i < far->top_serve && far->active_serves > 0; i++) {
    struct mpj_far_serve *s = &far->serves[i];
    if (s->state != MPJ_FAR_GIVING || s->peer != source || s->pull != m->pull) continue;
    s->taken = true;
    if (s->left) end_gift(s);
    return;
  }
}

static bool give(struct mpj_far *far, struct mpj_far_serve *s)
{
  struct mpj_exposure *e = exposure_of(far, s->exposure);
  const struct mpj_far_request m = {.exposure = s->exposure, .pull = s->pull};
  struct mpj_far_head head = {.kind = MPJ_FAR_DATA, .bytes = sizeof m};
  memcpy(head.body, &m, sizeof m);
  if (!mpj_exposure_begin_read(e, mpj_exposure_generation(s->exposure))) {
    mpj_cursor_end(&s->cursor);
    s->state = MPJ_FAR_REFUSE;
    return true;
  }
  s->state = MPJ_FAR_GIVING;
  if (far->carrier->ops->give(far->carrier, s->peer, &head, &s->cursor, on_given, s) == MPJ_SUCCESS)
    return true;
  s->state = MPJ_FAR_GIVE;
  mpj_exposure_end_read(e, mpj_exposure_generation(s->exposure), false);
  return false;
}

static bool step_serve(struct mpj_far *far, struct mpj_far_serve *s)
{
  const bool gone = s->state != MPJ_FAR_SERVE_FREE && mpj_far_is_gone(far, s->peer);
  if (s->state == MPJ_FAR_GIVING && gone && s->left) {
    end_gift(s);
    return true;
  }
  if (s->state == MPJ_FAR_SERVE_FREE || s->state == MPJ_FAR_GIVING) return false;
  if (gone) {
    end_serve(s);
    return true;
  }
  if (s->state == MPJ_FAR_GIVE) return give(far, s);
  const struct mpj_far_request m = {.pull = s->pull};
  if (mpj_far_post(far, s->peer, MPJ_FAR_GONE, &m, sizeof m, false) != MPJ_SUCCESS) return false;
  end_serve(s);
  return true;
}

bool mpj_far_is_giving(const struct mpj_far *far, uint64_t exposure)
{
  for (unsigned i = 0; i < far->top_serve && far->active_serves > 0; i++)
    if (far->serves[i].state == MPJ_FAR_GIVING && far->serves[i].exposure == exposure) return true;
  return false;
}

bool mpj_far_poll_long(struct mpj_far *far)
{
  bool moved = false;
  if (far->pulls.active > 0) moved |= mpj_pulls_poll(&far->pulls);
  for (unsigned i = 0; i < far->top_serve && far->active_serves > 0; i++)
    moved |= step_serve(far, &far->serves[i]);
  while (serve_late(far))
    moved = true;
  return moved;
}
