/* This file states what communicators are by small examples, on threads: members,
 * names, attributes, and what is an error. */
#include "coll/engine_play.h"

#define WORLD MPJ_COMM_WORLD

static bool detail_has(const char *text)
{
  return strstr(MPJ_Error_detail(), text) != NULL;
}

static bool works(MPJ_Comm comm)
{
  int one = 1, sum = 0, size = 0;
  return !MPJ_Comm_size(comm, &size) &&
         !MPJ_Allreduce(&one, MPJ_INT, &sum, MPJ_INT, MPJ_SUM, comm) && sum == size;
}

static int comparing(void *arg)
{
  (void)arg;
  MPJ_Comm dup, back, half;
  int result = -1, me = world()->rank, p = world()->size;
  NEED(!MPJ_Comm_dup(WORLD, &dup) && !MPJ_Comm_split(WORLD, 0, -me, &back));
  NEED(!MPJ_Comm_split(WORLD, me < 2 ? 0 : MPJ_UNDEFINED, 0, &half));
  NEED(!MPJ_Comm_compare(WORLD, WORLD, &result) && result == MPJ_IDENT);
  NEED(!MPJ_Comm_compare(WORLD, dup, &result) && result == MPJ_CONGRUENT);
  NEED(!MPJ_Comm_compare(back, dup, &result) && result == MPJ_SIMILAR);
  NEED(!MPJ_Comm_compare(WORLD, MPJ_COMM_SELF, &result) && result == MPJ_UNEQUAL);
  NEED((half == MPJ_COMM_NULL) == (me >= 2));
  if (me < 2) NEED(!MPJ_Comm_compare(half, dup, &result) && result == MPJ_UNEQUAL);
  NEED(!MPJ_Comm_rank(back, &result) && result == p - 1 - me);
  const int first_two[] = {0, 1};
  int there[2];
  NEED(!MPJ_Comm_translate(dup, 2, first_two, back, there));
  NEED(there[0] == p - 1 && there[1] == p - 2);
  NEED(!MPJ_Comm_translate(WORLD, 2, first_two, MPJ_COMM_SELF, there));
  NEED(there[0] == (me == 0 ? 0 : MPJ_UNDEFINED));
  NEED(MPJ_Comm_translate(WORLD, 1, &p, dup, there) == MPJ_ERR_ARG && detail_has("ranks[0] is 3"));
  NEED(MPJ_Comm_compare(WORLD, MPJ_COMM_NULL, &result) == MPJ_ERR_COMM);
  NEED(MPJ_Comm_compare(WORLD, dup, NULL) == MPJ_ERR_ARG && detail_has("result"));
  NEED(works(dup) && works(back) && (me >= 2 || works(half)));
  NEED(!MPJ_Comm_free(&back) && !MPJ_Comm_free(&dup) && (me >= 2 || !MPJ_Comm_free(&half)));
  return 0;
}

START_TEST(communicators_compare_by_members_and_order)
{
  play(3, comparing, NULL);
}
END_TEST

/* Machines as the transport tells them. */
static int on_nodes(void *arg)
{
  (void)arg;
  MPJ_Comm node;
  int rank, size, me = world()->rank;
  NEED(!MPJ_Comm_split_node(WORLD, 0, &node) && !MPJ_Comm_size(node, &size) && size == 5);
  NEED(!MPJ_Comm_free(&node));
  mpj_context_current()->net->node = me % 2;
  NEED(!MPJ_Comm_split_node(WORLD, -me, &node));
  NEED(!MPJ_Comm_size(node, &size) && size == 3 - me % 2);
  NEED(!MPJ_Comm_rank(node, &rank) && rank == (4 - me) / 2 && works(node));
  return MPJ_Comm_free(&node);
}

START_TEST(split_node_puts_together_who_shares_memory)
{
  play(5, on_nodes, NULL);
}
END_TEST

static int naming(void *arg)
{
  (void)arg;
  char name[MPJ_COMM_NAME_MAX], longest[MPJ_COMM_NAME_MAX + 1] = "";
  MPJ_Comm dup;
  NEED(!MPJ_Comm_get_name(WORLD, name) && strcmp(name, "MPJ_COMM_WORLD") == 0);
  NEED(!MPJ_Comm_get_name(MPJ_COMM_SELF, name) && strcmp(name, "MPJ_COMM_SELF") == 0);
  NEED(!MPJ_Comm_set_name(WORLD, "all of us") && !MPJ_Comm_dup(WORLD, &dup));
  NEED(!MPJ_Comm_get_name(WORLD, name) && strcmp(name, "all of us") == 0);
  NEED(!MPJ_Comm_get_name(dup, name) && name[0] == '\0');
  memset(longest, 'x', MPJ_COMM_NAME_MAX);
  NEED(MPJ_Comm_set_name(dup, longest) == MPJ_ERR_ARG && detail_has("at most 127"));
  longest[MPJ_COMM_NAME_MAX - 1] = '\0';
  NEED(!MPJ_Comm_set_name(dup, longest) && !MPJ_Comm_get_name(dup, name));
  NEED(strcmp(name, longest) == 0);
  NEED(MPJ_Comm_set_name(dup, NULL) == MPJ_ERR_ARG && MPJ_Comm_get_name(dup, NULL) == MPJ_ERR_ARG);
  return MPJ_Comm_free(&dup);
}

START_TEST(name_is_the_handles_own)
{
  play(2, naming, NULL);
}
END_TEST

/* Attributes */

static int doubling(MPJ_Comm comm, int key, void *state, void *in, void **out, int *flag)
{
  (void)comm;
  (void)key;
  if (*(int *)state != 0) return *(int *)state;
  *out = (char *)in + (uintptr_t)in;
  *flag = 1;
  return MPJ_SUCCESS;
}

static int counting(MPJ_Comm comm, int key, void *value, void *state)
{
  (void)comm;
  (void)key;
  (void)value;
  if (*(int *)state < 0) return 77;
  ++*(int *)state;
  return MPJ_SUCCESS;
}

static int attributed(void *arg)
{
  (void)arg;
  int key, of_types, state = 0, flag = 1, plain;
  void *value = NULL;
  MPJ_Comm dup, other = WORLD;
  NEED(!MPJ_Comm_create_keyval(doubling, counting, &key, &state));
  NEED(!MPJ_Comm_create_keyval(NULL, NULL, &plain, NULL));
  NEED(!MPJ_Type_create_keyval(NULL, NULL, &of_types, NULL));
  NEED(MPJ_Comm_set_attr(WORLD, of_types, &key) == MPJ_ERR_ARG && detail_has("keyval is"));
  NEED(!MPJ_Comm_get_attr(WORLD, key, &value, &flag) && !flag);
  NEED(!MPJ_Comm_set_attr(WORLD, key, (void *)21) && !MPJ_Comm_set_attr(WORLD, plain, &key));
  NEED(!MPJ_Comm_dup(WORLD, &dup));
  NEED(!MPJ_Comm_get_attr(dup, key, &value, &flag) && flag && value == (void *)42);
  NEED(!MPJ_Comm_get_attr(dup, plain, &value, &flag) && !flag);
  NEED(MPJ_Comm_delete_attr(dup, plain) == MPJ_ERR_ARG && detail_has("under which comm has"));
  state = -1;
  NEED(MPJ_Comm_free(&dup) == 77 && dup != MPJ_COMM_NULL && works(dup));
  state = world()->rank == 1 ? 78 : 0; /* one rank's copy callback fails: all get its code */
  NEED(MPJ_Comm_dup(WORLD, &other) == 78 && other == WORLD);
  NEED(detail_has(world()->rank == 1 ? "copy callback" : "rank 1 failed"));
  NEED(works(WORLD) && works(dup));
  state = 0;
  NEED(!MPJ_Comm_free(&dup) && state == 1 && !MPJ_Comm_delete_attr(WORLD, key) && state == 2);
  const int freed = plain;
  NEED(!MPJ_Comm_free_keyval(&key) && key == MPJ_KEYVAL_INVALID && !MPJ_Comm_free_keyval(&plain));
  NEED(MPJ_Comm_free_keyval(&key) == MPJ_ERR_ARG && !MPJ_Type_free_keyval(&of_types));
  return MPJ_Comm_delete_attr(WORLD, freed); /* the key goes on for the value that is there */
}

START_TEST(attributes_are_copied_and_deleted_as_their_callbacks_say)
{
  play(3, attributed, NULL);
}
END_TEST

static int leaving_value(void *arg)
{
  int key;
  NEED(!MPJ_Comm_create_keyval(MPJ_Comm_dup_attr, counting, &key, arg));
  NEED(!MPJ_Comm_set_attr(MPJ_COMM_SELF, key, arg) && !MPJ_Comm_free_keyval(&key));
  NEED(!MPJ_Init(NULL, NULL));
  return MPJ_Finalize();
}

START_TEST(finalize_deletes_selfs_attributes)
{
  int state = 0;
  play(1, leaving_value, &state);
  ck_assert_int_eq(state, 1);
}
END_TEST

/* Errors */

/* The call failed with MPJ_ERR_ARG on all: on `bad` for its own reason. */
#define ALL_FAIL(bad, call, text)                                                                  \
  do {                                                                                             \
    NEED((call) == MPJ_ERR_ARG && made == MPJ_COMM_SELF);                                          \
    NEED(detail_has(world()->rank == (bad) ? (text) : "failed: MPJ_ERR_ARG"));                     \
    NEED(works(WORLD));                                                                            \
  } while (0)

static int bad_arguments(void *arg)
{
  (void)arg;
  const int me = world()->rank, twice[] = {0, 0}, beyond[] = {1, 4}, mine[] = {0, 1, 2};
  const int other[] = {0, 2, 1};
  MPJ_Comm made = MPJ_COMM_SELF;
  ALL_FAIL(1, MPJ_Comm_split(WORLD, me == 1 ? -5 : 3, 0, &made), "color is -5");
  ALL_FAIL(2, MPJ_Comm_dup(WORLD, me == 2 ? NULL : &made), "newcomm is NULL");
  ALL_FAIL(0, MPJ_Comm_split_node(WORLD, 0, me == 0 ? NULL : &made), "newcomm is NULL");
  ALL_FAIL(0, MPJ_Comm_create(WORLD, me == 0 ? 5 : 0, mine, &made), "n is 5");
  ALL_FAIL(3, MPJ_Comm_create(WORLD, me == 3 ? -1 : 0, NULL, &made), "n is -1");
  ALL_FAIL(2, MPJ_Comm_create(WORLD, 2, me == 2 ? NULL : mine, &made), "ranks is NULL");
  ALL_FAIL(1, MPJ_Comm_create(WORLD, 2, me == 1 ? twice : mine, &made), "ranks[1] is 0");
  ALL_FAIL(1, MPJ_Comm_create(WORLD, 2, me == 1 ? beyond : mine, &made), "ranks[1] is 4");
  NEED(MPJ_Comm_create(WORLD, 3, me == 1 ? other : mine, &made) == MPJ_ERR_ARG); /* contradict */
  NEED(detail_has(me == 3   ? "failed"
                  : me == 1 ? "ranks has 3 entries on rank 1, and is another list on rank 0"
                            : "and is another list on rank 1") &&
       works(WORLD));
  NEED(MPJ_Comm_dup(MPJ_COMM_NULL, &made) == MPJ_ERR_COMM && detail_has("comm is MPJ_COMM_NULL"));
  return 0;
}

START_TEST(argument_error_of_one_is_an_error_of_all)
{
  play(4, bad_arguments, NULL);
}
END_TEST

static int stale_handles(void *arg)
{
  (void)arg;
  MPJ_Comm dup, copy, world_handle = WORLD, self = MPJ_COMM_SELF, null = MPJ_COMM_NULL;
  int rank;
  NEED(!MPJ_Comm_dup(WORLD, &dup) && works(dup));
  copy = dup;
  NEED(!MPJ_Comm_free(&dup) && dup == MPJ_COMM_NULL);
  NEED(MPJ_Comm_rank(copy, &rank) == MPJ_ERR_COMM && detail_has("has been freed"));
  NEED(MPJ_Barrier(copy) == MPJ_ERR_COMM && MPJ_Comm_free(&copy) == MPJ_ERR_COMM);
  for (int i = 0; i < 5; i++) { /* also when another one has its place */
    NEED(!MPJ_Comm_dup(WORLD, &dup) && dup != copy);
    NEED(MPJ_Barrier(copy) == MPJ_ERR_COMM && detail_has("has been freed"));
    NEED(works(dup) && !MPJ_Comm_free(&dup));
  }
  NEED(MPJ_Comm_free(&world_handle) == MPJ_ERR_COMM && detail_has("MPJ_COMM_WORLD"));
  NEED(MPJ_Comm_free(&self) == MPJ_ERR_COMM && detail_has("MPJ_COMM_SELF"));
  NEED(MPJ_Comm_free(&null) == MPJ_ERR_COMM && MPJ_Comm_free(NULL) == MPJ_ERR_ARG);
  NEED(MPJ_Barrier((MPJ_Comm)(uintptr_t)&rank) == MPJ_ERR_COMM && detail_has("no communicator"));
  return works(WORLD) ? 0 : __LINE__;
}

START_TEST(freed_handle_is_recognised)
{
  play(3, stale_handles, NULL);
  play(1, stale_handles, NULL);
}
END_TEST

int main(void)
{
  return RUN_SUITE("comms", communicators_compare_by_members_and_order,
                   split_node_puts_together_who_shares_memory, name_is_the_handles_own,
                   attributes_are_copied_and_deleted_as_their_callbacks_say,
                   finalize_deletes_selfs_attributes, argument_error_of_one_is_an_error_of_all,
                   freed_handle_is_recognised);
}
