// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzes the model of PyTorch's allocator.
//
// The first byte of the input chooses the settings, the second the device; the
// rest are requests. After each request the sums must agree with each other,
// and in the end everything can be given back.

#include "Simulate/TorchSettings.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace memkit;
using namespace llvm;

static void require(bool Holds, const char *What) {
  if (Holds)
    return;
  errs() << What << '\n';
  abort();
}

namespace {
class AllocatorRun {
public:
  AllocatorRun(const TorchConfig &C, uint64_t Device)
      : A(C, Device), Device(Device) {
    for (uint32_t Pool : {0, 0, 1, 2})
      A.addStream(Pool);
  }
  /// A request: an operation, and three bytes.
  void take(const uint8_t *At) {
    constexpr uint8_t NumOps = 12;
    switch (At[0] % NumOps) {
    case 0:
      A.emptyCache();
      break;
    case 1:
      A.setBusy(At[1] & 1);
      break;
    case 2:
      A.setCapturing(At[1] & 1);
      break;
    case 3:
      A.releasePool(At[1] % 4);
      break;
    case 4:
      if (!Live.empty())
        A.use(Live[At[1] % Live.size()]);
      break;
    case 5:
    case 6:
    case 7:
      freeOne(At[1] | unsigned(At[2]) << 8);
      break;
    default:
      allocate(At);
    }
    check();
  }
  void finish() {
    A.setCapturing(false);
    A.setBusy(false);
    while (!Live.empty())
      freeOne(0);
    for (uint32_t Pool : {1, 2})
      A.releasePool(Pool);
    A.emptyCache();
    require(A.stats().Reserved == 0 && A.stats().Allocated == 0,
            "something is left");
  }

private:
  /// Sizes of all orders: five bits of exponent, eleven of the rest.
  void allocate(const uint8_t *At) {
    uint64_t Bits = At[1] | unsigned(At[2]) << 8;
    uint64_t Bytes = (Bits >> 5) << (Bits & 31);
    if (uint32_t Block = A.allocate(Bytes, At[3] % 4);
        Block != TorchAllocator::NoBlock) {
      require(A.blockBytes(Block) >= Bytes, "a block that is too small");
      Live.push_back(Block);
    }
  }
  void freeOne(unsigned Which) {
    if (Live.empty())
      return;
    std::swap(Live[Which % Live.size()], Live.back());
    A.free(Live.back());
    Live.pop_back();
  }
  void check() const {
    const TorchStats &S = A.stats();
    require(S.Reserved <= Device, "more than the device has");
    require(S.Allocated + S.Waiting <= S.Reserved,
            "more allocated than reserved");
    require(A.largestFree() <= S.Reserved - S.Allocated - S.Waiting,
            "a hole larger than all holes");
    uint64_t Sum = 0;
    for (uint32_t Block : Live)
      Sum += A.blockBytes(Block);
    require(Sum == S.Allocated, "the live blocks are not the allocated bytes");
  }

  TorchAllocator A;
  const uint64_t Device;
  std::vector<uint32_t> Live;
};
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  static const std::vector<TorchConfig> Configs = torchConfigsToTry(true);
  constexpr size_t Head = 2, RequestBytes = 4, MaxRequests = 4096;
  if (Size < Head)
    return 0;
  uint64_t Device =
      Data[1] & 1 ? TorchAllocator::Unlimited : uint64_t(Data[1] + 1) << 24;
  AllocatorRun Run(Configs[Data[0] % Configs.size()], Device);
  size_t End = std::min(Size, Head + MaxRequests * RequestBytes);
  for (size_t At = Head; At + RequestBytes <= End; At += RequestBytes)
    Run.take(Data + At);
  Run.finish();
  return 0;
}
