/* This file draws a matrix as a heat map beside the map of its owners. */
#include "picture.h"

#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "atomic_file.h"

const bool picture_available = true;

/* All lengths in pixels. */
enum {
  PANEL_MAX = 460, /* longer side of a map */
  PANEL_MIN = 24,  /* shorter side, however long and thin the matrix */
  MARGIN = 24,
  TITLE = 30,     /* height of the line above a map */
  FOOT = 70,      /* height below the maps, for scale and legend */
  FONT = 13,      /* letters of titles and feet */
  FONT_MIN = 8,   /* smaller numbers in tiles are left out */
  FONT_MAX = 28,  /* numbers in tiles */
  SWATCH = 28,    /* one rank in the legend */
  ROW = 18,       /* of the legend */
  LEGEND_MAX = 64 /* ranks that the legend has room for */
};

struct colour {
  double red, green, blue;
};

/* A map on the page. */
struct panel {
  int x, y, width, height;
};

struct picture {
  cairo_t *cairo;
  const struct npy *matrix;
  const uint16_t *owners;
  int nranks;
  struct panel values, ranks;
  double low, high; /* range of the finite values that are drawn */
};

/* t in [0, 1] on a scale from dark blue over green to yellow, whose lightness
 * grows evenly (key colours of the map "viridis" of matplotlib). */
static struct colour heat(double t)
{
  static const struct colour keys[5] = {{.267, .004, .329},
                                        {.231, .322, .545},
                                        {.129, .569, .549},
                                        {.369, .788, .384},
                                        {.992, .906, .145}};
  int i = t < 1 ? (int)(t * 4) : 3;
  double f = t * 4 - i;
  const struct colour *a = &keys[i], *b = &keys[i + 1];
  return (struct colour){a->red + f * (b->red - a->red), a->green + f * (b->green - a->green),
                         a->blue + f * (b->blue - a->blue)};
}

static double hue_part(double hue)
{
  double h = fabs(hue - floor(hue) - 0.5) * 6 - 1;
  return h < 0 ? 0 : h > 1 ? 1 : h;
}

/* Light colours, so that black numbers stand out; hues a golden section apart,
 * so that neighbours differ. */
static struct colour rank_colour(int rank)
{
  double hue = 0.58 + rank * 0.618033988749895, depth = rank / 2 % 2 ? 0.30 : 0.48;
  return (struct colour){1 - depth * (1 - hue_part(hue)), 1 - depth * (1 - hue_part(hue - 1.0 / 3)),
                         1 - depth * (1 - hue_part(hue - 2.0 / 3))};
}

static uint32_t pixel(struct colour c)
{
  return (uint32_t)(c.red * 255) << 16 | (uint32_t)(c.green * 255) << 8 | (uint32_t)(c.blue * 255);
}

/* Which row or column of n stands at `at` (in half pixels) of a side of `side`. */
static int64_t source(int at, int side, int64_t n)
{
  return (int64_t)((at + 0.5) / (2.0 * side) * (double)n);
}

/* The mean of the values under a pixel. */
static double value_at(const struct picture *p, int x, int y)
{
  double sum = 0;
  for (int i = 0; i < 4; i++)
    sum += npy_value(p->matrix, source(2 * y + i / 2, p->values.height, p->matrix->rows),
                     source(2 * x + i % 2, p->values.width, p->matrix->cols));
  return sum / 4;
}

static int owner_of(const struct picture *p, int64_t row, int64_t col)
{
  const struct npy *m = p->matrix;
  return p->owners[m->fortran ? col * m->rows + row : row * m->cols + col];
}

static uint32_t value_pixel(const struct picture *p, int x, int y)
{
  double value = value_at(p, x, y);
  if (!isfinite(value)) return pixel((struct colour){0.5, 0.5, 0.5});
  return pixel(heat(p->high > p->low ? (value - p->low) / (p->high - p->low) : 0.5));
}

static uint32_t owner_pixel(const struct picture *p, int x, int y)
{
  return pixel(rank_colour(owner_of(p, source(2 * y, p->ranks.height, p->matrix->rows),
                                    source(2 * x, p->ranks.width, p->matrix->cols))));
}

/* The pixel of the colour bar below the values. */
static uint32_t bar_pixel(const struct picture *p, int x, int y)
{
  (void)y;
  return pixel(heat(p->values.width > 1 ? (double)x / (p->values.width - 1) : 0));
}

static void paint(const struct picture *p, struct panel at,
                  uint32_t (*of)(const struct picture *, int x, int y))
{
  cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, at.width, at.height);
  unsigned char *rows = cairo_image_surface_get_data(image);
  if (rows) {
    for (int y = 0; y < at.height; y++)
      for (int x = 0; x < at.width; x++) {
        uint32_t value = of(p, x, y);
        memcpy(rows + y * cairo_image_surface_get_stride(image) + 4 * x, &value, sizeof value);
      }
    cairo_surface_mark_dirty(image);
    cairo_set_source_surface(p->cairo, image, at.x, at.y);
    cairo_paint(p->cairo);
  }
  cairo_surface_destroy(image);
  cairo_set_source_rgb(p->cairo, 0.2, 0.2, 0.2);
  cairo_set_line_width(p->cairo, 1);
  cairo_rectangle(p->cairo, at.x - 0.5, at.y - 0.5, at.width + 1, at.height + 1);
  cairo_stroke(p->cairo);
}

static void find_range(struct picture *p)
{
  for (int y = 0; y < p->values.height; y++)
    for (int x = 0; x < p->values.width; x++) {
      double value = value_at(p, x, y);
      if (!isfinite(value)) continue;
      p->low = fmin(p->low, value);
      p->high = fmax(p->high, value);
    }
}

static void write_text(const struct picture *p, double x, double y, double size, const char *text)
{
  cairo_set_source_rgb(p->cairo, 0, 0, 0);
  cairo_set_font_size(p->cairo, size);
  cairo_move_to(p->cairo, x, y);
  cairo_show_text(p->cairo, text);
}

/* The rank's number in the middle of a box, or nothing if it would be too small. */
static void write_number(const struct picture *p, double x, double y, double width, double height,
                         int rank)
{
  char text[16];
  cairo_text_extents_t e;
  int digits = snprintf(text, sizeof text, "%d", rank);
  double size = fmin(fmin(height * 0.7, width * 1.2 / digits), FONT_MAX);
  if (size < FONT_MIN) return;
  cairo_set_font_size(p->cairo, size);
  cairo_text_extents(p->cairo, text, &e);
  write_text(p, x + (width - e.width) / 2 - e.x_bearing, y + (height - e.height) / 2 - e.y_bearing,
             size, text);
}

/* Where the tile ends that holds row (or column) `from` of n. */
static int64_t tile_end(const struct picture *p, int64_t from, int64_t n, bool rows)
{
  int owner = rows ? owner_of(p, from, 0) : owner_of(p, 0, from);
  int64_t end = from + 1;
  while (end < n && owner == (rows ? owner_of(p, end, 0) : owner_of(p, 0, end)))
    end++;
  return end;
}

/* The numbers in the tiles that cover rows [row, row_end). */
static void number_row(const struct picture *p, int64_t row, int64_t row_end)
{
  double yscale = p->ranks.height / (double)p->matrix->rows;
  double xscale = p->ranks.width / (double)p->matrix->cols;
  if ((double)(row_end - row) * yscale * 0.7 < FONT_MIN) return;
  for (int64_t col = 0, end; col < p->matrix->cols; col = end) {
    end = tile_end(p, col, p->matrix->cols, false);
    write_number(p, p->ranks.x + (double)col * xscale, p->ranks.y + (double)row * yscale,
                 (double)(end - col) * xscale, (double)(row_end - row) * yscale,
                 owner_of(p, row, col));
  }
}

static void number_tiles(const struct picture *p)
{
  for (int64_t row = 0, end; row < p->matrix->rows; row = end) {
    end = tile_end(p, row, p->matrix->rows, true);
    number_row(p, row, end);
  }
}

static void draw_scale(const struct picture *p, int y)
{
  char text[80];
  struct panel bar = {p->values.x, y, p->values.width, 12};
  paint(p, bar, bar_pixel);
  snprintf(text, sizeof text, "%.4g (dark) to %.4g (light)", p->low, p->high);
  write_text(p, bar.x, y + 32, FONT, p->high >= p->low ? text : "no finite value");
}

static void draw_legend(const struct picture *p, int y)
{
  const int in_a_row = PANEL_MAX / SWATCH;
  for (int rank = 0; rank < p->nranks && rank < LEGEND_MAX; rank++) {
    struct colour c = rank_colour(rank);
    int x = p->ranks.x + rank % in_a_row * SWATCH, top = y + rank / in_a_row * ROW;
    cairo_set_source_rgb(p->cairo, c.red, c.green, c.blue);
    cairo_rectangle(p->cairo, x, top, SWATCH - 2, ROW - 2);
    cairo_fill(p->cairo);
    write_number(p, x, top, SWATCH - 2, ROW - 2, rank);
  }
}

static void draw(struct picture *p, const char *title)
{
  char text[100];
  const struct npy *m = p->matrix;
  int foot = p->values.y + p->values.height + 12;
  cairo_set_source_rgb(p->cairo, 1, 1, 1);
  cairo_paint(p->cairo);
  cairo_select_font_face(p->cairo, "sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  snprintf(text, sizeof text, "result: %ld x %ld %s, %s order", m->rows, m->cols, npy_name(m->type),
           m->fortran ? "Fortran" : "C");
  write_text(p, p->values.x, p->values.y - 10, FONT, text);
  write_text(p, p->ranks.x, p->ranks.y - 10, FONT, title);
  p->low = HUGE_VAL;
  p->high = -HUGE_VAL;
  if (m->rows > 0 && m->cols > 0) {
    find_range(p);
    paint(p, p->values, value_pixel);
    paint(p, p->ranks, owner_pixel);
    number_tiles(p);
  }
  draw_scale(p, foot);
  draw_legend(p, foot);
}

/* A map's side for n elements of the longer side's `longest`, which may be 0. */
static int side(int64_t n, int64_t longest)
{
  double length = longest > 0 ? (double)n / (double)longest * PANEL_MAX : 0;
  return length < PANEL_MIN ? PANEL_MIN : (int)length;
}

static cairo_status_t write_some(void *file, const unsigned char *bytes, unsigned length)
{
  return atomic_write(file, bytes, length) == 0 ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static int write_png(cairo_surface_t *page, const char *path, char *why)
{
  struct atomic_file file;
  int err = atomic_open(&file, path);
  if (err == 0) {
    cairo_status_t status = cairo_surface_write_to_png_stream(page, write_some, &file);
    if (status != CAIRO_STATUS_SUCCESS) {
      atomic_abandon(&file);
      snprintf(why, NPY_WHY, "drawing: %s", cairo_status_to_string(status));
      return -1;
    }
    err = atomic_commit(&file);
  }
  if (err != 0) snprintf(why, NPY_WHY, "file: %s", strerror(err));
  return err == 0 ? 0 : -1;
}

int picture_write(const char *path, const struct npy *m, const uint16_t *owners, int nranks,
                  const char *title, char why[NPY_WHY])
{
  int64_t longest = m->rows > m->cols ? m->rows : m->cols;
  int width = side(m->cols, longest), height = side(m->rows, longest);
  struct picture p = {.matrix = m, .owners = owners, .nranks = nranks};
  p.values = (struct panel){MARGIN, MARGIN + TITLE, width, height};
  p.ranks = (struct panel){2 * MARGIN + PANEL_MAX, MARGIN + TITLE, width, height};
  cairo_surface_t *page = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 2 * PANEL_MAX + 3 * MARGIN,
                                                     height + 2 * MARGIN + TITLE + FOOT);
  p.cairo = cairo_create(page);
  draw(&p, title);
  cairo_destroy(p.cairo);
  int rc = write_png(page, path, why);
  cairo_surface_destroy(page);
  return rc;
}
