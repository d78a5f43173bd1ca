// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens libmemrec-cuda.so for libmemrec.so.

#include "Cuda/Library.h"

#include "Cuda/Table.h"
#include "Runtime/Symbols.h"
#include "Runtime/Thread.h"

#include <cstring>
#include <dlfcn.h>

using namespace memkit;
using namespace memkit::capture;

bool cuda::libraryPath(char *To, size_t Room) {
  constexpr char File[] = "libmemrec-cuda.so";
  const char *Ours = Kept.preloadPath(), *Name = strrchr(Ours, '/');
  size_t Folder = Name ? size_t(Name - Ours) + 1 : 0;
  if (Folder + sizeof(File) > Room)
    return false;
  memcpy(To, Ours, Folder);
  memcpy(To + Folder, File, sizeof(File));
  return true;
}

void *cuda::libraryFunction(const char *Name) {
  char Path[4096 + 32];
  // The loader's allocations here are memkit's: not recorded.
  Quiet Q;
  void *L = libraryPath(Path, sizeof(Path))
                ? dlopen(Path, RTLD_NOW | RTLD_LOCAL)
                : nullptr;
  void *Use = L ? dlsym(L, "memrec_cuda_use") : nullptr;
  if (!Use) {
    dlerror();
    return nullptr;
  }
  // In a program that ran before, the library does not find this one's symbols.
  reinterpret_cast<void (*)(TableFn)>(Use)(memrec_cuda_table);
  return dlsym(L, Name);
}
