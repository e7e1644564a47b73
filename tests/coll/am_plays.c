/* This program plays random active messages between all ranks, on threads or as the
 * processes of a job: any sizes and layouts, answers, payloads that wait to be
 * accepted. It exits with 0 if every one came once, whole, and to the right place.
 *
 * am_plays [--threads N] [--messages M] [--seed S] */
#include <mpj/am.h>
#include <mpj/mpj.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TALK = 3, ANSWER = 5, LATER_MOST = 16, LONGEST = 60000 };

struct plan {
  int messages;
  unsigned seed;
};

/* What travels in a header. */
struct note {
  unsigned seed;
  int doubles, layout;
};

struct waiting {
  MPJ_Am_message message;
  struct note note;
};

struct buffer {
  double *memory;
  MPJ_Datatype type;
};

struct player {
  const struct plan *plan;
  int rank, size;
  int came, answers, wrong;
  int events; /* handlers that have run */
  struct waiting later[LATER_MOST];
  int nlater;
};
static _Thread_local struct player *me; /* handlers get it as ctx; sent functions need it, too */

static unsigned next(unsigned *state)
{
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

static double value(unsigned seed, int i)
{
  return seed % 1000 + i * 0.5;
}

/* n doubles: dense, every third, or in pairs back to front. */
static void make_buffer(struct buffer *b, int n, int layout)
{
  b->memory = calloc((size_t)n * 3 + 1, sizeof(double));
  if (layout == 0) {
    MPJ_Type_contiguous(n, MPJ_DOUBLE, &b->type);
  } else if (layout == 1) {
    MPJ_Type_vector(n, 1, 3, MPJ_DOUBLE, &b->type);
  } else {
    MPJ_Count *displs = malloc(((size_t)n + 1) * sizeof *displs);
    for (int i = 0; i < n; i++)
      displs[i] = 3 * (n - 1 - i);
    MPJ_Type_create_indexed_block(n, 1, displs, MPJ_DOUBLE, &b->type);
    free(displs);
  }
  MPJ_Type_commit(&b->type);
}

static double *at(const struct buffer *b, int n, int layout, int i)
{
  return b->memory + (layout == 0 ? i : layout == 1 ? 3 * i : 3 * (n - 1 - i));
}

static void fill(struct buffer *b, const struct note *note)
{
  for (int i = 0; i < note->doubles; i++)
    *at(b, note->doubles, note->layout, i) = value(note->seed, i);
}

/* Buffers of data on its way in or out: freed by the type, which goes first. */
static void free_sent(void *arg, int status)
{
  if (status != MPJ_SUCCESS) me->wrong++;
  free(arg);
}

/* The receiver's own layout of what a note announces, kept until it is compared. */
struct landing {
  MPJ_Am_message message;
  struct buffer buffer;
  struct note note;
  int layout;
};
enum { LANDINGS = 1024 };
static _Thread_local struct landing landings[LANDINGS]; /* message NULL: free */

static struct landing *find(MPJ_Am_message m)
{
  for (int i = 0; i < LANDINGS; i++)
    if (landings[i].message == m) return &landings[i];
  return NULL;
}

static void land(struct player *p, MPJ_Am_message m, const struct note *note, MPJ_Am_target *t)
{
  struct landing *l = find(NULL);
  if (!l || find(m)) {
    p->wrong++;
    return;
  }
  *l = (struct landing){.message = m, .note = *note, .layout = (int)(note->seed % 3)};
  make_buffer(&l->buffer, note->doubles, l->layout);
  *t = (MPJ_Am_target){l->buffer.memory, l->buffer.type};
}

static void compare(struct player *p, MPJ_Am_message m)
{
  struct landing *l = find(m);
  if (!l) {
    p->wrong++;
    return;
  }
  for (int k = 0; k < l->note.doubles; k++)
    p->wrong += *at(&l->buffer, l->note.doubles, l->layout, k) != value(l->note.seed, k);
  MPJ_Type_free(&l->buffer.type);
  free(l->buffer.memory);
  l->message = NULL;
}

static int on_header(void *ctx, MPJ_Am_message m, const MPJ_Am_info *info, MPJ_Am_target *target)
{
  struct player *p = ctx;
  struct note note;
  p->events++;
  if (info->header_bytes < (int)sizeof note) {
    p->wrong++;
    return MPJ_AM_DROP_PAYLOAD;
  }
  memcpy(&note, info->header, sizeof note);
  if (info->bytes != note.doubles * (MPJ_Count)sizeof(double)) p->wrong++;
  if (note.doubles == 0 || note.seed % 11 == 0) return MPJ_AM_DROP_PAYLOAD;
  if (note.seed % 3 == 0 && p->nlater < LATER_MOST) {
    p->later[p->nlater++] = (struct waiting){m, note};
    return MPJ_AM_LATER;
  }
  land(p, m, &note, target);
  return MPJ_AM_TAKE;
}

static void answer(struct player *p, MPJ_Am_message m, const struct note *note)
{
  struct note mine = {.seed = note->seed * 7 + 1, .doubles = note->doubles / 2, .layout = 1};
  struct buffer b;
  make_buffer(&b, mine.doubles, mine.layout);
  fill(&b, &mine);
  if (MPJ_Am_reply(m, ANSWER, &mine, sizeof mine, b.memory, b.type, free_sent, b.memory))
    p->wrong++;
  if (MPJ_Am_reply(m, ANSWER, NULL, 0, NULL, MPJ_DATATYPE_NULL, NULL, NULL) != MPJ_ERR_REQUEST)
    p->wrong++;
  MPJ_Type_free(&b.type);
}

static void on_talk(void *ctx, MPJ_Am_message m, const MPJ_Am_info *info, int status)
{
  struct player *p = ctx;
  struct note note;
  memcpy(&note, info->header, sizeof note);
  p->wrong += status != MPJ_SUCCESS;
  p->came++;
  p->events++;
  if (note.doubles != 0 && note.seed % 11 != 0) compare(p, m);
  if (note.seed % 2 == 0) answer(p, m, &note);
}

static void on_answer(void *ctx, MPJ_Am_message m, const MPJ_Am_info *info, int status)
{
  struct player *p = ctx;
  struct note note;
  memcpy(&note, info->header, sizeof note);
  p->wrong += status != MPJ_SUCCESS;
  p->answers++;
  p->events++;
  if (note.doubles != 0 && note.seed % 11 != 0) compare(p, m);
}

static void accept_some(struct player *p)
{
  while (p->nlater > 0) {
    const struct waiting w = p->later[--p->nlater];
    MPJ_Am_target target;
    land(p, w.message, &w.note, &target);
    if (MPJ_Am_accept(w.message, target.buf, target.type)) p->wrong++;
  }
}

/* Message k of a rank: to whom, and what. */
static int draw(unsigned *state, int size, struct note *note)
{
  const int dest = (int)(next(state) % (unsigned)size);
  const unsigned scale = next(state) % 4;
  const unsigned most = scale == 0 ? 6 : scale == 1 ? 900 : scale == 2 ? 9000 : LONGEST;
  note->seed = next(state) + 1;
  note->doubles = (int)(next(state) % most);
  note->layout = (int)(next(state) % 3);
  return dest;
}

static unsigned begin_of(const struct plan *plan, int rank)
{
  return plan->seed * 2654435761u + (unsigned)rank * 40503u;
}

static void send_all(struct player *p)
{
  unsigned state = begin_of(p->plan, p->rank);
  for (int k = 0; k < p->plan->messages; k++) {
    struct {
      struct note note;
      char rest[MPJ_AM_HEADER_MAX - sizeof(struct note)];
    } header = {.rest = ""};
    struct buffer b;
    const int dest = draw(&state, p->size, &header.note);
    const int bytes = (int)sizeof header.note + k % (int)(sizeof header.rest + 1);
    make_buffer(&b, header.note.doubles, header.note.layout);
    fill(&b, &header.note);
    if (k % 5 == 0 && header.note.seed % 3 != 0) { /* waits: whoever gets it takes it at once */
      p->wrong += MPJ_Am_send(dest, TALK, &header, bytes, b.memory, b.type, NULL, NULL) != 0;
      free(b.memory);
    } else {
      p->wrong +=
          MPJ_Am_send(dest, TALK, &header, bytes, b.memory, b.type, free_sent, b.memory) != 0;
    }
    MPJ_Type_free(&b.type);
    accept_some(p);
  }
}

/* What has to come to this rank, and be answered to it. */
static void expect(const struct player *p, int *came, int *answers)
{
  *came = *answers = 0;
  for (int rank = 0; rank < p->size; rank++) {
    unsigned state = begin_of(p->plan, rank);
    for (int k = 0; k < p->plan->messages; k++) {
      struct note note;
      const int dest = draw(&state, p->size, &note);
      *came += dest == p->rank;
      *answers += rank == p->rank && note.seed % 2 == 0;
    }
  }
}

static int play(void *arg)
{
  struct player p = {.plan = arg};
  int came, answers;
  me = &p;
  MPJ_Init(NULL, NULL);
  MPJ_Comm_rank(MPJ_COMM_WORLD, &p.rank);
  MPJ_Comm_size(MPJ_COMM_WORLD, &p.size);
  /* Some register only when messages have come. */
  if (p.rank % 2) MPJ_Am_progress(NULL);
  MPJ_Am_register(ANSWER, on_header, on_answer, &p);
  MPJ_Am_register(TALK, on_header, on_talk, &p);
  expect(&p, &came, &answers);
  send_all(&p);
  while (p.came < came || p.answers < answers) {
    const int seen = p.events;
    accept_some(&p);
    if (p.events == seen && MPJ_Am_wait(&p.events, seen + 1)) break;
  }
  const int flushed = MPJ_Am_flush();
  if (flushed) fprintf(stderr, "rank %d: %s\n", p.rank, MPJ_Error_detail());
  MPJ_Barrier(MPJ_COMM_WORLD);
  const int good = !flushed && !p.wrong && p.came == came && p.answers == answers;
  if (!good)
    fprintf(stderr, "rank %d: %d of %d came, %d of %d answers, %d wrong\n", p.rank, p.came, came,
            p.answers, answers, p.wrong);
  MPJ_Finalize();
  return good ? 0 : 1;
}

int main(int argc, char **argv)
{
  struct plan plan = {.messages = 300, .seed = 1};
  int threads = 0;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!strcmp(argv[i], "--threads")) threads = atoi(argv[i + 1]);
    if (!strcmp(argv[i], "--messages")) plan.messages = atoi(argv[i + 1]);
    if (!strcmp(argv[i], "--seed")) plan.seed = (unsigned)atoi(argv[i + 1]);
  }
  return threads > 0 ? MPJ_Run_threads(threads, play, &plan) : play(&plan);
}
