/* This file executes ranges of rows: dense blocks at one stride. */
#include "base/least.h"
#include "pack/run/address.h"
#include "pack/run/exec_run.h"
#include "pack/run/exec_whole.h"

void mpj_exec_rows(const struct mpj_exec *x, MPJ_Count block, MPJ_Aint stride, char *mem,
                   char *other, MPJ_Count from, MPJ_Count to)
{
  MPJ_Aint step = x->same_layout ? stride : block;
  MPJ_Count i = mpj_quotient(from, block), inside = from - i * block;
  mem = mpj_at(mem, i * stride);
  other = mpj_at(other, i * step);
  if (inside > 0) {
    MPJ_Count bytes = mpj_least(block - inside, to - from);
    x->moves->dense(mpj_at(mem, inside), mpj_at(other, inside), bytes);
    from += bytes;
    mem = mpj_at(mem, stride);
    other = mpj_at(other, step);
  }
  MPJ_Count n = mpj_quotient(to - from, block), rest = to - from - n * block;
  if (n > 0) mpj_exec_strided(x, block, mem, stride, other, step, n);
  if (rest > 0) x->moves->dense(mpj_at(mem, n * stride), mpj_at(other, n * step), rest);
}
