// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stacks of peaks.

#include "Sections.h"
#include "Support/FunctionName.h"
#include "memkit/Model/Rules.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;

namespace memkit {

using Side = Table::Side;

/// Whether a native function is an allocator, or passes requests on to one.
static bool isAllocator(const Rules &R, StringRef Name) {
  return is_contained({"malloc", "calloc", "realloc", "mmap"}, Name) ||
         R.functionRole(Name).IsFolded;
}

/// Whether a Python file belongs to a library or to the interpreter.
static bool isLibrary(const Rules &R, StringRef File) {
  return File.starts_with("<") || R.isOwnFile(File) == false;
}

/// The innermost Python frames up to Max: the innermost frame of all, then
/// frames of the program's own files.
static std::vector<ShownFrame>
tellingPython(const Rules &R, ArrayRef<ShownFrame> All, size_t Max) {
  std::vector<ShownFrame> Out;
  for (const ShownFrame &F : All)
    if (F.IsPython && Out.size() < Max &&
        (Out.empty() || !isLibrary(R, F.File)))
      Out.push_back(F);
  return Out;
}

/// The function; for a Python frame of the program the file and line.
static std::string shortFrame(const Rules &R, const ShownFrame &F) {
  if (!F.IsPython)
    return shortFunctionName(F.Function);
  if (isLibrary(R, F.File) || F.File.empty() || !F.Line)
    return F.Function.str();
  return baseName(F.File).str() + ":" + std::to_string(F.Line);
}

std::string stackInShort(const Trace &T, uint32_t Stack) {
  constexpr size_t Max = 3;
  const Rules &R = T.rules();
  std::vector<ShownFrame> All = T.shownStack(Stack);
  std::vector<ShownFrame> Chosen = tellingPython(R, All, Max);
  if (Chosen.empty())
    copy_if(All, std::back_inserter(Chosen),
            [&](const ShownFrame &F) { return !isAllocator(R, F.Function); });
  if (Chosen.empty())
    Chosen = std::move(All);
  std::string Text;
  for (const ShownFrame &F : ArrayRef(Chosen).take_front(Max))
    Text += (Text.empty() ? "" : " < ") + shortFrame(R, F);
  return Text.empty() ? "(no stack)" : Text;
}

/// Seen: stacks that an inner or outer heap has already shown.
static std::optional<PageSection>
peakSection(const PageInput &F, const HeapOverview &H,
            std::set<std::pair<uint64_t, std::string>> &Seen) {
  bool WithHeap = H.Heap == 0;
  std::vector<Table::Column> Columns = {
      {"bytes", Side::Right}, {"share", Side::Right}, {"blocks", Side::Right}};
  if (WithHeap)
    Columns.push_back({"heap", Side::Left});
  Columns.push_back({"stack, innermost first", Side::Left, true});
  Table T(Columns);
  for (const PeakStack &P : H.AtPeak) {
    std::string Stack = stackInShort(F.T, P.Stack);
    if (!Seen.insert({P.Bytes, Stack}).second)
      continue;
    std::vector<std::string> Row = {formatSize(P.Bytes),
                                    formatShare(P.Bytes, H.Stats.PeakBytes),
                                    formatCount(P.Blocks)};
    if (WithHeap)
      Row.push_back(F.heapName(P.Heap).str());
    Row.push_back(std::move(Stack));
    T.add(std::move(Row));
  }
  if (T.empty())
    return std::nullopt;
  PageSection Out;
  Out.Title = "At the peak of " + heapOrSpace(F, H) + ", " +
              formatSize(H.Stats.PeakBytes);
  Out.Titled = true;
  Out.Rows = std::move(T);
  return Out;
}

std::vector<PageSection> peakSections(const PageInput &F) {
  std::vector<PageSection> Out;
  std::set<std::pair<uint64_t, std::string>> Seen;
  uint64_t Peak = 0;
  for (const HeapOverview &H : F.O.Heaps) {
    if (!H.Heap)
      Peak = H.Stats.PeakBytes;
    // Heaps below 5 % of the largest peak are left out.
    bool IsSmall = H.Heap && F.Top && F.Whole && H.Stats.PeakBytes < Peak / 20;
    if (IsSmall || !H.InTotals)
      continue;
    if (std::optional<PageSection> S = peakSection(F, H, Seen))
      Out.push_back(std::move(*S));
  }
  return Out;
}

} // namespace memkit
