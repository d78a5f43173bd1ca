// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of a training in which code of PyTorch runs, by its frames.

#include "TorchPlaces.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;
using namespace memkit;

static TorchPlace placeOfFile(StringRef File, StringRef Function) {
  if (File.starts_with("optim/"))
    return TorchPlace::Optimizer;
  if (File.starts_with("autograd/") && Function == "_engine_run_backward")
    return TorchPlace::Backward;
  if (File == "nn/parameter.py" || File == "nn/init.py")
    return TorchPlace::Setup;
  if (!File.starts_with("nn/modules/"))
    return TorchPlace::Other;
  static constexpr StringLiteral SetupFunctions[] = {
      "__init__",        "_apply",
      "to_empty",        "__setstate__",
      "register_buffer", "reset_parameters",
      "load_state_dict", "_load_from_state_dict"};
  // Names may have their class.
  size_t Dot = Function.rfind('.');
  if (is_contained(SetupFunctions, Function.drop_front(Dot + 1)))
    return TorchPlace::Setup;
  return File == "nn/modules/module.py" && Function.ends_with("_call_impl")
             ? TorchPlace::Forward
             : TorchPlace::Other;
}

TorchPlace memkit::torchPlaceOf(StringRef File, StringRef Function) {
  if (Function.starts_with("torch::autograd::Engine::"))
    return TorchPlace::Backward;
  // The path of the package, also with the separators of Windows.
  size_t At = File.rfind("torch");
  if (At == StringRef::npos)
    return TorchPlace::Other;
  std::string Path = File.str();
  std::replace(Path.begin(), Path.end(), '\\', '/');
  At = StringRef(Path).rfind("/torch/");
  if (At == StringRef::npos)
    return TorchPlace::Other;
  return placeOfFile(StringRef(Path).drop_front(At + 7), Function);
}

TensorCategory memkit::categoryOf(const TorchTensorLife &L) {
  bool Knows = L.IsLive || L.HasFreed;
  if (L.InOptimizer && !L.IsLive)
    return L.OptimizerEnded ? TensorCategory::OptimizerState
                            : TensorCategory::Temporary;
  if (L.InOptimizer || L.Made == TorchPlace::Optimizer) {
    if (!Knows)
      return TensorCategory::Unknown;
    return L.IsLive || L.Freed != TorchPlace::Optimizer
               ? TensorCategory::OptimizerState
               : TensorCategory::Temporary;
  }
  if (!Knows)
    return TensorCategory::Unknown;
  switch (L.Made) {
  case TorchPlace::Setup:
    return L.IsLive ? TensorCategory::Parameter : TensorCategory::Unknown;
  case TorchPlace::Backward:
    return L.IsLive || L.Freed != TorchPlace::Backward
               ? TensorCategory::Gradient
               : TensorCategory::Temporary;
  case TorchPlace::Forward:
    if (L.IsLive || L.Freed == TorchPlace::Backward)
      return TensorCategory::Activation;
    return L.Freed == TorchPlace::Forward ? TensorCategory::Temporary
                                          : TensorCategory::Unknown;
  default:
    return TensorCategory::Unknown;
  }
}
