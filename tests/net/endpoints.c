/* This file opens endpoints for tests and records what they deliver. */
#include "net/endpoints.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/memory.h"
#include "net/threads/threads.h"

void endpoints_open(struct endpoints *e, int n)
{
  *e = (struct endpoints){.n = n};
  ck_assert_int_eq(mpj_threads_segment_create(n, &e->segment), MPJ_SUCCESS);
  const long before = mpj_memory_outstanding();
  for (int i = 0; i < n; i++)
    ck_assert_int_eq(mpj_threads_open(e->segment, i, &e->net[i]), MPJ_SUCCESS);
  e->allocations = (mpj_memory_outstanding() - before) / n;
}

void endpoints_close(struct endpoints *e)
{
  for (int i = 0; i < e->n; i++) {
    const long before = mpj_memory_outstanding();
    if (!e->net[i]) continue;
    mpj_net_close(e->net[i], MPJ_RANK_FINALIZED, 0);
    ck_assert_int_eq(before - mpj_memory_outstanding(), e->allocations);
  }
  mpj_threads_segment_free(e->segment);
}

static enum mpj_am_verdict take(void *ctx, const struct mpj_am_arrival *arrival,
                                struct mpj_am_dest *dest)
{
  struct inbox *inbox = ctx;
  inbox->messages++;
  inbox->last = *arrival;
  inbox->last.header = inbox->header;
  memcpy(inbox->header, arrival->header, arrival->header_bytes);
  *dest = inbox->dest;
  return inbox->verdict;
}

void endpoints_vacate(struct endpoints *e, int rank)
{
  atomic_store(&mpj_segment_rank(e->segment, rank)->state, MPJ_RANK_ABSENT);
}

void inbox_open(struct inbox *inbox, struct mpj_net *net)
{
  memset(inbox, 0, sizeof *inbox);
  inbox->verdict = MPJ_AM_DONE;
  mpj_net_register(net, TEST_HANDLER, take, inbox);
}

void outcome_note(void *arg, int status)
{
  struct outcome *outcome = arg;
  outcome->calls++;
  outcome->status = status;
}

void warnings_begin(struct warnings *w)
{
  w->kept = dup(STDERR_FILENO);
  w->file = memfd_create("warnings", 0);
  ck_assert(w->kept >= 0 && w->file >= 0);
  ck_assert_int_ge(dup2(w->file, STDERR_FILENO), 0);
}

void warnings_end(struct warnings *w, char *text, size_t size)
{
  ck_assert_int_ge(dup2(w->kept, STDERR_FILENO), 0);
  const ssize_t n = pread(w->file, text, size - 1, 0);
  ck_assert_int_ge(n, 0);
  text[n] = '\0';
  close(w->kept);
  close(w->file);
}
