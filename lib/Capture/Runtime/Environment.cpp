// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recorder's variables.

#include "Process.h"

#include <cstring>
#include <unistd.h>

using namespace memkit;
using namespace memkit::capture;

/// Copies \p Entry ("NAME=value") to \p To, if it fits. False: the entry has
/// another name.
static bool take(const char *Entry, const char *Name, char *To, size_t Room) {
  size_t N = strlen(Name);
  if (strncmp(Entry, Name, N) != 0 || Entry[N] != '=')
    return false;
  size_t All = strlen(Entry) + 1;
  if (All <= Room)
    memcpy(To, Entry, All);
  return true;
}

static void takeEntry(const char *Entry) {
  take(Entry, wire::SocketVar, Kept.Socket, sizeof(Kept.Socket)) ||
      take(Entry, wire::PreloadVar, Kept.Preload, sizeof(Kept.Preload)) ||
      take(Entry, wire::NvtxVar, Kept.Injections[0],
           sizeof(Kept.Injections[0])) ||
      take(Entry, wire::CudaVar, Kept.Injections[1],
           sizeof(Kept.Injections[1]));
}

/// Reads the kernel's copy of the environment, before libc has set environ.
/// Skips entries longer than the buffer, which cannot be memrec's.
static bool readKernelCopy() {
  int Fd = sys::open("/proc/self/environ", O_RDONLY);
  if (Fd < 0)
    return false;
  static char Buffer[8192];
  size_t Have = 0;
  bool Skipping = false;
  for (;;) {
    long N = sys::read(Fd, Buffer + Have, sizeof(Buffer) - Have);
    if (N <= 0)
      break;
    Have += size_t(N);
    size_t At = 0;
    while (auto *End = static_cast<char *>(memchr(Buffer + At, 0, Have - At))) {
      if (!Skipping)
        takeEntry(Buffer + At);
      Skipping = false;
      At = size_t(End - Buffer) + 1;
    }
    memmove(Buffer, Buffer + At, Have - At);
    Have -= At;
    if (Have == sizeof(Buffer)) {
      Skipping = true;
      Have = 0;
    }
  }
  sys::close(Fd);
  return true;
}

/// NVTX's variable names libmemrec.so, CUDA's libmemrec-cuda.so in the same
/// folder.
bool capture::isOurInjection(unsigned I, const char *Path) {
  const char *Ours = Kept.preloadPath();
  if (I == 0)
    return strcmp(Path, Ours) == 0;
  const char *Name = strrchr(Ours, '/');
  size_t Folder = Name ? size_t(Name - Ours) + 1 : 0;
  return strncmp(Path, Ours, Folder) == 0 &&
         strcmp(Path + Folder, "libmemrec-cuda.so") == 0;
}

bool capture::readEnvironment() {
  if (Kept.HasEnvironment)
    return true;
  memcpy(Kept.Socket, "MEMREC_SOCKET=", sizeof("MEMREC_SOCKET="));
  memcpy(Kept.Preload, "MEMREC_PRELOAD=", sizeof("MEMREC_PRELOAD="));
  for (unsigned I = 0; I != NumInjections; ++I) {
    memcpy(Kept.Injections[I], InjectionVars[I], sizeof(wire::NvtxVar));
    Kept.Injections[I][sizeof(wire::NvtxVar) - 1] = '=';
  }
  if (environ)
    for (char **E = environ; *E; ++E)
      takeEntry(*E);
  else if (!readKernelCopy())
    return false;
  for (unsigned I = 0; I != NumInjections; ++I)
    if (!isOurInjection(I, Kept.injectionPath(I)))
      Kept.Injections[I][sizeof(wire::NvtxVar)] = 0; // another tool's
  Kept.HasEnvironment = true;
  return true;
}
