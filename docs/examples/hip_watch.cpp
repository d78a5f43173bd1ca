// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tells memrec of the memory of a GPU whose driver memkit does not know: here
// the functions of AMD's HIP. A driver with other names needs these lines with
// its names.
//
//     g++ -shared -fPIC -O2 -o libhip_watch.so hip_watch.cpp
//     LD_PRELOAD=./libhip_watch.so memrec -- ./program
//
// Each function is in front of the driver's own, calls it, and reports the
// block with the line that asked for it. Each device is sampled by the
// interval of memrec --device-interval, whenever memory is taken or given back.

#include <dlfcn.h>
#include <memkit/memkit.h>

#include <cstdio>
#include <map>
#include <mutex>

using Result = int; // hipError_t; 0: success
using Stream = void *;

/// The driver's function of this name, which comes behind this library's.
template <class Function> static Function *driver(const char *Name) {
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, Name));
}

namespace {
constexpr int MaxDevices = 16;
struct Device {
  char Name[16];
  bool IsWatched = false;
};

/// The devices and the device of each block.
class Devices {
public:
  /// Block is on the current device from now on.
  void add(void *Block, size_t Bytes);
  /// To be called before the driver frees the block: another thread may get
  /// its address at once.
  void remove(void *Block);

private:
  std::mutex Lock;
  Device All[MaxDevices];
  std::map<void *, int> Of;
};
} // namespace

static Devices &devices() {
  static auto *D = new Devices; // lives longer than the last block
  return *D;
}

static int current() {
  static auto *Get = driver<Result(int *)>("hipGetDevice");
  int Number = 0;
  return Get && !Get(&Number) ? Number : 0;
}

/// As the driver says of the current device: a sample of another device comes
/// when that one is current.
static int sample(void *Number, memkit_sample *To) {
  static auto *Ask = driver<Result(size_t *, size_t *)>("hipMemGetInfo");
  size_t Free, Total;
  if (*static_cast<int *>(Number) != current() || !Ask || Ask(&Free, &Total))
    return 0;
  To->used = Total - Free;
  To->total = Total;
  return 1;
}

void Devices::add(void *Block, size_t Bytes) {
  static int Numbers[MaxDevices];
  int Number = current();
  if (!Block || Number < 0 || Number >= MaxDevices)
    return;
  std::lock_guard Guard(Lock);
  Device &D = All[Number];
  if (!D.IsWatched) {
    D.IsWatched = true;
    Numbers[Number] = Number;
    snprintf(D.Name, sizeof(D.Name), "hip:%d", Number);
    memkit_register_collector(D.Name, sample, &Numbers[Number]);
  }
  Of[Block] = Number;
  memkit_device_allocated(D.Name, "driver", reinterpret_cast<uintptr_t>(Block),
                          Bytes);
  memkit_collect();
}

void Devices::remove(void *Block) {
  std::lock_guard Guard(Lock);
  auto At = Of.find(Block);
  if (At == Of.end())
    return;
  memkit_device_freed(All[At->second].Name, "driver",
                      reinterpret_cast<uintptr_t>(Block));
  Of.erase(At);
}

namespace {
/// A driver may call its functions by their names: the outermost call counts.
struct Call {
  Call() { ++Depth; }
  ~Call() { --Depth; }
  static bool isOutermost() { return Depth == 1; }
  static thread_local int Depth;
};
thread_local int Call::Depth = 0;
} // namespace

/// Allocates by the driver's function, and reports the block.
template <class Function, class... More>
static Result allocate(Function *Own, void **Block, size_t Bytes, More... M) {
  Call C;
  Result R = Own(Block, Bytes, M...);
  if (!R && Call::isOutermost())
    devices().add(*Block, Bytes);
  return R;
}

/// Frees by the driver's function.
template <class Function, class... More>
static Result release(Function *Own, void *Block, More... M) {
  Call C;
  if (Call::isOutermost())
    devices().remove(Block);
  Result R = Own(Block, M...);
  memkit_collect();
  return R;
}

extern "C" {
Result hipMalloc(void **Block, size_t Bytes) {
  static auto *Own = driver<Result(void **, size_t)>("hipMalloc");
  return allocate(Own, Block, Bytes);
}

Result hipFree(void *Block) {
  static auto *Own = driver<Result(void *)>("hipFree");
  return release(Own, Block);
}

Result hipMallocAsync(void **Block, size_t Bytes, Stream S) {
  static auto *Own = driver<Result(void **, size_t, Stream)>("hipMallocAsync");
  return allocate(Own, Block, Bytes, S);
}

Result hipFreeAsync(void *Block, Stream S) {
  static auto *Own = driver<Result(void *, Stream)>("hipFreeAsync");
  return release(Own, Block, S);
}
}
