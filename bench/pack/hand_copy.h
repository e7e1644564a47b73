/* This header declares the loops by hand that go from layout to layout, that
 * transpose, and that add while unpacking. */
#ifndef MPJ_BENCH_PACK_HAND_COPY_H
#define MPJ_BENCH_PACK_HAND_COPY_H

/* n doubles, 2 apart to 3 apart. */
void pack_hand_stride2_to_3(const double *src, double *dst, long n);

/* n doubles at the places on a list to 2 apart. */
void pack_hand_index_to_stride(const double *src, const int *list, double *dst, long n);

/* n blocks of 8 doubles, 16 apart to 24 apart. */
void pack_hand_blocks64(const double *src, double *dst, long n);

/* n structs of a double and an int, 16 bytes apart to 32 bytes apart. */
void pack_hand_struct_to_struct(const void *src, void *dst, long n);

/* dst := the transpose of src, n x n doubles; n a multiple of 32; dst's rows are
 * dst_row doubles apart. */
void pack_hand_transpose(const double *src, double *dst, long n, long dst_row);

/* mem[stride * i] += packed[i] for i < n, and at places on a list. */
void pack_hand_sum(const double *packed, double *mem, long stride, long n);
void pack_hand_sum_index(const double *packed, double *mem, const int *list, long n);

#endif
