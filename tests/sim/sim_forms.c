/* This program compares simulated times with closed forms of LogGP where no message waits for
 * another: they are equal, in picoseconds.
 *
 *   sim_forms NAME [--most P | --at P]
 *
 * With C = 2 o + L + (k - 1) G for a message of k bytes, and p a power of two where log is exact:
 *   dissemination  Barrier: C ceil(log2 p) on every rank
 *   binomial       Bcast: the last rank leaves after C log2 p
 *   chain          Bcast: the last rank leaves after C (p - 1)
 *   exchange       Allreduce by recursive doubling: (C + n R) log2 p on every rank, R a byte's sum
 *   ring           Allgather: C (p - 1) on every rank */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "run.h"

static const struct mpj_sim_machine machine = {.kind = MPJ_SIM_FLAT,
                                               .ranks_per_node = 1,
                                               .o_ps = 1700,
                                               .g_ps = 900,
                                               .latency_ps = 50021,
                                               .byte_fs = 7000,
                                               .reduce_byte_fs = 13000,
                                               .notice_ps = 1000000};

static int rounds(int p)
{
  int n = 0;
  while (1 << n < p)
    n++;
  return n;
}

/* C of the messages of a run, which all have one size; -1 if not. */
static int64_t message_ps(const struct result *r)
{
  const int64_t n = (int64_t)r->counts.messages, k = n > 0 ? r->counts.bytes / n : 1;
  if (n > 0 && r->counts.bytes % n != 0) return -1;
  return 2 * machine.o_ps + machine.latency_ps + (k - 1) * machine.byte_fs / 1000;
}

struct form {
  const char *name, *variable;
  enum mpj_operation operation;
  MPJ_Count bytes;
  bool everybody; /* leaves then, not only the last */
};
static const struct form forms[] = {
    {"dissemination", "MPJ_COLL_BARRIER=dissemination", MPJ_OPERATION_BARRIER, 0, true},
    {"binomial", "MPJ_COLL_BCAST=binomial", MPJ_OPERATION_BCAST, 8, false},
    {"chain", "MPJ_COLL_BCAST=chain", MPJ_OPERATION_BCAST, 8, false},
    {"exchange", "MPJ_COLL_ALLREDUCE=exchange:radix=2", MPJ_OPERATION_ALLREDUCE, 16, true},
    {"ring", "MPJ_COLL_ALLGATHER=ring", MPJ_OPERATION_ALLGATHER, 8, true}};

static int64_t expected(const struct form *f, int p, const struct result *r)
{
  const int64_t c = message_ps(r);
  if (c < 0) return -1;
  switch (f->operation) {
  case MPJ_OPERATION_ALLREDUCE:
    return rounds(p) * (c + f->bytes * machine.reduce_byte_fs / 1000);
  case MPJ_OPERATION_ALLGATHER:
    return (p - 1) * c;
  default:
    return (strcmp(f->name, "chain") == 0 ? p - 1 : rounds(p)) * c;
  }
}

static bool holds(const struct form *f, int p)
{
  struct result r;
  struct run_options o = {.machine = machine,
                          .operation = f->operation,
                          .bytes = f->bytes,
                          .repeat = 1,
                          .memory_bytes = INT64_C(8) << 30};
  o.machine.ranks = p;
  if (run_program(&o, NULL, NULL, &r) != MPJ_SUCCESS) {
    printf("%s, p = %d: %s\n", f->name, p, MPJ_Error_detail());
    return false;
  }
  const int64_t should = expected(f, p, &r);
  bool good = r.failed == 0 && should >= 0 && r.last_ps == should;
  for (int i = 0; i < p && f->everybody; i++)
    good &= r.of[i].left_ps == should;
  if (!good)
    printf("%s, p = %d: the last rank left at %lld ps, not %lld; %llu messages, %lld bytes\n",
           f->name, p, (long long)r.last_ps, (long long)should,
           (unsigned long long)r.counts.messages, (long long)r.counts.bytes);
  result_end(&r);
  return good;
}

int main(int argc, char **argv)
{
  const int given = argc == 4 ? atoi(argv[3]) : 256;
  const bool at = argc == 4 && strcmp(argv[2], "--at") == 0;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    if (argc < 2 || strcmp(argv[1], forms[i].name) != 0) continue;
    putenv((char *)(uintptr_t)forms[i].variable);
    const bool powers = forms[i].operation != MPJ_OPERATION_BARRIER && i != 2 && i != 4;
    int bad = 0;
    for (int p = at ? given : 2; p <= given; p = powers || p >= 17 ? 2 * p - p % 2 : p + 1)
      bad += !holds(&forms[i], p);
    return bad > 0;
  }
  fprintf(stderr, "usage: sim_forms dissemination|binomial|chain|exchange|ring [--most P | --at P]\n");
  return 2;
}
