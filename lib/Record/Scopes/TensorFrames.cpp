// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the code that makes a tensor, by Python frames.

#include "Scopes/TensorFrames.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>

using namespace llvm;
using namespace memkit;

/// Whether the function is called Name, in any class.
static bool isCalled(StringRef Function, StringRef Name) {
  return Function.consume_back(Name) &&
         (Function.empty() || Function.ends_with("."));
}

MadeBy memkit::madeByFrame(StringRef File, StringRef Function) {
  size_t At = File.rfind("/torch/");
  if (At == StringRef::npos)
    return MadeBy::Unknown;
  File = File.drop_front(At + 7);
  if (File == "nn/init.py")
    return MadeBy::Initializer;
  if (File == "nn/parameter.py")
    return MadeBy::Module;
  if (File.starts_with("nn/modules/")) {
    if (isCalled(Function, "load_state_dict") ||
        isCalled(Function, "_load_from_state_dict"))
      return MadeBy::Loading;
    for (StringRef Name : {"__init__", "_apply", "to_empty", "__setstate__",
                           "register_buffer", "reset_parameters"})
      if (isCalled(Function, Name))
        return MadeBy::Module;
  }
  if (File.starts_with("optim/"))
    return MadeBy::Optimizer;
  if (File == "nn/parallel/distributed.py")
    return isCalled(Function, "forward") ? MadeBy::Unknown : MadeBy::Buckets;
  if (File == "autograd/__init__.py")
    return MadeBy::BackwardCall;
  return MadeBy::Unknown;
}

MadeBy TensorFrames::ofCode(uint32_t Code) {
  if (const uint8_t *Known = Codes.find(Code); Known && *Known)
    return MadeBy(*Known - 1);
  SharedProcess::CodeInfo C;
  SharedProcess::FunctionInfo F;
  std::string File, Name;
  if (!Shared.code(Code, C))
    return MadeBy::Unknown;
  MadeBy By = MadeBy::Unknown;
  if ((C.Kind == wire::CodeKind::Python ||
       C.Kind == wire::CodeKind::PythonEntry) &&
      Shared.function(C.Container, F) && Shared.text(F.File, File) &&
      Shared.text(F.Name, Name))
    By = madeByFrame(File, Name);
  Codes.get(Code) = uint8_t(By) + 1;
  return By;
}

/// Of several frames the lowest MadeBy counts: an initializer runs while a
/// module is made.
MadeBy TensorFrames::ofPython(uint32_t Node) {
  SmallVector<uint32_t, 64> Path;
  MadeBy By = MadeBy::Unknown;
  SharedProcess::NodeInfo N;
  for (; Node; Node = N.Parent) {
    if (const uint8_t *Known = Nodes.find(Node); Known && *Known) {
      By = MadeBy(*Known - 1);
      break;
    }
    if (!Shared.node(Node, N) || N.isPair())
      break;
    Path.push_back(Node);
  }
  for (uint32_t At : reverse(Path)) {
    Shared.node(At, N);
    MadeBy Here = ofCode(N.Code);
    if (Here != MadeBy::Unknown && (By == MadeBy::Unknown || Here < By))
      By = Here;
    Nodes.get(At) = uint8_t(By) + 1;
  }
  return By;
}

MadeBy TensorFrames::of(uint32_t Node) {
  SharedProcess::NodeInfo N;
  if (!Node || !Shared.node(Node, N))
    return MadeBy::Unknown;
  return ofPython(N.isPair() ? N.python() : Node);
}
