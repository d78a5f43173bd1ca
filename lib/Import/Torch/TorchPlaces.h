// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of a training in which code of PyTorch runs, by its frames.

#ifndef MEMKIT_LIB_IMPORT_TORCHPLACES_H
#define MEMKIT_LIB_IMPORT_TORCHPLACES_H

#include "memkit/Trace/Categories.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <vector>

namespace memkit {

/// Of several frames of a stack the highest counts.
enum class TorchPlace : uint8_t {
  Other,
  Forward,   ///< a module is called
  Setup,     ///< a module is made or moved, a parameter is copied
  Backward,  ///< autograd's engine runs
  Optimizer, ///< torch.optim
};

TorchPlace torchPlaceOf(llvm::StringRef File, llvm::StringRef Function);

/// Places by number, of frames or of stacks. Memory: a byte for each number.
class TorchPlaceMap {
public:
  void set(uint32_t Id, TorchPlace P) {
    if (Places.size() <= Id)
      Places.resize(Id + size_t(1));
    Places[Id] = P;
  }
  TorchPlace get(uint32_t Id) const {
    return Id < Places.size() ? Places[Id] : TorchPlace::Other;
  }

private:
  std::vector<TorchPlace> Places;
};

/// What is known of a tensor when its life ends. The rules are memrec's, as far
/// as stacks tell: an import knows neither layers nor what a module holds.
struct TorchTensorLife {
  TorchPlace Made = TorchPlace::Other;
  /// Where the free ran; nothing is known if HasFreed is false.
  TorchPlace Freed = TorchPlace::Other;
  bool HasFreed = false; ///< frees have stacks of their own
  bool IsLive = false;   ///< at the end of the trace
  /// An optimizer's range was open at the allocation, and has ended since.
  bool InOptimizer = false, OptimizerEnded = false;
};
/// Unknown if the stacks do not tell.
TensorCategory categoryOf(const TorchTensorLife &L);

} // namespace memkit

#endif // MEMKIT_LIB_IMPORT_TORCHPLACES_H
