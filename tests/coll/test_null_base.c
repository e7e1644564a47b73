/* This file tests calls whose buffer is NULL, of random types at random places: an error and a
 * sentence where the data would lie at no address of the process, and success where the type's
 * displacements are addresses (MPJ_BOTTOM). */
#include <mpj/mpj.h>

#include <stdlib.h>
#include <string.h>

#include "base/suite.h"
#include "types/made.h"
#include "types/random_type.h"

enum { TYPES = 400, ROOM = 1 << 18, LARGEST = 1 << 20 };

struct play {
  struct mpj_random_type random;
  MPJ_Datatype type; /* the random one at `displ`, committed */
  MPJ_Count bytes;
  MPJ_Aint displ;
  char *good; /* a base at which its data lies in memory */
};

static char memory[3 * ROOM], other[3 * ROOM], packed[LARGEST], wanted[LARGEST];

/* The first page, pages behind it, below zero; or so that the lowest byte is at 0. */
static MPJ_Aint draw_displ(struct mpj_random *rng, MPJ_Aint lowest)
{
  const MPJ_Aint displs[] = {0, -lowest, -lowest + 1, 4096, 60000, 1 << 22, -5000, 17};
  return displs[mpj_random_in(rng, 0, 7)];
}

static MPJ_Datatype moved(MPJ_Datatype old, MPJ_Aint displ)
{
  MPJ_Datatype made;
  must(MPJ_Type_create_hindexed(1, (MPJ_Count[]){1}, (MPJ_Aint[]){displ}, old, &made));
  must(MPJ_Type_commit(&made));
  return made;
}

static void begin(struct play *p, struct mpj_random *rng)
{
  const struct mpj_random_options options = {.depth = 4,
                                             .max_elements = 300,
                                             .receivable = true,
                                             .nparts = 1,
                                             .basics = UINT64_C(1) << 6 /* MPJ_INT */};
  mpj_random_type_make(rng, &options, &p->random);
  const MPJ_Aint lowest = mpj_ref_true_lb(p->random.ref);
  p->displ = draw_displ(rng, lowest);
  p->type = moved(p->random.type, p->displ);
  p->good = memory + ROOM - p->displ - lowest;
  must(MPJ_Type_size(p->type, &p->bytes));
}

static void end(struct play *p)
{
  must(MPJ_Type_free(&p->type));
  mpj_random_type_free(&p->random);
}

/* A call with NULL: an error that says so, or success of no data. */
#define null(call)                                                                                 \
  do {                                                                                             \
    const int status_ = (call);                                                                    \
    ck_assert_msg(                                                                                 \
        p->bytes == 0 ? status_ == MPJ_SUCCESS                                                     \
                      : status_ == MPJ_ERR_ARG && strstr(MPJ_Error_detail(), " is NULL, and "),    \
        "%s at %td: %d, %s\n%s", #call, p->displ, status_, MPJ_Error_detail(), p->random.text);    \
  } while (0)

static void calls_with_null(struct play *p)
{
  const MPJ_Datatype t = p->type;
  char *const good = p->good;
  MPJ_Count n = 0, at = 0;
  struct iovec iov[1];
  null(MPJ_Pack(NULL, t, packed, LARGEST, &at));
  at = 0;
  null(MPJ_Unpack(packed, p->bytes, &at, NULL, t));
  null(MPJ_Pack_range(NULL, t, 0, packed, p->bytes));
  null(MPJ_Unpack_range(packed, p->bytes, NULL, t, 0));
  null(MPJ_Copy(NULL, t, good, t));
  null(MPJ_Copy(good, t, NULL, t));
  null(MPJ_Type_iov(NULL, t, 0, iov, 1, &n));
  at = 0;
  null(MPJ_Pack_external(NULL, t, packed, LARGEST, &at));
  at = 0;
  null(MPJ_Unpack_external(packed, LARGEST, &at, NULL, t));
  null(MPJ_Reduce_local(NULL, good, t, MPJ_SUM));
  null(MPJ_Reduce_local(good, NULL, t, MPJ_SUM));
  at = 0;
  null(MPJ_Unpack_reduce(packed, p->bytes, &at, NULL, t, MPJ_SUM));
}

static void collectives_with_null(struct play *p)
{
  const MPJ_Datatype t = p->type;
  char *const good = p->good;
  const MPJ_Comm self = MPJ_COMM_SELF;
  MPJ_Request request = MPJ_REQUEST_NULL;
  null(MPJ_Bcast(NULL, t, 0, self));
  null(MPJ_Gather(NULL, t, good, t, 0, self));
  null(MPJ_Gather(good, t, NULL, t, 0, self));
  null(MPJ_Scatter(NULL, t, good, t, 0, self));
  null(MPJ_Scatter(good, t, NULL, t, 0, self));
  null(MPJ_Allgather(NULL, t, good, t, self));
  null(MPJ_Allgather(good, t, NULL, t, self));
  null(MPJ_Alltoall(NULL, t, good, t, self));
  null(MPJ_Alltoall(good, t, NULL, t, self));
  null(MPJ_Reduce(NULL, t, good, t, MPJ_SUM, 0, self));
  null(MPJ_Reduce(good, t, NULL, t, MPJ_SUM, 0, self));
  null(MPJ_Allreduce(NULL, t, good, t, MPJ_SUM, self));
  null(MPJ_Allreduce(good, t, NULL, t, MPJ_SUM, self));
  null(MPJ_Reduce_scatter(NULL, t, good, t, MPJ_SUM, self));
  null(MPJ_Reduce_scatter(good, t, NULL, t, MPJ_SUM, self));
  null(MPJ_Scan(NULL, t, good, t, MPJ_SUM, self));
  null(MPJ_Scan(good, t, NULL, t, MPJ_SUM, self));
  null(MPJ_Exscan(NULL, t, good, t, MPJ_SUM, self));
  null(MPJ_Ibcast(NULL, t, 0, self, &request));
  MPJ_Request_free(&request);
  null(MPJ_Allreduce_init(good, t, NULL, t, MPJ_SUM, self, &request));
  MPJ_Request_free(&request);
}

/* The type at the addresses of its data: NULL is then as good as any base. */
static void addresses_work(struct play *p)
{
  MPJ_Datatype t = moved(p->type, (MPJ_Aint)(uintptr_t)p->good);
  MPJ_Count at = 0;
  int *const numbers = (int *)(void *)memory;
  for (int i = 0; i < 3 * ROOM / 4; i++)
    numbers[i] = i;
  must(MPJ_Pack(p->good, p->type, wanted, LARGEST, &at));
  at = 0;
  must(MPJ_Pack(MPJ_BOTTOM, t, packed, LARGEST, &at));
  ck_assert(at == p->bytes && memcmp(packed, wanted, (size_t)p->bytes) == 0);
  must(MPJ_Bcast(MPJ_BOTTOM, t, 0, MPJ_COMM_SELF));
  char *const there = other + (p->good - memory);
  must(MPJ_Allgather(MPJ_BOTTOM, t, there, p->type, MPJ_COMM_SELF));
  at = 0;
  must(MPJ_Pack(there, p->type, packed, LARGEST, &at));
  ck_assert(memcmp(packed, wanted, (size_t)p->bytes) == 0);
  at = 0;
  must(MPJ_Unpack_reduce(packed, p->bytes, &at, MPJ_BOTTOM, t, MPJ_SUM));
  must(MPJ_Type_free(&t));
}

START_TEST(null_buffers_are_named)
{
  struct mpj_random rng = {42};
  must(MPJ_Init(NULL, NULL));
  for (int i = 0; i < TYPES; i++) {
    struct play p;
    begin(&p, &rng);
    calls_with_null(&p);
    collectives_with_null(&p);
    addresses_work(&p);
    end(&p);
  }
  must(MPJ_Finalize());
}
END_TEST

int main(void)
{
  return RUN_SUITE("null_base", null_buffers_are_named);
}
