/* This file lets connections stand (far/handshake.h), and tells whose message it is that has come.
 *
 * UCX says of a message neither who has sent it nor by which connection it came, and takes it from
 * whoever finds the port. So each message carries the key of its connection. What comes without
 * one costs a look, and a handshake that proves nothing a code and an answer to the rank that it
 * names, at its own address: nothing is kept of either. */
#include <string.h>

#include "base/status.h"
#include "net/ucx/state.h"

static const double ask_again_s = 0.05; /* an answer finds no room while others leave */

int mpj_ucx_trust(struct mpj_carrier *c, const unsigned char *secret)
{
  struct mpj_ucx *ucx = (struct mpj_ucx *)c;
  const int status = mpj_identity_make(ucx->rank, secret, &ucx->self);
  ucx->trusts = status == MPJ_SUCCESS;
  return status;
}

void mpj_ucx_ask(struct mpj_ucx_peer *p)
{
  const double now = MPJ_Wtime();
  struct mpj_hello ask;
  if (!p->ucx->trusts || now - p->asked < ask_again_s) return;
  p->asked = now;
  mpj_hello_ask(&p->ucx->self, (uint32_t)p->rank, &ask);
  mpj_ucx_say(p, &ask);
}

void mpj_ucx_seal(const struct mpj_ucx_peer *p, const struct mpj_far_head *head,
                  struct mpj_ucx_head *sealed)
{
  sealed->key = p->keys.out;
  memcpy(&sealed->head, head, MPJ_FAR_FIXED + (size_t)head->bytes);
  sealed->head.connection = p->keys.connection;
}

void mpj_ucx_warn(struct mpj_ucx *ucx)
{
  if (ucx->warned) return;
  ucx->warned = true;
  mpj_warn("rank %d dropped a message over the network whose sender has not proved to be a rank of "
           "this job; more of them are dropped without a word",
           ucx->rank);
}

struct mpj_ucx_peer *mpj_ucx_sender_of(struct mpj_ucx *ucx, const void *came, size_t bytes)
{
  struct mpj_ucx_head h = {0};
  if (bytes >= MPJ_UCX_FIXED) memcpy(&h, came, MPJ_UCX_FIXED);
  if (bytes >= MPJ_UCX_FIXED && h.head.connection < (uint32_t)ucx->size) {
    struct mpj_ucx_peer *p = &ucx->peers[h.head.connection];
    if (p->stands && (p->keys.in ^ h.key) == 0) return p; /* one word: in no time that tells */
  }
  mpj_ucx_warn(ucx);
  return NULL;
}

/* What the peer has said is right, and what was to be said to it leaves. */
static bool stand(struct mpj_ucx_peer *p, const struct mpj_hello *hello)
{
  const struct mpj_identity *self = &p->ucx->self;
  struct mpj_hello proof;
  if (hello->kind == MPJ_HELLO_PROOF) return mpj_hello_accept(self, hello, &p->keys);
  if (!mpj_hello_prove(self, (uint32_t)p->rank, hello, &proof, &p->keys)) return false;
  return mpj_ucx_say(p, &proof);
}

ucs_status_t mpj_ucx_on_hello(void *arg, const void *header, size_t header_bytes, void *data,
                              size_t bytes, const ucp_am_recv_param_t *param)
{
  struct mpj_ucx *ucx = arg;
  struct mpj_hello hello, answer;
  (void)data;
  ucx->moved = true;
  if (!ucx->trusts || bytes > 0 || param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV ||
      !mpj_hello_read(header, header_bytes, &hello) || hello.from < 0 || hello.from >= ucx->size) {
    mpj_ucx_warn(ucx);
    return UCS_OK;
  }
  struct mpj_ucx_peer *p = &ucx->peers[hello.from];
  if (p->stands || p->failed || !p->ep) return UCS_OK;
  if (hello.kind == MPJ_HELLO_ASK) {
    mpj_hello_answer(&ucx->self, (uint32_t)p->rank, &hello, &answer);
    mpj_ucx_say(p, &answer);
  } else {
    p->stands = stand(p, &hello);
    if (!p->stands) mpj_ucx_warn(ucx);
  }
  return UCS_OK;
}
