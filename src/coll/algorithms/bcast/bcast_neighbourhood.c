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
#include "coll/plan/lay.h"
#include "coll/plan/schedule_steps.h"
#include "coll/select/algorithms.h"
#include "coll/torus/lines.h"

enum { OUT_MAX = 2 * MPJ_TORUS_DIMS_MAX + 1 };

struct way {
  struct mpj_flow f;
  struct mpj_lines lines;
  struct mpj_operand whole; /* what arrives and goes on; dense if it is cut */
  int segments, parent;     /* rank; -1 at the root */
  int n;
  struct {
    int peer;
    struct mpj_operand verdict;
    int sent; /* the last step */
  } out[OUT_MAX];
};

static void begin(struct way *w, const struct mpj_comm *comm, int root, unsigned variant,
                  struct mpj_schedule_builder *b)
{
  w->f = mpj_flow_begin(comm, b, variant);
  w->segments = mpj_segments_of(variant);
  w->whole = w->segments > 1 ? mpj_dense_result(&w->f) : mpj_operand_whole(MPJ_BUFFER_RECV);
  w->n = 0;
  mpj_lines_find(comm, root, &w->lines);
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
      mpj_flow_send_by(&w->f, w->out[i].peer, 1 + (unsigned)s, piece, w->out[i].verdict);
  if (s > 0) mpj_schedule_after(w->f.b, step, w->out[i].sent);
  w->out[i].sent = step;
}

/* Segment by segment, each to where most is still to come first. */
static int lay_data(struct way *w)
{
  const struct mpj_operand buf = mpj_operand_whole(MPJ_BUFFER_RECV);
  for (int s = 0; s < w->segments; s++) {
    const struct mpj_operand piece = mpj_cut(w->whole, s, w->segments);
    const bool aside = w->whole.buffer != MPJ_BUFFER_RECV;
    if (w->parent >= 0)
      mpj_flow_recv(&w->f, w->parent, 1 + (unsigned)s, piece);
    else if (aside)
      mpj_flow_copy(&w->f, mpj_cut(buf, s, w->segments), piece);
    for (int i = 0; i < w->n; i++)
      send_on(w, i, s, piece);
    if (w->parent >= 0 && aside) mpj_flow_copy(&w->f, piece, mpj_cut(buf, s, w->segments));
  }
  return mpj_flow_end(&w->f);
}

/* The answer of who follows in the k'th chain of dimension d. */
static unsigned edge_bit(const struct way *w, int d, int k)
{
  return 1 + (unsigned)(w->segments + 2 * d + k);
}

static void ask_edge(struct way *w, int d, int k)
{
  const struct mpj_line line = mpj_line_of(&w->lines, d);
  if (mpj_line_next(&line, k) < 0) return;
  const struct mpj_operand answer = mpj_schedule_verdict(w->f.b);
  mpj_flow_recv(&w->f, mpj_line_rank(&line, mpj_line_next(&line, k)), edge_bit(w, d, k), answer);
  add_next(w, &line, k, answer);
}

/* The first dimension in which this rank has somebody to send to. */
static int first_dimension(const struct way *w)
{
  return w->lines.level < 0 ? 0 : w->lines.level;
}

int mpj_bcast_neighbourhood(const struct mpj_comm *comm, int root, unsigned variant,
                            struct mpj_schedule_builder *b)
{
  struct way w;
  begin(&w, comm, root, variant, b);
  if (w.parent >= 0) {
    const struct mpj_line line = mpj_line_of(&w.lines, w.lines.level);
    const struct mpj_operand mine = mpj_schedule_verdict(b);
    mpj_flow_judge(&w.f, w.whole, mine);
    mpj_flow_send(&w.f, w.parent, edge_bit(&w, w.lines.level, line.position > line.up), mine);
  }
  for (int d = first_dimension(&w); d < w.lines.grid.ndims; d++)
    for (int k = 0; k < 2; k++)
      ask_edge(&w, d, k);
  mpj_schedule_gives_up(b);
  return lay_data(&w);
}

/* The bits that n members take to agree: 1 + ceil(log2 n). */
static unsigned bits_of(int n)
{
  return n > 1 ? 33 - (unsigned)__builtin_clz((unsigned)n - 1) : 1;
}

/* n members, of which this one is at `position`, agree: the verdict of all but the first, whose
 * buffer nothing is sent to. Takes bits_of(n) from `bit` on. */
static struct mpj_operand agree(struct way *w, int position, int n,
                                int (*rank_at)(const void *ctx, int position), const void *ctx,
                                unsigned bit)
{
  const struct mpj_operand verdict = mpj_schedule_verdict(w->f.b);
  int child[32], children = 0, reach = 1;
  mpj_flow_judge(&w->f, position == 0 ? mpj_operand_none() : w->whole, verdict);
  for (; reach < n && !(position & reach); reach *= 2)
    if (position + reach < n) child[children++] = rank_at(ctx, position + reach);
  for (int i = 0; i < children; i++) {
    const struct mpj_operand answer = mpj_schedule_verdict(w->f.b);
    mpj_flow_recv(&w->f, child[i], bit + 1 + (unsigned)i, answer);
    mpj_flow_judge(&w->f, answer, verdict);
  }
  if (position > 0) {
    const int parent = rank_at(ctx, position - reach);
    const unsigned level = (unsigned)__builtin_ctz((unsigned)reach);
    mpj_flow_send(&w->f, parent, bit + 1 + level, verdict);
    mpj_flow_recv(&w->f, parent, bit, verdict);
  }
  for (int i = children - 1; i >= 0; i--)
    mpj_flow_send(&w->f, child[i], bit, verdict);
  return verdict;
}

static int rank_in_line(const void *line, int position)
{
  return mpj_line_rank(line, position);
}

int mpj_bcast_neighbourhood_line(const struct mpj_comm *comm, int root, unsigned variant,
                                 struct mpj_schedule_builder *b)
{
  struct way w;
  begin(&w, comm, root, variant, b);
  unsigned bit = 1 + (unsigned)w.segments;
  for (int d = 0; d < w.lines.grid.ndims; d++) {
    if (d >= w.lines.level) {
      const struct mpj_line line = mpj_line_of(&w.lines, d);
      const struct mpj_operand verdict = agree(&w, line.position, line.n, rank_in_line, &line, bit);
      for (int k = 0; k < 2; k++)
        add_next(&w, &line, k, verdict);
    }
    bit += bits_of(w.lines.grid.dims[d]);
  }
  return lay_data(&w);
}

static int rank_from_root(const void *ctx, int position)
{
  const int *root_and_size = ctx;
  return (int)(((int64_t)root_and_size[0] + position) % root_and_size[1]);
}

/* All chains go by one verdict. */
static int lay_all(struct way *w, struct mpj_operand verdict)
{
  for (int d = first_dimension(w); d < w->lines.grid.ndims; d++) {
    const struct mpj_line line = mpj_line_of(&w->lines, d);
    for (int k = 0; k < 2; k++)
      add_next(w, &line, k, verdict);
  }
  return lay_data(w);
}

int mpj_bcast_neighbourhood_global(const struct mpj_comm *comm, int root, unsigned variant,
                                   struct mpj_schedule_builder *b)
{
  struct way w;
  const int root_and_size[2] = {root, comm->size};
  begin(&w, comm, root, variant, b);
  const int position = (int)(((int64_t)comm->rank - root + comm->size) % comm->size);
  return lay_all(
      &w, agree(&w, position, comm->size, rank_from_root, root_and_size, 1 + (unsigned)w.segments));
}

int mpj_bcast_neighbourhood_none(const struct mpj_comm *comm, int root, unsigned variant,
                                 struct mpj_schedule_builder *b)
{
  struct way w;
  begin(&w, comm, root, variant, b);
  const struct mpj_operand always = mpj_schedule_verdict(b);
  mpj_flow_judge(&w.f, mpj_operand_none(), always);
  return lay_all(&w, always);
}
