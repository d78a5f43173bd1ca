// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks as text and JSON.

#include "StackText.h"
#include "Support/FunctionName.h"
#include "Support/Table.h"

using namespace llvm;

namespace memkit {

std::string frameText(const ShownFrame &F) {
  if (F.IsPython && !F.File.empty())
    return F.File.str() + (F.Line ? ":" + std::to_string(F.Line) : "") + " " +
           F.Function.str();
  std::string Text = F.Function.str();
  StringRef Place = F.File.empty() ? baseName(F.Binary) : F.File;
  if (Place.empty() || !F.FunctionId)
    return Text;
  Text += " (" + Place.str();
  if (!F.File.empty() && F.Line)
    Text += ":" + std::to_string(F.Line);
  return Text + ")";
}

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
    if (!Full) {
      if (!F.IsPython)
        F.Function = Name = shortFunctionName(F.Function);
      F.File = baseName(F.File);
    }
    std::string Text = frameText(F);
    OS << (Width > Indent ? shorten(Text, Width - Indent) : Text) << '\n';
  }
}

json::Value jsonText(StringRef Text) {
  return json::isUTF8(Text) ? json::Value(Text) : json::fixUTF8(Text);
}

json::Value jsonTextOrNull(StringRef Text) {
  return Text.empty() ? json::Value(nullptr) : jsonText(Text);
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
