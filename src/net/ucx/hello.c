/* This file lets connections stand (far/handshake.h).
 *
 * A handshake that proves nothing costs a code and an answer to the rank that it names, at its own
 * address, which is connected to for that, and a message without the key of its connection a look.
 */
#include "base/status.h"
#include "net/ucx/state.h"

/* What is asked arrives, but its answer may find no room, or the peer may be asked by too many at
 * once: it is asked again, at growing intervals, as it may call nothing for long. */
static const double first_pause_s = 0.05, longest_pause_s = 1;

int mpj_ucx_trust(struct mpj_carrier *c, const unsigned char *secret)
{
  struct mpj_ucx *ucx = (struct mpj_ucx *)c;
  const int status = mpj_identity_make(ucx->rank, secret, &ucx->self);
  ucx->trusts = status == MPJ_SUCCESS;
  return status;
}

/* Send a message of a handshake, if there is room. */
static bool say(struct mpj_ucx_peer *p, const struct mpj_hello *hello)
{
  struct mpj_ucx_send *s =
      p->failed || p->sends >= MPJ_UCX_SENDS ? NULL : mpj_ucx_new_send(p, NULL, 0);
  if (!s) return false;
  s->hello = *hello;
  mpj_ucx_send(s, MPJ_UCX_HELLO, sizeof s->hello);
  return true;
}

void mpj_ucx_ask(struct mpj_ucx_peer *p)
{
  const double now = MPJ_Wtime();
  struct mpj_hello ask;
  if (!p->ucx->trusts || now < p->ask_at) return;
  p->ask_pause = p->ask_pause == 0 ? first_pause_s : 2 * p->ask_pause;
  if (p->ask_pause > longest_pause_s) p->ask_pause = longest_pause_s;
  p->ask_at = now + p->ask_pause;
  mpj_hello_ask(&p->ucx->self, (uint32_t)p->rank, &ask);
  say(p, &ask);
}

/* What the peer has said is right, and what was to be said to it leaves. */
static bool stand(struct mpj_ucx_peer *p, const struct mpj_hello *hello)
{
  const struct mpj_identity *self = &p->ucx->self;
  struct mpj_hello proof;
  if (hello->kind == MPJ_HELLO_PROOF) return mpj_hello_accept(self, hello, &p->keys);
  if (!mpj_hello_prove(self, (uint32_t)p->rank, hello, &proof, &p->keys)) return false;
  return say(p, &proof);
}

static void answer(struct mpj_ucx_peer *p, const struct mpj_hello *ask)
{
  struct mpj_hello answer;
  mpj_hello_answer(&p->ucx->self, (uint32_t)p->rank, ask, &answer);
  p->answered |= say(p, &answer);
}

/* UCX makes no connections while it hands out what has come. Who says that it is a rank which is
 * not reached by the network, of this node, is none. */
static void keep_asker(struct mpj_ucx *ucx, const struct mpj_hello *ask)
{
  if (ask->from != ucx->rank && ucx->askers < MPJ_UCX_ASKERS &&
      mpj_far_may_meet(ucx->head.far, ask->from))
    ucx->asker[ucx->askers++] = *ask;
}

void mpj_ucx_answer_askers(struct mpj_ucx *ucx)
{
  while (ucx->askers > 0) {
    const struct mpj_hello ask = ucx->asker[--ucx->askers];
    struct mpj_ucx_peer *p = &ucx->peers[ask.from];
    if (mpj_far_meet(ucx->head.far, ask.from) && !p->stands) answer(p, &ask);
  }
}

ucs_status_t mpj_ucx_on_hello(void *arg, const void *header, size_t header_bytes, void *data,
                              size_t bytes, const ucp_am_recv_param_t *param)
{
  struct mpj_ucx *ucx = arg;
  struct mpj_hello hello;
  (void)data;
  ucx->moved = true;
  if (!ucx->trusts || bytes > 0 || param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV ||
      !mpj_hello_read(header, header_bytes, &hello) || hello.from < 0 || hello.from >= ucx->size) {
    mpj_ucx_warn(ucx);
    return UCS_OK;
  }
  struct mpj_ucx_peer *p = &ucx->peers[hello.from];
  if (p->stands || p->failed) return UCS_OK;
  if (hello.kind == MPJ_HELLO_ASK && !p->ep) {
    keep_asker(ucx, &hello);
  } else if (hello.kind == MPJ_HELLO_ASK) {
    answer(p, &hello);
  } else if (p->ep) {
    p->stands = stand(p, &hello);
    if (!p->stands) mpj_ucx_warn(ucx);
  }
  return UCS_OK;
}
