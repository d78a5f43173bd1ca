// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PyTorch's allocator of CUDA memory.

#include "CudaAllocator.h"

#include "Runtime/Symbols.h"
#include "Runtime/Syscall.h"
#include "Stacks/Loader.h"
#include "VirtualTable.h"

#include <cstring>
#include <link.h>

using namespace memkit;
using namespace memkit::capture;

namespace {
/// PyTorch 2.Minor: the number of virtual functions of the caching allocator,
/// and the index of the function that attaches a tracker. From PyPI's build of
/// each version; docs/Gpu.md has the procedure.
struct KnownVersion {
  uint8_t Minor, Functions, Attach;
};
constexpr KnownVersion KnownVersions[] = {
    {2, 32, 26},  {3, 34, 28},  {4, 34, 28},  {5, 36, 30},  {6, 41, 35},
    {7, 41, 35},  {8, 44, 38},  {9, 45, 39},  {10, 50, 44}, {11, 50, 44},
    {12, 52, 46}, {13, 55, 48}, {14, 57, 50}, {15, 57, 50}};
constexpr uint8_t FirstWithPools = 8;
constexpr unsigned MaxFunctions = 96;

constexpr char Native[] =
    "N3c104cuda20CUDACachingAllocator6Native22NativeCachingAllocatorE";
constexpr char Pool[] = "N3c104cuda20CUDACachingAllocator15CudaMallocAsync24"
                        "CudaMallocAsyncAllocatorE";
} // namespace

static bool findObject(const void *P, FoundObject &O) {
  return Loader.find(uintptr_t(P), O);
}

static uint32_t readNumber(const char *&At) {
  uint32_t N = 0;
  for (; *At >= '0' && *At <= '9' && N < 1000; ++At)
    N = N * 10 + uint32_t(*At - '0');
  return N;
}

/// The minor number of a version 2.x that follows \p Before in a file; 0: none.
static uint32_t minorIn(const char *Folder, size_t FolderSize, const char *File,
                        const char *Before) {
  char Path[4096], Text[2048];
  if (FolderSize + strlen(File) >= sizeof(Path))
    return 0;
  memcpy(Path, Folder, FolderSize);
  strcpy(Path + FolderSize, File);
  int Fd = sys::open(Path, O_RDONLY);
  if (Fd < 0)
    return 0;
  long Size = sys::read(Fd, Text, sizeof(Text) - 1);
  sys::close(Fd);
  if (Size <= 0)
    return 0;
  Text[Size] = 0;
  const char *At = strstr(Text, Before);
  if (!At)
    return 0;
  At += strlen(Before);
  if (readNumber(At) != 2 || *At != '.')
    return 0;
  return readNumber(++At);
}

/// The minor version of PyTorch beside the library of \p Symbol, 0: unknown. A
/// Python package has the version in version.py, the C++ distribution in
/// build-version.
static uint32_t findMinor(const void *Symbol) {
  FoundObject O;
  if (!findObject(Symbol, O))
    return 0;
  const char *Library = static_cast<link_map *>(O.LinkMap)->l_name;
  const char *Slash = strrchr(Library, '/');
  if (!Slash)
    return 0;
  size_t Size = size_t(Slash - Library);
  uint32_t Minor = minorIn(Library, Size, "/../version.py", "__version__ = '");
  return Minor ? Minor : minorIn(Library, Size, "/../build-version", "");
}

/// The variable with the allocator in use, and the library's own. An executable
/// that refers to the variable has a copy, and PyTorch uses the copy.
static std::atomic<void **> Variable, InLibrary;

void capture::lookUpCudaAllocator() {
  static constexpr char Name[] =
      "_ZN3c104cuda20CUDACachingAllocator9allocatorE";
  if (Variable.load(std::memory_order_acquire))
    return;
  auto *Own = static_cast<void **>(symbolOfLoaded("libc10_cuda.so", Name));
  if (!Own)
    return;
  auto *Global = static_cast<void **>(globalSymbol(Name));
  InLibrary.store(Own, std::memory_order_release);
  Variable.store(Global ? Global : Own, std::memory_order_release);
}

CudaAllocator capture::findCudaAllocator() {
  using wire::CudaState;
  CudaAllocator A = {CudaState::NoTracker, nullptr, nullptr, false};
  lookUpCudaAllocator();
  void **Slot = Variable.load(std::memory_order_acquire);
  A.Object = Slot ? *Slot : nullptr;
  if (!A.Object)
    return A;
  auto *Functions = *static_cast<void ***>(A.Object);
  const char *Class = className(Functions);
  if (strcmp(Class, Native)) {
    A.Is = strcmp(Class, Pool) ? CudaState::OtherAllocator : CudaState::Pool;
    return A;
  }
  uint32_t Minor = findMinor(InLibrary.load(std::memory_order_acquire));
  if (Minor == 1) // 2.1 has the object but no tracker
    return A;
  A.Is = CudaState::UnknownVersion;
  for (const KnownVersion &V : KnownVersions) {
    if (V.Minor != Minor)
      continue;
    unsigned N = countFunctions(Functions, MaxFunctions);
    A.Is = N == V.Functions ? CudaState::Tracked : CudaState::OtherLayout;
    A.AttachTracker =
        reinterpret_cast<void (*)(void *, void *)>(Functions[V.Attach]);
    A.HasPools = Minor >= FirstWithPools;
  }
  return A;
}
