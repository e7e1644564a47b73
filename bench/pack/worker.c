/* This file is a worker of `mpj-bench pack`: it times one engine against loops
 * written by hand, all in this one process, and writes a line of JSON a case.
 *
 *   {"row": "pack", "pattern": "nas_lu_y", "size": "S", "bytes": 10240,
 *    "us": 0.31, "us_median": 0.32, "hand_us": ..., "hand_median": ...,
 *    "memcpy_us": ..., "memcpy_median": ..., "other_us": ..., "other_median": ...}
 *
 * us is the best batch; other is another build of MPJ, in this process too. It is run by mpj-bench:
 *   pack_ENGINE --rows LIST --patterns LIST --sizes LIST --seconds S [--other LIBRARY]
 * Exit status: 0; 1 wrong bytes or a failed call; 2 bad options. */
#include "worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

static void die(const char *sentence)
{
  fprintf(stderr, "%s: %s\n", pack_engine, sentence);
  exit(1);
}

void pack_report(enum pack_row row, const char *pattern, enum pack_size size, size_t bytes,
                 const struct pack_subject subjects[PACK_NSUBJECTS])
{
  static const char *const keys[PACK_NSUBJECTS][2] = {{"us", "us_median"},
                                                      {"hand_us", "hand_median"},
                                                      {"memcpy_us", "memcpy_median"},
                                                      {"other_us", "other_median"}};
  printf("{\"row\": \"%s\", \"pattern\": \"%s\", \"size\": \"%s\", \"bytes\": %zu",
         pack_row_names[row], pattern, pack_size_names[size], bytes);
  for (int i = 0; i < PACK_NSUBJECTS; i++)
    if (subjects[i].run)
      printf(", \"%s\": %.6g, \"%s\": %.6g", keys[i][0], subjects[i].best_us, keys[i][1],
             subjects[i].median_us);
  printf("}\n");
  fflush(stdout);
}

void *pack_buffer(size_t bytes)
{
  void *p = aligned_alloc(PAGE, (bytes + PAGE - 1) / PAGE * PAGE);
  if (!p) die("no memory for the buffers");
  memset(p, 0, bytes);
  return p;
}

void pack_fill(void *mem, size_t bytes, unsigned salt)
{
  uint32_t *words = mem;
  for (size_t i = 0; i < bytes / sizeof *words; i++)
    words[i] = ((uint32_t)i + salt) * 2654435761u & 0xbfffffffu; /* exponents under 1024 */
}

void pack_must_equal(const void *engine, const void *hand, size_t bytes, enum pack_row row,
                     const char *pattern, enum pack_size size)
{
  const unsigned char *a = engine, *b = hand;
  size_t i = 0;
  if (!memcmp(a, b, bytes)) return;
  while (a[i] == b[i])
    i++;
  fprintf(stderr, "%s: %s of %s, size %s: byte %zu of %zu is wrong\n", pack_engine,
          pack_row_names[row], pattern, pack_size_names[size], i, bytes);
  exit(1);
}

static void run_row(enum pack_row row, const struct pack_options *o)
{
  switch (row) {
  case PACK_ROW_PACK:
    pack_row_pack(o);
    break;
  case PACK_ROW_UNPACK:
    pack_row_unpack(o);
    break;
  case PACK_ROW_COPY:
    pack_row_copy(o);
    break;
  case PACK_ROW_TRANSPOSE:
    pack_row_transpose(o);
    break;
  case PACK_ROW_SMALL:
    pack_row_small(o);
    break;
  case PACK_ROW_SUM:
    if (pack_has_sum) pack_row_sum(o);
    break;
  default:
    if (pack_has_ranges) pack_row_pieces(o, row);
  }
}

static bool read_option(struct pack_options *o, const char *name, const char *text)
{
  if (!strcmp(name, "--rows")) return pack_options_rows(o, text);
  if (!strcmp(name, "--patterns")) return pack_options_patterns(o, text);
  if (!strcmp(name, "--sizes")) return pack_options_sizes(o, text);
  if (!strcmp(name, "--other")) return (o->other = text) != NULL;
  if (!strcmp(name, "--seconds")) return pack_options_seconds(o, text);
  return false;
}

int main(int argc, char **argv)
{
  struct pack_options options = {.seconds = 0.05};
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 < argc && read_option(&options, argv[i], argv[i + 1])) continue;
    fprintf(stderr, "%s: %s %s is no option of a worker\n", argv[0], argv[i],
            i + 1 < argc ? argv[i + 1] : "");
    return 2;
  }
  pack_engine_start();
  for (int i = 0; i < options.rows.n; i++)
    run_row((enum pack_row)options.rows.at[i], &options);
  pack_engine_stop();
  return 0;
}
