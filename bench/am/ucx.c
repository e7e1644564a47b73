/* This file times UCX's active messages through its own interface, over shared
 * memory or TCP: the peer in the table. A payload that comes eagerly is read by the receiver, and
 * in a second row left alone. */
#include "am.h"

#include <stdlib.h>
#include <string.h>
#include <ucp/api/ucp.h>
#include <unistd.h>

enum { EAGER_MOST = 8192 }; /* bytes of the rows of this name */

struct play {
  struct am_rank *r;
  long bytes;
  ucp_worker_h worker;
  ucp_ep_h peer;
  void *data, *to;
  bool reads;            /* every byte that comes eagerly */
  volatile uint64_t sum; /* of them */
  unsigned came, sent;
  unsigned vain; /* progresses in a row that moved nothing */
};

static void need(ucs_status_t status, const char *what)
{
  if (status == UCS_OK) return;
  fprintf(stderr, "am: ucx: %s: %s\n", what, ucs_status_string(status));
  exit(1);
}

/* Progress; after many in vain let UCX's own thread, which makes connections, have the
 * core, where nobody would else take it from a real-time process. */
static void move_on(struct play *p)
{
  if (ucp_worker_progress(p->worker) != 0)
    p->vain = 0;
  else if (++p->vain % 4096 == 0)
    usleep(1);
}

static void finish(struct play *p, ucs_status_ptr_t request)
{
  if (!request) return;
  if (UCS_PTR_IS_ERR(request)) need(UCS_PTR_STATUS(request), "a request");
  while (ucp_request_check_status(request) == UCS_INPROGRESS)
    move_on(p);
  ucp_request_free(request);
}

static void taken(void *request, ucs_status_t status, size_t length, void *arg)
{
  (void)length;
  need(status, "a receive");
  ((struct play *)arg)->came++;
  ucp_request_free(request);
}

static ucs_status_t arrived(void *arg, const void *header, size_t header_bytes, void *data,
                            size_t length, const ucp_am_recv_param_t *param)
{
  struct play *p = arg;
  (void)header;
  (void)header_bytes;
  if (!(param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV)) {
    if (p->reads) p->sum += am_sum(data, (long)length);
    p->came++;
    return UCS_OK;
  }
  const ucp_request_param_t how = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK |
                                                   UCP_OP_ATTR_FIELD_USER_DATA |
                                                   UCP_OP_ATTR_FLAG_NO_IMM_CMPL,
                                   .cb.recv_am = taken,
                                   .user_data = p};
  ucs_status_ptr_t request = ucp_am_recv_data_nbx(p->worker, data, p->to, length, &how);
  if (UCS_PTR_IS_ERR(request)) need(UCS_PTR_STATUS(request), "a receive");
  return UCS_INPROGRESS;
}

static void open_worker(struct play *p, ucp_context_h *context)
{
  ucp_config_t *config;
  const ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES, .features = UCP_FEATURE_AM};
  const ucp_worker_params_t worker = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                      .thread_mode = UCS_THREAD_MODE_SINGLE};
  const ucp_am_handler_param_t handler = {.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID |
                                                        UCP_AM_HANDLER_PARAM_FIELD_CB |
                                                        UCP_AM_HANDLER_PARAM_FIELD_ARG,
                                          .id = 1,
                                          .cb = arrived,
                                          .arg = p};
  need(ucp_config_read(NULL, NULL, &config), "its configuration");
  need(ucp_init(&params, config, context), "its context");
  ucp_config_release(config);
  need(ucp_worker_create(*context, &worker, &p->worker), "a worker");
  need(ucp_worker_set_am_recv_handler(p->worker, &handler), "a handler");
}

static void connect_peer(struct play *p)
{
  struct am_common *c = p->r->common;
  ucp_address_t *mine;
  size_t bytes;
  need(ucp_worker_get_address(p->worker, &mine, &bytes), "an address");
  if (bytes > sizeof c->address[0]) exit(1);
  memcpy(c->address[p->r->rank], mine, bytes);
  ucp_worker_release_address(p->worker, mine);
  am_barrier(p->r, 2);
  const ucp_ep_params_t ep = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS,
                              .address = (ucp_address_t *)(void *)c->address[1 - p->r->rank]};
  need(ucp_ep_create(p->worker, &ep, &p->peer), "an endpoint");
}

static void send_one(struct play *p)
{
  const ucp_request_param_t how = {.op_attr_mask = 0};
  const uint64_t header = p->sent;
  finish(p, ucp_am_send_nbx(p->peer, 1, &header, sizeof header, p->data, (size_t)p->bytes, &how));
}

static void await_one(struct play *p)
{
  while ((int)(p->came - p->sent) < 0)
    move_on(p);
}

static void round_trip(void *arg)
{
  struct play *p = arg;
  p->sent++;
  if (p->r->rank == 0) send_one(p);
  await_one(p);
  if (p->r->rank == 1) send_one(p);
}

/* Progress until both are here, lest one waits for the other's last message. */
static void part(struct play *p, unsigned all)
{
  atomic_fetch_add(&p->r->common->address_bytes[0], 1);
  while (atomic_load(&p->r->common->address_bytes[0]) < all)
    move_on(p);
}

static void progress(void *arg)
{
  move_on(arg);
}

static void time_it(struct am_rank *r, long bytes, const char *row)
{
  struct play p = {.r = r,
                   .reads = true,
                   .bytes = bytes == 8 ? 0 : bytes, /* 8 bytes are the header */
                   .data = calloc(1, (size_t)bytes),
                   .to = calloc(1, (size_t)bytes)};
  ucp_context_h context;
  open_worker(&p, &context);
  r->progress = progress;
  r->progress_arg = &p;
  connect_peer(&p);
  const double ns = am_time(r, 2, round_trip, &p);
  if (r->rank == 0) am_report(row, "ucx", ns / 2000);
  if (bytes > 8 && bytes <= EAGER_MOST) {
    p.reads = false;
    const double unread = am_time(r, 2, round_trip, &p);
    if (r->rank == 0) am_report(row, "ucx-unread", unread / 2000);
  }
  part(&p, 2);
  const ucp_request_param_t how = {.op_attr_mask = 0};
  finish(&p, ucp_ep_close_nbx(p.peer, &how));
  part(&p, 4);
  ucp_worker_destroy(p.worker);
  ucp_cleanup(context);
  free(p.to);
  free(p.data);
}

void am_ucx(struct am_rank *r, long bytes)
{
  char row[48];
  snprintf(row, sizeof row,
           bytes == 8            ? "short_8_rings_2"
           : bytes <= EAGER_MOST ? "eager_%ld"
                                 : "long_%ld",
           bytes);
  time_it(r, bytes, row);
}

void am_ucx_network(struct am_rank *r, long bytes)
{
  char row[32];
  setenv("UCX_TLS", "tcp", 0);
  snprintf(row, sizeof row, "network_%ld", bytes);
  time_it(r, bytes, row);
}
