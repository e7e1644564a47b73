/* k-means clustering by MPJ_Allreduce.
 *
 * Each rank holds some of the points. In every round it finds the nearest centre
 * of each and sums up the points of each cluster; one Allreduce of a struct type
 * adds the sums of all ranks. All ranks get the same bits, so they move their
 * centres alike and stop in the same round without a word.
 *
 * Run: mpjrun -n 4 kmeans */
#include <mpj/mpj.h>

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLUSTERS = 5, POINTS = 20000, MOST_ROUNDS = 100 };

struct point {
  double x, y;
};
struct cluster {
  struct point sum;
  int32_t count;
};

static void must(int status)
{
  if (status == MPJ_SUCCESS) return;
  fprintf(stderr, "%s\n", MPJ_Error_detail());
  MPJ_Abort(MPJ_COMM_WORLD, 1);
}

/* The centres around which the points lie: on a circle. */
static struct point true_centre(int c)
{
  const double angle = 2 * acos(-1) * c / CLUSTERS;
  return (struct point){10 * cos(angle), 10 * sin(angle)};
}

static double scatter(uint64_t i)
{
  uint64_t x = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ x >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
  return (double)(x >> 11) / (double)(UINT64_C(1) << 52) - 1;
}

/* Point i, at most 3 off its centre in x and in y. */
static struct point make_point(int i)
{
  const struct point centre = true_centre(i % CLUSTERS);
  return (struct point){centre.x + 3 * scatter(2 * (uint64_t)i),
                        centre.y + 3 * scatter(2 * (uint64_t)i + 1)};
}

static double squared(struct point a, struct point b)
{
  return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
}

static int nearest(struct point p, const struct point centres[CLUSTERS])
{
  int best = 0;
  for (int c = 1; c < CLUSTERS; c++)
    if (squared(p, centres[c]) < squared(p, centres[best])) best = c;
  return best;
}

/* The sums of all clusters as one datatype. */
static MPJ_Datatype clusters_type(void)
{
  const MPJ_Count lens[2] = {2, 1};
  const MPJ_Aint displs[2] = {offsetof(struct cluster, sum), offsetof(struct cluster, count)};
  const MPJ_Datatype types[2] = {MPJ_DOUBLE, MPJ_INT32};
  MPJ_Datatype fields, one, all;
  must(MPJ_Type_create_struct(2, lens, displs, types, &fields));
  must(MPJ_Type_create_resized(fields, 0, sizeof(struct cluster), &one));
  must(MPJ_Type_contiguous(CLUSTERS, one, &all));
  must(MPJ_Type_commit(&all));
  must(MPJ_Type_free(&one));
  must(MPJ_Type_free(&fields));
  return all;
}

/* Move the centres once; whether any moved. */
static int move(const struct point points[], int n, struct point centres[CLUSTERS],
                MPJ_Datatype clusters)
{
  struct cluster found[CLUSTERS];
  struct point before[CLUSTERS];
  memset(found, 0, sizeof found);
  memcpy(before, centres, sizeof before);
  for (int i = 0; i < n; i++) {
    struct cluster *c = &found[nearest(points[i], centres)];
    c->sum.x += points[i].x;
    c->sum.y += points[i].y;
    c->count++;
  }
  must(MPJ_Allreduce(MPJ_IN_PLACE, MPJ_DATATYPE_NULL, found, clusters, MPJ_SUM, MPJ_COMM_WORLD));
  for (int c = 0; c < CLUSTERS; c++)
    if (found[c].count > 0)
      centres[c] = (struct point){found[c].sum.x / found[c].count, found[c].sum.y / found[c].count};
  return memcmp(before, centres, sizeof before) != 0;
}

/* Each of the true centres has one of the found ones close by. */
static int check(const struct point centres[CLUSTERS])
{
  for (int c = 0; c < CLUSTERS; c++) {
    const struct point centre = true_centre(c);
    if (squared(centre, centres[nearest(centre, centres)]) > 0.01) return 1;
  }
  return 0;
}

int main(int argc, char **argv)
{
  int p, rank, rounds = 0;
  must(MPJ_Init(&argc, &argv));
  must(MPJ_Comm_size(MPJ_COMM_WORLD, &p));
  must(MPJ_Comm_rank(MPJ_COMM_WORLD, &rank));
  if (argc > 1) {
    if (rank == 0) fprintf(stderr, "kmeans: takes no arguments, and was given %s\n", argv[1]);
    MPJ_Finalize();
    return 2;
  }

  const int first = POINTS * rank / p, n = POINTS * (rank + 1) / p - first;
  struct point *points = malloc(sizeof *points * ((size_t)n + 1)), centres[CLUSTERS];
  if (!points) return 1;
  for (int i = 0; i < n; i++)
    points[i] = make_point(first + i);
  for (int c = 0; c < CLUSTERS; c++)
    centres[c] = make_point(c);

  MPJ_Datatype clusters = clusters_type();
  while (rounds < MOST_ROUNDS && move(points, n, centres, clusters))
    rounds++;
  const int wrong = check(centres);
  for (int c = 0; c < CLUSTERS && rank == 0; c++)
    printf("centre %d: %7.3f %7.3f\n", c, centres[c].x, centres[c].y);
  if (rank == 0) printf("%d rounds\n", rounds);
  if (wrong) fprintf(stderr, "rank %d: a cluster has not been found\n", rank);

  must(MPJ_Type_free(&clusters));
  free(points);
  must(MPJ_Finalize());
  return wrong;
}
