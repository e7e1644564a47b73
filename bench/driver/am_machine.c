/* This file fits the parameters of a machine (LogGP, as src/net/sim/machine.h has it) to what
 * messages between two ranks took. */
#include "am_machine.h"

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "net/sim/machine.h"

/* Rows of the worker, one way but for the streams, which are a message's share of one. Long data in
 * three sizes: not changed since the last time, just come from the other, and added up. */
enum {
  SHORT,
  SENDING,
  STREAM,
  EAGER_512,
  EAGER_8192,
  KEPT,
  PASSED_ON = KEPT + 3,
  COMBINED = PASSED_ON + 3,
  NROWS = COMBINED + 3
};
static const char *const rows[NROWS] = {"short_8_rings_2",
                                        "sending_8_8",
                                        "burst_8_1024",
                                        "eager_512",
                                        "eager_8192",
                                        "long_32768",
                                        "long_262144",
                                        "long_1048576",
                                        "long_32768_passed_on",
                                        "long_262144_passed_on",
                                        "long_1048576_passed_on",
                                        "long_32768_combined",
                                        "long_262144_combined",
                                        "long_1048576_combined"};
static const double sizes[3] = {32768, 262144, 1048576};

bool am_machine_transport(const char *name)
{
  return !strcmp(name, "shm") || !strcmp(name, "threads") || !strcmp(name, "ucx");
}

static double least(double a, double b)
{
  return a < b ? a : b;
}

static double most(double a, double b)
{
  return a > b ? a : b;
}

/* us -> ps, and us a byte -> fs a byte. */
static int64_t whole(double us, double unit)
{
  return (int64_t)(most(us, 0) * unit + .5);
}

static double middle(double a, double b, double c)
{
  return most(least(a, b), least(most(a, b), c));
}

/* o: what a sender is busy for with one of few messages. That may be the whole way: where the kernel
 * takes it to the other's socket before the call returns, nothing is left for L. A long message is
 * its announcement, the request for it and the data: from one end to the other three times, four
 * times seen to. G is the middle one of three sizes, each the mean of data that the receiver's
 * caches may have kept and of data that they cannot have, as the model knows of no caches; what a
 * byte's combination takes is what it takes more than the first. What a byte of a short message
 * takes more than G is copied, at both ends alike. */
static void fit(const double us[NROWS], struct mpj_sim_machine *m)
{
  const double o = us[SENDING], latency = most(us[SHORT] - 2 * o, 0);
  const double start = 3 * latency + 4 * o;
  double bytes[3], sums[3];
  for (int i = 0; i < 3; i++) {
    bytes[i] = most((us[KEPT + i] + us[PASSED_ON + i]) / 2 - start, 0) / sizes[i];
    sums[i] = most(us[COMBINED + i] - us[KEPT + i], 0) / sizes[i];
  }
  const double byte = middle(bytes[0], bytes[1], bytes[2]);
  const double short_byte = (us[EAGER_8192] - us[EAGER_512]) / (8192 - 512);
  m->o_ps = whole(o, 1e6);
  m->g_ps = whole(us[STREAM], 1e6);
  m->latency_ps = m->node_latency_ps = whole(latency, 1e6);
  m->byte_fs = m->node_byte_fs = whole(byte, 1e9);
  m->copy_byte_fs = whole((short_byte - byte) / 2, 1e9);
  m->reduce_byte_fs = whole(middle(sums[0], sums[1], sums[2]), 1e9);
}

static bool set(json_t *machine, const char *name, int64_t value, const char *unit)
{
  char text[32];
  snprintf(text, sizeof text, "%lld%s", (long long)value, unit);
  return json_object_set_new(machine, name, json_string(text)) == 0;
}

bool am_machine_write(const char *path, const char *transport,
                      double (*median)(void *arg, const char *row), void *arg)
{
  double us[NROWS];
  char name[MPJ_SIM_NAME_MAX];
  struct mpj_sim_machine m = {.kind = MPJ_SIM_FLAT};
  for (int i = 0; i < NROWS; i++)
    if (!((us[i] = median(arg, rows[i])) > 0)) {
      fprintf(stderr, "mpj-bench: the worker told nothing of %s\n", rows[i]);
      return false;
    }
  fit(us, &m);
  snprintf(name, sizeof name, "measured_%s", transport);
  json_t *machine = json_pack("{ss ss ss}", "name", name, "kind", "flat", "source",
                              "measured between two ranks by mpj-bench am --machine");
  bool good = machine && set(machine, "o", m.o_ps, "ps") && set(machine, "g", m.g_ps, "ps") &&
              set(machine, "latency", m.latency_ps, "ps") &&
              set(machine, "byte", m.byte_fs, "fs") &&
              set(machine, "node_latency", m.node_latency_ps, "ps") &&
              set(machine, "node_byte", m.node_byte_fs, "fs") &&
              set(machine, "copy_byte", m.copy_byte_fs, "fs") &&
              set(machine, "reduce_byte", m.reduce_byte_fs, "fs") &&
              json_dump_file(machine, path, JSON_INDENT(1)) == 0;
  json_decref(machine);
  if (!good) fprintf(stderr, "mpj-bench: cannot write %s\n", path);
  return good;
}
