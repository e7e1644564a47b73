/* This file opens, polls and closes the carrier over UCX. */
#include "net/ucx/ucx.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/config/config.h"
#include "base/memory.h"
#include "base/status.h"
#include "net/ucx/device.h"
#include "net/ucx/state.h"

static const double close_s = 2;
enum {
  /* The worker where idle connections end is polled in every 256th poll of the other, and in the
   * first ones after one was begun: until it stands, a connection has something of its own under
   * way, and the kernel does not ask after its end. */
  POLLS_A_LOOK = 256,
  FIRST_POLLS = 10000
};

static int failed(const struct mpj_ucx *ucx, const char *what, ucs_status_t status)
{
  return mpj_error(status == UCS_ERR_NO_MEMORY ? MPJ_ERR_NO_MEM : MPJ_ERR_UNSUPPORTED,
                   "UCX: rank %d's %s failed: %s", ucx->rank, what,
                   ucx->call->ucs_status_string(status));
}

/* Peers */

static void on_error(void *arg, ucp_ep_h ep, ucs_status_t status)
{
  (void)ep;
  mpj_ucx_fail(arg, status);
}

static ucs_status_t make_ep(struct mpj_ucx_peer *p, const void *address, ucp_ep_h *ep)
{
  const ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS |
                                                UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                                                UCP_EP_PARAM_FIELD_ERR_HANDLER,
                                  .address = address,
                                  .err_mode = UCP_ERR_HANDLING_MODE_PEER,
                                  .err_handler = {.cb = on_error, .arg = p}};
  return p->ucx->call->ucp_ep_create(p->ucx->worker, &params, ep);
}

static int ucx_connect(struct mpj_carrier *c, int peer, const void *address, size_t bytes)
{
  struct mpj_ucx *ucx = (struct mpj_ucx *)c;
  struct mpj_ucx_peer *p = &ucx->peers[peer];
  const unsigned char *bodies = (const unsigned char *)address + sizeof(struct mpj_ucx_address);
  struct mpj_ucx_address head = {0};
  if (bytes >= sizeof head) memcpy(&head, address, sizeof head);
  if (head.worker_bytes == 0 || head.watched_bytes == 0 ||
      (uint64_t)head.worker_bytes + head.watched_bytes + sizeof head != bytes)
    return mpj_error(MPJ_ERR_FORMAT, "rank %d's network address makes no sense", peer);
  p->ucx = ucx;
  p->rank = peer;
  const struct mpj_ucx_descriptors before = mpj_ucx_descriptors();
  ucs_status_t status = make_ep(p, bodies, &p->ep);
  if (status != UCS_OK) {
    p->ep = NULL;
    return failed(ucx, "connection", status);
  }
  p->in_segments = mpj_ucx_goes_in_segments(ucx, p->ep);
  p->next = ucx->connected;
  ucx->connected = p;
  status = make_ep(p, bodies + head.worker_bytes, &p->watch);
  mpj_ucx_be_impatient(&before);
  if (status == UCS_OK) {
    ucx->polls = 0; /* there is a new idle connection */
    return MPJ_SUCCESS;
  }
  p->watch = NULL;
  p->failed = true; /* the other one is closed at the end */
  return mpj_error(MPJ_ERR_PEER, "UCX: the connection of rank %d that watches rank %d failed: %s",
                   ucx->rank, peer, ucx->call->ucs_status_string(status));
}

/* Closing */

static void close_ep(struct mpj_ucx *ucx, ucp_ep_h ep, bool now)
{
  const ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
                                     .flags = now ? UCP_EP_CLOSE_FLAG_FORCE : 0};
  if (!ep) return;
  mpj_ucx_await(ucx, ucx->call->ucp_ep_close_nbx(ep, &param), MPJ_Wtime() + close_s);
}

static void close_peer(struct mpj_ucx *ucx, struct mpj_ucx_peer *p)
{
  const ucp_request_param_t none = {0};
  mpj_ucx_end_flush(p);
  if (p->ep && !p->failed)
    mpj_ucx_await(ucx, ucx->call->ucp_ep_flush_nbx(p->ep, &none), MPJ_Wtime() + close_s);
  close_ep(ucx, p->watch, true);
  close_ep(ucx, p->ep, true);
}

static void ucx_close(struct mpj_carrier *c)
{
  struct mpj_ucx *ucx = (struct mpj_ucx *)c;
  for (struct mpj_ucx_peer *p = ucx->connected; p; p = p->next)
    close_peer(ucx, p);
  /* What UCX 1.13 has still to send to a stranger it takes for a bug of its own when its worker
   * ends. That is left to the end of the process then. */
  if (ucx->watched && !ucx->warned) ucx->call->ucp_worker_destroy(ucx->watched);
  if (ucx->worker && !ucx->warned) ucx->call->ucp_worker_destroy(ucx->worker);
  if (ucx->layout) ucx->call->ucp_dt_destroy(ucx->layout);
  if (ucx->context && !ucx->warned) ucx->call->ucp_cleanup(ucx->context);
  mpj_ucx_free_sends(ucx);
  mpj_ucx_drop_pieces(ucx);
  mpj_identity_wipe(&ucx->self);
  mpj_free(ucx->address);
  mpj_free_table(ucx->peers, (size_t)ucx->size, sizeof *ucx->peers);
  mpj_free(ucx);
}

/* Progress */

static const void *ucx_address(struct mpj_carrier *c, size_t *bytes)
{
  const struct mpj_ucx *ucx = (struct mpj_ucx *)c;
  *bytes = ucx->address_bytes;
  return ucx->address;
}

static bool ucx_poll(struct mpj_carrier *c)
{
  struct mpj_ucx *ucx = (struct mpj_ucx *)c;
  ucx->moved = false;
  const unsigned n = ucx->polls++;
  if (n < FIRST_POLLS || n % POLLS_A_LOOK == 0) ucx->call->ucp_worker_progress(ucx->watched);
  const bool moved = ucx->call->ucp_worker_progress(ucx->worker) > 0 || ucx->moved;
  mpj_ucx_answer_askers(ucx);
  return mpj_ucx_poll_pieces(ucx) || moved;
}

static void ucx_sleep(struct mpj_carrier *c, int ms, struct mpj_net *net)
{
  struct mpj_ucx *ucx = (struct mpj_ucx *)c;
  struct pollfd fd = {.fd = ucx->event_fd, .events = POLLIN};
  ucx->call->ucp_worker_progress(ucx->watched);
  if (ucx->call->ucp_worker_arm(ucx->worker) != UCS_OK) return;
  const int kept = mpj_net_away(net, true);
  poll(&fd, 1, ms);
  mpj_net_back(net, true, kept);
}

static const struct mpj_carrier_ops ucx_ops = {.name = "ucx",
                                               .address = ucx_address,
                                               .trust = mpj_ucx_trust,
                                               .connect = ucx_connect,
                                               .post = mpj_ucx_post,
                                               .give = mpj_ucx_give,
                                               .take = mpj_ucx_take,
                                               .release = mpj_ucx_release,
                                               .poll = ucx_poll,
                                               .flush = mpj_ucx_leave,
                                               .sleep = ucx_sleep,
                                               .close = ucx_close};

/* Opening */

/* Settings of ours where the user has made none: UCX_<name> in the environment. */
static void adjust(const struct mpj_ucx *ucx, ucp_config_t *config)
{
  static const struct {
    const char *name, *value;
  } ours[] = {
      {"TLS", "^shm"},               /* who shares memory is reached by ours */
      {"KEEPALIVE_INTERVAL", "inf"}, /* the kernel's own asks only where nothing is sent */
  };
  for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
    char variable[64] = "UCX_";
    for (size_t k = 0; ours[i].name[k] && k < sizeof variable - 5; k++)
      variable[4 + k] = ours[i].name[k];
    if (!getenv(variable)) ucx->call->ucp_config_modify(config, ours[i].name, ours[i].value);
  }
}

/* Keep UCX to the interface of MPJ_NET_ADDRESS, if that is set. */
static int choose_device(const struct mpj_ucx *ucx, ucp_config_t *config)
{
  char name[64];
  const char *address = mpj_config()->net_address;
  if (!address[0]) return MPJ_SUCCESS;
  const int status = mpj_device_find(address, name, sizeof name);
  if (status != MPJ_SUCCESS) return status;
  const ucs_status_t set = ucx->call->ucp_config_modify(config, "NET_DEVICES", name);
  return set == UCS_OK ? MPJ_SUCCESS : failed(ucx, "choice of an interface", set);
}

static int make_context(struct mpj_ucx *ucx)
{
  ucp_config_t *config;
  const ucp_params_t params = {.field_mask =
                                   UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_ESTIMATED_NUM_EPS,
                               .features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP,
                               .estimated_num_eps = (size_t)ucx->size};
  ucs_status_t status = ucx->call->ucp_config_read(NULL, NULL, &config);
  if (status != UCS_OK) return failed(ucx, "configuration", status);
  adjust(ucx, config);
  const int chosen = choose_device(ucx, config);
  if (chosen == MPJ_SUCCESS)
    status =
        ucx->call->ucp_init_version(UCP_API_MAJOR, UCP_API_MINOR, &params, config, &ucx->context);
  ucx->call->ucp_config_release(config);
  if (chosen != MPJ_SUCCESS) return chosen;
  if (status == UCS_OK) return MPJ_SUCCESS;
  ucx->context = NULL;
  return failed(ucx, "context", status);
}

static ucs_status_t set_handler(struct mpj_ucx *ucx, ucp_worker_h worker, unsigned id,
                                uint32_t flags, ucp_am_recv_callback_t handler)
{
  const ucp_am_handler_param_t param = {
      .field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS |
                    UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG,
      .id = id,
      .flags = flags,
      .cb = handler,
      .arg = ucx};
  return ucx->call->ucp_worker_set_am_recv_handler(worker, &param);
}

/* Of messages that those alone send who mean ill: to the other worker, or by another number than
 * ours. */
static ucs_status_t drop(void *arg, const void *header, size_t header_bytes, void *data,
                         size_t bytes, const ucp_am_recv_param_t *param)
{
  (void)header;
  (void)header_bytes;
  (void)data;
  (void)bytes;
  (void)param;
  mpj_ucx_warn(arg);
  return UCS_OK;
}

/* UCX 1.13 looks a message's number up in a table, and calls what it finds there, be it written or
 * not: so every number has a handler, the highest first, as the table then has its length. */
static ucs_status_t drop_all(struct mpj_ucx *ucx, ucp_worker_h worker)
{
  ucs_status_t status = UCS_OK;
  for (int id = UINT16_MAX; id >= 0 && status == UCS_OK; id--)
    status = set_handler(ucx, worker, (unsigned)id, UCP_AM_FLAG_WHOLE_MSG, drop);
  return status;
}

/* Pieces are not to be kept, so that UCX does not copy them. */
static ucs_status_t set_handlers(struct mpj_ucx *ucx)
{
  static const struct {
    unsigned id;
    uint32_t flags;
    ucp_am_recv_callback_t handler;
  } ours[] = {
      {MPJ_UCX_AM, UCP_AM_FLAG_WHOLE_MSG | UCP_AM_FLAG_PERSISTENT_DATA, mpj_ucx_on_message},
      {MPJ_UCX_PIECE, UCP_AM_FLAG_WHOLE_MSG, mpj_ucx_on_piece},
      {MPJ_UCX_HELLO, UCP_AM_FLAG_WHOLE_MSG, mpj_ucx_on_hello},
  };
  ucs_status_t status = drop_all(ucx, ucx->worker);
  if (status == UCS_OK) status = drop_all(ucx, ucx->watched);
  for (size_t i = 0; i < sizeof ours / sizeof *ours && status == UCS_OK; i++)
    status = set_handler(ucx, ucx->worker, ours[i].id, ours[i].flags, ours[i].handler);
  return status;
}

static int make_worker(struct mpj_ucx *ucx)
{
  const ucp_worker_params_t params = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                      .thread_mode = UCS_THREAD_MODE_SERIALIZED};
  ucp_worker_h worker;
  ucs_status_t status = ucx->call->ucp_worker_create(ucx->context, &params, &worker);
  if (status != UCS_OK) return failed(ucx, "worker", status);
  ucx->worker = worker;
  status = ucx->call->ucp_worker_create(ucx->context, &params, &worker);
  if (status != UCS_OK) return failed(ucx, "second worker", status);
  ucx->watched = worker;
  status = set_handlers(ucx);
  if (status == UCS_OK) status = ucx->call->ucp_worker_get_efd(ucx->worker, &ucx->event_fd);
  return status == UCS_OK ? MPJ_SUCCESS : failed(ucx, "worker", status);
}

/* Put both workers' addresses together. */
static int join_addresses(struct mpj_ucx *ucx, const ucp_address_t *worker, size_t worker_bytes,
                          const ucp_address_t *watched, size_t watched_bytes)
{
  const struct mpj_ucx_address head = {(uint32_t)worker_bytes, (uint32_t)watched_bytes};
  const size_t bytes = sizeof head + worker_bytes + watched_bytes;
  if (bytes > MPJ_FAR_ADDRESS_MAX)
    return mpj_error(MPJ_ERR_UNSUPPORTED, "UCX's address of rank %d has %zu bytes, more than %d",
                     ucx->rank, bytes, MPJ_FAR_ADDRESS_MAX);
  ucx->address = mpj_alloc(bytes);
  if (!ucx->address) return mpj_error(MPJ_ERR_NO_MEM, "no memory for rank %d's address", ucx->rank);
  memcpy(ucx->address, &head, sizeof head);
  memcpy(ucx->address + sizeof head, worker, worker_bytes);
  memcpy(ucx->address + sizeof head + worker_bytes, watched, watched_bytes);
  ucx->address_bytes = bytes;
  return MPJ_SUCCESS;
}

static int make_address(struct mpj_ucx *ucx)
{
  ucp_address_t *worker, *watched;
  size_t worker_bytes, watched_bytes;
  ucs_status_t status = ucx->call->ucp_worker_get_address(ucx->worker, &worker, &worker_bytes);
  if (status != UCS_OK) return failed(ucx, "address", status);
  int result;
  status = ucx->call->ucp_worker_get_address(ucx->watched, &watched, &watched_bytes);
  if (status == UCS_OK) {
    result = join_addresses(ucx, worker, worker_bytes, watched, watched_bytes);
    ucx->call->ucp_worker_release_address(ucx->watched, watched);
  } else {
    result = failed(ucx, "address", status);
  }
  ucx->call->ucp_worker_release_address(ucx->worker, worker);
  return result;
}

/* The words of MPJ_CONNECT. */
enum { CONNECT_AUTO, CONNECT_FIRST, CONNECT_START };

/* Before 1.14 UCX ends a process whose peer dies while the two connect: it takes its answer to the
 * peer, which is dropped then, for a fault of its own (openucx/ucx, pull request 8175). */
static bool connects_at_start(const struct mpj_ucx *ucx)
{
  unsigned major, minor, release;
  ucx->call->ucp_get_version(&major, &minor, &release);
  const bool fatal = major < 1 || (major == 1 && minor < 14);
  const int word = mpj_config()->connect;
  return word == CONNECT_START || (word == CONNECT_AUTO && fatal);
}

int mpj_ucx_open(int rank, int size, struct mpj_carrier **carrier)
{
  const struct mpj_ucx_calls *call;
  int status = mpj_mac_load(); /* before a port is open */
  if (status == MPJ_SUCCESS) status = mpj_ucx_load(&call);
  if (status != MPJ_SUCCESS) return status;
  struct mpj_ucx *ucx = mpj_alloc_array(1, sizeof *ucx);
  if (ucx) ucx->peers = mpj_alloc_table((size_t)size, sizeof *ucx->peers);
  if (!ucx || !ucx->peers) {
    mpj_free(ucx);
    return mpj_error(MPJ_ERR_NO_MEM, "no memory for rank %d's connections", rank);
  }
  ucx->head.ops = &ucx_ops;
  ucx->call = call;
  ucx->rank = rank;
  ucx->size = size;
  ucx->head.connects_all = connects_at_start(ucx);
  status = make_context(ucx);
  if (status == MPJ_SUCCESS) status = make_worker(ucx);
  if (status == MPJ_SUCCESS) status = make_address(ucx);
  if (status == MPJ_SUCCESS) status = mpj_ucx_make_layout(ucx);
  if (status != MPJ_SUCCESS) {
    ucx_close(&ucx->head);
    return status;
  }
  *carrier = &ucx->head;
  return MPJ_SUCCESS;
}
