/* This file lists a cursor's next bytes as dense segments. */
#include "pack/cursor.h"

#include "pack/address.h"
#include "pack/cursor_walk.h"

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
