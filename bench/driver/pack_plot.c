/* This file draws the results of packing: bars by pattern and engine. */
#include "pack_report.h"

#include <cairo.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 1500, PANEL = 250, LEFT = 60, RIGHT = 20, TOP = 40, PLOT = 130 };

static const double most_ratio = 2; /* bars above it are cut, with their number on top */

static const struct engine_look {
  const char *name;
  double red, green, blue;
} looks[PACK_NENGINES] = {{"mpj", .11, .42, .63},
                          {"mpich", .90, .57, .22},
                          {"openmpi", .55, .63, .36},
                          {"other mpj", .5, .5, .5}};

struct panel {
  cairo_t *cr;
  enum pack_row row;
  enum pack_size size;
  double top; /* of the plot, in pixels; its bottom is PLOT lower */
};

static void text(cairo_t *cr, double x, double y, double size, const char *s)
{
  cairo_set_font_size(cr, size);
  cairo_move_to(cr, x, y);
  cairo_show_text(cr, s);
}

static double height_of(double ratio)
{
  return (ratio < most_ratio ? ratio : most_ratio) / most_ratio * PLOT;
}

static void draw_axis(const struct panel *p)
{
  static const double marks[] = {0, .5, 1, 1.5, 2};
  char label[32];
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
    double y = p->top + PLOT - height_of(marks[i]);
    cairo_set_source_rgb(p->cr, marks[i] == 1 ? .3 : .85, marks[i] == 1 ? .3 : .85,
                         marks[i] == 1 ? .3 : .85);
    cairo_set_line_width(p->cr, 1);
    cairo_move_to(p->cr, LEFT, y);
    cairo_line_to(p->cr, WIDTH - RIGHT, y);
    cairo_stroke(p->cr);
    cairo_set_source_rgb(p->cr, .2, .2, .2);
    snprintf(label, sizeof label, "%.1f", marks[i]);
    text(p->cr, LEFT - 28, y + 4, 11, label);
  }
  snprintf(label, sizeof label, "%s, %s", pack_row_names[p->row], pack_size_names[p->size]);
  text(p->cr, LEFT, p->top - 12, 14, label);
}

static void draw_bar(const struct panel *p, double x, double width, int engine, double ratio)
{
  const struct engine_look *look = &looks[engine];
  double height = height_of(ratio);
  char label[16];
  if (ratio <= 0) return;
  cairo_set_source_rgb(p->cr, look->red, look->green, look->blue);
  cairo_rectangle(p->cr, x, p->top + PLOT - height, width - 1, height);
  cairo_fill(p->cr);
  if (ratio <= most_ratio) return;
  cairo_set_source_rgb(p->cr, .2, .2, .2);
  snprintf(label, sizeof label, "%.1f", ratio);
  text(p->cr, x - 2, p->top - 2, 9, label);
}

static void draw_name(const struct panel *p, double x, const char *name)
{
  cairo_save(p->cr);
  cairo_translate(p->cr, x, p->top + PLOT + 10);
  cairo_rotate(p->cr, .5);
  cairo_set_source_rgb(p->cr, .2, .2, .2);
  text(p->cr, 0, 0, 10, name);
  cairo_restore(p->cr);
}

static void draw_panel(const struct panel *p, const struct pack_results *r)
{
  int n = 0, at = 0;
  for (int i = 0; i < r->n; i++)
    n += r->all[i].row == p->row && r->all[i].size == p->size;
  if (n == 0) return;
  double group = (double)(WIDTH - LEFT - RIGHT) / n, bar = group / (PACK_NENGINES + 1);
  draw_axis(p);
  for (int i = 0; i < r->n; i++) {
    const struct pack_result *one = &r->all[i];
    if (one->row != p->row || one->size != p->size) continue;
    double x = LEFT + group * at++ + bar / 2;
    for (int e = 0; e < PACK_NENGINES; e++)
      draw_bar(p, x + e * bar, bar, e, pack_ratio(&one->times[e]));
    draw_name(p, x, one->name);
  }
}

static void draw_legend(cairo_t *cr)
{
  double x = LEFT;
  cairo_set_source_rgb(cr, .2, .2, .2);
  text(cr, x, 20, 14, "Speed as a fraction of a loop written by hand:");
  x += 330;
  for (int e = 0; e < PACK_NENGINES; e++, x += 100) {
    cairo_set_source_rgb(cr, looks[e].red, looks[e].green, looks[e].blue);
    cairo_rectangle(cr, x, 9, 12, 12);
    cairo_fill(cr);
    cairo_set_source_rgb(cr, .2, .2, .2);
    text(cr, x + 17, 20, 14, looks[e].name);
  }
}

static int panels(const struct pack_results *r, struct panel all[], cairo_t *cr)
{
  static const enum pack_row rows[] = {PACK_ROW_PACK, PACK_ROW_UNPACK};
  int n = 0;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (int size = 0; size < PACK_NSIZES; size++) {
      struct pack_summary s = pack_summarise(r, rows[i], (enum pack_size)size, PACK_BY_MPJ);
      if (s.n) {
        all[n] = (struct panel){cr, rows[i], (enum pack_size)size, 2 * TOP + n * PANEL};
        n++;
      }
    }
  return n;
}

static int write_picture(cairo_surface_t *surface, const char *name)
{
  char part[4096];
  int n = snprintf(part, sizeof part, "%s.part", name);
  if (n < (int)sizeof part && cairo_surface_write_to_png(surface, part) == CAIRO_STATUS_SUCCESS &&
      rename(part, name) == 0)
    return 0;
  fprintf(stderr, "mpj-bench: cannot write %s\n", name);
  remove(part);
  return 1;
}

int pack_report_plot(const struct pack_results *r, const struct pack_command *c)
{
  struct panel all[2 * PACK_NSIZES];
  int n = panels(r, all, NULL);
  cairo_surface_t *surface =
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, WIDTH, TOP + PANEL * (n ? n : 1));
  cairo_t *cr = cairo_create(surface);
  cairo_set_source_rgb(cr, 1, 1, 1);
  cairo_paint(cr);
  draw_legend(cr);
  panels(r, all, cr);
  for (int i = 0; i < n; i++)
    draw_panel(&all[i], r);
  int failed = write_picture(surface, c->plot);
  cairo_destroy(cr);
  cairo_surface_destroy(surface);
  return failed;
}
