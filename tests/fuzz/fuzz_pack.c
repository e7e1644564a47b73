/* This file packs, unpacks, copies and lists the type of a text in the pieces of
 * a list, and compares with the reference that its contents expand to.
 *
 * Input: the text, a new line, then 3 bytes for each piece: whether it follows
 * the last one or starts elsewhere, and its length. Text that is no type, or one
 * of more than MOST entries or SPAN_MOST bytes from end to end, is passed over. */
#include <mpj/mpj.h>

#include <string.h>

#include "base/memory.h"
#include "fuzz/fuzz.h"
#include "pack/run/address.h"
#include "pack/run/cursor.h"
#include "types/basic.h"
#include "types/expand.h"
#include "types/random_type.h"
#include "types/type.h"

enum { PIECE = 3, MOST = 1 << 12, SPAN_MOST = 1 << 20, SEGMENTS = 5 };

/* A committed type, memory of exactly its true extent, and what that packs to. */
struct subject {
  MPJ_Datatype type;
  struct mpj_ref *ref;
  MPJ_Count bytes;
  size_t span;
  char *memory, *base, *stream;
};

/* The pieces of the input. */
struct pieces {
  const uint8_t *at;
  size_t n;
};

static char *allocate(size_t bytes)
{
  char *p = malloc(bytes);
  must_hold(p || bytes == 0, "memory");
  return p;
}

static bool same_bytes(const void *a, const void *b, MPJ_Count bytes)
{
  return bytes == 0 || memcmp(a, b, (size_t)bytes) == 0;
}

/* Fill in what follows from type and ref. */
static void adopt(struct subject *s, struct mpj_random *rng)
{
  must_hold(MPJ_Type_commit(&s->type) == MPJ_SUCCESS, "commit");
  s->bytes = mpj_ref_bytes(s->ref);
  s->span = (size_t)(mpj_ref_true_ub(s->ref) - mpj_ref_true_lb(s->ref));
  s->memory = allocate(s->span);
  s->stream = allocate((size_t)s->bytes);
  s->base = mpj_at(s->memory, -mpj_ref_true_lb(s->ref));
  for (size_t i = 0; i < s->span; i++)
    s->memory[i] = (char)mpj_random_next(rng);
  mpj_ref_pack(s->ref, s->base, s->stream);
}

static void drop(const struct subject *s)
{
  free(s->stream);
  free(s->memory);
}

/* The next piece of the list within the stream. */
static void next_piece(const uint8_t *at, MPJ_Count whole, MPJ_Count *offset, MPJ_Count *bytes)
{
  MPJ_Count length = at[1] | (MPJ_Count)(at[2] & 7) << 8;
  *offset += *bytes;
  if (at[0] & 1) *offset = (at[0] >> 1) * 37 % (whole + 1);
  if (*offset > whole) *offset = 0;
  *bytes = length < whole - *offset ? length : whole - *offset;
}

static void pack_piece(const struct subject *s, MPJ_Count offset, MPJ_Count bytes)
{
  char *packed = allocate((size_t)bytes);
  int status = MPJ_Pack_range(s->base, s->type, offset, packed, bytes);
  must_hold(status == MPJ_SUCCESS, "pack");
  must_hold(same_bytes(packed, s->stream + offset, bytes), "packed");
  free(packed);
}

/* Unpack the piece over cleared memory, which is then the reference's. */
static void unpack_piece(const struct subject *s, MPJ_Count offset, MPJ_Count bytes)
{
  char *stream = calloc(1, (size_t)s->bytes + 1), *packed = allocate((size_t)bytes);
  char *expected = calloc(1, s->span + 1);
  must_hold(stream && expected, "memory");
  if (bytes > 0) memcpy(packed, s->stream + offset, (size_t)bytes);
  if (bytes > 0) memcpy(stream + offset, packed, (size_t)bytes);
  mpj_ref_unpack(s->ref, stream, mpj_at(expected, s->base - s->memory));
  memset(s->memory, 0, s->span);
  int status = MPJ_Unpack_range(packed, bytes, s->base, s->type, offset);
  must_hold(status == MPJ_SUCCESS, "unpack");
  must_hold(memcmp(s->memory, expected, s->span) == 0, "unpacked");
  free(expected);
  free(packed);
  free(stream);
}

/* The segments from the place on are the stream's next bytes. */
static void list_piece(const struct subject *s, MPJ_Count offset)
{
  struct iovec iov[SEGMENTS];
  MPJ_Count n;
  int status = MPJ_Type_iov_at(s->base, s->type, offset, iov, SEGMENTS, &n);
  must_hold(status == MPJ_SUCCESS && (n > 0 || offset == s->bytes), "iov");
  for (MPJ_Count i = 0; i < n; i++) {
    must_hold((MPJ_Count)iov[i].iov_len <= s->bytes - offset, "iov too long");
    must_hold(memcmp(iov[i].iov_base, s->stream + offset, iov[i].iov_len) == 0, "listed");
    offset += (MPJ_Count)iov[i].iov_len;
  }
}

static void pack_pieces(const struct subject *s, const struct pieces *p)
{
  MPJ_Count offset = 0, bytes = 0;
  for (size_t i = 0; i < p->n; i++) {
    next_piece(p->at + PIECE * i, s->bytes, &offset, &bytes);
    pack_piece(s, offset, bytes);
    list_piece(s, offset);
  }
}

static void unpack_pieces(const struct subject *s, const struct pieces *p)
{
  MPJ_Count offset = 0, bytes = 0;
  for (size_t i = 0; i < p->n; i++) {
    next_piece(p->at + PIECE * i, s->bytes, &offset, &bytes);
    unpack_piece(s, offset, bytes);
  }
}

static struct mpj_cursor begin(const struct subject *s)
{
  struct mpj_type *type;
  struct mpj_cursor c;
  must_hold(mpj_type_resolve(s->type, "type", &type) == MPJ_SUCCESS, "resolve");
  const struct mpj_view view = mpj_type_view(type);
  must_hold(mpj_cursor_begin(&c, &view, s->base) == MPJ_SUCCESS, "cursor");
  return c;
}

/* Copy from layout to layout piece by piece, into memory that was cleared. */
static void copy_pieces(const struct subject *from, const struct subject *to,
                        const struct pieces *p)
{
  struct mpj_cursor src = begin(from), dst = begin(to);
  char *stream = calloc(1, (size_t)to->bytes + 1), *expected = calloc(1, to->span + 1);
  MPJ_Count offset = 0, bytes = 0;
  must_hold(stream && expected, "memory");
  memset(to->memory, 0, to->span);
  for (size_t i = 0; i < p->n; i++) {
    next_piece(p->at + PIECE * i, to->bytes, &offset, &bytes);
    mpj_cursor_seek(&src, offset);
    mpj_cursor_seek(&dst, offset);
    mpj_cursor_copy(&dst, &src, bytes);
    if (bytes > 0) memcpy(stream + offset, from->stream + offset, (size_t)bytes);
  }
  mpj_ref_unpack(to->ref, stream, mpj_at(expected, to->base - to->memory));
  must_hold(memcmp(to->memory, expected, to->span) == 0, "copied in pieces");
  mpj_cursor_end(&dst);
  mpj_cursor_end(&src);
  free(expected);
  free(stream);
}

static void copy_whole(const struct subject *from, const struct subject *to)
{
  char *packed = allocate((size_t)to->bytes);
  int status = MPJ_Copy(from->base, from->type, to->base, to->type);
  must_hold(status == MPJ_SUCCESS, "copy");
  mpj_ref_pack(to->ref, to->base, packed);
  must_hold(same_bytes(packed, from->stream, to->bytes), "copied");
  free(packed);
}

/* To another layout of the same signature, and, where that is allowed, back. */
static void copy(const struct subject *s, struct mpj_random *rng, const struct pieces *p,
                 bool receivable)
{
  struct mpj_random_type t;
  mpj_random_type_like(rng, s->ref, &t);
  struct subject like = {.type = t.type, .ref = t.ref};
  adopt(&like, rng);
  t.type = like.type;
  if (receivable) copy_pieces(&like, s, p);
  if (receivable) copy_whole(&like, s);
  mpj_ref_pack(s->ref, s->base, s->stream);
  copy_pieces(s, &like, p);
  copy_whole(s, &like);
  drop(&like);
  mpj_random_type_free(&t);
}

static void check(MPJ_Datatype *type, struct mpj_ref *ref, const struct pieces *p)
{
  struct mpj_random rng = {p->n};
  struct subject s = {.type = *type, .ref = ref};
  MPJ_Count bytes;
  adopt(&s, &rng);
  *type = s.type;
  must_hold(MPJ_Pack_size(s.type, &bytes) == MPJ_SUCCESS && bytes == s.bytes, "size");
  const bool receivable = !mpj_ref_overlaps(ref);
  pack_pieces(&s, p);
  if (s.bytes > 0) copy(&s, &rng, p, receivable);
  if (s.bytes > 0 && receivable) unpack_pieces(&s, p);
  drop(&s);
}

static void use(MPJ_Datatype *type, const struct pieces *p)
{
  MPJ_Aint lb, extent;
  must_hold(MPJ_Type_get_true_extent(*type, &lb, &extent) == MPJ_SUCCESS, "extent");
  if (extent > SPAN_MOST) return;
  struct mpj_ref *ref = mpj_ref_of_type(*type, MOST);
  if (!ref) return;
  check(type, ref, p);
  mpj_ref_release(ref);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  MPJ_Datatype type;
  const uint8_t *line = size > 0 ? memchr(data, '\n', size) : NULL;
  const size_t length = line ? (size_t)(line - data) : size, rest = size - length;
  const struct pieces p = {data + length + 1, rest > 0 ? (rest - 1) / PIECE : 0};
  char *text = allocate(length + 1);
  if (length > 0) memcpy(text, data, length);
  text[length] = '\0';
  if (!asks_for_much(text) && MPJ_Type_parse(text, &type) == MPJ_SUCCESS) {
    use(&type, &p);
    if (mpj_basic_of_handle(type) < 0) must_hold(MPJ_Type_free(&type) == MPJ_SUCCESS, "free");
  }
  free(text);
  must_hold(mpj_type_live() == 0, "leak");
  return 0;
}
