/* This header declares the choice of an algorithm, and of its schedule. */
#ifndef MPJ_SRC_COLL_SELECT_CHOOSE_H
#define MPJ_SRC_COLL_SELECT_CHOOSE_H

#include "coll/select/select.h"

/* The algorithm for a call, and why it is that; where the first `passed` that are possible are not
 * wanted, the next one. */
void mpj_select_after(const struct mpj_facts *facts, const struct mpj_settings *settings,
                      struct mpj_agreed call, unsigned passed, struct mpj_selected *out);
static inline void mpj_select(const struct mpj_facts *facts, const struct mpj_settings *settings,
                              struct mpj_agreed call, struct mpj_selected *out)
{
  mpj_select_after(facts, settings, call, 0, out);
}

/* Why a rule is not for this call, or NULL: it is. */
const char *mpj_rule_misfit(const struct mpj_rule *rule, const struct mpj_facts *facts,
                            const struct mpj_agreed *call);
/* What an algorithm needs that this call does not have, or NULL: nothing. */
const char *mpj_algorithm_lacks(const struct mpj_algorithm *algorithm,
                                const struct mpj_facts *facts, const struct mpj_agreed *call);

/* The schedule that this operation runs here, from the cache: of the first algorithm whose messages
 * have names enough, which is the same on all ranks. */
int mpj_select_schedule(struct mpj_comm *comm, const struct mpj_choice *choice,
                        struct mpj_schedule **schedule);

#endif
