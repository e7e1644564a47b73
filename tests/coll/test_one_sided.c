/* This file tests what becomes of data in a sparse Alltoall that only one side describes, whenever
 * it comes. Ranks 0 and 1 are such a pair; the others have nothing to do in the Alltoall. */
#include <mpj/array.h>

#include <sched.h>
#include <stdio.h>

#include "coll/engine_play.h"

enum { P = 4 };

/* A type of all ranks' parts, of which one is an int; or of none. */
static MPJ_Datatype part_of(int peer)
{
  const MPJ_Count parts[1] = {peer};
  const MPJ_Aint displs[1] = {0};
  const MPJ_Datatype types[1] = {MPJ_INT};
  MPJ_Datatype made = MPJ_DATATYPE_NULL;
  if (!MPJ_Type_create_sparse(world()->size, peer >= 0, parts, displs, types, &made))
    MPJ_Type_commit(&made);
  return made;
}

enum form { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };

struct one_sided {
  enum form form;
  _Atomic int met; /* by those who come first */
  int to, from;    /* rank 0 sends to `to`; rank 1 expects something of `from`; -1: nobody */
  MPJ_Comm comm;   /* of the calling rank */
  int *data;
  MPJ_Datatype out, in;
  MPJ_Request request;
};

static void begin(struct one_sided *o, const struct one_sided *given, MPJ_Comm comm, int data[2])
{
  const int me = world()->rank;
  *o = (struct one_sided){.form = given->form, .comm = comm, .data = data};
  o->out = part_of(me == 0 ? given->to : -1);
  o->in = part_of(me == 1 ? given->from : -1);
}

static int exchange(struct one_sided *o)
{
  int status;
  if (o->form == BLOCKING) return MPJ_Alltoall(o->data, o->out, o->data + 1, o->in, o->comm);
  if (o->form == NONBLOCKING)
    status = MPJ_Ialltoall(o->data, o->out, o->data + 1, o->in, o->comm, &o->request);
  else
    status = MPJ_Start(&o->request);
  return status ? status : MPJ_Wait(&o->request);
}

static int end(struct one_sided *o)
{
  if (o->form == PERSISTENT) NEED(!MPJ_Request_free(&o->request));
  return MPJ_Type_free(&o->out) || MPJ_Type_free(&o->in);
}

/* Those who come first say so outside the library, and the one who waits for them polls nothing;
 * but a persistent request, which the others cannot start before it has been joined. */
static void arrive(struct one_sided *given)
{
  atomic_fetch_add(&given->met, 1);
}
static void await(const struct one_sided *given, int n)
{
  while (atomic_load(&given->met) < n)
    if (given->form != PERSISTENT || !mpj_engine_progress(world()->context)) sched_yield();
}

static int is_stray(int status)
{
  if (status == MPJ_ERR_SIGNATURE && strstr(MPJ_Error_detail(), "rank 0 sent ")) return 1;
  fprintf(stderr, "status %d, %s\n", status, MPJ_Error_detail());
  return 0;
}

static int works(void)
{
  int x = world()->rank == 0 ? 42 : -1;
  NEED(!MPJ_Barrier(MPJ_COMM_WORLD) && !MPJ_Bcast(&x, MPJ_INT, 0, MPJ_COMM_WORLD) && x == 42);
  return MPJ_Barrier(MPJ_COMM_WORLD);
}

/* The data is there when rank 1 calls, which has not looked since. */
static int there_before(void *arg)
{
  struct one_sided *given = arg, o;
  const int me = world()->rank;
  int data[2] = {7, -1};
  begin(&o, given, MPJ_COMM_WORLD, data);
  if (o.form == PERSISTENT)
    NEED(!MPJ_Alltoall_init(data, o.out, data + 1, o.in, MPJ_COMM_WORLD, &o.request));
  NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
  if (me == 1) await(given, P - 1);
  const int status = exchange(&o);
  if (me == 1) NEED(is_stray(status) && data[1] == -1);
  if (me != 1) NEED(!status);
  if (me != 1) arrive(given);
  NEED(!works());
  return end(&o);
}

START_TEST(stray_data_that_waits_is_an_error_of_the_call_in_all_forms)
{
  for (enum form form = 0; form < FORMS; form++) {
    struct one_sided given = {.form = form, .to = 1, .from = -1};
    play(P, there_before, &given);
  }
}
END_TEST

/* It comes when rank 1 has ended the call: the next call of its alone fails, and is complete. A
 * communicator and an array are made meanwhile, by calls of the library's own. */
static int there_after(void *arg)
{
  struct one_sided *given = arg, o;
  const int me = world()->rank;
  int data[2] = {7, -1};
  MPJ_Comm made;
  begin(&o, given, MPJ_COMM_WORLD, data);
  if (me == 0) await(given, P - 1);
  NEED(!exchange(&o));
  if (me != 0) arrive(given);
  NEED(!MPJ_Comm_dup(MPJ_COMM_WORLD, &made));
  const MPJ_Axis axis = {.size = 9, .distribute = MPJ_DISTRIBUTE_CYCLIC, .darg = 1};
  const int grid = P;
  MPJ_Array array;
  NEED(!MPJ_Array_create(1, &axis, 1, &grid, MPJ_ORDER_C, MPJ_INT, MPJ_COMM_WORLD, &array));
  NEED(!MPJ_Array_free(&array));
  const int status = MPJ_Barrier(MPJ_COMM_WORLD);
  if (me == 1) NEED(is_stray(status));
  if (me != 1) NEED(!status);
  NEED(!works() && !MPJ_Barrier(made) && !MPJ_Comm_free(&made));
  return end(&o);
}

START_TEST(stray_data_that_is_late_is_an_error_of_this_ranks_next_call_alone)
{
  for (enum form form = 0; form < PERSISTENT; form++) {
    struct one_sided given = {.form = form, .to = 1, .from = -1};
    play(P, there_after, &given);
  }
}
END_TEST

/* There is no next call: on WORLD, or on another communicator, which may have been freed; or the
 * data is taken in before the end. */
enum ending { LAST_ON_WORLD, LAST, FREED, TAKEN_IN };
struct never {
  struct one_sided one_sided;
  enum ending ending;
};

static int told_at_the_end(void *arg)
{
  struct never *never = arg;
  struct one_sided *given = &never->one_sided, o;
  const int me = world()->rank;
  int data[2] = {7, -1};
  MPJ_Comm comm = MPJ_COMM_WORLD;
  if (never->ending != LAST_ON_WORLD) NEED(!MPJ_Comm_dup(MPJ_COMM_WORLD, &comm));
  begin(&o, given, comm, data);
  if (me == 0) await(given, P - 1);
  NEED(!exchange(&o));
  if (never->ending == FREED) NEED(!MPJ_Comm_free(&comm));
  if (me != 0 || never->ending == TAKEN_IN) arrive(given);
  if (me == 1 && never->ending == TAKEN_IN) {
    await(given, P);
    mpj_net_poll(world()->net);
  }
  NEED(!end(&o));
  const int status = MPJ_Finalize();
  if (me == 1) NEED(is_stray(status));
  if (me != 1) NEED(!status);
  return 0;
}

START_TEST(finalize_tells_of_stray_data_that_no_call_has_told)
{
  for (enum ending ending = LAST_ON_WORLD; ending <= TAKEN_IN; ending++) {
    struct never never = {.one_sided = {.to = 1, .from = -1}, .ending = ending};
    play(P, told_at_the_end, &never);
  }
}
END_TEST

/* Rank 0 has ended the call without sending anything, and waits in the next one: when rank 1 asks
 * it says so, and there is nothing that patience could bring. */
static int nothing_comes(void *arg)
{
  struct one_sided *given = arg, o;
  const int me = world()->rank;
  int data[2] = {7, -1};
  begin(&o, given, MPJ_COMM_WORLD, data);
  const double begun = MPJ_Wtime();
  const int status = exchange(&o);
  if (me == 1) {
    NEED(status == MPJ_ERR_SIGNATURE && strstr(MPJ_Error_detail(), "rank 0 sent nothing"));
    NEED(MPJ_Wtime() - begun < 4);
  } else {
    NEED(!status);
  }
  NEED(!works());
  return end(&o);
}

START_TEST(who_has_ended_the_call_without_sending_says_so)
{
  for (int p = 2; p <= P; p += 2) {
    struct one_sided given = {.form = BLOCKING, .to = -1, .from = 0};
    play(p, nothing_comes, &given);
  }
}
END_TEST

int main(void)
{
  return RUN_SUITE("coll/one_sided", stray_data_that_waits_is_an_error_of_the_call_in_all_forms,
                   stray_data_that_is_late_is_an_error_of_this_ranks_next_call_alone,
                   finalize_tells_of_stray_data_that_no_call_has_told,
                   who_has_ended_the_call_without_sending_says_so);
}
