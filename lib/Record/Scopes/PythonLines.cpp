// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source lines of Python frames.

#include "Scopes/PythonLines.h"
#include "Shared/SharedProcess.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace memkit;

/// Bounds each table.
static constexpr size_t MaxLines = 1 << 20;

static bool isOfTorch(StringRef File) {
  return File.contains("/torch/nn/") || File.contains("/torch/_") ||
         File.contains("/torch/autograd/") || File.contains("/torch/utils/") ||
         File.starts_with("<");
}

uint32_t PythonLines::lineOf(uint32_t Node) {
  if (auto It = Lines.find(Node); It != Lines.end())
    return It->second;
  uint32_t Line = find(Node);
  if (Lines.size() < MaxLines)
    Lines[Node] = Line;
  return Line;
}

uint32_t PythonLines::find(uint32_t Node) {
  for (uint32_t At = Node; At;) {
    SharedProcess::NodeInfo N;
    SharedProcess::CodeInfo C;
    SharedProcess::FunctionInfo F;
    std::string File, Function;
    if (!Shared.node(At, N) || N.isPair() || !Shared.code(N.Code, C) ||
        (C.Kind != wire::CodeKind::Python &&
         C.Kind != wire::CodeKind::PythonEntry) ||
        !Shared.function(C.Container, F) || !Shared.text(F.File, File) ||
        !Shared.text(F.Name, Function))
      break;
    if (!isOfTorch(File))
      return add(
          (sys::path::filename(File) + ":" + Twine(C.Address) + " " + Function)
              .str());
    At = N.Parent;
  }
  return 0;
}

uint32_t PythonLines::add(const std::string &Line) {
  if (auto Known = Ids.find(Line); Known != Ids.end())
    return Known->second;
  if (Texts.size() == MaxLines)
    return 0;
  Texts.push_back(Line);
  return Ids[Line] = uint32_t(Texts.size() - 1);
}
