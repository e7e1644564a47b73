/* This file keeps the records of users' active messages and their numbers: who holds
 * the data, when a number is free again, who hears of an error. */
#include "net/am/requests.h"

#include "base/memory.h"
#include "base/status.h"
#include "types/type.h"

void mpj_am_hold(struct mpj_am_data *to, const struct mpj_am_data *data)
{
  *to = *data;
  if (to->view.layout) mpj_layout_retain(to->view.layout);
}

void mpj_am_let_go(struct mpj_am_data *data)
{
  struct mpj_layout *layout = data->view.layout;
  data->view.layout = NULL;
  if (layout) mpj_layout_release(layout);
}

int mpj_am_data_of(const void *buf, MPJ_Datatype type, struct mpj_am_data *data, uint64_t *digest)
{
  struct mpj_type *object;
  *data = (struct mpj_am_data){.buf = (void *)(uintptr_t)buf};
  *digest = 0;
  if (type == MPJ_DATATYPE_NULL) return MPJ_SUCCESS;
  const int status = mpj_type_resolve_committed(type, "type", &object);
  if (status != MPJ_SUCCESS) return status;
  if (buf == MPJ_IN_PLACE) return mpj_error(MPJ_ERR_ARG, "buf is MPJ_IN_PLACE");
  if (!buf && mpj_type_needs_base(object))
    return mpj_error(MPJ_ERR_ARG, "buf is NULL, and type's data begins at displacement %td",
                     mpj_type_lowest(object));
  data->view = mpj_type_view(object);
  const struct mpj_signature s = mpj_view_signature(&data->view);
  *digest = mpj_signature_digest(&s);
  return MPJ_SUCCESS;
}

struct mpj_am_peer *mpj_am_meet(struct mpj_am *am, int rank)
{
  struct mpj_am_peer *p = &am->peers[rank];
  if (p->met) return p;
  p->met = true;
  p->next_met = am->met;
  am->met = p;
  return p;
}

struct mpj_am_record *mpj_am_records(struct mpj_am_record **records)
{
  if (!*records) *records = mpj_alloc_array(MPJ_AM_WINDOW, sizeof **records);
  return *records;
}

void mpj_am_note_error(struct mpj_am *am, int status)
{
  if (am->error != MPJ_SUCCESS) return;
  am->error = status;
  mpj_error_keep(am->why, sizeof am->why);
}

void mpj_am_tell(struct mpj_am *am, struct mpj_am_record *r, int status)
{
  struct mpj_am_outcome *outcome = r->outcome;
  r->outcome = NULL;
  if (!outcome) {
    mpj_am_note_error(am, status);
    return;
  }
  outcome->status = status;
  if (outcome->told) outcome->told(outcome, status);
}

/* Whether it is the message of one of these records. */
static bool is_among(const struct mpj_am_record *records, const struct mpj_am_message *m)
{
  const uintptr_t at = (uintptr_t)m - (uintptr_t)records;
  return records && at < MPJ_AM_WINDOW * sizeof *records &&
         at % sizeof *records == offsetof(struct mpj_am_record, message);
}

bool mpj_am_has(const struct mpj_am *am, const struct mpj_am_message *m)
{
  if (!m) return false;
  bool found = m == am->current;
  for (const struct mpj_am_peer *p = am->met; p && !found; p = p->next_met)
    found = is_among(p->in, m) || is_among(p->out, m);
  return found && m->state != MPJ_AM_MESSAGE_NONE;
}

void mpj_am_release(struct mpj_am *am, int peer, struct mpj_am_record *r)
{
  struct mpj_am_peer *p = &am->peers[peer];
  struct mpj_am_message *m = &r->message;
  if (m->hands > 0) return;
  if (m->state == MPJ_AM_MESSAGE_DONE) m->state = MPJ_AM_MESSAGE_NONE;
  if (!r->used || !r->acked || r->post.active || m->state != MPJ_AM_MESSAGE_NONE) return;
  r->used = false;
  if (r->outcome) /* dealt with, and no reply */
    mpj_am_tell(am, r,
                mpj_error(MPJ_ERR_ARG, "handler %d on rank %d is no function that can be called",
                          r->post.handler, peer));
  p->taken &= ~(UINT32_C(1) << r->post.number);
  am->under_way--;
}

void mpj_am_retire(struct mpj_am *am, int peer, struct mpj_am_record *r)
{
  struct mpj_am_peer *p = &am->peers[peer];
  struct mpj_am_message *m = &r->message;
  const uint32_t bit = UINT32_C(1) << m->number;
  if (m->state != MPJ_AM_MESSAGE_DONE || m->hands > 0 || r->post.active) return;
  m->state = MPJ_AM_MESSAGE_NONE;
  p->used &= ~bit;
  if ((p->refused & bit) == 0) p->done |= bit;
  am->attention = true;
}
