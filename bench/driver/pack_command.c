/* This file reads the command line of `mpj-bench pack`. */
#include "pack_command.h"

#include "peers.h"

#include <string.h>

const char *const pack_peer_names[PACK_NPEERS] = {"mpich", "openmpi", "mpj:"};

static bool read_rows(struct pack_command *c, const char *text)
{
  return pack_options_rows(&c->what, text);
}

static bool read_patterns(struct pack_command *c, const char *text)
{
  return pack_options_patterns(&c->what, text);
}

static bool read_sizes(struct pack_command *c, const char *text)
{
  return pack_options_sizes(&c->what, text);
}

static bool read_peers(struct pack_command *c, const char *text)
{
  return bench_peers_read(text, pack_peer_names, PACK_NPEERS, c->peers, c->prefix);
}

static bool read_rounds(struct pack_command *c, const char *text)
{
  struct bench_list one;
  if (!bench_list_numbers(text, 1, PACK_ROUNDS_MOST, 1, &one) || one.n != 1) return false;
  c->rounds = (int)one.at[0];
  return true;
}

static bool read_seconds(struct pack_command *c, const char *text)
{
  c->seconds = text;
  return pack_options_seconds(&c->what, text);
}

static bool read_json(struct pack_command *c, const char *text)
{
  c->json = text;
  return *text != '\0';
}

static bool read_plot(struct pack_command *c, const char *text)
{
  c->plot = text;
  return *text != '\0';
}

static const struct option_row {
  const char *name;
  bool (*read)(struct pack_command *c, const char *text);
  const char *range; /* completes "--name takes ..." */
} rows[] = {
    {"--rows", read_rows,
     "a list of pack, unpack, forward, backward, random, copy, transpose, small, sum"},
    {"--patterns", read_patterns,
     "a list of patterns, which --help names, or the word applications or lists"},
    {"--sizes", read_sizes, "a list of S, M, B"},
    {"--peers", read_peers, "a list of mpich, openmpi and, last, mpj:PREFIX, or the word none"},
    {"--rounds", read_rounds, "a number from 1 to 100"},
    {"--seconds", read_seconds, "seconds for one engine in one case, from 0.000001 to 3600"},
    {"--json", read_json, "the name of a file to write"},
    {"--plot", read_plot, "the name of a PNG file to write"},
};

void pack_command_help(FILE *f)
{
  fputs("mpj-bench pack [options]: time MPJ's packing beside loops by hand, MPICH and Open MPI\n\n"
        "  --rows LIST      pack, unpack; forward, backward, random (in pieces of 8 KiB); copy\n"
        "                   (layout to layout); transpose; small (32 bytes); sum (unpack and\n"
        "                   add) (default: all)\n"
        "  --patterns LIST  some of these, or all applications (the default) or lists:\n",
        f);
  for (int i = 0; i < PACK_NPATTERNS; i++)
    fprintf(f, "%s%s%s", i % 5 ? "" : "                     ", pack_pattern_names[i],
            i == PACK_NPATTERNS - 1 || i % 5 == 4 ? "\n" : ", ");
  fputs(
      "  --sizes LIST     S (6-16 KiB), M (192-262 KiB), B (16-33 MB) (all; pieces: M)\n"
      "  --peers LIST     mpich, openmpi, mpj:PREFIX (another build of MPJ, installed there; only\n"
      "                   for pack and unpack, and last); or none (mpich,openmpi)\n"
      "  --rounds R       runs of each engine, in turn (3)\n"
      "  --seconds S      for one engine in one case of a run (0.05)\n"
      "  --quick          small and rough: one round, S and M, 0.01 s, unless said otherwise\n"
      "  --json FILE      also write the results there\n"
      "  --plot FILE      also draw them there\n"
      "  --help           this text\n",
      f);
}

static const struct option_row *find_row(const char *name)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!strcmp(rows[i].name, name)) return &rows[i];
  return NULL;
}

/* Read the option at argv[*i] and move *i past it. */
static bool read_one(struct pack_command *c, int argc, char **argv, int *i)
{
  const char *name = argv[(*i)++];
  const struct option_row *row = find_row(name);
  if (!row) {
    fprintf(stderr, "mpj-bench: there is no option '%s'; see mpj-bench pack --help\n", name);
    return false;
  }
  if (*i == argc) {
    fprintf(stderr, "mpj-bench: %s takes %s\n", name, row->range);
    return false;
  }
  if (row->read(c, argv[(*i)++])) return true;
  fprintf(stderr, "mpj-bench: %s takes %s, not '%s'\n", name, row->range, argv[*i - 1]);
  return false;
}

static void default_to(struct bench_list *list, int n)
{
  if (list->n == 0) pack_options_all(list, 0, n);
}

/* What the command line left open. */
static void fill_in(struct pack_command *c, bool quick)
{
  default_to(&c->what.rows, PACK_NROWS);
  default_to(&c->what.patterns, PACK_NAPPLICATIONS);
  default_to(&c->what.sizes, quick ? PACK_B : PACK_NSIZES);
  if (!c->rounds) c->rounds = quick ? 1 : 3;
  if (!c->seconds) read_seconds(c, quick ? "0.01" : "0.05");
}

bool pack_command_read(int argc, char **argv, struct pack_command *c)
{
  bool quick = false;
  *c = (struct pack_command){.peers = {true, true}};
  for (int i = 0; i < argc;) {
    if (!strcmp(argv[i], "--quick"))
      quick = true;
    else if (!strcmp(argv[i], "--help"))
      c->help = true;
    else if (read_one(c, argc, argv, &i))
      continue;
    else
      return false;
    i++;
  }
  fill_in(c, quick);
  return true;
}
