// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The depth of the stack at which a scope was entered.

#include "Scopes/ScopeDepth.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;
using wire::CodeKind;

uint32_t ScopeDepth::at(uint32_t Node, bool InPackage) {
  uint64_t Key = uint64_t(Node) << 1 | InPackage;
  if (auto It = Known.find(Key); It != Known.end())
    return It->second;
  if (Known.size() == MaxKnown)
    Known.clear();
  return Known[Key] = count(Node, InPackage);
}

ScopeDepth::CodePath ScopeDepth::path(uint32_t Node) {
  CodePath Out;
  SharedProcess::NodeInfo Info;
  SharedProcess::CodeInfo Code;
  // A parent's id is below its child's, so the loop ends.
  for (; Node && Shared.node(Node, Info) && !Info.isPair(); Node = Info.Parent)
    Out.push_back(Shared.code(Info.Code, Code)
                      ? Code
                      : SharedProcess::CodeInfo{0, 0, CodeKind::Native});
  return Out;
}

/// Whether C is a frame of python/memkit/_scope.py.
bool ScopeDepth::isPackage(const SharedProcess::CodeInfo &C) {
  SharedProcess::FunctionInfo F;
  std::string File;
  return Shared.function(C.Container, F) && Shared.text(F.File, File) &&
         StringRef(File).ends_with("memkit/_scope.py");
}

uint32_t ScopeDepth::count(uint32_t Node, bool InPackage) {
  SharedProcess::NodeInfo Info;
  if (!Shared.node(Node, Info))
    return 0;
  if (!Info.isPair())
    return uint32_t(path(Node).size());
  CodePath Native = path(Info.Parent), Python = path(Info.python());
  size_t Own = 0;
  if (InPackage)
    while (Own != Python.size() && isPackage(Python[Own]))
      ++Own;
  size_t Runs = count_if(drop_begin(Python, Own), [](const auto &C) {
    return C.Kind == CodeKind::PythonEntry;
  });
  // Count native frames from the outermost inwards; with InPackage, only up to
  // the evaluator of the last Python entry. Python frames replace the
  // evaluators.
  size_t Outside = 0, Evaluators = 0;
  for (const SharedProcess::CodeInfo &C : reverse(Native)) {
    if (C.Kind != CodeKind::Evaluator)
      ++Outside;
    else if (++Evaluators == Runs && InPackage)
      break;
    else if (Evaluators > Runs)
      ++Outside;
  }
  return uint32_t(Outside + Python.size() - Own);
}
