/* This file is a program whose rank 1 exits with 0 before MPJ_Init; the others say what
 * they hear of it. Started by mpjrun. */
#include <mpj/mpj.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char *argv[])
{
  const char *rank = getenv("MPJ_RANK");
  if (rank && strcmp(rank, "1") == 0) return 0;
  if (MPJ_Init(&argc, &argv) != MPJ_SUCCESS) {
    printf("%s\n", MPJ_Error_detail());
    return 2;
  }
  const int status = MPJ_Barrier(MPJ_COMM_WORLD);
  printf("rank %s: %s\n", rank ? rank : "?",
         status == MPJ_SUCCESS ? "no error" : MPJ_Error_detail());
  MPJ_Finalize();
  return 0;
}
