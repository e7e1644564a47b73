/* This file lists a cursor's next bytes as dense segments, or counts these. */
#include "pack/run/cursor.h"

#include "pack/run/address.h"
#include "pack/run/cursor_walk.h"

static size_t list_dense(struct mpj_cursor *c, struct iovec *iov, MPJ_Count bytes)
{
  iov[0] = (struct iovec){mpj_at(c->origin, c->offset), (size_t)bytes};
  c->offset += bytes;
  return 1;
}

/* Add a run to the n segments there are. Returns their new number, or 0 if it
 * has no room. */
static size_t add_run(struct iovec *iov, size_t n, size_t max, char *at, MPJ_Count bytes)
{
  if (n > 0 && at == mpj_at(iov[n - 1].iov_base, (MPJ_Aint)iov[n - 1].iov_len)) {
    iov[n - 1].iov_len += (size_t)bytes;
    return n;
  }
  if (n == max) return 0;
  iov[n] = (struct iovec){at, (size_t)bytes};
  return n + 1;
}

/* `limit` > 0 bytes at most. Sets *bytes to what was listed. */
static size_t list_walk(const struct mpj_cursor *c, struct iovec *iov, size_t max, MPJ_Count limit,
                        MPJ_Count *bytes)
{
  struct mpj_walk w;
  mpj_cursor_walk(c, &w);
  MPJ_Count listed = 0;
  size_t n = 0;
  while (listed < limit) {
    struct mpj_span *s = mpj_walk_span(&w);
    MPJ_Count run = s->block - s->within;
    if (run > limit - listed) run = limit - listed;
    size_t more = add_run(iov, n, max, mpj_at(s->at, s->within), run);
    if (more == 0) break;
    n = more;
    listed += run;
    mpj_span_consume(s, run);
  }
  *bytes = listed;
  return n;
}

size_t mpj_cursor_iov(struct mpj_cursor *c, struct iovec *iov, size_t max, MPJ_Count max_bytes,
                      MPJ_Count *bytes)
{
  MPJ_Count limit = mpj_cursor_remaining(c);
  if (limit > max_bytes) limit = max_bytes;
  *bytes = limit;
  if (max == 0 || limit <= 0) {
    *bytes = 0;
    return 0;
  }
  if (!c->program) return list_dense(c, iov, limit);
  size_t n = list_walk(c, iov, max, limit, bytes);
  c->offset += *bytes;
  return n;
}

/* Segments that were passed over, and the one that may still grow. */
struct tally {
  MPJ_Count passed, bytes; /* whole segments, and what they hold */
  MPJ_Count most, most_bytes;
  MPJ_Count open; /* bytes of the last segment, not passed yet; 0: there is none */
  char *end;      /* of the open segment */
};

/* Pass the open segment, if there is one. Returns false where that is too much. */
static bool pass_open(struct tally *t)
{
  if (t->open == 0) return true;
  if (t->passed == t->most || t->open > t->most_bytes - t->bytes) return false;
  t->passed++;
  t->bytes += t->open;
  t->open = 0;
  return true;
}

/* Go over a run, which opens a segment or continues one. */
static bool pass_run(struct tally *t, struct mpj_span *s, MPJ_Count bytes)
{
  char *at = mpj_at(s->at, s->within);
  if (at != t->end && !pass_open(t)) return false;
  t->open += bytes;
  t->end = mpj_at(at, bytes);
  mpj_span_consume(s, bytes);
  return true;
}

/* Go over a batch of whole blocks that do not adjoin: all but the last are
 * segments by themselves. */
static bool pass_blocks(struct tally *t, struct mpj_span *s)
{
  if (s->at == t->end) return pass_run(t, s, s->block);
  if (!pass_open(t)) return false;
  MPJ_Count n = s->count - 1, fit = (t->most_bytes - t->bytes) / s->block;
  if (n > fit) n = fit;
  if (n > t->most - t->passed) n = t->most - t->passed;
  bool all = n == s->count - 1;
  t->passed += n;
  t->bytes += n * s->block;
  if (n > 0) mpj_span_consume(s, n * s->block);
  return all && pass_run(t, s, s->block);
}

static bool pass_span(struct tally *t, struct mpj_span *s)
{
  if (s->stride == s->block) return pass_run(t, s, s->count * s->block - s->within);
  if (s->within > 0) return pass_run(t, s, s->block - s->within);
  return pass_blocks(t, s);
}

MPJ_Count mpj_cursor_pass(struct mpj_cursor *c, MPJ_Count max, MPJ_Count max_bytes,
                          MPJ_Count *bytes)
{
  struct tally t = {.most = max, .most_bytes = max_bytes};
  MPJ_Count ahead = mpj_cursor_remaining(c);
  bool more = max > 0;
  if (!c->program) {
    t.open = ahead;
  } else if (ahead > 0) {
    struct mpj_walk w;
    mpj_cursor_walk(c, &w);
    while (more && t.bytes + t.open < ahead)
      more = pass_span(&t, mpj_walk_span(&w));
  }
  if (more) pass_open(&t);
  *bytes = t.bytes;
  c->offset += t.bytes;
  return t.passed;
}
