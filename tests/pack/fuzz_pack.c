/* This file is a libFuzzer target: a random type, and a list of pieces in which it
 * is packed, unpacked and copied, against the reference. Built by clang with
 * MPJ_SANITIZE=fuzzer-no-link,address (tests/pack/fuzz.cmake does).
 *
 * Input: 8 bytes of seed, depth, elements / 4, then 3 bytes for each piece: whether
 * it follows the last one or starts elsewhere, and its length. */
#include <mpj/mpj.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pack/address.h"
#include "types/random_type.h"

enum { HEAD = 10, PIECE = 3, DEPTHS = 6 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A type, memory of exactly its true extent, and what that packs to. */
struct subject {
  struct mpj_random_type t;
  MPJ_Count bytes;
  size_t span;
  char *memory, *base, *stream;
};

static void need(const struct subject *s, int holds, const char *what)
{
  if (holds) return;
  fprintf(stderr, "%s: %s\n%s\n", what, s->t.text, MPJ_Error_detail());
  abort();
}

static void adopt(struct subject *s, struct mpj_random *rng)
{
  need(s, MPJ_Type_commit(&s->t.type) == MPJ_SUCCESS, "commit");
  s->bytes = mpj_ref_bytes(s->t.ref);
  s->span = (size_t)(mpj_ref_true_ub(s->t.ref) - mpj_ref_true_lb(s->t.ref));
  s->memory = malloc(s->span);
  s->stream = malloc((size_t)s->bytes);
  s->base = mpj_at(s->memory, -mpj_ref_true_lb(s->t.ref));
  for (size_t i = 0; i < s->span; i++)
    s->memory[i] = (char)mpj_random_next(rng);
  mpj_ref_pack(s->t.ref, s->base, s->stream);
}

static void drop(struct subject *s)
{
  free(s->stream);
  free(s->memory);
  mpj_random_type_free(&s->t);
}

/* The next piece of the list within the stream. */
static void next_piece(const uint8_t *at, MPJ_Count whole, MPJ_Count *offset, MPJ_Count *bytes)
{
  MPJ_Count length = at[1] | (MPJ_Count)(at[2] & 3) << 8;
  *offset += *bytes;
  if (at[0] & 1) *offset = (at[0] >> 1) * 37 % (whole + 1);
  if (*offset > whole) *offset = 0;
  *bytes = length < whole - *offset ? length : whole - *offset;
}

static void pack_piece(const struct subject *s, MPJ_Count offset, MPJ_Count bytes)
{
  char *packed = malloc((size_t)bytes);
  int status = MPJ_Pack_range(s->base, s->t.type, offset, packed, bytes);
  need(s, status == MPJ_SUCCESS, "pack");
  need(s, bytes == 0 || memcmp(packed, s->stream + offset, (size_t)bytes) == 0, "packed");
  free(packed);
}

/* Unpack the piece over cleared memory, which is then the reference's. */
static void unpack_piece(const struct subject *s, MPJ_Count offset, MPJ_Count bytes)
{
  char *stream = calloc(1, (size_t)s->bytes + 1), *packed = malloc((size_t)bytes);
  char *expected = calloc(1, s->span + 1);
  if (bytes > 0) memcpy(packed, s->stream + offset, (size_t)bytes);
  if (bytes > 0) memcpy(stream + offset, packed, (size_t)bytes);
  mpj_ref_unpack(s->t.ref, stream, mpj_at(expected, s->base - s->memory));
  memset(s->memory, 0, s->span);
  int status = MPJ_Unpack_range(packed, bytes, s->base, s->t.type, offset);
  need(s, status == MPJ_SUCCESS, "unpack");
  need(s, memcmp(s->memory, expected, s->span) == 0, "unpacked");
  free(expected);
  free(packed);
  free(stream);
}

static void copy_whole(const struct subject *s, struct mpj_random *rng)
{
  struct subject like;
  mpj_random_type_like(rng, s->t.ref, &like.t);
  adopt(&like, rng);
  int status = MPJ_Copy(s->base, s->t.type, like.base, like.t.type);
  need(s, status == MPJ_SUCCESS, "copy");
  mpj_ref_pack(like.t.ref, like.base, like.stream);
  need(s, memcmp(like.stream, s->stream, (size_t)s->bytes) == 0, "copied");
  drop(&like);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < HEAD) return 0;
  struct mpj_random rng;
  memcpy(&rng.state, data, sizeof rng.state);
  struct mpj_random_options options = {
      .depth = data[8] % DEPTHS, .max_elements = 1 + 4 * (MPJ_Count)data[9], .receivable = true};
  struct subject s;
  mpj_random_type_make(&rng, &options, &s.t);
  adopt(&s, &rng);
  if (s.bytes > 0) copy_whole(&s, &rng);
  MPJ_Count offset = 0, bytes = 0;
  for (size_t at = HEAD; at + PIECE <= size; at += PIECE) {
    next_piece(data + at, s.bytes, &offset, &bytes);
    pack_piece(&s, offset, bytes);
  }
  offset = bytes = 0;
  for (size_t at = HEAD; s.bytes > 0 && at + PIECE <= size; at += PIECE) {
    next_piece(data + at, s.bytes, &offset, &bytes);
    unpack_piece(&s, offset, bytes);
  }
  drop(&s);
  return 0;
}
