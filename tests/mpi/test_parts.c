/* This file tests the conversion of the v and w argument lists. */
#include "base/suite.h"
#include "mpi/compare.h"
#include "mpi/convert/interop.h"
#include "mpi/random_mpi.h"

enum { PARTS = 7 };

/* Part i of `type` packs as count elements of mpi at displ bytes. */
static void compare_part(MPJ_Datatype type, int i, int count, MPI_Aint displ, MPI_Datatype mpi)
{
  MPJ_Datatype part, moved;
  MPJ_Aint at;
  MPI_Datatype wanted;
  MPJ_Count size;
  MPI_Count mpi_bytes = 0;
  ck_assert_int_eq(MPJ_Type_part(type, i, &at, &part), MPJ_SUCCESS);
  MPJ_Type_size(part, &size);
  if (count > 0) PMPI_Type_size_x(mpi, &mpi_bytes);
  ck_assert_int_eq(size, count * mpi_bytes);
  if (size > 0) {
    PMPI_Type_create_hindexed(1, &count, &displ, mpi, &wanted);
    ck_assert_int_eq(MPJ_Type_create_hindexed(1, (MPJ_Count[]){1}, (MPJ_Aint[]){at}, part, &moved),
                     MPJ_SUCCESS);
    MPI_Aint lb, extent;
    MPI_Datatype bounded;
    PMPI_Type_get_extent(wanted, &lb, &extent);
    MPJ_Datatype resized;
    MPJ_Type_create_resized(moved, lb, extent, &resized);
    PMPI_Type_create_resized(wanted, lb, extent, &bounded);
    PMPI_Type_commit(&bounded);
    MPJ_Type_commit(&resized);
    compare_with_mpi(resized, bounded, "part");
    PMPI_Type_free(&bounded);
    PMPI_Type_free(&wanted);
    MPJ_Type_free(&resized);
    MPJ_Type_free(&moved);
  }
  mpi_release(&part);
}

START_TEST(v_lists)
{
  struct mpj_random rng = {3};
  for (int round = 0; round < 500; round++) {
    int counts[PARTS], displs[PARTS];
    MPI_Datatype mpi = random_mpi(&rng, 2);
    MPI_Aint lb, extent;
    MPJ_Datatype type;
    PMPI_Type_get_extent(mpi, &lb, &extent);
    for (int i = 0; i < PARTS; i++) {
      counts[i] = round % 3 == 0 ? 2 : (int)mpj_random_in(&rng, 0, 3);
      displs[i] = round % 3 == 0 ? 3 * i : (int)mpj_random_in(&rng, -5, 9);
    }
    ck_assert_int_eq(MPJ_Type_from_mpi_parts(PARTS, counts, displs, mpi, &type), MPJ_SUCCESS);
    for (int i = 0; i < PARTS; i++)
      compare_part(type, i, counts[i], displs[i] * extent, mpi);
    MPJ_Type_free(&type);
    random_mpi_free(&mpi);
  }
}
END_TEST

START_TEST(lists_of_counts_alone)
{
  const int counts[PARTS] = {1, 0, 4, 2, 0, 0, 3};
  MPI_Aint displ = 0;
  MPJ_Datatype type;
  ck_assert_int_eq(MPJ_Type_from_mpi_parts(PARTS, counts, NULL, MPI_INT, &type), MPJ_SUCCESS);
  for (int i = 0; i < PARTS; i++) {
    compare_part(type, i, counts[i], displ, MPI_INT);
    displ += 4 * counts[i];
  }
  MPJ_Type_free(&type);
}
END_TEST

START_TEST(w_lists_and_back)
{
  struct mpj_random rng = {4};
  for (int round = 0; round < 500; round++) {
    int counts[PARTS], displs[PARTS], counts_back[PARTS], displs_back[PARTS];
    MPI_Datatype types[PARTS], back[PARTS];
    MPJ_Datatype type;
    for (int i = 0; i < PARTS; i++) {
      types[i] = random_mpi(&rng, 2);
      counts[i] = (int)mpj_random_in(&rng, 0, 3);
      displs[i] = (int)mpj_random_in(&rng, -999, 999);
    }
    ck_assert_int_eq(MPJ_Type_from_mpi_parts_w(PARTS, counts, displs, types, &type), MPJ_SUCCESS);
    ck_assert_int_eq(MPJ_Type_to_mpi_parts(type, PARTS, counts_back, displs_back, back),
                     MPJ_SUCCESS);
    for (int i = 0; i < PARTS; i++) {
      compare_part(type, i, counts[i], displs[i], types[i]);
      compare_part(type, i, counts_back[i], displs_back[i], back[i]);
      random_mpi_free(&types[i]);
    }
    MPJ_Type_free_mpi_parts(PARTS, back);
    MPJ_Type_free(&type);
  }
}
END_TEST

/* MPI looks at no datatype where nothing is transferred. */
START_TEST(a_null_type_of_no_elements)
{
  const int counts[2] = {1, 0}, displs[2] = {0, 0};
  const MPI_Datatype types[2] = {MPI_INT, MPI_DATATYPE_NULL};
  MPJ_Datatype type;
  ck_assert_int_eq(MPJ_Type_from_mpi_parts_w(2, counts, displs, types, &type), MPJ_SUCCESS);
  MPJ_Type_free(&type);
}
END_TEST

/* The type that all parts have is that of the first one with elements. */
START_TEST(one_type_and_no_elements_at_first)
{
  const int counts[3] = {0, 2, 1}, displs[3] = {0, 8, 40};
  const MPI_Datatype types[3] = {MPI_INT, MPI_INT, MPI_INT},
                     others[3] = {MPI_CHAR, MPI_DOUBLE, MPI_DOUBLE};
  MPJ_Datatype type;
  for (int i = 0; i < 2; i++) {
    const MPI_Datatype *w = i == 0 ? types : others;
    ck_assert_int_eq(MPJ_Type_from_mpi_parts_w(3, counts, displs, w, &type), MPJ_SUCCESS);
    for (int j = 0; j < 3; j++)
      compare_part(type, j, counts[j], displs[j], w[j]);
    MPJ_Type_free(&type);
  }
}
END_TEST

START_TEST(w_lists_that_begin_with_no_elements)
{
  const int counts[4] = {0, 2, 0, 1}, displs[4] = {0, 8, 0, 64};
  const MPI_Datatype alike[4] = {MPI_DOUBLE, MPI_DOUBLE, MPI_DOUBLE, MPI_DOUBLE};
  const MPI_Datatype none[4] = {MPI_DATATYPE_NULL, MPI_DOUBLE, MPI_DATATYPE_NULL, MPI_DOUBLE};
  const MPI_Datatype *const lists[2] = {alike, none};
  for (int l = 0; l < 2; l++) {
    MPJ_Datatype type;
    ck_assert_int_eq(MPJ_Type_from_mpi_parts_w(4, counts, displs, lists[l], &type), MPJ_SUCCESS);
    for (int i = 0; i < 4; i++)
      compare_part(type, i, counts[i], displs[i], MPI_DOUBLE);
    MPJ_Type_free(&type);
  }
  const int nothing[4] = {0, 0, 0, 0};
  MPJ_Datatype type;
  ck_assert_int_eq(MPJ_Type_from_mpi_parts_w(4, nothing, displs, none, &type), MPJ_SUCCESS);
  compare_part(type, 3, 0, 0, MPI_DOUBLE);
  MPJ_Type_free(&type);
}
END_TEST

START_TEST(displacements_beyond_an_int)
{
  const MPJ_Aint far = (MPJ_Aint)5 << 30;
  int counts[2], displs[2];
  MPI_Datatype types[2];
  MPI_Count true_lb, true_extent;
  MPJ_Datatype type;
  ck_assert_int_eq(
      MPJ_Type_create_hindexed(2, (MPJ_Count[]){1, 1}, (MPJ_Aint[]){0, far}, MPJ_INT, &type),
      MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Type_to_mpi_parts(type, 2, counts, displs, types), MPJ_SUCCESS);
  PMPI_Type_get_true_extent_x(types[1], &true_lb, &true_extent);
  ck_assert_int_eq(displs[1] + true_lb, far);
  MPJ_Type_free_mpi_parts(2, types);
  ck_assert_int_eq(MPJ_Type_to_mpi_parts(type, 3, counts, displs, types), MPJ_ERR_PARTS);
  MPJ_Type_free(&type);
}
END_TEST

int main(void)
{
  PMPI_Init(NULL, NULL);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int status = RUN_SUITE("mpi parts", v_lists, lists_of_counts_alone, w_lists_and_back,
                               a_null_type_of_no_elements, one_type_and_no_elements_at_first,
                               w_lists_that_begin_with_no_elements, displacements_beyond_an_int);
  PMPI_Finalize();
  return status;
}
