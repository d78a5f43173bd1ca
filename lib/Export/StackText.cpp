// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks as text and JSON.

#include "StackText.h"
#include "Support/FunctionName.h"
#include "Support/Table.h"
#include "llvm/ADT/BitVector.h"

using namespace llvm;

namespace memkit {

void printStack(raw_ostream &OS, const Trace &T, uint32_t Stack,
                unsigned Indent, unsigned Width, bool Full) {
  printFrames(OS, T.shownStack(Stack), Indent, Width, Full);
}

/// Which frames of a long stack to leave out, so that Max stay: native frames
/// between the Innermost and the Outermost first, from the inside out, then
/// others from there.
static BitVector leftOut(ArrayRef<ShownFrame> Frames) {
  constexpr size_t Max = 24, Innermost = 8, Outermost = 4;
  BitVector Out(Frames.size());
  size_t Count = Frames.size() <= Max ? 0 : Frames.size() - Max;
  for (bool Python : {false, true})
    for (size_t I = Innermost; Count && I + Outermost < Frames.size(); ++I)
      if (Frames[I].IsPython == Python && !Out.test(I)) {
        Out.set(I);
        --Count;
      }
  return Out;
}

void printFrames(raw_ostream &OS, ArrayRef<ShownFrame> Frames, unsigned Indent,
                 unsigned Width, bool Full) {
  BitVector Out = Full ? BitVector(Frames.size()) : leftOut(Frames);
  for (size_t I = 0; I != Frames.size(); ++I) {
    OS.indent(Indent);
    if (Out.test(I)) {
      size_t Begin = I;
      while (I + 1 != Frames.size() && Out.test(I + 1))
        ++I;
      OS << "... " << I + 1 - Begin << " more "
         << (I == Begin ? "frame" : "frames") << " (-v) ...\n";
      continue;
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

void writePlace(json::OStream &J, const Places &Of, const Place &P) {
  J.attribute("kind", placeKindName(P.Kind));
  J.attribute("text", jsonText(Of.text(P)));
  J.attribute("name", jsonText(P.Name));
  J.attribute("file", jsonTextOrNull(P.File));
  J.attribute("line", P.Line ? json::Value(P.Line) : nullptr);
  J.attribute("source", jsonTextOrNull(P.Source));
}

} // namespace memkit
