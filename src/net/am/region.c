/* This file serves puts and gets: the regions of this rank, and what it has asked of
 * those of others. */
#include "net/am/region.h"

#include <string.h>

#include "base/entry.h"
#include "base/memory.h"
#include "base/status.h"

/* What names a region in the header of a request. */
struct name {
  uint64_t serial;
  uint32_t index, unused;
};

/* A get under way; the outcome of its record until the reply has come, then the scratch
 * of the reply. */
struct get {
  struct mpj_am_outcome outcome; /* first */
  struct mpj_am *am;
  struct mpj_am_data into; /* owns a reference to its layout */
  uint64_t digest;
  MPJ_Am_sent_function *done;
  void *arg;
};

/* Regions of this rank */

int mpj_am_open_region(struct mpj_am *am, const struct mpj_am_data *data, uint64_t digest,
                       MPJ_Am_region *region)
{
  int i = 0;
  if (!am->regions) am->regions = mpj_alloc_array(MPJ_AM_REGIONS_MAX, sizeof *am->regions);
  while (am->regions && i < MPJ_AM_REGIONS_MAX && am->regions[i].serial != 0)
    i++;
  if (!am->regions || i == MPJ_AM_REGIONS_MAX)
    return mpj_error(MPJ_ERR_NO_MEM, "rank %d has no room for a region, %d are open", am->rank, i);
  struct mpj_am_exposed *x = &am->regions[i];
  *x = (struct mpj_am_exposed){.serial = ++am->region_serial, .digest = digest, .am = am};
  mpj_am_hold(&x->data, data);
  *region = (MPJ_Am_region){
      .rank = am->rank, .index = i, .serial = x->serial, .bytes = mpj_view_bytes(&data->view)};
  return MPJ_SUCCESS;
}

/* The region, or NULL if there is none, or none any more; a peer may have named it. */
static struct mpj_am_exposed *find(struct mpj_am *am, uint32_t index, uint64_t serial)
{
  if (!am->regions || index >= MPJ_AM_REGIONS_MAX || serial == 0) return NULL;
  struct mpj_am_exposed *x = &am->regions[index];
  return x->serial == serial && !x->closing ? x : NULL;
}

int mpj_am_close_region(struct mpj_am *am, const MPJ_Am_region *region,
                        struct mpj_am_exposed **exposed)
{
  struct mpj_am_exposed *x =
      region->rank == am->rank ? find(am, (uint32_t)region->index, region->serial) : NULL;
  if (!x)
    return mpj_error(MPJ_ERR_ARG, "region is no region of rank %d, or has been withdrawn",
                     am->rank);
  x->closing = true;
  *exposed = x;
  return MPJ_SUCCESS;
}

bool mpj_am_free_region(struct mpj_am_exposed *x)
{
  if (x->users > 0) return false;
  mpj_am_let_go(&x->data);
  x->serial = 0;
  return true;
}

void mpj_am_forget_regions(struct mpj_am *am)
{
  for (int i = 0; am->regions && i < MPJ_AM_REGIONS_MAX; i++)
    if (am->regions[i].serial != 0) mpj_am_let_go(&am->regions[i].data);
  mpj_free(am->regions);
}

/* Requests */

static struct name name_of(const MPJ_Am_region *region)
{
  return (struct name){.serial = region->serial, .index = (uint32_t)region->index};
}

int mpj_am_request_put(struct mpj_am *am, const MPJ_Am_region *region,
                       const struct mpj_am_data *data, uint64_t digest, MPJ_Am_sent_function *sent,
                       void *arg)
{
  const struct name name = name_of(region);
  return mpj_am_request(am, region->rank, MPJ_AM_PUT, &name, sizeof name, data, digest, sent, arg,
                        NULL);
}

static void end_get(struct get *get, int status)
{
  const struct get ended = *get;
  const bool before = ended.am->in_handler;
  mpj_am_let_go(&get->into);
  mpj_free(get);
  ended.am->in_handler = true;
  const struct mpj_entry entered = mpj_entry_suspend();
  ended.done(ended.arg, status);
  mpj_entry_resume(&entered);
  ended.am->in_handler = before;
}

/* There will be no reply. */
static void on_told(struct mpj_am_outcome *outcome, int status)
{
  end_get((struct get *)(void *)outcome, status);
}

int mpj_am_request_get(struct mpj_am *am, const MPJ_Am_region *region,
                       const struct mpj_am_data *into, uint64_t digest, MPJ_Am_sent_function *done,
                       void *arg)
{
  const struct name name = name_of(region);
  const struct mpj_am_data nothing = {.buf = NULL};
  struct get *get = mpj_alloc(sizeof *get);
  if (!get) return mpj_error(MPJ_ERR_NO_MEM, "no memory to get from rank %d", region->rank);
  *get = (struct get){
      .outcome = {MPJ_SUCCESS, on_told}, .am = am, .digest = digest, .done = done, .arg = arg};
  mpj_am_hold(&get->into, into);
  const int status = mpj_am_request(am, region->rank, MPJ_AM_GET, &name, sizeof name, &nothing, 0,
                                    NULL, NULL, &get->outcome);
  if (status != MPJ_SUCCESS) {
    mpj_am_let_go(&get->into);
    mpj_free(get);
  }
  return status;
}

void mpj_am_drop_get(struct mpj_am_record *r)
{
  struct get *get = r->message.reply ? r->message.scratch : NULL;
  if (!get && r->outcome && r->outcome->told == on_told) get = (struct get *)(void *)r->outcome;
  if (!get) return;
  mpj_am_let_go(&get->into);
  mpj_free(get);
  r->message.scratch = NULL;
  r->outcome = NULL;
}

/* What comes */

/* The region that a request names. */
static struct mpj_am_exposed *named_by(struct mpj_am_message *m)
{
  struct name name;
  if (m->info.header_bytes != (int)sizeof name) return NULL;
  memcpy(&name, m->header, sizeof name);
  return find(m->am, name.index, name.serial);
}

static int no_region(const struct mpj_am_message *m)
{
  return mpj_error(MPJ_ERR_ARG, "rank %d named a region that rank %d does not have (any more)",
                   m->info.source, m->am->rank);
}

static void take_reply(struct mpj_am_message *m)
{
  struct mpj_am_record *r = mpj_am_record_of(m);
  struct mpj_am_outcome *outcome = r->outcome;
  if (m->handler != MPJ_AM_GET || !outcome || outcome->told != on_told) {
    mpj_am_leave(m, MPJ_SUCCESS); /* to nothing that waits for it */
    return;
  }
  struct get *get = (struct get *)(void *)outcome;
  r->outcome = NULL;
  m->scratch = get;
  mpj_am_take(m, &get->into, get->digest);
}

static void region_header(struct mpj_am_message *m)
{
  if (m->reply) {
    take_reply(m);
    return;
  }
  struct mpj_am_exposed *x = named_by(m);
  if (!x) {
    mpj_am_leave(m, no_region(m));
  } else if (m->handler == MPJ_AM_GET) {
    m->region = x;
    x->users++;
    mpj_am_leave(m, MPJ_SUCCESS);
  } else {
    m->region = x;
    x->users++;
    mpj_am_take(m, &x->data, x->digest);
  }
}

static void on_given(void *arg, int status)
{
  struct mpj_am_exposed *x = arg;
  (void)status; /* the receiver knows */
  x->users--;
}

static void region_complete(struct mpj_am_message *m, int status)
{
  struct mpj_am_exposed *x = m->region;
  struct get *get = m->reply ? m->scratch : NULL;
  m->region = NULL;
  if (get) {
    m->scratch = NULL;
    end_get(get, status);
  } else if (x && m->handler == MPJ_AM_GET && status == MPJ_SUCCESS) {
    mpj_am_answer(m, MPJ_AM_GET, NULL, 0, &x->data, x->digest, on_given, x);
  } else if (x) {
    x->users--;
  }
}

const struct mpj_am_own_handlers mpj_am_of_regions = {region_header, region_complete};
