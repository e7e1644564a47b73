/* This file writes the results of packing as JSON. */
#include "pack_report.h"

#include "report.h"

#include <jansson.h>

static json_t *number(double x)
{
  return x > 0 ? json_real(x) : json_null();
}

static double best(const struct pack_series *s)
{
  return s->n ? s->best : 0;
}

static json_t *object(const struct pack_result *one, const char *peer,
                      const struct pack_series *theirs, double of_hand)
{
  const struct pack_times *mpj = &one->times[PACK_BY_MPJ];
  char name[2 * PACK_NAME_BYTES];
  double ours = best(&mpj->engine), other = best(theirs);
  snprintf(name, sizeof name, "%s/%s/%s", pack_row_names[one->row], one->name,
           pack_size_names[one->size]);
  const struct bench_ratio r = pack_compare(one);
  const bool paired = theirs == &one->times[PACK_BY_OTHER].engine && r.known;
  return json_pack(
      "{ss ss ss ss ss si sI ss so so so so so so so si so so so}", "bench", "pack", "case", name,
      "row", pack_row_names[one->row], "pattern", one->name, "size", pack_size_names[one->size],
      "p", 1, "bytes", (json_int_t)one->bytes, "peer", peer, "mpj_us", number(ours), "peer_us",
      number(other), "ratio", number(ours > 0 ? other / ours : 0), "mpj_median",
      number(pack_series_median(&mpj->engine)), "peer_median", number(pack_series_median(theirs)),
      "mpj_of_hand", number(pack_ratio(mpj)), "peer_of_hand", number(of_hand), "rounds",
      mpj->engine.n, "ratio_median", number(paired ? r.median : 0), "ratio_low",
      number(paired ? r.low : 0), "ratio_high", number(paired ? r.high : 0));
}

static void append(json_t *array, const struct pack_result *one, const struct pack_command *c)
{
  const struct pack_times *mpj = &one->times[PACK_BY_MPJ];
  json_array_append_new(array, object(one, "hand", &mpj->hand, mpj->hand.n ? 1 : 0));
  if (mpj->copy.n)
    json_array_append_new(array,
                          object(one, "memcpy", &mpj->copy, mpj->hand.best / mpj->copy.best));
  for (int i = 0; i < PACK_NPEERS; i++) {
    const struct pack_times *peer = &one->times[pack_engine_of_peer(i)];
    if (c->peers[i] && peer->engine.n)
      json_array_append_new(array,
                            object(one, pack_peer_names[i], &peer->engine, pack_ratio(peer)));
  }
}

int pack_report_json(const struct pack_results *r, const struct pack_command *c)
{
  json_t *array = json_array();
  for (int i = 0; i < r->n; i++)
    append(array, &r->all[i], c);
  int failed = bench_report_write(c->json, array);
  json_decref(array);
  return failed;
}
