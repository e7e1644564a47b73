/* This file draws when the ranks of a run left. */
#include <inttypes.h>

#include "machines.h"
#include "report.h"

enum { CELL = 10, GAP = 14, TITLE = 46 };

/* How the ranks lie in the picture: planes of rows x columns, side by side. */
struct plan {
  int planes, rows, columns, across;
};

static struct plan plan_of(const struct run_options *o)
{
  const struct mpj_sim_machine *m = &o->machine;
  struct plan p = {1, 1, 1, 1};
  const bool grid = m->kind == MPJ_SIM_TORUS || m->kind == MPJ_SIM_MESH;
  if (grid) {
    p.columns = m->dims[m->ndims - 1] * m->ranks_per_node;
    p.rows = m->ndims > 1 ? m->dims[m->ndims - 2] : 1;
  } else {
    p.columns = 1;
    while (p.columns * p.columns < m->ranks)
      p.columns *= 2;
    p.rows = (m->ranks - 1) / p.columns + 1;
  }
  p.planes = (m->ranks - 1) / (p.rows * p.columns) + 1;
  while (p.across * p.across < p.planes)
    p.across++;
  return p;
}

/* From dark blue, early, by green to yellow, late. */
static void colour(double share, int rgb[3])
{
  static const int stops[][3] = {
      {68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}};
  const double at = share * 4;
  const int i = at >= 4 ? 3 : (int)at;
  for (int k = 0; k < 3; k++)
    rgb[k] = stops[i][k] + (int)((at - i) * (stops[i + 1][k] - stops[i][k]));
}

static void draw_rank(FILE *f, const struct plan *p, const struct result *r, int i)
{
  const int cells = p->rows * p->columns, plane = i / cells, in = i % cells;
  const int x = plane % p->across * (p->columns * CELL + GAP) + in % p->columns * CELL;
  const int y = TITLE + plane / p->across * (p->rows * CELL + GAP) + in / p->columns * CELL;
  int rgb[3] = {200, 0, 0}; /* died */
  if (r->of[i].left_ps >= 0)
    colour(r->last_ps > 0 ? (double)r->of[i].left_ps / (double)r->last_ps : 0, rgb);
  fprintf(
      f,
      "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%02x%02x%02x\"><title>rank %d: "
      "%" PRId64 " ps</title></rect>\n",
      x, y, CELL - 1, CELL - 1, (unsigned)rgb[0], (unsigned)rgb[1], (unsigned)rgb[2], i,
      r->of[i].left_ps);
}

void report_svg(const struct run_options *o, const struct result *r, FILE *f)
{
  const struct plan p = plan_of(o);
  char last[32];
  const int down = (p.planes - 1) / p.across + 1;
  const int width = p.across * (p.columns * CELL + GAP), height = down * (p.rows * CELL + GAP);
  fprintf(
      f,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
      "font-family=\"sans-serif\" font-size=\"13\">\n"
      "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
      "<text x=\"2\" y=\"16\">simulated: %s of %lld bytes, %d ranks</text>\n"
      "<text x=\"2\" y=\"34\">when each rank left: dark at 0, yellow at %s; red: it died</text>\n",
      width < 420 ? 420 : width, height + TITLE, mpj_operation_name(o->operation),
      (long long)r->bytes, r->ranks, text_of_time(r->last_ps, last));
  for (int i = 0; i < r->ranks; i++)
    draw_rank(f, &p, r, i);
  fprintf(f, "</svg>\n");
}
