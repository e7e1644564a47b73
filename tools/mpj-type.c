/* This file is mpj-type: it makes a datatype of its text and shows what the
 * library knows of it. */
#include <inttypes.h>
#include <mpj/mpj.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "types/basic.h"
#include "types/encoded/encode.h"
#include "types/type.h"

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* How much of a long list is shown. */
enum { SHOWN = 8 };

static const char usage[] =
    "usage: mpj-type TYPE | --hex TYPE | --help\n"
    "\n"
    "Make the datatype that TYPE describes and show its size, bounds, parts, memory\n"
    "and normalised layout. Quote TYPE for the shell; its grammar is in\n"
    "spec/datatypes-text.md. Example:\n"
    "\n"
    "  mpj-type 'vector(3,2,4,double)'\n"
    "\n"
    "  --hex   show the type's encoded form instead, in hexadecimal digits\n"
    "  --help  show this text instead\n";

static int fail(const char *what)
{
  fprintf(stderr, "mpj-type: %s: %s\n", what, MPJ_Error_detail());
  return EXIT_FAILED;
}

static void indent(int depth)
{
  printf("%*s", 2 + 2 * depth, "");
}

static void show_layout(const struct mpj_layout *l, MPJ_Aint displ, int depth);

static void show_index(const struct mpj_layout *l, int depth)
{
  const MPJ_Count n = l->u.index.nblocks;
  for (MPJ_Count i = 0; i < n && i < SHOWN; i++) {
    MPJ_Aint displ;
    MPJ_Count copies;
    mpj_layout_index_block(l, i, &displ, &copies, NULL);
    indent(depth + 1);
    printf("%" PRId64 " at %td\n", copies, displ);
  }
  if (n > SHOWN) {
    indent(depth + 1);
    printf("... %" PRId64 " more\n", n - SHOWN);
  }
  show_layout(l->u.index.child, 0, depth + 1);
}

static void show_seq(const struct mpj_layout *l, int depth)
{
  const MPJ_Count n = l->u.seq.npieces;
  for (MPJ_Count i = 0; i < n && i < SHOWN; i++) {
    struct mpj_piece piece;
    mpj_layout_seq_piece(l, i, &piece, NULL);
    show_layout(piece.layout, piece.displ, depth + 1);
  }
  if (n > SHOWN) {
    indent(depth + 1);
    printf("... %" PRId64 " more\n", n - SHOWN);
  }
}

/* A layout at a displacement from what holds it, and what is in it. */
static void show_layout(const struct mpj_layout *l, MPJ_Aint displ, int depth)
{
  indent(depth);
  if (displ != 0) printf("at %td: ", displ);
  switch (l->kind) {
  case MPJ_LAYOUT_EMPTY:
    printf("nothing\n");
    break;
  case MPJ_LAYOUT_RUN:
    printf("run of %" PRId64 " %s\n", l->u.run.count, mpj_basics[l->u.run.basic].name);
    break;
  case MPJ_LAYOUT_LOOP:
    printf("loop of %" PRId64 ", %td bytes apart\n", l->u.loop.count, l->u.loop.stride);
    show_layout(l->u.loop.child, 0, depth + 1);
    break;
  case MPJ_LAYOUT_INDEX:
    printf("index of %" PRId64 " blocks, copies %td bytes apart\n", l->u.index.nblocks,
           l->u.index.stride);
    show_index(l, depth);
    break;
  case MPJ_LAYOUT_SEQ:
    printf("sequence of %" PRId64 " pieces\n", l->u.seq.npieces);
    show_seq(l, depth);
    break;
  }
}

static int show_parts(MPJ_Datatype type)
{
  MPJ_Count n, bytes;
  MPJ_Aint displ, lb, extent;
  int status = MPJ_Type_parts(type, &n);
  if (!status) printf("%-12s %" PRId64 "\n", "parts", n);
  for (MPJ_Count i = 0; i < n && i < SHOWN && !status; i++) {
    MPJ_Datatype part;
    status = MPJ_Type_part(type, i, &displ, &part);
    if (status) break;
    MPJ_Type_size(part, &bytes);
    MPJ_Type_get_true_extent(part, &lb, &extent);
    if (bytes > 0)
      printf("  %" PRId64 ": %" PRId64 " bytes in %td to %td\n", i, bytes, displ + lb,
             displ + lb + extent);
    else
      printf("  %" PRId64 ": empty\n", i);
    if (part != type) status = MPJ_Type_free(&part);
  }
  if (!status && n > SHOWN) printf("  ... %" PRId64 " more\n", n - SHOWN);
  return status;
}

static int show_text(MPJ_Datatype type)
{
  MPJ_Count length;
  int status = MPJ_Type_print(type, NULL, 0, &length);
  char *text = status ? NULL : malloc((size_t)length + 1);
  if (text) status = MPJ_Type_print(type, text, length + 1, &length);
  if (text && !status) printf("%-12s %s\n", "type", text);
  free(text);
  return status;
}

static int show(MPJ_Datatype type)
{
  struct mpj_type *t;
  MPJ_Count bytes, elements, memory;
  MPJ_Aint lb, extent, true_lb, true_extent;
  int status = mpj_type_resolve(type, "type", &t);
  if (!status) status = show_text(type);
  if (!status) status = MPJ_Type_size(type, &bytes);
  if (!status) status = MPJ_Type_get_element_count(type, &elements);
  if (!status) status = MPJ_Type_get_extent(type, &lb, &extent);
  if (!status) status = MPJ_Type_get_true_extent(type, &true_lb, &true_extent);
  if (status) return status;
  printf("%-12s %" PRId64 " bytes, %" PRId64 " elements\n", "size", bytes, elements);
  printf("%-12s %td to %td, extent %td%s\n", "bounds", lb, lb + extent, extent,
         t->marked ? ", set" : "");
  printf("%-12s %td to %td, extent %td\n", "data", true_lb, true_lb + true_extent, true_extent);
  printf("%-12s %d\n", "alignment", t->alignment);
  status = show_parts(type);
  if (!status) status = MPJ_Type_memory(type, &memory);
  if (status) return status;
  printf("%-12s %" PRId64 " bytes kept\nlayout\n", "memory", memory);
  show_layout(t->map.layout, t->map.displ, 0);
  return status;
}

static int show_hex(MPJ_Datatype type)
{
  void *message;
  MPJ_Count bytes;
  int status = mpj_type_encode(type, &message, &bytes);
  if (status) return status;
  for (MPJ_Count i = 0; i < bytes; i++)
    printf("%02x%s", ((const unsigned char *)message)[i],
           i % 32 == 31 || i == bytes - 1 ? "\n" : "");
  mpj_free(message);
  return MPJ_SUCCESS;
}

static int run(const char *text, bool hex)
{
  MPJ_Datatype type;
  if (MPJ_Type_parse(text, &type)) return fail("not a type");
  if (MPJ_Type_commit(&type)) return fail("committing it");
  if (hex ? show_hex(type) : show(type)) return fail("showing it");
  if (mpj_basic_of_handle(type) < 0) MPJ_Type_free(&type);
  if (fflush(stdout) == 0 && !ferror(stdout)) return EXIT_OK;
  perror("mpj-type: writing to standard output");
  return EXIT_FAILED;
}

int main(int argc, char **argv)
{
  const bool hex = argc == 3 && !strcmp(argv[1], "--hex");
  if (argc == 2 && !strcmp(argv[1], "--help")) {
    fputs(usage, stdout);
    return EXIT_OK;
  }
  if (hex || (argc == 2 && argv[1][0] != '-')) return run(argv[argc - 1], hex);
  if (argc == 2 && strcmp(argv[1], "--hex") != 0)
    fprintf(stderr, "mpj-type: option '%s' is unknown; see mpj-type --help\n", argv[1]);
  else
    fprintf(stderr, "mpj-type: wants one type; see mpj-type --help\n");
  return EXIT_USAGE;
}
