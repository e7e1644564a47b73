/* This file knows machines by name, and reads descriptions of others. */
#include "machines.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"

#ifdef MPJ_HAVE_JANSSON
#include <jansson.h>
#endif

static const struct {
  const char *name, *source;
  struct mpj_sim_machine machine;
} presets[] = {
    {"flat",
     "no machine: LogGP values in round numbers, for comparisons with closed forms",
     {.kind = MPJ_SIM_FLAT,
      .o_ps = 500000,
      .g_ps = 500000,
      .latency_ps = 1000000,
      .hop_ps = 100000,
      .byte_fs = 1000000,
      .link_byte_fs = 1000000,
      .node_latency_ps = 200000,
      .node_byte_fs = 100000,
      .notice_ps = 1000000000}},
    {"bluegene_l",
     "Blue Gene/L, 64 x 32 x 32: links of 175 MB/s each way, 100 ns a hop (6.4 us for 64), two "
     "ranks "
     "a node possible: IBM J. Res. Dev. 52 (2008) 199-220, table 1; o, g and the end latency are "
     "estimates that give an MPI latency of some 3 us, a copy at 1 GB/s, a sum at 0.7 GB/s",
     {.kind = MPJ_SIM_TORUS,
      .ndims = 3,
      .dims = {64, 32, 32},
      .align_bytes = 16,
      .o_ps = 1000000,
      .g_ps = 500000,
      .latency_ps = 1000000,
      .hop_ps = 100000,
      .byte_fs = 1000000,
      .link_byte_fs = 5714286,
      .node_latency_ps = 500000,
      .node_byte_fs = 500000,
      .copy_byte_fs = 1000000,
      .reduce_byte_fs = 1430000,
      .notice_ps = 1000000000}},
    {"bluegene_p",
     "Blue Gene/P, a rack row of 32 x 32 x 32: links of 425 MB/s each way, 50 ns a hop (3.2 us for "
     "64), four ranks a node: IBM J. Res. Dev. 52 (2008) 199-220, table 1; o, g and the end "
     "latency "
     "are estimates, the engine that moves data reads memory at 3.4 GB/s (8 links of 425 MB/s)",
     {.kind = MPJ_SIM_TORUS,
      .ndims = 3,
      .dims = {32, 32, 32},
      .align_bytes = 16,
      .o_ps = 700000,
      .g_ps = 300000,
      .latency_ps = 600000,
      .hop_ps = 50000,
      .byte_fs = 294118,
      .link_byte_fs = 2352941,
      .node_latency_ps = 400000,
      .node_byte_fs = 300000,
      .copy_byte_fs = 500000,
      .reduce_byte_fs = 800000,
      .notice_ps = 1000000000}},
    {"fattree_hdr",
     "a three-level fat tree of 16 x 16 x 16 nodes with InfiniBand HDR: 200 Gb/s a link and at "
     "most "
     "130 ns a switch, by the makers' data sheet of the QM8700 switch; o, g and the end latency "
     "are "
     "estimates that give an MPI latency of some 1.2 us",
     {.kind = MPJ_SIM_FATTREE,
      .ndims = 3,
      .dims = {16, 16, 16},
      .o_ps = 250000,
      .g_ps = 20000,
      .latency_ps = 300000,
      .hop_ps = 130000,
      .byte_fs = 40000,
      .link_byte_fs = 40000,
      .node_latency_ps = 200000,
      .node_byte_fs = 100000,
      .copy_byte_fs = 100000,
      .reduce_byte_fs = 100000,
      .notice_ps = 1000000000}}};

bool machine_preset(const char *name, struct mpj_sim_machine *m, char *why, size_t size)
{
  for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
    if (strcmp(presets[i].name, name) != 0) continue;
    const int ranks = m->ranks, per_node = m->ranks_per_node;
    *m = presets[i].machine;
    m->ranks = ranks;
    m->ranks_per_node = per_node;
    snprintf(m->name, sizeof m->name, "%s", name);
    return true;
  }
  snprintf(why, size, "there is no preset \"%s\": --presets lists them", name);
  return false;
}

static void print_dims(const struct mpj_sim_machine *m, FILE *out)
{
  for (int i = 0; i < m->ndims; i++)
    fprintf(out, "%s%d", i > 0 ? "x" : " ", m->dims[i]);
}

static const char *const kinds[MPJ_SIM_KINDS] = {"flat", "torus", "mesh", "fattree"};

void machine_list(FILE *out)
{
  for (size_t i = 0; i < sizeof presets / sizeof *presets; i++)
    fprintf(out, "%s\n  %s\n", presets[i].name, presets[i].source);
}

bool machine_shape(enum mpj_sim_kind kind, const char *text, struct mpj_sim_machine *m, char *why,
                   size_t size)
{
  const char *at = text;
  m->kind = kind;
  m->ndims = 0;
  if (kind == MPJ_SIM_FLAT) return true;
  do {
    char *end;
    const long n = strtol(at, &end, 10);
    if (!isdigit((unsigned char)*at) || n < 1 || n > INT32_MAX || m->ndims == MPJ_SIM_DIMS_MAX) {
      snprintf(why, size, "\"%s\" is no shape: at most %d numbers with x between, as 64x32x32",
               text, MPJ_SIM_DIMS_MAX);
      return false;
    }
    m->dims[m->ndims++] = (int)n;
    at = end;
  } while (*at++ == 'x');
  if (at[-1] == '\0') return true;
  snprintf(why, size, "\"%s\" is no shape: \"%s\" follows its numbers", text, at - 1);
  return false;
}

bool time_of_text(const char *text, bool fine, int64_t *time)
{
  static const struct {
    const char *unit;
    double ps;
  } units[] = {{"s", 1e12}, {"ms", 1e9}, {"us", 1e6}, {"ns", 1e3}, {"ps", 1}, {"fs", 1e-3}};
  char *end;
  const double value = strtod(text, &end);
  if (end == text || !(value >= 0)) return false;
  while (*end == ' ')
    end++;
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    if (strcmp(end, units[i].unit) != 0) continue;
    const double ps = value * units[i].ps * (fine ? 1000 : 1);
    if (!(ps <= 1e18)) return false;
    *time = llrint(ps);
    return true;
  }
  if (*end != '\0' || value != 0) return false; /* 0 needs no unit */
  *time = 0;
  return true;
}

const char *text_of_time(int64_t ps, char text[32])
{
  static const struct {
    const char *unit;
    int64_t ps;
  } units[] = {{"s", INT64_C(1000000000000)}, {"ms", 1000000000}, {"us", 1000000}, {"ns", 1000}};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    if (ps < units[i].ps) continue;
    snprintf(text, 32, "%.3f %s", (double)ps / (double)units[i].ps, units[i].unit);
    return text;
  }
  snprintf(text, 32, "%" PRId64 " ps", ps);
  return text;
}

/* The times, by the names that files and options use. fine: a byte's, in femtoseconds. */
static const struct time_row {
  const char *name;
  size_t at;
  bool fine;
} times[] = {{"o", offsetof(struct mpj_sim_machine, o_ps), false},
             {"g", offsetof(struct mpj_sim_machine, g_ps), false},
             {"latency", offsetof(struct mpj_sim_machine, latency_ps), false},
             {"hop", offsetof(struct mpj_sim_machine, hop_ps), false},
             {"byte", offsetof(struct mpj_sim_machine, byte_fs), true},
             {"link_byte", offsetof(struct mpj_sim_machine, link_byte_fs), true},
             {"node_latency", offsetof(struct mpj_sim_machine, node_latency_ps), false},
             {"node_byte", offsetof(struct mpj_sim_machine, node_byte_fs), true},
             {"copy_byte", offsetof(struct mpj_sim_machine, copy_byte_fs), true},
             {"reduce_byte", offsetof(struct mpj_sim_machine, reduce_byte_fs), true},
             {"jitter", offsetof(struct mpj_sim_machine, jitter_ps), false},
             {"notice", offsetof(struct mpj_sim_machine, notice_ps), false}};
enum { TIMES = sizeof times / sizeof *times };

static int64_t *time_at(struct mpj_sim_machine *m, const struct time_row *row)
{
  return (int64_t *)(void *)((char *)m + row->at);
}

static bool set_time(const char *name, size_t length, const char *value, struct mpj_sim_machine *m,
                     char *why, size_t size)
{
  for (int i = 0; i < TIMES; i++) {
    if (strlen(times[i].name) != length || memcmp(times[i].name, name, length) != 0) continue;
    if (time_of_text(value, times[i].fine, time_at(m, &times[i]))) return true;
    snprintf(why, size, "%s is \"%s\", which is no time: a number and s, ms, us, ns, ps or fs",
             times[i].name, value);
    return false;
  }
  size_t used =
      (size_t)snprintf(why, size, "there is no time \"%.*s\": there are", (int)length, name);
  for (int i = 0; i < TIMES && used < size; i++)
    used += (size_t)snprintf(why + used, size - used, " %s", times[i].name);
  return false;
}

bool machine_set(const char *text, struct mpj_sim_machine *m, char *why, size_t size)
{
  const char *equals = strchr(text, '=');
  if (equals) return set_time(text, (size_t)(equals - text), equals + 1, m, why, size);
  snprintf(why, size, "\"%s\" is no setting: NAME=TIME", text);
  return false;
}

void machine_print(const struct mpj_sim_machine *m, FILE *out)
{
  fprintf(out, "simulated machine %s: %s", m->name[0] ? m->name : "without a name", kinds[m->kind]);
  print_dims(m, out);
  fprintf(out, ", %d ranks, %d a node\n ", m->ranks, m->ranks_per_node);
  for (int i = 0; i < TIMES; i++) {
    char text[32];
    const int64_t value = *time_at((struct mpj_sim_machine *)(uintptr_t)m, &times[i]);
    if (value == 0) continue;
    if (times[i].fine)
      fprintf(out, " %s %.6g ps", times[i].name, (double)value / 1000);
    else
      fprintf(out, " %s %s", times[i].name, text_of_time(value, text));
  }
  fprintf(out, "\n");
}

#ifdef MPJ_HAVE_JANSSON
/* "kind is \"cube\", which is ": a value as the file has it, and what it is not. */
static bool refuse(const char *name, const json_t *value, const char *wanted, char *why,
                   size_t size)
{
  char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
  snprintf(why, size, "%s is %.60s, which is %s", name, text ? text : "unreadable", wanted);
  free(text);
  return false;
}

static bool read_json_number(const char *name, const json_t *value, int least, int *number,
                             char *why, size_t size)
{
  const json_int_t n = json_is_integer(value) ? json_integer_value(value) : -1;
  if (n < least || n > INT32_MAX) {
    char wanted[64];
    snprintf(wanted, sizeof wanted, "no whole number from %d to %d", least, INT32_MAX);
    return refuse(name, value, wanted, why, size);
  }
  *number = (int)n;
  return true;
}

static bool read_dims(const json_t *value, struct mpj_sim_machine *m, char *why, size_t size)
{
  const size_t n = json_array_size(value);
  if (!json_is_array(value) || n < 1 || n > MPJ_SIM_DIMS_MAX) {
    char wanted[64];
    snprintf(wanted, sizeof wanted, "no list of 1 to %d numbers", MPJ_SIM_DIMS_MAX);
    return refuse("dims", value, wanted, why, size);
  }
  for (size_t i = 0; i < n; i++)
    if (!read_json_number("an entry of dims", json_array_get(value, i), 1, &m->dims[i], why, size))
      return false;
  m->ndims = (int)n;
  return true;
}

static bool read_kind(const json_t *value, struct mpj_sim_machine *m, char *why, size_t size)
{
  for (int k = 0; json_is_string(value) && k < MPJ_SIM_KINDS; k++)
    if (strcmp(kinds[k], json_string_value(value)) == 0) {
      m->kind = (enum mpj_sim_kind)k;
      return true;
    }
  return refuse("kind", value, "not flat, torus, mesh or fattree", why, size);
}

static bool read_name(const json_t *value, struct mpj_sim_machine *m, char *why, size_t size)
{
  const char *text = json_string_value(value);
  for (const char *c = text; *c; c++)
    if (iscntrl((unsigned char)*c))
      return refuse("name", value, "no name: it has a control character", why, size);
  if (strlen(text) >= sizeof m->name)
    return refuse("name", value, "longer than 63 bytes", why, size);
  snprintf(m->name, sizeof m->name, "%s", text);
  return true;
}

static bool read_member(const char *name, const json_t *value, struct mpj_sim_machine *m, char *why,
                        size_t size)
{
  if (strcmp(name, "kind") == 0) return read_kind(value, m, why, size);
  if (strcmp(name, "dims") == 0) return read_dims(value, m, why, size);
  if (strcmp(name, "ranks") == 0) return read_json_number(name, value, 1, &m->ranks, why, size);
  if (strcmp(name, "ranks_per_node") == 0)
    return read_json_number(name, value, 1, &m->ranks_per_node, why, size);
  if (strcmp(name, "align") == 0)
    return read_json_number(name, value, 0, &m->align_bytes, why, size);
  if (!json_is_string(value)) return refuse(name, value, "no text, as \"1us\"", why, size);
  if (strcmp(name, "name") == 0) return read_name(value, m, why, size);
  if (strcmp(name, "source") == 0) return true; /* for people */
  return set_time(name, strlen(name), json_string_value(value), m, why, size);
}

/* Whether the file gives dimensions to what has them alone. */
static bool check_shape(const json_t *root, struct mpj_sim_machine *m, char *why, size_t size)
{
  const json_t *dims = json_object_get(root, "dims");
  if (m->kind == MPJ_SIM_FLAT && dims)
    return refuse("dims", dims, "of no use to a machine whose kind is flat", why, size);
  if (m->kind == MPJ_SIM_FLAT) m->ndims = 0;
  if (m->kind == MPJ_SIM_FLAT || m->ndims > 0) return true;
  snprintf(why, size, "kind is %s, and there are no dims", kinds[m->kind]);
  return false;
}

static json_t *load(const char *path, char *why, size_t size)
{
  json_error_t error;
  char *text;
  errno = 0;
  if (!mpj_file_read(path, &text)) {
    snprintf(why, size, "%s cannot be read: %s", path, errno ? strerror(errno) : "more than 1 MiB");
    return NULL;
  }
  json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
  mpj_free(text);
  if (!root) snprintf(why, size, "%s, line %d: %s", path, error.line, error.text);
  return root;
}

bool machine_read(const char *path, struct mpj_sim_machine *m, char *why, size_t size)
{
  char wrong[200] = "";
  const char *name;
  json_t *value, *root = load(path, why, size);
  if (!root) return false;
  bool good = json_is_object(root);
  if (!good) snprintf(wrong, sizeof wrong, "it is no object");
  json_object_foreach (root, name, value) {
    if (good) good = read_member(name, value, m, wrong, sizeof wrong);
  }
  good = good && check_shape(root, m, wrong, sizeof wrong);
  json_decref(root);
  if (!good) snprintf(why, size, "%s: %s", path, wrong);
  return good;
}
#else
bool machine_read(const char *path, struct mpj_sim_machine *m, char *why, size_t size)
{
  (void)m;
  snprintf(why, size, "%s cannot be read: this mpj-sim was built without jansson", path);
  return false;
}
#endif
