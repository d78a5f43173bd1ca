// The memory and streams of a driver, for fake-cudart.c: found by cuGetProcAddress, in the primary
// context of the device that was set.
#define _GNU_SOURCE
#include <dlfcn.h>

static void *driverCall(const char *Name) {
  static int (*Find)(const char *, void **, int, uint64_t, void *);
  if (!Find) {
    void *Library = dlopen("libcuda.so.1", RTLD_NOW);
    *(void **)&Find = Library ? dlsym(Library, "cuGetProcAddress_v2") : NULL;
  }
  void *Function = NULL;
  return Find && !Find(Name, &Function, 13000, 0, NULL) ? Function : NULL;
}

// The thread has the device's context, from the first call on.
static void begin(void) {
  static void *Contexts[Devices];
  int (*Init)(unsigned) = driverCall("cuInit");
  int (*Retain)(void **, int) = driverCall("cuDevicePrimaryCtxRetain");
  int (*SetCurrent)(void *) = driverCall("cuCtxSetCurrent");
  if (!Contexts[Device] && (Init(0) || Retain(&Contexts[Device], Device)))
    abort();
  SetCurrent(Contexts[Device]);
}

#define CALL(NAME, TYPES, ...)                                                 \
  begin();                                                                     \
  int(*Call) TYPES = driverCall(NAME);                                         \
  return Call(__VA_ARGS__)

int cudaMalloc(void **P, size_t Bytes) {
  CALL("cuMemAlloc", (void **, size_t), P, Bytes);
}
int cudaFree(void *P) { CALL("cuMemFree", (void *), P); }
int cudaMallocAsync(void **P, size_t Bytes, void *Stream) {
  CALL("cuMemAllocAsync", (void **, size_t, void *), P, Bytes, Stream);
}
int cudaFreeAsync(void *P, void *Stream) {
  CALL("cuMemFreeAsync", (void *, void *), P, Stream);
}
int cudaMemGetInfo(size_t *Free, size_t *Total) {
  CALL("cuMemGetInfo", (size_t *, size_t *), Free, Total);
}
int cudaStreamCreateWithPriority(void **Stream, unsigned Flags, int Priority) {
  CALL("cuStreamCreate", (void **, unsigned), Stream, Flags);
}
