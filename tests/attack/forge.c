/* This file is an attacker that speaks UCX: `forge` makes a worker of its own, writes each port on
 * which somebody listens in the place of its own in its address, connects there, and sends
 * messages in the name of ranks 0 to 3: that they leave or have died, short and eager ones,
 * streams, pieces of streams, and handshakes. Prints how many messages left. */
#include <arpa/inet.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucp/api/ucp.h>
#include <unistd.h>

#include "attack/ports.h"
#include "net/far/far.h"
#include "net/far/handshake.h"

enum { HEAD_BYTES = 128, FORGERIES = 150, LONG = 100000 };

struct attacker {
  ucp_worker_h worker;
  unsigned char *address;
  size_t address_bytes;
  unsigned short ports[PORTS_MAX]; /* its own */
  int nports;
  uint64_t dice;
  int sent;
};

static unsigned draw(struct attacker *a)
{
  a->dice = a->dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (unsigned)(a->dice >> 33);
}

static int open_worker(struct attacker *a)
{
  const ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES, .features = UCP_FEATURE_AM};
  const ucp_worker_params_t worker_params = {0};
  unsigned short before[PORTS_MAX], after[PORTS_MAX];
  const int nbefore = find_ports(before, NULL, 0);
  ucp_config_t *config;
  ucp_context_h context;
  ucp_address_t *address;
  if (ucp_config_read(NULL, NULL, &config) != UCS_OK) return 0;
  ucp_config_modify(config, "TLS", "tcp");
  ucp_config_modify(config, "NET_DEVICES", "lo");
  if (ucp_init(&params, config, &context) != UCS_OK ||
      ucp_worker_create(context, &worker_params, &a->worker) != UCS_OK ||
      ucp_worker_get_address(a->worker, &address, &a->address_bytes) != UCS_OK)
    return 0;
  a->nports = find_ports(after, before, nbefore);
  memcpy(a->ports, after, sizeof after);
  a->address = (unsigned char *)address;
  return 1;
}

/* Our address with the port in the place of ours, and of another worker; NULL: ours is not in it.
 */
static unsigned char *address_of(const struct attacker *a, unsigned short port)
{
  unsigned char *address = malloc(a->address_bytes);
  int found = 0;
  memcpy(address, a->address, a->address_bytes);
  for (int k = 0; k < a->nports; k++) {
    const unsigned short own = htons(a->ports[k]), victim = htons(port);
    for (size_t i = 0; i + 1 < a->address_bytes; i++) {
      if (memcmp(a->address + i, &own, 2) != 0) continue;
      memcpy(address + i, &victim, 2);
      found = 1;
    }
  }
  address[3] ^= 0x5a; /* the worker's number: else it would be taken for our own */
  if (found) return address;
  free(address);
  return NULL;
}

static void on_error(void *arg, ucp_ep_h ep, ucs_status_t status)
{
  (void)ep;
  (void)status;
  *(int *)arg = 1;
}

/* Fill in a far head at `at`, of `version` 0: as with a key before it, 1: without. Returns bytes.
 */
static size_t forge_head(struct attacker *a, unsigned char *at, int with_key)
{
  const uint64_t key = draw(a) % 2 ? 0 : (uint64_t)draw(a) << 32 | draw(a);
  struct mpj_far_head head = {.kind = (uint8_t)(draw(a) % MPJ_FAR_KINDS),
                              .handler = (uint8_t)(draw(a) % 8),
                              .connection = draw(a) % 4};
  if (draw(a) % 3 == 0) head.kind = MPJ_FAR_BYE;
  for (size_t i = 0; i < sizeof head.body; i++)
    head.body[i] = (unsigned char)(draw(a) % 3 ? 0 : draw(a));
  head.bytes = draw(a) % 2 ? 8 : 16;
  if (head.kind == MPJ_FAR_BYE) {
    const struct mpj_far_bye bye = {MPJ_RANK_DEAD, 9};
    memcpy(head.body, &bye, sizeof bye);
    head.bytes = sizeof bye;
  }
  const size_t before = with_key ? sizeof key : 0;
  memcpy(at, &key, before);
  memcpy(at + before, &head, MPJ_FAR_FIXED + (size_t)head.bytes);
  return before + MPJ_FAR_FIXED + head.bytes;
}

static size_t forge_hello(struct attacker *a, unsigned char *at)
{
  struct mpj_hello hello;
  struct mpj_identity self = {.rank = (int)(draw(a) % 4)};
  for (size_t i = 0; i < sizeof hello.mac; i++)
    hello.mac[i] = (unsigned char)draw(a);
  mpj_hello_ask(&self, draw(a) % 4, &hello);
  hello.kind = draw(a) % (MPJ_HELLO_PROOF + 1);
  memcpy(at, &hello, sizeof hello);
  return sizeof hello;
}

static void send_one(struct attacker *a, ucp_ep_h ep, const int *failed)
{
  static unsigned char payload[LONG];
  unsigned char head[HEAD_BYTES] = {0};
  const unsigned id =
      (unsigned)(draw(a) % 4 ? draw(a) % 4 : draw(a) % 65536); /* also numbers of nobody */
  size_t bytes = id == 2 ? forge_hello(a, head) : forge_head(a, head, draw(a) % 3 > 0);
  if (draw(a) % 8 == 0) bytes = draw(a) % sizeof head;
  const size_t data = draw(a) % 3 ? 0 : draw(a) % 4 ? draw(a) % 9000 : LONG;
  const ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
                                     .flags = data == LONG ? UCP_AM_SEND_FLAG_RNDV : 0};
  const ucs_status_ptr_t sent = ucp_am_send_nbx(ep, id, head, bytes, payload, data, &param);
  for (int i = 0; i < 20000 && UCS_PTR_IS_PTR(sent) && !*failed; i++) {
    ucp_worker_progress(a->worker);
    if (ucp_request_check_status(sent) == UCS_INPROGRESS) continue;
    a->sent++;
    ucp_request_free(sent);
    return;
  }
  a->sent += sent == NULL;
}

static void attack(struct attacker *a, unsigned short port)
{
  unsigned char *address = address_of(a, port);
  int failed = 0;
  const ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS |
                                                UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                                                UCP_EP_PARAM_FIELD_ERR_HANDLER,
                                  .address = (const ucp_address_t *)address,
                                  .err_mode = UCP_ERR_HANDLING_MODE_PEER,
                                  .err_handler = {.cb = on_error, .arg = &failed}};
  ucp_ep_h ep;
  if (address && ucp_ep_create(a->worker, &params, &ep) == UCS_OK)
    for (int i = 0; i < FORGERIES && !failed; i++)
      send_one(a, ep, &failed);
  for (int i = 0; i < 20000; i++)
    ucp_worker_progress(a->worker);
  free(address);
}

int main(int argc, char **argv)
{
  static struct attacker a;
  unsigned short ports[PORTS_MAX];
  a.dice = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  if (!open_worker(&a)) {
    fprintf(stderr, "forge: UCX does not begin\n");
    return 1;
  }
  const int n = find_ports(ports, a.ports, a.nports);
  for (int i = 0; i < n; i++)
    attack(&a, ports[i]);
  printf("%d ports, %d messages\n", n, a.sent);
  fflush(stdout);
  /* A connection that breaks while UCX answers it ends the victim inside UCX (spec/security.md): we
   * are here until the ranks have gone. */
  for (int i = 0; i < 3000 && find_ports(ports, a.ports, a.nports) > 0; i++) {
    ucp_worker_progress(a.worker);
    usleep(10000);
  }
  _exit(0); /* what UCX still has under way is nobody's concern */
}
