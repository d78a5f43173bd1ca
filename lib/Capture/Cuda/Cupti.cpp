// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens CUDA's driver and CUPTI.
//
// Runs once, in cuInit; may take its time.

#include "Cuda/Cupti.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <initializer_list>
#include <link.h>

// (libmemrec.so has such a definition of its own.)
MEMKIT_OLD(dlclose);

using namespace memkit::capture;
using namespace memkit::capture::cuda;

Driver cuda::Cuda;
__thread bool cuda::LooksUp;

template <typename Fn>
static bool find(void *Library, const char *Name, Fn *&To) {
  To = reinterpret_cast<Fn *>(dlsym(Library, Name));
  return To;
}

bool cuda::openDriver() {
  void *L = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (!L)
    return false;
  LooksUp = true;
  // On a divided device, version 2 gives the UUID of the instance.
  if (!find(L, "cuDeviceGetUuid_v2", Cuda.DeviceGetUuid))
    find(L, "cuDeviceGetUuid", Cuda.DeviceGetUuid);
  find(L, "cuDeviceGetName", Cuda.DeviceGetName);
  find(L, "cuDeviceGetPCIBusId", Cuda.DeviceGetPciBusId);
  find(L, "cuDeviceTotalMem_v2", Cuda.DeviceTotalMem);
  find(L, "cuDeviceGetAttribute", Cuda.DeviceGetAttribute);
  find(L, "cuDriverGetVersion", Cuda.DriverGetVersion);
  find(L, "cuMemGetInfo_v2", Cuda.MemGetInfo);
  find(L, "cuCtxGetCurrent", Cuda.CtxGetCurrent);
  find(L, "cuCtxGetDevice", Cuda.CtxGetDevice);
  find(L, "cuCtxSetCurrent", Cuda.CtxSetCurrent);
  find(L, "cuDeviceGetCount", Cuda.DeviceGetCount);
  find(L, "cuDevicePrimaryCtxRetain", Cuda.PrimaryCtxRetain);
  find(L, "cuDevicePrimaryCtxRelease_v2", Cuda.PrimaryCtxRelease);
  find(L, "cuDevicePrimaryCtxGetState", Cuda.PrimaryCtxGetState);
  find(L, "cuMemGetAddressRange_v2", Cuda.MemGetAddressRange);
  find(L, "cuMemPoolGetAttribute", Cuda.MemPoolGetAttribute);
  find(L, "cuDeviceGetMemPool", Cuda.DeviceGetMemPool);
  find(L, "cuDeviceGetGraphMemAttribute", Cuda.DeviceGetGraphMemAttribute);
  LooksUp = false;
  return true;
}

static void takeActivity(void *Library, CuptiActivity &To) {
  find(Library, "cuptiGetVersion", To.GetVersion);
  find(Library, "cuptiGetTimestamp", To.GetTimestamp);
  find(Library, "cuptiActivityRegisterCallbacks", To.RegisterCallbacks);
  find(Library, "cuptiActivityEnable", To.Enable);
  find(Library, "cuptiActivityDisable", To.Disable);
  find(Library, "cuptiActivityFlushAll", To.FlushAll);
  find(Library, "cuptiActivityGetNextRecord", To.GetNextRecord);
  find(Library, "cuptiActivityGetNumDroppedRecords", To.GetNumDropped);
}

static bool take(void *Library, Cupti &To) {
  if (!Library)
    return false;
  find(Library, "cuptiSubscribe_v2", To.SubscribeNamed);
  takeActivity(Library, To.Activity);
  if (find(Library, "cuptiSubscribe", To.Subscribe) &&
      find(Library, "cuptiUnsubscribe", To.Unsubscribe) &&
      find(Library, "cuptiEnableCallback", To.EnableCallback) &&
      find(Library, "cuptiGetDeviceId", To.GetDeviceId))
    return true;
  dlclose(Library);
  return false;
}

namespace {
constexpr unsigned MaxNames = 8;
/// File names of libcupti, newest first, no newer than the driver.
struct Names {
  char Text[MaxNames][24];
  unsigned Count = 0;

  void add(const char *Version) {
    if (Count != MaxNames)
      snprintf(Text[Count++], sizeof(Text[0]), "libcupti.so.%s", Version);
  }
  explicit Names(int Driver) {
    char Major[8];
    for (int V = Driver / 1000; V >= 12; --V) {
      snprintf(Major, sizeof(Major), "%d", V);
      add(Major);
    }
    // CUDA 11 has the year, or the minor number, in the file name.
    for (const char *Old : {"11.8", "11.7", "11.6", "11.5"})
      add(Old);
  }
};
} // namespace

/// Tries Folder/Name, for each name.
static bool tryFolder(const Names &N, const char *Folder, Cupti &To) {
  char Path[4096];
  for (unsigned I = 0; I != N.Count; ++I)
    if (size_t(snprintf(Path, sizeof(Path), "%s/%s", Folder, N.Text[I])) <
            sizeof(Path) &&
        take(dlopen(Path, RTLD_NOW | RTLD_LOCAL), To))
      return true;
  return false;
}

namespace {
struct Search {
  const Names &N;
  Cupti &To;
  bool Found = false;
};
} // namespace

/// Wheels have libcupti in the runtime's folder (13), or in a folder beside the
/// runtime's.
static int besideRuntime(dl_phdr_info *Info, size_t, void *Data) {
  auto &S = *static_cast<Search *>(Data);
  const char *Path = Info->dlpi_name;
  const char *Name = Path ? strrchr(Path, '/') : nullptr;
  if (!Name || strncmp(Name, "/libcudart.so", 13) != 0)
    return 0;
  char Folder[4096];
  int Bytes = int(Name - Path);
  for (const char *Rest :
       {"", "/../../cuda_cupti/lib", "/../extras/CUPTI/lib64"})
    if (size_t(snprintf(Folder, sizeof(Folder), "%.*s%s", Bytes, Path, Rest)) <
            sizeof(Folder) &&
        (S.Found = tryFolder(S.N, Folder, S.To)))
      return 1;
  return 0;
}

bool cuda::openCupti(Cupti &To) {
  int Version = 0;
  if (!Cuda.DriverGetVersion || Cuda.DriverGetVersion(&Version))
    return false;
  Names N(Version);
  for (int Flags : {RTLD_NOW | RTLD_NOLOAD, RTLD_NOW})
    for (unsigned I = 0; I != N.Count; ++I)
      if (take(dlopen(N.Text[I], Flags), To))
        return true;
  Search S{N, To};
  dl_iterate_phdr(besideRuntime, &S);
  if (S.Found)
    return true;
  char Folder[4096];
  for (const char *Home :
       {static_cast<const char *>(getenv("CUDA_HOME")), "/usr/local/cuda"})
    for (const char *Rest : {"extras/CUPTI/lib64", "lib64"})
      if (Home &&
          size_t(snprintf(Folder, sizeof(Folder), "%s/%s", Home, Rest)) <
              sizeof(Folder) &&
          tryFolder(N, Folder, To))
        return true;
  return false;
}
