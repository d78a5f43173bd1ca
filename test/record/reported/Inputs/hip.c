/* A stand-in for a GPU's driver: memory of two devices without a GPU. */

#include <stddef.h>
#include <stdlib.h>

enum { Devices = 2 };
static const size_t Total = (size_t)100 << 20;
struct Block {
  int Device;
  size_t Bytes;
};
static size_t Used[Devices] = {10 << 20, 10 << 20}; /* of other programs */
static int Current;

int hipSetDevice(int Number) {
  if (Number < 0 || Number >= Devices)
    return 101; /* hipErrorInvalidDevice */
  Current = Number;
  return 0;
}

int hipGetDevice(int *Number) {
  *Number = Current;
  return 0;
}

int hipMemGetInfo(size_t *Free, size_t *All) {
  *Free = Total - Used[Current];
  *All = Total;
  return 0;
}

int hipMalloc(void **At, size_t Bytes) {
  struct Block *B;
  if (Used[Current] + Bytes > Total)
    return 2; /* hipErrorOutOfMemory */
  if (!(B = malloc(sizeof(*B))))
    return 2;
  B->Device = Current;
  B->Bytes = Bytes;
  Used[Current] += Bytes;
  *At = B;
  return 0;
}

int hipFree(void *At) {
  struct Block *B = At;
  if (B)
    Used[B->Device] -= B->Bytes;
  free(B);
  return 0;
}

int hipMallocAsync(void **At, size_t Bytes, void *Stream) {
  (void)Stream;
  return hipMalloc(At, Bytes);
}

int hipFreeAsync(void *At, void *Stream) {
  (void)Stream;
  return hipFree(At);
}
