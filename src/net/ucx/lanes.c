/* This file finds out by which way UCX would move long data to a peer. No call of UCX 1.13
 * tells; what it prints for people does. Where that says something else than is known here,
 * long data goes by UCX's rendezvous, which is right everywhere. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/ucx/state.h"

/* One lane, TCP's, and not one that reaches the peer's memory. */
static bool says_segments(const char *text)
{
  const char *lane = strstr(text, "lane[");
  if (!lane || strstr(lane + 1, "lane[")) return false;
  const size_t length = strcspn(lane, "\n");
  const char *tcp = strstr(lane, ":tcp/"), *direct = strstr(lane, "rma_bw");
  return tcp && tcp < lane + length && !(direct && direct < lane + length);
}

bool mpj_ucx_goes_in_segments(const struct mpj_ucx *ucx, ucp_ep_h ep)
{
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  if (!out) return false;
  ucx->call->ucp_ep_print_info(ep, out);
  const bool segments = fclose(out) == 0 && says_segments(text);
  free(text);
  return segments;
}
