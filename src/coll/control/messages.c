/* This file tells ranks that share no memory with this one of its control windows, and keeps what
 * they tell. */
#include "coll/control/messages.h"

#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "coll/control/own_windows.h"

enum { STEP = MPJ_WINDOW / 4 };

enum kind { SIGNAL, ASK_DONE, DONE, MEET, MET };

/* What travels. */
struct message {
  uint8_t kind, bit; /* bit: of SIGNAL */
  uint16_t slot;     /* of SIGNAL, MEET and MET */
  uint32_t number;   /* of the window */
  uint64_t count;    /* of ASK_DONE and DONE; the term of MEET; the word of MET */
  uint64_t all;      /* of MEET */
};
static_assert(sizeof(struct message) == 24, "what travels has no gaps");

/* A meeting at the peer's window, and one at ours to which it has come. */
struct meeting {
  bool told;          /* the peer has said that all are there: */
  uint64_t word;      /* what it read then */
  uint64_t term, all; /* a MEET that found no room; 0: none */
  bool awaits;        /* the peer is to be told */
  uint64_t full;      /* when the word at ours has as many counts as this */
};

enum watch { UNWATCHED, ASKED, TOLD };

/* What is told of the windows of one number. */
struct mpj_told_window {
  unsigned number;
  bool listed;                  /* in the list of those of which there may be news: */
  struct mpj_told_window *next; /* in it */
  uint64_t tell_at;     /* operations: a peer is to be told when so many have been completed */
  struct mpj_map peers; /* by rank of WORLD: struct mpj_told; owned */
};

/* What this rank and a peer know of each other's windows of one number. */
struct mpj_told {
  struct mpj_told_window *window; /* whose record it is */
  uint64_t done;                  /* that the peer has completed, as far as we know */
  bool asked;                     /* for more, and not been told */
  enum watch watch;               /* whether it wants to know of our progress */
  uint64_t known;                 /* of that, what it knows */
  struct meeting *meetings;       /* [MPJ_WINDOW], by slot; owned; NULL: none yet */
};

static void list(struct mpj_control *control, struct mpj_told_window *window)
{
  if (window->listed) return;
  window->listed = true;
  window->next = control->news;
  control->news = window;
}

void mpj_told_note(struct mpj_control *control, unsigned number, uint64_t done)
{
  const struct mpj_map_entry *e = mpj_map_find_recent(&control->told, number);
  struct mpj_told_window *window = e ? e->pointer : NULL;
  if (window && done >= window->tell_at) list(control, window);
}

static struct mpj_told_window *make_window(struct mpj_control *control, unsigned number)
{
  struct mpj_map_entry *e = mpj_map_add(&control->told, number);
  if (!e || e->pointer) return e ? e->pointer : NULL;
  struct mpj_told_window *window = e->pointer = mpj_alloc_array(1, sizeof *window);
  if (window)
    *window = (struct mpj_told_window){.number = number, .tell_at = UINT64_MAX};
  else
    mpj_map_remove(&control->told, number);
  return window;
}

static struct mpj_told *make_record(struct mpj_control *control, int peer, unsigned number)
{
  struct mpj_told_window *window = make_window(control, number);
  struct mpj_map_entry *e = window ? mpj_map_add(&window->peers, (uint32_t)peer) : NULL;
  struct mpj_told *t = e ? mpj_alloc_array(1, sizeof *t) : NULL;
  if (t) {
    t->window = window;
    e->pointer = t;
  } else {
    if (e) mpj_map_remove(&window->peers, (uint32_t)peer);
    mpj_told_lacks_memory(control);
  }
  return t;
}

/* The record, or NULL. */
static struct mpj_told *look_up(struct mpj_control *control, int peer, unsigned number)
{
  struct mpj_map_entry *e = mpj_map_find_recent(&control->told, number);
  struct mpj_told_window *window = e ? e->pointer : NULL;
  if (window) e = mpj_map_find_recent(&window->peers, (uint32_t)peer);
  return e ? e->pointer : NULL;
}

/* The same, made when there is none. NULL: there is no memory. */
static struct mpj_told *find(struct mpj_control *control, int peer, unsigned number)
{
  struct mpj_told *t = look_up(control, peer, number);
  return t ? t : make_record(control, peer, number);
}

/* NULL: there is no memory. */
static struct meeting *meeting_of(struct mpj_control *control, struct mpj_told *t, unsigned slot)
{
  if (!t) return NULL;
  if (!t->meetings) t->meetings = mpj_alloc_array(MPJ_WINDOW, sizeof *t->meetings);
  if (t->meetings) return &t->meetings[slot];
  mpj_told_lacks_memory(control);
  return NULL;
}

/* This rank's own window of that number. */
static struct mpj_control_window *own(struct mpj_control *control, unsigned number)
{
  struct mpj_control_window *window = mpj_control_window(control, number);
  if (!window) mpj_told_lacks_memory(control);
  return window;
}

/* false: there was no room. */
static bool tell(struct mpj_control *control, int peer, const struct message *m)
{
  return mpj_net_short(control->net, peer, MPJ_AM_CONTROL, m, sizeof *m) == MPJ_SUCCESS;
}

/* Asking */

int mpj_tell_signal(struct mpj_control *control, int peer, unsigned number, unsigned slot,
                    unsigned bit)
{
  const struct message m = {
      .kind = SIGNAL, .bit = (uint8_t)bit, .slot = (uint16_t)slot, .number = number};
  return tell(control, peer, &m) ? MPJ_SUCCESS : MPJ_AM_AGAIN;
}

uint64_t mpj_told_done(struct mpj_control *control, int peer, unsigned number)
{
  struct mpj_told *t = find(control, peer, number);
  if (!t) return 0;
  const struct message m = {.kind = ASK_DONE, .number = number, .count = t->done};
  if (!t->asked) t->asked = tell(control, peer, &m);
  return t->done;
}

static bool come(struct mpj_control *control, int peer, const struct mpj_told *t,
                 struct meeting *meeting)
{
  const struct message m = {.kind = MEET,
                            .slot = (uint16_t)(meeting - t->meetings),
                            .number = t->window->number,
                            .count = meeting->term,
                            .all = meeting->all};
  if (!tell(control, peer, &m)) {
    list(control, t->window);
    return false;
  }
  meeting->term = 0;
  return true;
}

uint64_t mpj_told_meet(struct mpj_control *control, int home, unsigned number, unsigned slot,
                       uint64_t term, uint64_t all)
{
  struct mpj_told *t = find(control, home, number);
  struct meeting *meeting = meeting_of(control, t, slot);
  if (!meeting) return all - 1;
  if (term != 0) {
    meeting->told = false;
    meeting->term = term;
    meeting->all = all;
    come(control, home, t, meeting);
  }
  return meeting->told ? meeting->word : all - 1;
}

/* Being told */

/* What this rank has to have completed for the peer to be told the next time. */
static uint64_t due(const struct mpj_told *t)
{
  return t->watch == UNWATCHED ? UINT64_MAX : t->known + (t->watch == TOLD ? STEP : 1);
}

/* Tell it, if it is time. */
static bool tell_done(struct mpj_control *control, int peer, struct mpj_told *t)
{
  const struct mpj_control_window *window = own(control, t->window->number);
  const uint64_t done = window ? atomic_load_explicit(&window->done, memory_order_relaxed) : 0;
  if (done < due(t)) return false;
  const struct message m = {.kind = DONE, .number = t->window->number, .count = done};
  if (!tell(control, peer, &m)) {
    list(control, t->window);
    return false;
  }
  t->known = done;
  t->watch = TOLD;
  return true;
}

static void on_ask(struct mpj_control *control, int source, const struct message *m)
{
  struct mpj_told *t = find(control, source, m->number);
  if (!t) return;
  t->watch = ASKED;
  t->known = m->count;
  tell_done(control, source, t);
  if (t->window->tell_at > due(t)) t->window->tell_at = due(t);
}

static void on_done(struct mpj_control *control, int source, const struct message *m)
{
  struct mpj_told *t = look_up(control, source, m->number);
  if (!t) return;
  t->done = m->count;
  t->asked = false;
}

static void on_meet(struct mpj_control *control, int source, const struct message *m)
{
  struct mpj_told *t = find(control, source, m->number);
  struct meeting *meeting = meeting_of(control, t, m->slot);
  struct mpj_control_window *window = meeting ? own(control, m->number) : NULL;
  if (!window) return;
  mpj_control_count_in(control, &window->met[m->slot], m->count, m->all);
  meeting->awaits = true;
  meeting->full = m->all;
  list(control, t->window);
}

static void on_met(struct mpj_control *control, int source, const struct message *m)
{
  struct mpj_told *t = look_up(control, source, m->number);
  if (!t || !t->meetings) return;
  t->meetings[m->slot].told = true;
  t->meetings[m->slot].word = m->count;
}

/* DONE and MET name the sender's window, the others this rank's own. */
static bool is_sound(const struct mpj_control *control, const struct mpj_am_arrival *arrival,
                     const struct message *m)
{
  return arrival->header_bytes == sizeof *m && !arrival->has_payload && m->kind <= MET &&
         (m->kind == DONE || m->kind == MET || m->number < control->end) &&
         m->slot < mpj_control_slots(m->number);
}

static void on_signal(struct mpj_control *control, const struct message *m)
{
  struct mpj_control_window *window = own(control, m->number);
  if (window) mpj_atomic_bits_set(&window->slot[m->slot].arrived, m->bit);
}

static enum mpj_am_verdict on_message(void *ctx, const struct mpj_am_arrival *arrival,
                                      struct mpj_am_dest *dest)
{
  struct mpj_control *control = ctx;
  struct message m = {0};
  (void)dest;
  memcpy(&m, arrival->header, arrival->header_bytes < sizeof m ? arrival->header_bytes : sizeof m);
  if (!is_sound(control, arrival, &m)) {
    mpj_warn("rank %d dropped a malformed message of a control window from rank %d",
             control->net->rank, arrival->source);
    return MPJ_AM_DONE;
  }
  switch ((enum kind)m.kind) {
  case SIGNAL:
    on_signal(control, &m);
    break;
  case ASK_DONE:
    on_ask(control, arrival->source, &m);
    break;
  case DONE:
    on_done(control, arrival->source, &m);
    break;
  case MEET:
    on_meet(control, arrival->source, &m);
    break;
  case MET:
    on_met(control, arrival->source, &m);
    break;
  }
  return MPJ_AM_DONE;
}

/* Telling */

/* Until the peer has been told it is looked at again: the word is others' to change. */
static bool tell_met(struct mpj_control *control, int peer, const struct mpj_told *t,
                     struct meeting *meeting)
{
  const unsigned slot = (unsigned)(meeting - t->meetings);
  const struct mpj_control_window *window = own(control, t->window->number);
  if (!window) return false;
  const uint64_t word = atomic_load_explicit(&window->met[slot], memory_order_acquire);
  const struct message m = {
      .kind = MET, .slot = (uint16_t)slot, .number = t->window->number, .count = word};
  if (mpj_meet_beyond(word, meeting->full) < 0 || !tell(control, peer, &m)) {
    list(control, t->window);
    return false;
  }
  meeting->awaits = false;
  return true;
}

static bool poll_meetings(struct mpj_control *control, int peer, const struct mpj_told *t)
{
  bool moved = false;
  for (unsigned slot = 0; slot < MPJ_WINDOW; slot++) {
    struct meeting *meeting = &t->meetings[slot];
    if (meeting->awaits) moved |= tell_met(control, peer, t, meeting);
    if (meeting->term != 0) moved |= come(control, peer, t, meeting);
  }
  return moved;
}

/* The peer is gone: nobody tells it anything any more. What it has told stays. */
static void forget(struct mpj_told *t)
{
  t->watch = UNWATCHED;
  for (unsigned slot = 0; t->meetings && slot < MPJ_WINDOW; slot++) {
    t->meetings[slot].awaits = false;
    t->meetings[slot].term = 0;
  }
}

static bool poll_window(struct mpj_control *control, struct mpj_told_window *window)
{
  bool moved = false;
  window->tell_at = UINT64_MAX;
  for (const struct mpj_map_entry *e = mpj_map_next(&window->peers, NULL); e;
       e = mpj_map_next(&window->peers, e)) {
    const int peer = (int)e->key;
    struct mpj_told *t = e->pointer;
    if (mpj_net_peer_state(control->net, peer, NULL) >= MPJ_RANK_FINALIZED) forget(t);
    if (t->watch != UNWATCHED) moved |= tell_done(control, peer, t);
    if (t->meetings) moved |= poll_meetings(control, peer, t);
    if (window->tell_at > due(t)) window->tell_at = due(t);
  }
  return moved;
}

/* A peer has gone: there may be something to tell of any window, or to be told no more. */
static void list_all(struct mpj_control *control)
{
  for (const struct mpj_map_entry *e = mpj_map_next(&control->told, NULL); e;
       e = mpj_map_next(&control->told, e))
    list(control, e->pointer);
}

bool mpj_told_poll(struct mpj_control *control)
{
  bool moved = false;
  const uint32_t changes = mpj_net_changes(control->net);
  if (changes != control->changes) list_all(control);
  control->changes = changes;
  struct mpj_told_window *window = control->news, *next;
  control->news = NULL;
  for (; window; window = next) {
    next = window->next;
    window->listed = false;
    moved |= poll_window(control, window);
  }
  return moved;
}

static bool poll(void *ctx)
{
  struct mpj_control *control = ctx;
  if (control->gives_up && control->give_up) control->give_up(control->ctx);
  control->gives_up = false;
  return mpj_told_poll(control);
}

void mpj_told_lacks_memory(struct mpj_control *control)
{
  control->lacks_memory = control->gives_up = true;
  mpj_net_also(control->net, MPJ_ALSO_CONTROL, poll, control); /* where all share memory as well */
}

/* Life */

void mpj_told_begin(struct mpj_control *control)
{
  mpj_net_register(control->net, MPJ_AM_CONTROL, on_message, control);
  mpj_net_also(control->net, MPJ_ALSO_CONTROL, poll, control);
}

static bool owes_of(struct mpj_control *control, const struct mpj_told *t)
{
  const struct mpj_control_window *window = own(control, t->window->number);
  for (unsigned slot = 0; window && t->meetings && slot < MPJ_WINDOW; slot++) {
    const struct meeting *m = &t->meetings[slot];
    const uint64_t word = atomic_load_explicit(&window->met[slot], memory_order_relaxed);
    if (m->term != 0 || (m->awaits && mpj_meet_beyond(word, m->full) >= 0)) return true;
  }
  return false;
}

/* Whether a living peer has still to be told of a meeting here, or of having come to one: those
 * windows are listed. */
static bool owes(struct mpj_control *control)
{
  for (const struct mpj_told_window *window = control->news; window; window = window->next)
    for (const struct mpj_map_entry *e = mpj_map_next(&window->peers, NULL); e;
         e = mpj_map_next(&window->peers, e))
      if (owes_of(control, e->pointer)) return true;
  return false;
}

/* Five seconds: for a peer that takes nothing in and is not known to be gone. */
void mpj_told_finish(struct mpj_control *control)
{
  const double end = MPJ_Wtime() + 5;
  unsigned idle = 0;
  while (owes(control) && MPJ_Wtime() < end)
    if (!mpj_net_poll(control->net)) mpj_net_idle(control->net, &idle);
}

static void end_window(struct mpj_told_window *window)
{
  for (struct mpj_map_entry *e = mpj_map_next(&window->peers, NULL); e;
       e = mpj_map_next(&window->peers, e)) {
    struct mpj_told *t = e->pointer;
    mpj_free(t->meetings);
    mpj_free(t);
  }
  mpj_map_end(&window->peers);
  mpj_free(window);
}

void mpj_told_end(struct mpj_control *control)
{
  mpj_net_also(control->net, MPJ_ALSO_CONTROL, NULL, NULL);
  mpj_net_register(control->net, MPJ_AM_CONTROL, NULL, NULL);
  for (struct mpj_map_entry *e = mpj_map_next(&control->told, NULL); e;
       e = mpj_map_next(&control->told, e))
    end_window(e->pointer);
  mpj_map_end(&control->told);
}
