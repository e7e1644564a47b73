/* This file holds long data that a relay has brought here, until nobody needs it any more. */
#include "coll/run/relay_data.h"

#include <string.h>

#include "base/config/config.h"
#include "base/memory.h"
#include "base/status.h"
#include "coll/comm/context.h"
#include "coll/run/comm_records.h"

bool mpj_relay_data_fits(MPJ_Count bytes)
{
  return bytes <= mpj_config()->scratch_bytes;
}

bool mpj_relay_data_has_room(const struct mpj_context *context, MPJ_Count bytes)
{
  for (const struct mpj_relay_data *d = context->relay_data; d; d = d->next)
    bytes += d->bytes;
  return mpj_relay_data_fits(bytes);
}

static void release(struct mpj_relay_data *data)
{
  mpj_free(data->memory);
  mpj_free(data);
}

/* One user less. */
static void drop_use(struct mpj_relay_data *data)
{
  struct mpj_relay_data **link = &data->context->relay_data;
  if (--data->users > 0) return;
  while (*link != data)
    link = &(*link)->next;
  *link = data->next;
  release(data);
}

int mpj_relay_data_queue(struct mpj_comm *comm, struct mpj_slot *slot, struct mpj_early *early,
                         unsigned children)
{
  struct mpj_relay_data *data = mpj_alloc_array(1, sizeof *data + children * sizeof *data->offer);
  const MPJ_Count bytes = mpj_message_bytes(&early->message);
  if (!data) return MPJ_ERR_NO_MEM;
  data->memory = mpj_alloc((size_t)bytes);
  const struct mpj_view view = {comm->byte.layout, bytes, 1, 0};
  if (!data->memory || mpj_cursor_begin(&data->cursor, &view, data->memory) != MPJ_SUCCESS) {
    mpj_error_drop();
    release(data);
    return MPJ_ERR_NO_MEM;
  }
  data->context = comm->context;
  data->comm = comm;
  data->slot = slot;
  data->bytes = bytes;
  data->children = children;
  data->early = early;
  data->users = 1;
  data->next = comm->context->relay_data;
  comm->context->relay_data = data;
  early->data = data;
  return MPJ_SUCCESS;
}

void mpj_relay_data_let_go(struct mpj_early *early)
{
  struct mpj_relay_data *data = early->data;
  early->data = NULL;
  data->early = NULL;
  drop_use(data);
}

/* As if the advertisement had never come. Who has gone, and why, is told in other ways. */
static void forget_arrival(struct mpj_relay_data *data)
{
  struct mpj_comm *comm = data->comm;
  struct mpj_slot *slot = data->slot;
  struct mpj_early *early = data->early, **link = &slot->early;
  while (*link != early)
    link = &(*link)->next;
  *link = early->next;
  mpj_bits_unset(&slot->seen, early->message.bit);
  if (slot->active) slot->look_again = true;
  mpj_relay_data_let_go(early);
  mpj_comm_drop_early(comm, early);
}

static void pulled(struct mpj_relay_data *data, int status)
{
  struct mpj_early *early = data->early;
  data->state = MPJ_RELAY_HERE;
  if (!early) return;
  if (status == MPJ_ERR_PEER || status == MPJ_ERR_INTERNAL) {
    forget_arrival(data);
    return;
  }
  if (data->slot->active) data->slot->data_came = true;
  early->kept.payload = data->memory;
  if (status == MPJ_SUCCESS) return;
  early->relays = false;
  early->message.kind = MPJ_ARRIVAL_POISON;
  early->message.digest = (uint64_t)status;
}

static void on_pulled(void *arg, int status)
{
  struct mpj_relay_data *data = arg;
  mpj_cursor_end(&data->cursor);
  pulled(data, status);
  drop_use(data);
}

bool mpj_relay_data_pull(struct mpj_relay_data *data, uint64_t n)
{
  struct mpj_comm *comm = data->comm;
  const struct mpj_pull_how how = {.turn = (uint32_t)n};
  struct mpj_am_remote remote;
  memcpy(&remote, data->early->message.data, sizeof remote);
  const int status = mpj_net_pull(comm->net, mpj_comm_world(comm, data->early->source), &remote,
                                  &data->cursor, &how, on_pulled, data);
  if (status == MPJ_AM_AGAIN) return false;
  data->users++;
  data->state = MPJ_RELAY_PULLING;
  data->early->message.kind = MPJ_ARRIVAL_EAGER; /* it is not declined any more */
  if (status != MPJ_AM_PENDING) on_pulled(data, status);
  return true;
}

/* A child has it, or will not come for it. */
static void on_taken(void *arg, int status)
{
  struct mpj_relay_offer *offer = arg;
  struct mpj_relay_data *data = offer->of;
  offer->open = false;
  if (data->comm && offer->step != MPJ_NO_STEP) mpj_step_ended(data->slot, offer->step, status);
  drop_use(data);
}

int mpj_relay_data_offer(struct mpj_relay_data *data, unsigned k, int peer,
                         const struct mpj_arrival_message *message, const unsigned char *from)
{
  struct mpj_comm *comm = data->comm;
  struct mpj_relay_offer *offer = &data->offer[k];
  struct mpj_arrival_message m = *message;
  const struct mpj_view view = {comm->byte.layout, mpj_message_bytes(message), 1, 0};
  int status;
  *offer = (struct mpj_relay_offer){.of = data, .step = MPJ_NO_STEP};
  status =
      mpj_net_expose(comm->net, &view, (void *)(uintptr_t)from, 1, on_taken, offer, &offer->remote);
  if (status != MPJ_SUCCESS) {
    if (status != MPJ_AM_AGAIN) mpj_error_drop();
    return MPJ_AM_AGAIN;
  }
  m.kind = MPJ_ARRIVAL_ADVERT;
  memcpy(m.data, &offer->remote, sizeof offer->remote);
  status = mpj_net_short(comm->net, mpj_comm_world(comm, peer), MPJ_AM_COLLECTIVE, &m,
                         MPJ_ARRIVAL_HEADER + sizeof offer->remote);
  if (status != MPJ_SUCCESS) {
    mpj_net_withdraw(comm->net, &offer->remote, false);
    return MPJ_AM_AGAIN;
  }
  offer->open = true;
  data->users++;
  return MPJ_SUCCESS;
}

void mpj_relay_data_adopt(struct mpj_relay_data *data, unsigned k, unsigned i)
{
  if (!data->offer[k].open) return;
  data->offer[k].step = i;
  data->slot->forwarded[i] = MPJ_FORWARD_OFFERED;
}

/* Withdraw the offers; what cannot be withdrawn ends by its callback. */
static void withdraw(struct mpj_relay_data *data)
{
  struct mpj_net *net = data->comm->net;
  data->comm = NULL;
  data->users++; /* while this looks at it */
  for (unsigned k = 0; k < data->children; k++) {
    struct mpj_relay_offer *offer = &data->offer[k];
    if (!offer->open || mpj_net_withdraw(net, &offer->remote, true) == MPJ_AM_PENDING) continue;
    offer->open = false;
    drop_use(data);
  }
  drop_use(data);
}

void mpj_relay_data_withdraw(const struct mpj_comm *comm, const struct mpj_slot *slot)
{
  struct mpj_relay_data *next;
  for (struct mpj_relay_data *d = comm->context->relay_data; d; d = next) {
    next = d->next;
    if (d->comm == comm && d->slot == slot) withdraw(d);
  }
}

void mpj_relay_data_end(struct mpj_context *context)
{
  while (context->relay_data) {
    struct mpj_relay_data *data = context->relay_data;
    context->relay_data = data->next;
    release(data);
  }
}
