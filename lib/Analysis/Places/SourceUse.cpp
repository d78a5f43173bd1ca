// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory by the lines of a file of source, or of a function.

#include "memkit/Analysis/SourceUse.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include <map>

using namespace llvm;

namespace memkit {

/// Whether Path is Name, or ends in it behind Separator.
static bool endsIn(StringRef Path, StringRef Name, char Separator) {
  return Path.ends_with(Name) &&
         (Path.size() == Name.size() ||
          Path[Path.size() - Name.size() - 1] == Separator);
}

/// `forward` and `Net.forward` of `Net.forward`; `fill` and `Cache::fill` of
/// `ns::Cache::fill(int)`.
static bool isFunction(StringRef Function, StringRef Name) {
  StringRef Plain = Function.take_until([](char C) { return C == '('; });
  return endsIn(Plain, Name, '.') || endsIn(Plain, Name, ':');
}

namespace {
/// What the lines of a file hold in a memory space.
struct FileUse {
  uint64_t PeakBytes = 0;
  std::map<uint32_t, LineUse> Lines;
  uint32_t File = 0; ///< its name's string; 0: not known
};

class SourceUses {
public:
  SourceUses(const SelectedStats &S, StringRef Name, bool OfFunctions)
      : S(S), T(S.trace()), Name(Name), OfFunctions(OfFunctions) {}

  std::vector<SourceUse> read();

private:
  bool isAsked(const ShownFrame &F) const {
    return F.Line && !F.File.empty() &&
           (OfFunctions ? isFunction(F.Function, Name)
                        : endsIn(F.File, Name, '/'));
  }
  void add(const StackStats &R);

  const SelectedStats &S;
  const Trace &T;
  StringRef Name;
  bool OfFunctions;
  std::map<std::pair<StringRef, uint32_t>, FileUse> Files; ///< by space
  std::map<uint32_t, uint64_t> Spaces; ///< bytes at the peak
};
} // namespace

void SourceUses::add(const StackStats &R) {
  const Heap &H = T.heap(R.Heap);
  bool Outer = S.selection().isOuterView();
  if (!Outer && H.Flags & HF_OutsideTotals)
    return;
  uint64_t Peak = Outer ? R.HeapPeakBytes : R.SpacePeakBytes;
  uint64_t Live = Outer ? R.LiveBytes : R.LiveExclusive;
  Spaces[H.Space] += Peak;
  SmallSet<std::pair<StringRef, uint32_t>, 8> Seen;
  SmallSet<StringRef, 2> Inside; // files with a line further in
  for (const ShownFrame &F : T.shownStack(R.Key)) {
    if (!isAsked(F) || !Seen.insert({F.File, F.Line}).second)
      continue;
    FileUse &Of = Files[{F.File, H.Space}];
    LineUse &L = Of.Lines[F.Line];
    L.Line = F.Line;
    if (F.FunctionId)
      Of.File = T.function(F.FunctionId).File;
    if (L.Text.empty() && F.FunctionId)
      L.Text = T.sourceLine(Of.File, F.Line);
    L.PeakBytes += Peak;
    L.AllocatedBytes += R.AllocatedBytes;
    L.LiveBytes += Live;
    if (!Inside.insert(F.File).second)
      continue;
    L.OwnPeakBytes += Peak;
    Of.PeakBytes += Peak;
  }
}

std::vector<SourceUse> SourceUses::read() {
  S.forEach([&](uint32_t, const StackStats &R) { add(R); });
  std::map<StringRef, SourceUse> Best;
  for (auto &[Key, Of] : Files) {
    SourceUse &To = Best[Key.first];
    if (!To.File.empty() && To.PeakBytes >= Of.PeakBytes)
      continue;
    To = {Key.first, Key.second, Of.PeakBytes, Spaces[Key.second], {}, {}};
    if (Of.File)
      To.Known = T.sourceLines(Of.File);
    for (auto &[Line, Use] : Of.Lines)
      To.Lines.push_back(Use);
  }
  std::vector<SourceUse> Out;
  for (auto &[File, Use] : Best)
    Out.push_back(std::move(Use));
  stable_sort(Out, [](const SourceUse &A, const SourceUse &B) {
    return A.PeakBytes > B.PeakBytes;
  });
  return Out;
}

std::vector<SourceUse> sourceUse(const SelectedStats &S, StringRef Name) {
  std::vector<SourceUse> Out = SourceUses(S, Name, false).read();
  return Out.empty() ? SourceUses(S, Name, true).read() : Out;
}

} // namespace memkit
