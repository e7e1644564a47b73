/* A histogram by MPJ_Reduce on a struct type.
 *
 * Each rank sorts its share of the samples into bins. A bin is a C struct of a
 * count and a sum; described as a datatype, MPJ_SUM adds each
 * field as what it is: no packing, no operation of one's own.
 *
 * Run: mpjrun -n 4 histogram */
#include <mpj/mpj.h>

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum { BINS = 12, SAMPLES = 1000000 };

struct bin {
  int32_t count;
  double sum; /* of the samples in it; 4 bytes of padding lie before */
};

static void must(int status)
{
  if (status == MPJ_SUCCESS) return;
  fprintf(stderr, "%s\n", MPJ_Error_detail());
  MPJ_Abort(MPJ_COMM_WORLD, 1);
}

/* Sample i, in 0 .. BINS: about normal, the same in every run. */
static double sample(uint64_t i)
{
  double sum = 0;
  for (uint64_t k = 0; k < 4; k++) {
    uint64_t x = (4 * i + k + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
    sum += (double)(x >> 11) / (double)(UINT64_C(1) << 53);
  }
  return sum * BINS / 4;
}

static void fill(struct bin bins[BINS], int first, int end)
{
  for (int b = 0; b < BINS; b++)
    bins[b] = (struct bin){0, 0};
  for (int i = first; i < end; i++) {
    const double value = sample((uint64_t)i);
    bins[(int)value].count++;
    bins[(int)value].sum += value;
  }
}

/* All the bins as one datatype. */
static MPJ_Datatype bins_type(void)
{
  const MPJ_Count ones[2] = {1, 1};
  const MPJ_Aint displs[2] = {offsetof(struct bin, count), offsetof(struct bin, sum)};
  const MPJ_Datatype types[2] = {MPJ_INT32, MPJ_DOUBLE};
  MPJ_Datatype fields, bin, bins;
  must(MPJ_Type_create_struct(2, ones, displs, types, &fields));
  must(MPJ_Type_create_resized(fields, 0, sizeof(struct bin), &bin));
  must(MPJ_Type_contiguous(BINS, bin, &bins));
  must(MPJ_Type_commit(&bins));
  must(MPJ_Type_free(&bin));
  must(MPJ_Type_free(&fields));
  return bins;
}

static void draw(const struct bin bins[BINS])
{
  for (int b = 0; b < BINS; b++) {
    printf("%2d %7d %6.3f ", b, (int)bins[b].count,
           bins[b].count > 0 ? bins[b].sum / bins[b].count : 0.0);
    for (int stars = bins[b].count / 5000; stars > 0; stars--)
      putchar('*');
    putchar('\n');
  }
}

/* The same histogram without a collective: counts equal, sums but for rounding. */
static int differs(const struct bin bins[BINS])
{
  struct bin serial[BINS];
  fill(serial, 0, SAMPLES);
  for (int b = 0; b < BINS; b++)
    if (bins[b].count != serial[b].count ||
        fabs(bins[b].sum - serial[b].sum) > 1e-9 * (1 + serial[b].sum))
      return 1;
  return 0;
}

int main(int argc, char **argv)
{
  int p, rank, wrong = 0;
  struct bin mine[BINS], all[BINS];
  must(MPJ_Init(&argc, &argv));
  must(MPJ_Comm_size(MPJ_COMM_WORLD, &p));
  must(MPJ_Comm_rank(MPJ_COMM_WORLD, &rank));
  if (argc > 1) {
    if (rank == 0) fprintf(stderr, "histogram: takes no arguments, and was given %s\n", argv[1]);
    MPJ_Finalize();
    return 2;
  }

  MPJ_Datatype bins = bins_type();
  fill(mine, (int)((int64_t)SAMPLES * rank / p), (int)((int64_t)SAMPLES * (rank + 1) / p));
  must(MPJ_Reduce(mine, bins, all, bins, MPJ_SUM, 0, MPJ_COMM_WORLD));

  if (rank == 0) {
    draw(all);
    wrong = differs(all);
    if (wrong) fprintf(stderr, "differs from the serial histogram\n");
  }
  must(MPJ_Type_free(&bins));
  must(MPJ_Finalize());
  return wrong;
}
