/* This file expands views byte by byte, and makes random ones. */
#include "pack/maps.h"
#include "types/layout/layout_make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "types/basic.h"

static void require(bool condition, const char *what)
{
  if (condition) return;
  fprintf(stderr, "tests: %s\n", what);
  abort();
}

static void emit_run(struct byte_map *map, int basic, MPJ_Count elements, MPJ_Aint displ)
{
  for (MPJ_Count i = 0; i < elements; i++) {
    for (int b = 0; b < mpj_basics[basic].size; b++) {
      map->begins[map->bytes] = b == 0;
      map->basics[map->bytes] = basic;
      map->displs[map->bytes++] = displ++;
    }
  }
}

static void emit(struct byte_map *map, const struct mpj_layout *layout, MPJ_Aint displ);

static void emit_copies(struct byte_map *map, const struct mpj_layout *child, MPJ_Count count,
                        MPJ_Aint stride, MPJ_Aint displ)
{
  for (MPJ_Count i = 0; i < count; i++)
    emit(map, child, displ + i * stride);
}

static void emit_index(struct byte_map *map, const struct mpj_layout *layout, MPJ_Aint displ)
{
  for (MPJ_Count i = 0; i < layout->u.index.nblocks; i++) {
    MPJ_Aint at;
    MPJ_Count copies;
    mpj_layout_index_block(layout, i, &at, &copies, NULL);
    emit_copies(map, layout->u.index.child, copies, layout->u.index.stride, displ + at);
  }
}

static void emit_seq(struct byte_map *map, const struct mpj_layout *layout, MPJ_Aint displ)
{
  for (MPJ_Count i = 0; i < layout->u.seq.npieces; i++) {
    struct mpj_piece piece;
    mpj_layout_seq_piece(layout, i, &piece, NULL);
    emit(map, piece.layout, displ + piece.displ);
  }
}

static void emit(struct byte_map *map, const struct mpj_layout *layout, MPJ_Aint displ)
{
  switch (layout->kind) {
  case MPJ_LAYOUT_EMPTY:
    break;
  case MPJ_LAYOUT_RUN:
    emit_run(map, layout->u.run.basic, layout->u.run.count, displ);
    break;
  case MPJ_LAYOUT_LOOP:
    emit_copies(map, layout->u.loop.child, layout->u.loop.count, layout->u.loop.stride, displ);
    break;
  case MPJ_LAYOUT_INDEX:
    emit_index(map, layout, displ);
    break;
  case MPJ_LAYOUT_SEQ:
    emit_seq(map, layout, displ);
    break;
  }
}

static void find_bounds(struct byte_map *map)
{
  for (MPJ_Count i = 0; i < map->bytes; i++) {
    if (i == 0 || map->displs[i] < map->lb) map->lb = map->displs[i];
    if (i == 0 || map->displs[i] + 1 > map->ub) map->ub = map->displs[i] + 1;
  }
}

static void find_overlaps(struct byte_map *map)
{
  char *seen = calloc((size_t)(map->ub - map->lb) + 1, 1);
  require(seen, "no memory");
  for (MPJ_Count i = 0; i < map->bytes; i++) {
    char *at = &seen[map->displs[i] - map->lb];
    map->overlaps |= *at != 0;
    *at = 1;
  }
  free(seen);
}

void byte_map_make(struct byte_map *map, const struct mpj_view *view)
{
  size_t bytes = (size_t)mpj_view_bytes(view);
  memset(map, 0, sizeof *map);
  map->displs = calloc(bytes + 1, sizeof *map->displs);
  map->basics = calloc(bytes + 1, sizeof *map->basics);
  map->begins = calloc(bytes + 1, 1);
  require(map->displs && map->basics && map->begins, "no memory");
  emit_copies(map, view->layout, view->count, view->stride, view->displ);
  require((size_t)map->bytes == bytes, "the layout's size is not what it holds");
  find_bounds(map);
  find_overlaps(map);
}

void byte_map_free(struct byte_map *map)
{
  free(map->displs);
  free(map->basics);
  free(map->begins);
}

void fill_randomly(struct mpj_random *rng, char *at, size_t bytes)
{
  for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
    uint64_t word = mpj_random_next(rng);
    memcpy(at + i, &word, bytes - i < sizeof word ? bytes - i : sizeof word);
  }
}

struct mpj_piece run_of(MPJ_Datatype basic, MPJ_Count elements)
{
  struct mpj_piece out;
  require(!mpj_layout_run(mpj_basic_of_handle(basic), elements, &out), "run");
  return out;
}

struct mpj_view view_of(struct mpj_piece piece)
{
  return (struct mpj_view){piece.layout, 1, 0, piece.displ};
}

static MPJ_Aint span_of(struct mpj_piece piece)
{
  return piece.layout->true_ub - piece.layout->true_lb;
}

/* A distance at which copies of the piece do not overlap, mostly. */
static MPJ_Aint random_stride(struct mpj_random *rng, MPJ_Aint span)
{
  MPJ_Aint stride = span + (mpj_random_in(rng, 0, 2) ? mpj_random_in(rng, 0, 9) : 0);
  if (mpj_random_in(rng, 0, 40) == 0) stride = mpj_random_in(rng, 0, span);
  return mpj_random_in(rng, 0, 4) == 0 ? -stride : stride;
}

static struct mpj_piece random_run(struct mpj_random *rng)
{
  static const MPJ_Datatype basics[] = {MPJ_BYTE,   MPJ_SHORT,       MPJ_INT,  MPJ_FLOAT,
                                        MPJ_DOUBLE, MPJ_LONG_DOUBLE, MPJ_INT64};
  return run_of(basics[mpj_random_in(rng, 0, 6)], mpj_random_in(rng, 1, 7));
}

static MPJ_Count most_copies(struct mpj_piece child, MPJ_Count most_bytes)
{
  MPJ_Count bytes = child.layout->signature.bytes;
  MPJ_Count n = bytes ? most_bytes / bytes : 3;
  return n < 2 ? 2 : n;
}

static struct mpj_piece random_loop(struct mpj_random *rng, int depth, MPJ_Count most_bytes)
{
  struct mpj_piece child = random_layout(rng, depth - 1, most_bytes / 2), out;
  MPJ_Count most = most_copies(child, most_bytes);
  MPJ_Count count =
      mpj_random_in(rng, 2, most < 200 && mpj_random_in(rng, 0, 3) ? (most < 9 ? most : 9) : most);
  MPJ_Aint stride = random_stride(rng, span_of(child));
  require(!mpj_layout_loop(count, stride, child, &out), "loop");
  mpj_layout_release(child.layout);
  return out;
}

enum { MOST_BLOCKS = 400 };

static void shuffle(struct mpj_random *rng, MPJ_Aint displs[], MPJ_Count n)
{
  for (MPJ_Count i = n - 1; i > 0; i--) {
    MPJ_Count j = mpj_random_in(rng, 0, i);
    MPJ_Aint t = displs[i];
    displs[i] = displs[j];
    displs[j] = t;
  }
}

static struct mpj_piece random_index(struct mpj_random *rng, int depth, MPJ_Count most_bytes)
{
  struct mpj_piece child = random_layout(rng, depth - 1, most_bytes / 4), out;
  MPJ_Count most = most_copies(child, most_bytes / 2);
  MPJ_Count n = mpj_random_in(rng, 2, most < MOST_BLOCKS ? most : MOST_BLOCKS);
  MPJ_Count lens[MOST_BLOCKS], uniform = mpj_random_in(rng, 0, 1) ? mpj_random_in(rng, 1, 3) : 0;
  MPJ_Aint displs[MOST_BLOCKS], stride = random_stride(rng, span_of(child)), at = 0;
  MPJ_Aint room = (stride < 0 ? -stride : stride) + span_of(child);
  for (MPJ_Count i = 0; i < n; i++) {
    lens[i] = mpj_random_in(rng, 0, 3);
    displs[i] = at;
    at += (uniform ? uniform : lens[i]) * room + mpj_random_in(rng, 0, 8);
  }
  /* Blocks of one length may come in any order without overlap. */
  if (uniform && mpj_random_in(rng, 0, 1)) shuffle(rng, displs, n);
  require(!mpj_layout_index(n, uniform ? NULL : lens, uniform, displs, stride, child, &out),
          "index");
  mpj_layout_release(child.layout);
  return out;
}

static struct mpj_piece random_seq(struct mpj_random *rng, int depth, MPJ_Count most_bytes)
{
  struct mpj_piece pieces[6], out;
  MPJ_Count n = mpj_random_in(rng, 2, 6);
  MPJ_Aint at = mpj_random_in(rng, -20, 20);
  for (MPJ_Count i = 0; i < n; i++) {
    pieces[i] =
        mpj_random_in(rng, 0, 1) ? random_run(rng) : random_layout(rng, depth - 1, most_bytes / n);
    at += mpj_random_in(rng, 0, 2) ? 0 : mpj_random_in(rng, 1, 12);
    pieces[i].displ = at - pieces[i].layout->true_lb;
    at += span_of(pieces[i]);
  }
  require(!mpj_layout_seq(n, pieces, &out), "seq");
  for (MPJ_Count i = 0; i < n; i++)
    mpj_layout_release(pieces[i].layout);
  return out;
}

/* Many pieces of a few shapes, dense ones only or not. */
static struct mpj_piece random_long_seq(struct mpj_random *rng, int depth, MPJ_Count most_bytes)
{
  enum { SHAPES = 4 };
  struct mpj_piece shapes[SHAPES], pieces[MOST_BLOCKS], out;
  const bool dense = mpj_random_in(rng, 0, 1);
  MPJ_Count n = mpj_random_in(rng, MPJ_LAYOUT_SEQ_OPEN + 1, MOST_BLOCKS);
  MPJ_Aint at = 0;
  for (int s = 0; s < SHAPES; s++)
    shapes[s] = dense ? random_run(rng) : random_layout(rng, depth - 1, most_bytes / n);
  for (MPJ_Count i = 0; i < n; i++) {
    pieces[i] = shapes[mpj_random_in(rng, 0, SHAPES - 1)];
    pieces[i].displ = at - pieces[i].layout->true_lb;
    at += span_of(pieces[i]) + mpj_random_in(rng, 0, 30);
  }
  require(!mpj_layout_seq(n, pieces, &out), "long seq");
  for (int s = 0; s < SHAPES; s++)
    mpj_layout_release(shapes[s].layout);
  return out;
}

struct mpj_piece random_layout(struct mpj_random *rng, int depth, MPJ_Count most_bytes)
{
  if (depth <= 1 || most_bytes < 64) return random_run(rng);
  switch (mpj_random_in(rng, 0, 9)) {
  case 0:
    if (most_bytes >= 2000) return random_long_seq(rng, depth, most_bytes);
    return random_run(rng);
  case 1:
  case 2:
  case 3:
    return random_loop(rng, depth, most_bytes);
  case 4:
  case 5:
  case 6:
    return random_index(rng, depth, most_bytes);
  default:
    return random_seq(rng, depth, most_bytes);
  }
}

/* A nest of nine levels over a run. */
static struct mpj_view deep_view(void)
{
  struct mpj_piece piece = run_of(MPJ_SHORT, 1);
  for (int level = 0; level < 9; level++) {
    struct mpj_piece child = piece;
    MPJ_Aint span = span_of(child);
    const MPJ_Count lens[2] = {1, 2};
    const MPJ_Aint displs[2] = {0, span + 5};
    if (level % 2 == 0)
      require(!mpj_layout_loop(2, span + 3, child, &piece), "loop");
    else
      require(!mpj_layout_index(2, lens, 0, displs, span + 1, child, &piece), "index");
    mpj_layout_release(child.layout);
  }
  return view_of(piece);
}

struct mpj_view random_view(struct mpj_random *rng, MPJ_Count most_bytes)
{
  if (most_bytes >= 2000 && mpj_random_in(rng, 0, 99) == 0) return deep_view();
  struct mpj_piece piece = random_layout(rng, (int)mpj_random_in(rng, 1, 6), most_bytes);
  struct mpj_view view = {piece.layout, 1, 0, piece.displ + mpj_random_in(rng, -50, 50)};
  if (mpj_random_in(rng, 0, 1)) {
    view.count = mpj_random_in(rng, 0, 5);
    view.stride = random_stride(rng, span_of(piece));
    if (mpj_random_in(rng, 0, 2) == 0 && piece.layout->kind == MPJ_LAYOUT_LOOP)
      view.stride = piece.layout->u.loop.count * piece.layout->u.loop.stride;
  }
  return view;
}
