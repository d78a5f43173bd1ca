// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A frame in words.

#include "FrameText.h"

using namespace llvm;

namespace memkit {

std::string frameText(const ShownFrame &F, unsigned Place) {
  StringRef File = Place & FP_Path ? F.File : baseName(F.File);
  std::string Line = F.Line ? ":" + std::to_string(F.Line) : "";
  if (F.IsPython && !File.empty())
    return File.str() + Line + " " + F.Function.str();
  if (!F.FunctionId)
    return F.Function.str();
  if (!File.empty())
    return F.Function.str() + " (" + File.str() + Line + ")";
  StringRef Binary = Place & FP_Binary ? baseName(F.Binary) : StringRef();
  return F.Function.str() + (Binary.empty() ? "" : " (" + Binary.str() + ")");
}

} // namespace memkit
