/* This file says how types of two ranks differ. */
#include "coll/check/explain.h"

#include <stdio.h>

#include "base/checked.h"
#include "base/status.h"
#include "types/introspect/letters_search.h"

static const struct mpj_letters unknown = {.times = 1, .bytes = MPJ_LETTERS_UNKNOWN};

/* Telling */

/* What MPJ_IN_PLACE stands for is of the receive buffer. */
static struct mpj_letters own_letters(const struct mpj_records *r,
                                      const struct mpj_explained *types, struct mpj_side s)
{
  const struct mpj_said *said = mpj_record_of(r, r->rank);
  const bool whole = s.part == MPJ_SIDE_WHOLE;
  const bool received = !types->send || (whole ? said->received : s.received);
  const struct mpj_type *type = received ? types->receive : types->send;
  const bool is_part = !whole || (!types->send && said->operation == MPJ_OPERATION_ALLGATHER);
  struct mpj_letters letters = unknown;
  struct mpj_view view;
  if (!type) return letters;
  if (!is_part)
    view = (struct mpj_view){.layout = type->map.layout, .count = 1};
  else if (mpj_type_part_view(type, whole ? r->rank : s.part, &view) != MPJ_SUCCESS)
    return letters;
  mpj_letters_of_view(&view, &letters);
  return letters;
}

void mpj_explanation_fill(const struct mpj_records *r, const struct mpj_explained *types,
                          struct mpj_explanation tell[])
{
  for (int q = 0; q < r->size; q++) {
    const struct mpj_records theirs = {r->all, q, r->size, r->number};
    struct mpj_side differ[2];
    tell[q] = (struct mpj_explanation){{unknown, unknown}};
    if (!mpj_said_differ(&theirs, differ)) continue;
    for (int i = 0; i < 2; i++)
      if (differ[i].rank == r->rank) tell[q].sides[i] = own_letters(r, types, differ[i]);
  }
}

/* Saying */

static bool runs_are_sound(const struct mpj_letters *l)
{
  MPJ_Count bytes = 0;
  if (l->n < 0 || l->n > MPJ_LETTERS_RUNS || l->times < 1) return false;
  for (int i = 0; i < l->n; i++) {
    MPJ_Count run;
    if (l->runs[i].basic < 0 || l->runs[i].basic >= MPJ_BASIC_COUNT || l->runs[i].count < 1)
      return false;
    if (!mpj_mul_count(l->runs[i].count, mpj_basics[l->runs[i].basic].size, &run) ||
        !mpj_add_count(bytes, run, &bytes))
      return false;
  }
  return l->more ? l->times == 1 && bytes < l->bytes
                 : mpj_mul_count(bytes, l->times, &bytes) && bytes == l->bytes;
}

/* Whether a peer's words are of the data that its record tells. */
static bool is_of(const struct mpj_letters *l, struct mpj_data_record data)
{
  if (l->bytes != data.bytes || !runs_are_sound(l)) return false;
  if (l->more) return true;
  const struct mpj_signature all =
      mpj_signature_repeat(mpj_letters_signature(l, 0, l->n), l->times);
  return mpj_signature_digest(&all) == data.digest;
}

/* What is not known is looked for; what is known of the other side helps. */
static void find_letters(const struct mpj_data_record data[2], struct mpj_letters letters[2])
{
  const struct mpj_letters nothing = {.times = 1};
  const bool known[2] = {is_of(&letters[0], data[0]), is_of(&letters[1], data[1])};
  for (int i = 0; i < 2; i++)
    if (!known[i])
      mpj_letters_guess(data[i].bytes, data[i].digest,
                        known[!i] || i == 1 ? &letters[!i] : &nothing, &letters[i]);
  if (!known[0] && !known[1] && letters[0].more)
    mpj_letters_guess(data[0].bytes, data[0].digest, &letters[1], &letters[0]);
}

/* "part 2 of recvtype on rank 1 describes"; this rank's own by its name, without the rank. */
static void name_side(const struct mpj_records *r, const struct mpj_explained *types,
                      struct mpj_side s, char *text, size_t size)
{
  const struct mpj_said *said = mpj_record_of(r, s.rank);
  const bool received = s.part == MPJ_SIDE_WHOLE ? said->received : s.received;
  const struct mpj_type *type = s.rank != r->rank ? NULL : received ? types->receive : types->send;
  const char *const argument = said->operation == MPJ_OPERATION_BCAST ? "type"
                               : received                             ? "recvtype"
                                                                      : "sendtype";
  char part[32] = "", rank[32] = "", named[MPJ_LETTERS_SUBJECT];
  if (s.part != MPJ_SIDE_WHOLE) snprintf(part, sizeof part, "part %d of ", s.part);
  if (s.rank != r->rank) snprintf(rank, sizeof rank, " on rank %d", s.rank);
  snprintf(text, size, "%s%s%s describes", part, mpj_letters_argument(argument, type, named), rank);
}

int mpj_explain(const struct mpj_records *r, const struct mpj_explained *types,
                const struct mpj_explanation told[])
{
  struct mpj_side differ[2] = {{0, 0, false}, {0, 0, false}};
  struct mpj_data_record data[2];
  struct mpj_letters letters[2];
  char does[2][MPJ_LETTERS_SUBJECT], text[MPJ_LETTERS_TEXT];
  const struct mpj_said *said = mpj_record_of(r, r->rank);
  mpj_said_differ(r, differ);
  for (int i = 0; i < 2; i++) {
    data[i] = mpj_side_data(r, differ[i]);
    letters[i] = told[differ[i].rank].sides[i];
    name_side(r, types, differ[i], does[i], sizeof does[i]);
  }
  find_letters(data, letters);
  mpj_letters_compare(does[0], &letters[0], does[1], &letters[1], text, sizeof text);
  return mpj_error(MPJ_ERR_SIGNATURE, "%s on rank %d: %s",
                   mpj_call_name((unsigned)said->operation, said->root), r->rank, text);
}
