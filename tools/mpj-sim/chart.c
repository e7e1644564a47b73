/* This file draws sweeps. */
#include "chart.h"

#include <string.h>

#include "base/memory.h"
#include "machines.h"

/* Pixels. A bar that is as long as the first one's is ONE wide, one that is MOST times as long or
 * more ends where the picture does. */
enum { BAR = 14, GROUP_GAP = 26, LEFT = 270, ONE = 160, MOST = 4, TEXT = 150, TOP = 46 };
static const int WIDTH = LEFT + ONE * MOST + TEXT;

struct chart_group *chart_add(struct chart *chart)
{
  if (chart->ngroups == chart->room) {
    const int room = chart->room ? 2 * chart->room : 16;
    struct chart_group *groups = mpj_alloc_array((size_t)room, sizeof *groups);
    if (!groups) {
      chart->lacks_memory = true;
      return NULL;
    }
    if (chart->ngroups > 0) memcpy(groups, chart->groups, (size_t)chart->ngroups * sizeof *groups);
    mpj_free(chart->groups);
    chart->groups = groups;
    chart->room = room;
  }
  return &chart->groups[chart->ngroups++];
}

void chart_end(struct chart *chart)
{
  mpj_free(chart->groups);
  *chart = (struct chart){0};
}

static const char *colour(int bar)
{
  static const char *const colours[] = {"#9e9e9e", "#3b528b", "#21918c", "#e8a838",
                                        "#8c4b9c", "#5ec962", "#c44e52", "#4c72b0"};
  return colours[(unsigned)bar % (sizeof colours / sizeof colours[0])];
}

/* Of the end of a text: what XML takes for itself is written otherwise. */
static void write_text(FILE *f, const char *text)
{
  for (; *text; text++)
    switch (*text) {
    case '&':
      fputs("&amp;", f);
      break;
    case '<':
      fputs("&lt;", f);
      break;
    default:
      fputc(*text, f);
    }
  fputs("</text>\n", f);
}

/* The first that ran is what the others are measured by. */
static int64_t first_of(const struct chart_group *g)
{
  for (int i = 0; i < g->nbars; i++)
    if (g->bars[i].ps > 0) return g->bars[i].ps;
  return 1;
}

static void draw_bar(FILE *f, const struct chart_bar *bar, int i, int64_t one, int y)
{
  char time[32];
  const double ratio = (double)bar->ps / (double)one;
  const int length = (int)(ratio < MOST ? ratio * ONE : MOST * ONE);
  fprintf(f, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", LEFT - 6, y + BAR - 3);
  write_text(f, bar->word);
  fprintf(f,
          "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n"
          "<text x=\"%d\" y=\"%d\">%s, %.3f</text>\n",
          LEFT, y, length, BAR - 2, colour(i), LEFT + length + 5, y + BAR - 3,
          text_of_time(bar->ps, time), ratio);
}

static int draw_group(FILE *f, const struct chart_group *g, int y)
{
  const int64_t one = first_of(g);
  fprintf(f, "<text x=\"2\" y=\"%d\" font-weight=\"bold\">%s</text>\n", y + 12, g->name);
  y += BAR + 4;
  for (int i = 0; i < g->nbars; i++)
    if (g->bars[i].ps >= 0) {
      draw_bar(f, &g->bars[i], i, one, y);
      y += BAR;
    }
  return y + GROUP_GAP - BAR;
}

static int height_of(const struct chart *c)
{
  int height = TOP;
  for (int g = 0; g < c->ngroups; g++) {
    height += 4 + GROUP_GAP;
    for (int i = 0; i < c->groups[g].nbars; i++)
      height += c->groups[g].bars[i].ps >= 0 ? BAR : 0;
  }
  return height;
}

void chart_svg(const struct chart *chart, const char *title, FILE *f)
{
  int y = TOP;
  fprintf(f,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
          "font-family=\"sans-serif\" font-size=\"12\">\n"
          "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
          "<text x=\"2\" y=\"16\">simulated: ",
          WIDTH, height_of(chart));
  write_text(f, title);
  fprintf(f, "<text x=\"2\" y=\"34\">until the last rank left: the time, and how often it has the "
             "first one's</text>\n");
  for (int g = 0; g < chart->ngroups; g++)
    y = draw_group(f, &chart->groups[g], y);
  fprintf(f, "</svg>\n");
}
