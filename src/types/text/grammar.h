/* This header declares how each constructor is written as text: its name, and
 * the order of its arguments as letters. The grammar is spec/datatypes-text.md.
 *   n  the length of the lists, which is not written but counted
 *   m  the same of lists of buckets, K of counts and U of types
 *   c  a count            a  an address
 *   C  a list of counts   A  a list of addresses
 *   D  a list of distributions   G  a list of their arguments
 *   B  a list of blocks, left out where it is empty
 *   o  an order           t  a type            T  a list of types
 * Letters c, C, K, D, G, B, n, m and o follow one another in the counts of
 * <mpj/introspect.h>, a and A in the addresses. */
#ifndef MPJ_SRC_TYPES_TEXT_GRAMMAR_H
#define MPJ_SRC_TYPES_TEXT_GRAMMAR_H

#include <stddef.h>
#include <stdint.h>

struct mpj_text_form {
  const char *name;
  const char *arguments;
};

/* Indexed by combiner; forms that are not there have no name. */
enum { MPJ_TEXT_FORMS = 20 };
extern const struct mpj_text_form mpj_text_forms[MPJ_TEXT_FORMS];

/* Words for numbers in lists. */
struct mpj_text_word {
  const char *word;
  int64_t value;
};
extern const struct mpj_text_word mpj_text_distributions[]; /* ends with NULL */
extern const struct mpj_text_word mpj_text_distribution_arguments[];
extern const struct mpj_text_word mpj_text_orders[];

/* The word of value, or NULL. */
const char *mpj_text_word_of(const struct mpj_text_word words[], int64_t value);

#endif
