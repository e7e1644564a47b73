/* This file says how data that came differs from what was expected: which basic types each side
 * consists of, and at which element they differ first. A message has the digest of a signature
 * alone, and one of an even segment that of the whole, so the whole is looked for. */
#include <stdio.h>

#include "base/status.h"
#include "coll/comm/comm.h"
#include "coll/failure/mismatch.h"
#include "coll/plan/binding.h"
#include "coll/steps/verdict.h"
#include "types/introspect/letters.h"

/* What the user calls the operand's type. */
static void name_operand(const struct mpj_slot *slot, struct mpj_operand operand, char text[],
                         size_t size)
{
  static const char *const names[] = {"nothing",     "sendtype", "recvtype",
                                      "a temporary", "a bundle", "an answer"};
  const bool only = slot->schedule->operation == MPJ_OPERATION_BCAST;
  const char *name = only && operand.buffer < MPJ_BUFFER_TEMP ? "type" : names[operand.buffer];
  const int last = operand.segment + operand.span - 1;
  if (operand.part != MPJ_WHOLE && operand.buffer < MPJ_BUFFER_TEMP)
    snprintf(text, size, "part %d of %s", operand.part, name);
  else if (!operand.by_parts || operand.span >= operand.nsegments)
    snprintf(text, size, "%s", name);
  else if (operand.span == 1)
    snprintf(text, size, "part %d of %s", last, name);
  else
    snprintf(text, size, "parts %d to %d of %s", operand.segment, last, name);
}

static const struct mpj_type *type_of(const struct mpj_slot *slot, struct mpj_operand operand)
{
  return operand.buffer == MPJ_BUFFER_SEND   ? slot->call->sendtype
         : operand.buffer == MPJ_BUFFER_RECV ? slot->call->recvtype
                                             : NULL;
}

static const char *describes(const struct mpj_slot *slot, struct mpj_operand operand,
                             char text[MPJ_LETTERS_SUBJECT])
{
  char name[64];
  name_operand(slot, operand, name, sizeof name);
  const bool parts = operand.by_parts && operand.span > 1 && operand.span < operand.nsegments;
  return mpj_letters_subject(name, type_of(slot, operand),
                             parts ? "together describes" : "describes", text);
}

static struct mpj_binder binder_of(const struct mpj_comm *comm, const struct mpj_slot *slot)
{
  return (struct mpj_binder){.schedule = slot->schedule,
                             .call = slot->call,
                             .byte = comm->byte.layout,
                             .scratch = slot->scratch};
}

/* Bind one operand once more, to say what it is. */
static int bind_again(const struct mpj_comm *comm, const struct mpj_slot *slot,
                      struct mpj_operand operand, struct mpj_bound *bound,
                      struct mpj_signature *own)
{
  struct mpj_binder b = binder_of(comm, slot);
  const int status = mpj_bind_operand(&b, operand, bound, own);
  mpj_binder_end(&b);
  return status;
}

int mpj_step_copy_mismatch(const struct mpj_comm *comm, struct mpj_slot *slot, unsigned i)
{
  char one[MPJ_LETTERS_SUBJECT], other[MPJ_LETTERS_SUBJECT], subject[2 * MPJ_LETTERS_SUBJECT];
  const struct mpj_step *step = &slot->schedule->steps[i];
  const struct mpj_operand from = mpj_step_src(slot->schedule, step);
  const struct mpj_operand to = mpj_step_dst(slot->schedule, step);
  struct mpj_bound src, dst;
  int status = bind_again(comm, slot, from, &src, NULL);
  if (status == MPJ_SUCCESS) status = bind_again(comm, slot, to, &dst, NULL);
  if (status != MPJ_SUCCESS) return status;
  snprintf(subject, sizeof subject, "%s on rank %d: %s", mpj_schedule_name(slot->schedule),
           comm->rank, describes(slot, from, one));
  return mpj_letters_refuse(subject, &src.view, describes(slot, to, other), &dst.view);
}

/* What was to be received, with its basic types, before it is cut: a temporary holds what an
 * operand of the user's has. */
static struct mpj_operand of_the_user(const struct mpj_comm *comm, const struct mpj_slot *slot,
                                      struct mpj_operand dst, const struct mpj_bound *bound,
                                      struct mpj_view *view)
{
  const struct mpj_binder b = binder_of(comm, slot);
  *view = bound->view;
  if (dst.buffer != MPJ_BUFFER_TEMP || mpj_bind_elements(&b, dst, view) != MPJ_SUCCESS) return dst;
  struct mpj_operand like = mpj_temporary_like(slot->schedule, dst.part);
  if (dst.nsegments > 0)
    like = dst.by_parts ? mpj_operand_parts(like, dst.segment, dst.span, dst.nsegments)
                        : mpj_operand_segments(like, dst.segment, dst.span, dst.nsegments);
  return like;
}

/* --- looking for what a sender called, by what has come of it --- */

struct sent {
  MPJ_Count bytes; /* of what has come */
  uint64_t hash;   /* of its signature */
  int segment, span, nsegments;
  MPJ_Count unit;                 /* where this rank cuts */
  const struct mpj_letters *mine; /* of this rank */
  MPJ_Count looks, tries;         /* that are left: at one size each; of letters.h */
  struct mpj_letters *whole;      /* what is looked for */
};

/* Looks at a size each; tries at sizes other than this rank's. */
enum { LOOKS = 1 << 15, TRIES = 1 << 24 };

/* Whether it is a segment of so many bytes, cut between units. */
static bool is_of(struct sent *s, MPJ_Count whole, MPJ_Count unit, bool thorough)
{
  const MPJ_Count first = mpj_segment_at(whole, unit, s->segment, s->nsegments);
  const MPJ_Count end = mpj_segment_at(whole, unit, s->segment + s->span, s->nsegments);
  MPJ_Count none = 0;
  if (end - first != s->bytes || s->looks-- <= 0) return false;
  return mpj_letters_find(whole, mpj_segment_hash(s->hash, first), s->mine,
                          thorough ? &s->tries : &none, s->whole);
}

/* The least and the most units of which the segment has so many. */
static bool is_near(struct sent *s, MPJ_Count unit, bool thorough)
{
  const MPJ_Count each = s->bytes / unit / s->span;
  const MPJ_Count least = each > 1 ? (each - 1) * s->nsegments : 1;
  for (MPJ_Count units = least; units <= (each + 1) * s->nsegments && s->looks > 0; units++)
    if (is_of(s, units * unit, unit, thorough)) return true;
  return false;
}

/* As much as this rank has; another size: one basic type first, then what takes long. */
static bool find_whole(struct sent *s)
{
  const MPJ_Count units[] = {s->unit > 0 ? s->unit : 1, 1, 2, 4, 8, 16};
  if (s->bytes < 0 || s->bytes > INT64_MAX / 2 / (s->nsegments + 1)) return false;
  if (is_of(s, s->mine->bytes, units[0], true)) return true;
  if (s->tries > TRIES) s->tries = TRIES;
  for (int thorough = 0; thorough < 2; thorough++)
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
      if (is_near(s, units[i], thorough > 0)) return true;
  return false;
}

static int refuse(const struct mpj_comm *comm, const struct mpj_slot *slot,
                  struct mpj_operand operand, int source, const struct mpj_letters *sent,
                  const struct mpj_letters *wanted)
{
  char sends[MPJ_LETTERS_SUBJECT], does[MPJ_LETTERS_SUBJECT], text[MPJ_LETTERS_TEXT],
      title[MPJ_TITLE_BYTES];
  snprintf(sends, sizeof sends, "%s on rank %d: rank %d sent", mpj_schedule_name(slot->schedule),
           comm->rank, source);
  mpj_letters_compare(sends, sent, describes(slot, operand, does), wanted, text, sizeof text);
  return mpj_error(MPJ_ERR_SIGNATURE, "%s (%s)", text,
                   mpj_operation_title(comm, slot->sequence, title));
}

/* Elements of one basic type in n equal parts: the sender's parts may be repeated likewise. */
static void unfold(struct mpj_letters *l, int n)
{
  if (l->n != 1 || l->times != 1 || l->more || l->runs[0].count % n != 0) return;
  l->runs[0].count /= n;
  l->times = n;
}

/* A bundle is bytes, as many as have come. */
static int bind_expected(const struct mpj_comm *comm, const struct mpj_slot *slot,
                         struct mpj_operand dst, MPJ_Count bytes, struct mpj_bound *bound,
                         struct mpj_signature *own)
{
  if (dst.buffer != MPJ_BUFFER_BUNDLE) return bind_again(comm, slot, dst, bound, own);
  *own = (struct mpj_signature){.bytes = bytes, .elements = bytes};
  *bound = (struct mpj_bound){.view = {comm->byte.layout, bytes, 1, 0}, .bytes = bytes};
  return MPJ_SUCCESS;
}

int mpj_step_mismatch(const struct mpj_comm *comm, struct mpj_slot *slot, unsigned i, int source,
                      MPJ_Count bytes, uint64_t digest)
{
  struct mpj_view view;
  struct mpj_bound bound;
  struct mpj_signature own;
  struct mpj_operand dst = mpj_step_dst(slot->schedule, &slot->schedule->steps[i]);
  if (slot->status != MPJ_SUCCESS) /* said once; a search for each of many segments takes long */
    return mpj_error(MPJ_ERR_SIGNATURE, "%s on rank %d: further data of rank %d has another type",
                     mpj_schedule_name(slot->schedule), comm->rank, source);
  const int status = bind_expected(comm, slot, dst, bytes, &bound, &own);
  if (status != MPJ_SUCCESS) return status;
  dst = of_the_user(comm, slot, dst, &bound, &view);
  struct mpj_letters wanted = {.times = 1}, sent = {.times = 1, .bytes = MPJ_LETTERS_UNKNOWN};
  if (view.layout) mpj_letters_of_view(&view, &wanted);
  if (dst.nsegments > 0 && !dst.by_parts) {
    struct sent s = {.bytes = bytes,
                     .hash = mpj_signature_hash_of(digest, bytes),
                     .segment = dst.segment,
                     .span = dst.span,
                     .nsegments = dst.nsegments,
                     .unit = slot->call->unit,
                     .mine = &wanted,
                     .looks = LOOKS,
                     .tries = MPJ_LETTERS_TRIES,
                     .whole = &sent};
    if (!find_whole(&s) && bytes >= 0 && bytes < INT64_MAX / dst.nsegments)
      sent.about = bytes * dst.nsegments / dst.span;
    return refuse(comm, slot, dst, source, &sent, &wanted);
  }
  if (wanted.bytes != own.bytes && !mpj_letters_cut(&wanted, bound.first, own.bytes, &wanted))
    mpj_letters_guess(own.bytes, mpj_signature_digest(&own), &wanted, &wanted);
  struct mpj_letters hint = wanted;
  const bool all_parts = slot->schedule->operation == MPJ_OPERATION_REDUCE_SCATTER &&
                         dst.buffer == MPJ_BUFFER_SEND && dst.part == MPJ_WHOLE;
  unfold(&hint, dst.by_parts ? dst.span : all_parts ? comm->size : 1);
  mpj_letters_guess(bytes, digest, &hint, &sent);
  return refuse(comm, slot, dst, source, &sent, &wanted);
}

int mpj_step_unwanted(const struct mpj_comm *comm, const struct mpj_slot *slot, int source,
                      MPJ_Count bytes, uint64_t digest)
{
  const struct mpj_letters nothing = {.times = 1};
  struct mpj_letters sent = {.times = 1, .bytes = MPJ_LETTERS_UNKNOWN};
  mpj_letters_guess(bytes, digest, &nothing, &sent);
  return refuse(comm, slot, mpj_operand_part(MPJ_BUFFER_RECV, source), source, &sent, &nothing);
}

int mpj_step_unsent(const struct mpj_comm *comm, struct mpj_slot *slot, unsigned i, int source)
{
  struct mpj_operand dst = mpj_step_dst(slot->schedule, &slot->schedule->steps[i]);
  if (dst.buffer == MPJ_BUFFER_TEMP) dst = mpj_temporary_like(slot->schedule, dst.part);
  struct mpj_view view;
  struct mpj_letters wanted = {.times = 1};
  const struct mpj_letters nothing = {.times = 1};
  if (mpj_type_part_view(slot->call->recvtype, dst.part, &view) == MPJ_SUCCESS)
    mpj_letters_of_view(&view, &wanted);
  return refuse(comm, slot, dst, source, &nothing, &wanted);
}

/* Operations whose ranks all describe the same data, which is not cut by parts. */
static bool is_of_one_signature(unsigned operation)
{
  return operation == MPJ_OPERATION_BCAST || operation == MPJ_OPERATION_REDUCE ||
         operation == MPJ_OPERATION_ALLREDUCE || operation == MPJ_OPERATION_SCAN ||
         operation == MPJ_OPERATION_EXSCAN;
}

/* Whether what came is some segment of n, or all. */
static bool find_any(struct sent *s, int n)
{
  s->nsegments = n;
  for (s->span = 1; s->span <= n; s->span++)
    for (s->segment = 0; s->segment + s->span <= n; s->segment++)
      if (find_whole(s)) return true;
  return false;
}

bool mpj_step_other_data(const struct mpj_comm *comm, const struct mpj_slot *slot, int source,
                         const struct mpj_arrival_message *m)
{
  const struct mpj_type *type = slot->call->recvtype ? slot->call->recvtype : slot->call->sendtype;
  const bool received = type == slot->call->recvtype;
  const struct mpj_operand whole = {
      received ? MPJ_BUFFER_RECV : MPJ_BUFFER_SEND, false, MPJ_WHOLE, 0, 0, 0};
  struct mpj_letters wanted, sent;
  if (m->kind > MPJ_ARRIVAL_ADVERT || mpj_is_verdict(m) ||
      !is_of_one_signature(slot->schedule->operation) || !type)
    return false;
  const struct mpj_view view = mpj_type_view(type);
  mpj_letters_of_view(&view, &wanted);
  struct sent s = {.bytes = mpj_message_bytes(m),
                   .hash = mpj_signature_hash_of(m->digest, mpj_message_bytes(m)),
                   .unit = slot->call->unit,
                   .mine = &wanted,
                   .looks = LOOKS,
                   .tries = MPJ_LETTERS_TRIES,
                   .whole = &sent};
  if (!find_any(&s, 1) && !find_any(&s, m->segments) && !find_any(&s, comm->size)) return false;
  refuse(comm, slot, whole, source, &sent, &wanted);
  return true;
}
