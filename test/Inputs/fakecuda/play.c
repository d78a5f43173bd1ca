// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls CUDA's driver as a text says, a line a call; what begins with "device" is the fake
// driver's (script.c), and with "#" nobody's. It finds the driver as the runtime does.
//
//   init                 cuInit
//   context C DEVICE     makes a context, and works in it
//   primary C DEVICE     the same with the device's own
//   use C|none           works in it
//   destroy C            its end; release DEVICE, reset DEVICE: of a device's own
//   alloc X BYTES        cuMemAlloc; managed, host, async: the others
//   free X               cuMemFree; freehost, freeasync; X may be a number, and be freed twice
//   many N BYTES         so many blocks that stay
//   pairs ROUNDS BYTES   cuMemAlloc and cuMemFree, 1,000 times a round: says on stdout what
//                        a pair takes of the processor in the fastest round; asyncs: the
//                        others, waits: a wait for the context
//   storm N ROUNDS BYTES threads that allocate and free
//   pause MS             as long
//   fork                 what follows is a child's, up to "done"
//   exit STATUS          at once, without a word to the driver
//
// A call that fails ends the program, unless the line begins with its error's number.
#define _GNU_SOURCE
#include <cuda.h>
#include <ctype.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef LINKED
#define CALL(NAME) (&NAME)
static bool openDriver(void) { return true; }
#else
static CUresult (*GetProcAddress)(const char *, void **, int, cuuint64_t, CUdriverProcAddressQueryResult *);
static void *find(const char *Name) {
  void *P = NULL;
  // Names of the headers may have a version.
  char Text[64];
  snprintf(Text, sizeof(Text), "%.*s", (int)(strstr(Name, "_v") ? strstr(Name, "_v") - Name : 60), Name);
  GetProcAddress(Text, &P, 13000, CU_GET_PROC_ADDRESS_DEFAULT, NULL);
  return P;
}
#define QUOTED(NAME) #NAME
#define CALL(NAME) ((typeof(&NAME))find(QUOTED(NAME)))
static bool openDriver(void) {
  void *Library = dlopen("libcuda.so.1", RTLD_NOW);
  if (Library)
    GetProcAddress = (typeof(GetProcAddress))dlsym(Library, "cuGetProcAddress_v2");
  return GetProcAddress;
}
#endif

// What a name stands for.
static struct {
  char Name[32];
  uintptr_t Is;
} Names[256];
static uintptr_t *named(const char *Name) {
  for (int I = 0; I != 256; ++I)
    if (!*Names[I].Name || !strcmp(Names[I].Name, Name)) {
      strncpy(Names[I].Name, Name, 31);
      return &Names[I].Is;
    }
  abort();
}
static uintptr_t valueOf(const char *Text) {
  return isdigit((unsigned char)*Text) ? strtoull(Text, NULL, 0) : *named(Text);
}

static size_t bytes(const char *Text) {
  char *End;
  size_t N = strtoull(Text, &End, 0);
  return *End == 'K' ? N << 10 : *End == 'M' ? N << 20 : *End == 'G' ? N << 30 : N;
}

static CUresult context(uintptr_t *To, int Device) {
  return CALL(cuCtxCreate)((CUcontext *)To, NULL, 0, Device);
}
static CUresult primary(uintptr_t *To, int Device) {
  CUresult R = CALL(cuDevicePrimaryCtxRetain)((CUcontext *)To, Device);
  return R ? R : CALL(cuCtxSetCurrent)((CUcontext)*To);
}

static CUresult many(int N, size_t Bytes) {
  CUdeviceptr P;
  typeof(&cuMemAlloc) Alloc = CALL(cuMemAlloc);
  CUresult R = CUDA_SUCCESS;
  for (int I = 0; I != N && !R; ++I)
    R = Alloc(&P, Bytes);
  return R;
}

static struct {
  CUcontext Of;
  int Rounds;
  size_t Bytes;
  CUresult Result;
} Storm;
static void *storm(void *Data) {
  typeof(&cuMemAlloc) Alloc = CALL(cuMemAlloc);
  typeof(&cuMemFree) Free = CALL(cuMemFree);
  CALL(cuCtxSetCurrent)(Storm.Of);
  for (int I = 0; I != Storm.Rounds; ++I) {
    CUdeviceptr P;
    CUresult R = Alloc(&P, Storm.Bytes);
    R = R ? R : Free(P);
    Storm.Result = R ? R : Storm.Result;
  }
  return NULL;
}
static CUresult storms(int N, int Rounds, size_t Bytes) {
  pthread_t T[64];
  CALL(cuCtxGetCurrent)(&Storm.Of);
  Storm.Rounds = Rounds;
  Storm.Bytes = Bytes;
  for (int I = 0; I != N && I != 64; ++I)
    pthread_create(&T[I], NULL, storm, NULL);
  for (int I = 0; I != N && I != 64; ++I)
    pthread_join(T[I], NULL);
  return Storm.Result;
}

static double now(void) {
  struct timespec T;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &T);
  return (double)T.tv_sec * 1e9 + (double)T.tv_nsec;
}
static CUresult pairs(int Rounds, size_t Bytes, char Which) {
  typeof(&cuMemAlloc) Alloc = CALL(cuMemAlloc);
  typeof(&cuMemFree) Free = CALL(cuMemFree);
  typeof(&cuMemAllocAsync) AllocAsync = CALL(cuMemAllocAsync);
  typeof(&cuMemFreeAsync) FreeAsync = CALL(cuMemFreeAsync);
  typeof(&cuCtxSynchronize) Wait = CALL(cuCtxSynchronize);
  CUdeviceptr P;
  CUresult R = CUDA_SUCCESS;
  double Min = 1e18;
  for (int I = 0; I != Rounds && !R; ++I) {
    double Begin = now();
    for (int J = 0; J != 1000 && !R; ++J) {
      R = Which == 'p' ? Alloc(&P, Bytes) : Which == 'a' ? AllocAsync(&P, Bytes, NULL) : Wait();
      if (!R && Which != 'w')
        R = Which == 'p' ? Free(P) : FreeAsync(P, NULL);
    }
    double Took = (now() - Begin) / 1000;
    Min = Took < Min ? Took : Min;
  }
  printf("%.1f ns\n", Min);
  return R;
}

// Whether the line is the process's: a child's are those up to "done".
static pid_t Child = -1;
static bool isOurs(const char *Word) {
  if (!strcmp(Word, "done")) {
    if (!Child)
      _exit(0);
    waitpid(Child, NULL, 0);
    Child = -1;
    return false;
  }
  return Child <= 0;
}

static CUresult play(const char *Word, const char *A, const char *B, const char *C) {
  CUdeviceptr *To = (CUdeviceptr *)named(A);
#define IS(WORD) if (!strcmp(Word, WORD)) return
  IS("init") CALL(cuInit)(0);
  IS("context") context(named(A), atoi(B));
  IS("primary") primary(named(A), atoi(B));
  IS("use") CALL(cuCtxSetCurrent)(strcmp(A, "none") ? (CUcontext)valueOf(A) : NULL);
  IS("destroy") CALL(cuCtxDestroy)((CUcontext)valueOf(A));
  IS("release") CALL(cuDevicePrimaryCtxRelease)(atoi(A));
  IS("reset") CALL(cuDevicePrimaryCtxReset)(atoi(A));
  IS("alloc") CALL(cuMemAlloc)(To, bytes(B));
  IS("managed") CALL(cuMemAllocManaged)(To, bytes(B), CU_MEM_ATTACH_GLOBAL);
  IS("host") CALL(cuMemHostAlloc)((void **)To, bytes(B), 0);
  IS("async") CALL(cuMemAllocAsync)(To, bytes(B), NULL);
  IS("free") CALL(cuMemFree)(valueOf(A));
  IS("freehost") CALL(cuMemFreeHost)((void *)valueOf(A));
  IS("freeasync") CALL(cuMemFreeAsync)(valueOf(A), NULL);
  IS("many") many(atoi(A), bytes(B));
  IS("storm") storms(atoi(A), atoi(B), bytes(C));
  if (!strcmp(Word, "pairs") || !strcmp(Word, "asyncs") || !strcmp(Word, "waits"))
    return pairs(atoi(A), bytes(B), *Word);
  IS("pause") (CUresult)usleep((unsigned)atoi(A) * 1000);
  if (!strcmp(Word, "fork"))
    Child = fork();
  else if (!strcmp(Word, "exit"))
    _exit(atoi(A));
  else {
    fprintf(stderr, "play: what is '%s'?\n", Word);
    exit(2);
  }
  return CUDA_SUCCESS;
}

int main(int Argc, char **Argv) {
  FILE *File = Argc > 1 ? fopen(Argv[1], "r") : NULL;
  if (!File || !openDriver()) {
    fprintf(stderr, "play: no %s\n", File ? "driver" : "text");
    return 2;
  }
  char Line[256], Word[32], A[32], B[32], C[32];
  while (fgets(Line, sizeof(Line), File)) {
    int Code = 0, From = 0;
    *Word = *A = *B = *C = 0;
    sscanf(Line, "%d %n", &Code, &From);
    if (sscanf(Line + From, "%31s %31s %31s %31s", Word, A, B, C) < 1 || *Word == '#' || !strcmp(Word, "device") ||
        !isOurs(Word))
      continue;
    CUresult R = play(Word, *A ? A : "-", B, C);
    if ((int)R == Code)
      continue;
    fprintf(stderr, "play: %d: %s", (int)R, Line);
    return 1;
  }
  return 0;
}
