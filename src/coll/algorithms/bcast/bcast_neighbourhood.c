/* This file lays down the broadcast along the lines of a torus, whose protocol is chosen for each
 * neighbourhood: a put straight into the receivers' layouts where all of its members' buffers
 * qualify, else a FIFO that takes anything (spec/neighbourhoods.md).
 *
 *   edge    a neighbourhood is two ranks that follow one another in a chain: the receiver answers
 *           at its entry, and data goes over this edge as soon as both are here. To who has not
 *           answered for long data goes by the FIFO, where it waits; the sender leaves
 *   line    a neighbourhood is a line: its answers are combined up a binomial tree to the head,
 *           and the verdict comes down again before its data
 *   global  all ranks are one
 *   none    nobody asks: all data is put
 *
 * No answer waits for data, so what is downstream agrees while the data is still upstream.
 * Cost, d dimensions of n_i ranks that wrap around, S segments of m / S bytes:
 *   (sum of n_i / 2 + S - 1)(alpha + m / S beta), and before it alpha (edge), 2 alpha log2 n_0
 *   (line) or 2 alpha log2 p (global), if the data is at the root. Wins on tori, for long data.
 * Source: US 8,589,584. */
#include "coll/plan/build.h"
#include "coll/select/algorithms.h"
#include "coll/torus/lines.h"

enum { OUT_MAX = 2 * MPJ_TORUS_DIMS_MAX + 1 };

struct way {
  struct mpj_flow *f;
  struct mpj_lines lines;
  struct mpj_operand whole; /* what arrives and goes on; dense if it is cut */
  int segments, parent;     /* rank; -1 at the root */
  unsigned data, answers;   /* phases */
  int n;
  struct {
    int peer;
    struct mpj_operand verdict;
    int sent; /* the last step */
  } out[OUT_MAX];
};

static void begin(struct way *w, struct mpj_flow *f, int root)
{
  w->f = f;
  w->segments = mpj_segments_of(f->variant);
  w->whole = w->segments > 1 ? mpj_dense_result(f) : mpj_operand_whole(MPJ_BUFFER_RECV);
  w->data = mpj_flow_phase(f, w->segments);
  w->n = 0;
  mpj_lines_find(f->comm, root, &w->lines);
  w->parent = -1;
  if (w->lines.level < 0) return;
  const struct mpj_line line = mpj_line_of(&w->lines, w->lines.level);
  w->parent = mpj_line_rank(&line, mpj_line_before(&line));
}

/* Data goes on to the next rank of the k'th chain, if there is one, by that verdict. */
static void add_next(struct way *w, const struct mpj_line *line, int k, struct mpj_operand verdict)
{
  const int next = mpj_line_next(line, k);
  if (next < 0) return;
  w->out[w->n].peer = mpj_line_rank(line, next);
  w->out[w->n++].verdict = verdict;
}

/* A segment waits until the one before it has left over the same edge: so the edge that opens
 * first does not take the port from those that open a moment later. */
static void send_on(struct way *w, int i, int s, struct mpj_operand piece)
{
  const int step =
      mpj_flow_send_by(w->f, w->out[i].peer, mpj_name(w->data, 1 + s), piece, w->out[i].verdict);
  if (s > 0) mpj_flow_after(w->f, step, w->out[i].sent);
  w->out[i].sent = step;
}

/* Segment by segment, each to where most is still to come first. */
static void lay_data(struct way *w)
{
  const struct mpj_operand buf = mpj_operand_whole(MPJ_BUFFER_RECV);
  for (int s = 0; s < w->segments; s++) {
    const struct mpj_operand piece = mpj_cut(w->whole, s, w->segments);
    const bool aside = w->whole.buffer != MPJ_BUFFER_RECV;
    if (w->parent >= 0)
      mpj_flow_recv(w->f, w->parent, mpj_name(w->data, 1 + s), piece);
    else if (aside)
      mpj_flow_copy(w->f, mpj_cut(buf, s, w->segments), piece);
    for (int i = 0; i < w->n; i++)
      send_on(w, i, s, piece);
    if (w->parent >= 0 && aside) mpj_flow_copy(w->f, piece, mpj_cut(buf, s, w->segments));
  }
}

/* The answer of who follows in the k'th chain of dimension d. */
static unsigned edge_name(const struct way *w, int d, int k)
{
  return mpj_name(w->answers, 1 + 2 * d + k);
}

static void ask_edge(struct way *w, int d, int k)
{
  const struct mpj_line line = mpj_line_of(&w->lines, d);
  if (mpj_line_next(&line, k) < 0) return;
  const struct mpj_operand answer = mpj_flow_verdict(w->f);
  mpj_flow_recv(w->f, mpj_line_rank(&line, mpj_line_next(&line, k)), edge_name(w, d, k), answer);
  add_next(w, &line, k, answer);
}

/* The first dimension in which this rank has somebody to send to. */
static int first_dimension(const struct way *w)
{
  return w->lines.level < 0 ? 0 : w->lines.level;
}

void mpj_bcast_neighbourhood(struct mpj_flow *f, int root)
{
  struct way w;
  begin(&w, f, root);
  w.answers = mpj_flow_phase(f, 2 * w.lines.grid.ndims);
  if (w.parent >= 0) {
    const struct mpj_line line = mpj_line_of(&w.lines, w.lines.level);
    const struct mpj_operand mine = mpj_flow_verdict(f);
    mpj_flow_judge(f, w.whole, mine);
    mpj_flow_send(f, w.parent, edge_name(&w, w.lines.level, line.position > line.up), mine);
  }
  for (int d = first_dimension(&w); d < w.lines.grid.ndims; d++)
    for (int k = 0; k < 2; k++)
      ask_edge(&w, d, k);
  mpj_flow_gives_up(f);
  lay_data(&w);
}

/* The phase in which n members agree: the verdict comes down as its first message, the answer from
 * the i'th child as 2 + i. */
static unsigned phase_of(struct mpj_flow *f, int n)
{
  return mpj_flow_phase(f, 1 + mpj_rounds(n, 2));
}

/* n members, of which this one is at `position`, agree: the verdict of all but the first, whose
 * buffer nothing is sent to. In phase_of(n). */
static struct mpj_operand agree(struct way *w, int position, int n,
                                int (*rank_at)(const void *ctx, int position), const void *ctx,
                                unsigned phase)
{
  const struct mpj_operand verdict = mpj_flow_verdict(w->f);
  int child[32], children = 0, reach = 1;
  mpj_flow_judge(w->f, position == 0 ? mpj_operand_none() : w->whole, verdict);
  for (; reach < n && !(position & reach); reach *= 2)
    if (position + reach < n) child[children++] = rank_at(ctx, position + reach);
  for (int i = 0; i < children; i++) {
    const struct mpj_operand answer = mpj_flow_verdict(w->f);
    mpj_flow_recv(w->f, child[i], mpj_name(phase, 2 + i), answer);
    mpj_flow_judge(w->f, answer, verdict);
  }
  if (position > 0) {
    const int parent = rank_at(ctx, position - reach);
    mpj_flow_send(w->f, parent, mpj_name(phase, 2 + __builtin_ctz((unsigned)reach)), verdict);
    mpj_flow_recv(w->f, parent, mpj_name(phase, 1), verdict);
  }
  for (int i = children - 1; i >= 0; i--)
    mpj_flow_send(w->f, child[i], mpj_name(phase, 1), verdict);
  return verdict;
}

static int rank_in_line(const void *line, int position)
{
  return mpj_line_rank(line, position);
}

void mpj_bcast_neighbourhood_line(struct mpj_flow *f, int root)
{
  struct way w;
  begin(&w, f, root);
  for (int d = 0; d < w.lines.grid.ndims; d++) {
    const unsigned phase = phase_of(f, w.lines.grid.dims[d]);
    if (d >= w.lines.level) {
      const struct mpj_line line = mpj_line_of(&w.lines, d);
      const struct mpj_operand verdict =
          agree(&w, line.position, line.n, rank_in_line, &line, phase);
      for (int k = 0; k < 2; k++)
        add_next(&w, &line, k, verdict);
    }
  }
  lay_data(&w);
}

static int rank_from_root(const void *ctx, int position)
{
  const int *root_and_size = ctx;
  return (int)(((int64_t)root_and_size[0] + position) % root_and_size[1]);
}

/* All chains go by one verdict. */
static void lay_all(struct way *w, struct mpj_operand verdict)
{
  for (int d = first_dimension(w); d < w->lines.grid.ndims; d++) {
    const struct mpj_line line = mpj_line_of(&w->lines, d);
    for (int k = 0; k < 2; k++)
      add_next(w, &line, k, verdict);
  }
  lay_data(w);
}

void mpj_bcast_neighbourhood_global(struct mpj_flow *f, int root)
{
  struct way w;
  const int root_and_size[2] = {root, f->comm->size};
  begin(&w, f, root);
  const int position = (int)(((int64_t)f->comm->rank - root + f->comm->size) % f->comm->size);
  lay_all(&w, agree(&w, position, f->comm->size, rank_from_root, root_and_size,
                    phase_of(f, f->comm->size)));
}

void mpj_bcast_neighbourhood_none(struct mpj_flow *f, int root)
{
  struct way w;
  begin(&w, f, root);
  const struct mpj_operand always = mpj_flow_verdict(f);
  mpj_flow_judge(f, mpj_operand_none(), always);
  lay_all(&w, always);
}
