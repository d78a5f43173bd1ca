// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks as text and JSON.

#include "StackText.h"
#include "Support/FunctionName.h"
#include "Support/Table.h"

using namespace llvm;

namespace memkit {

void printStack(raw_ostream &OS, const Trace &T, uint32_t Stack,
                unsigned Indent, unsigned Width, bool Full) {
  printFrames(OS, T.shownStack(Stack), Indent, Width, Full);
}

void printFrames(raw_ostream &OS, ArrayRef<ShownFrame> Frames, unsigned Indent,
                 unsigned Width, bool Full) {
  const size_t Max = 24, Outermost = 4;
  size_t Skip = Full || Frames.size() <= Max ? 0 : Frames.size() - Max;
  for (size_t I = 0; I != Frames.size(); ++I) {
    OS.indent(Indent);
    if (Skip && I == Max - Outermost) {
      OS << "... " << Skip << " more frames (-v shows them) ...\n";
      OS.indent(Indent);
      I += Skip;
    }
    ShownFrame F = Frames[I];
    std::string Name;
    if (!Full && !F.IsPython)
      F.Function = Name = shortFunctionName(F.Function);
    std::string Text = frameText(F, Full ? FP_Path | FP_Binary : FP_Binary);
    OS << (Width > Indent ? shorten(Text, Width - Indent) : Text) << '\n';
  }
}

void writeStack(json::OStream &J, const Trace &T, uint32_t Stack) {
  writeFrames(J, T.shownStack(Stack));
}

void writeFrames(json::OStream &J, ArrayRef<ShownFrame> Frames) {
  J.array([&] {
    for (const ShownFrame &F : Frames)
      J.object([&] {
        J.attribute("function", jsonText(F.Function));
        J.attribute("file", jsonTextOrNull(F.File));
        J.attribute("line",
                    F.Line ? json::Value(F.Line) : json::Value(nullptr));
        J.attribute("binary", jsonTextOrNull(F.Binary));
      });
  });
}

} // namespace memkit
